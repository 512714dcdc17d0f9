/* Datatypes, each used once in an MPI_Bcast with its number as root's first byte count: see pattern_recorder_test.cpp.
 */
#include <mpi.h>
#include <stdlib.h>

static char* buffer;

static void use(MPI_Datatype type, int keep) {
  MPI_Bcast(buffer, 1, type, 0, MPI_COMM_SELF);
  if (!keep) MPI_Type_free(&type);
}

static void commit(MPI_Datatype* type, const char* name) {
  MPI_Type_commit(type);
  MPI_Type_set_name(*type, name);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  buffer = calloc(1 << 16, 1);
  MPI_Datatype t, u, v;
  /* predefined */
  use(MPI_DOUBLE, 1);
  use(MPI_BYTE, 1);
  use(MPI_LONG_LONG, 1);
  use(MPI_SHORT_INT, 1);
  use(MPI_DOUBLE_INT, 1);
  use(MPI_2INT, 1);
  use(MPI_CHARACTER, 1);
  use(MPI_REAL, 1);
  use(MPI_INTEGER, 1);
  use(MPI_DOUBLE_PRECISION, 1);
  use(MPI_COMPLEX, 1);
  /* whole */
  MPI_Type_contiguous(3, MPI_INT, &t);
  commit(&t, "whole contiguous");
  use(t, 0);
  MPI_Type_vector(4, 2, 2, MPI_INT, &t); /* stride = block */
  commit(&t, "whole vector");
  use(t, 0);
  const int lengths[3] = {2, 0, 3}, displacements[3] = {0, 99, 2};
  MPI_Type_indexed(3, lengths, displacements, MPI_FLOAT, &t);
  commit(&t, "whole indexed");
  use(t, 0);
  {
    const int ones[2] = {1, 2};
    const MPI_Aint at[2] = {0, 8};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Type_create_struct(2, ones, at, types, &t);
    commit(&t, "whole struct");
    use(t, 0);
  }
  {
    const int sizes[2] = {4, 6}, parts[2] = {4, 6}, starts[2] = {0, 0};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &t);
    commit(&t, "whole subarray");
    use(t, 0);
  }
  MPI_Type_contiguous(2, MPI_INT, &u);
  MPI_Type_dup(u, &v);
  MPI_Type_contiguous(5, v, &t);
  commit(&t, "whole nested");
  MPI_Type_free(&u);
  MPI_Type_free(&v);
  use(t, 0);
  {
    const MPI_Aint at[1] = {8};
    MPI_Type_create_hindexed_block(1, 4, at, MPI_INT, &t); /* moved as a whole: lb 8, extent 16 */
    commit(&t, "whole displaced");
    use(t, 0);
  }
  MPI_Type_contiguous(0, MPI_INT, &t);
  commit(&t, "whole empty");
  use(t, 0);
  /* with holes, out of order, overlapping */
  MPI_Type_vector(2, 1, 2, MPI_INT, &t);
  commit(&t, "gap vector");
  use(t, 0);
  MPI_Type_create_resized(MPI_INT, 0, 16, &t);
  commit(&t, "gap resized");
  use(t, 0);
  {
    const int ones[2] = {1, 1};
    const MPI_Aint at[2] = {4, 0};
    const MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};
    MPI_Type_create_struct(2, ones, at, types, &t); /* size = extent = true extent, but back to front */
    commit(&t, "gap swapped");
    use(t, 0);
  }
  {
    const int at[3] = {0, 0, 2}; /* the first twice, the second never: size = extent */
    MPI_Type_create_indexed_block(3, 1, at, MPI_INT, &t);
    commit(&t, "gap twice");
    use(t, 0);
  }
  {
    const int sizes[2] = {4, 6}, parts[2] = {2, 6}, starts[2] = {1, 0};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT,
                             &t); /* one run, but the next element is not behind it */
    commit(&t, "gap subarray");
    use(t, 0);
  }
  {
    MPI_Type_create_resized(MPI_SHORT_INT, 0, 6, &u);
    commit(&u, "gap pair");
    use(u, 0);
  }
  /* a handle that was freed and given out again is a new type */
  for (int i = 1; i <= 3; i++) {
    MPI_Type_contiguous(i, MPI_CHAR, &t);
    MPI_Type_commit(&t);
    MPI_Send(buffer, 1, t, MPI_PROC_NULL, 0, MPI_COMM_SELF);
    MPI_Type_free(&t);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
