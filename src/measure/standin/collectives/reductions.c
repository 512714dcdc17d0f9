/* The result of `times` equal operands. Operations of which more of the same make no difference copy; sums of the usual
 * types are multiplied; everything else, operations of the program included, is raised to its power by squaring: MPI's
 * operations are associative, so log2(times) calls do. */
#include "measure/standin/collectives/reductions.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is_idempotent(MPI_Op op) {
  return op == MPI_MAX || op == MPI_MIN || op == MPI_LAND || op == MPI_LOR || op == MPI_BAND || op == MPI_BOR ||
         op == MPI_MAXLOC || op == MPI_MINLOC;
}

#define SCALE(T)                                                           \
  do {                                                                     \
    T* values = to;                                                        \
    for (int i = 0; i < count; i++) values[i] = (T)(values[i] * (T)times); \
    return 1;                                                              \
  } while (0)

/* Unsigned, so that sums that do not fit wrap as they do in MPI. */
static int scale(void* to, int count, MPI_Datatype type, int times) {
  if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION || type == MPI_REAL8) SCALE(double);
  if (type == MPI_FLOAT || type == MPI_REAL || type == MPI_REAL4) SCALE(float);
  if (type == MPI_INT || type == MPI_UNSIGNED || type == MPI_INTEGER || type == MPI_INT32_T || type == MPI_UINT32_T ||
      type == MPI_INTEGER4)
    SCALE(uint32_t);
  if (type == MPI_LONG || type == MPI_UNSIGNED_LONG || type == MPI_LONG_LONG || type == MPI_UNSIGNED_LONG_LONG ||
      type == MPI_INT64_T || type == MPI_UINT64_T || type == MPI_INTEGER8 || type == MPI_AINT || type == MPI_OFFSET ||
      type == MPI_COUNT)
    SCALE(uint64_t);
  return 0;
}

/* Room for `count` elements; *origin: what MPI takes as the buffer's address. */
static char* room_for(int count, MPI_Datatype type, char** origin) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  char* room = standin_alloc((size_t)(extent + (count > 0 ? count - 1 : 0) * standin_extent(type)));
  *origin = room - lower;
  return room;
}

static void copy(const void* from, void* to, int count, MPI_Datatype type) {
  if (from != to) standin_move(from, count, type, to, count, type);
}

void standin_power(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int times) {
  if (times <= 0 || count <= 0) return;
  copy(from, to, count, type);
  if (times == 1 || is_idempotent(op) || (op == MPI_SUM && scale(to, count, type, times))) return;
  /* PMPI_Reduce_local(in, inout): inout = in ∘ inout. */
  char *square, *half;
  char* square_room = room_for(count, type, &square);
  char* half_room = room_for(count, type, &half);
  copy(to, square, count, type); /* not `from`: it may overlap with `to` */
  int have = 0;
  for (int left = times; left > 0; left >>= 1) {
    if (left & 1) {
      if (have)
        PMPI_Reduce_local(square, to, count, type, op);
      else
        copy(square, to, count, type);
      have = 1;
    }
    if (left > 1) {
      copy(square, half, count, type);
      PMPI_Reduce_local(half, square, count, type, op);
    }
  }
  free(square_room);
  free(half_room);
}
