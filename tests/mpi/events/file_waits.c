/* Two processes: every call that all make together on a file, once with rank 0 and once with rank 1 being 60 ms late.
 * argv[1]: the file's name. The test looks which of the calls waited. */
#include <mpi.h>
#include <time.h>

static int rank;

static void late(int who) {
  const struct timespec while_others_wait = {0, 60 * 1000 * 1000};
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == who) nanosleep(&while_others_wait, NULL);
}

int main(int argc, char** argv) {
  MPI_File file;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Info_create(&info);
  for (int who = 0; who < 2; who++) {
    late(who);
    MPI_File_open(MPI_COMM_WORLD, argv[argc - 1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    late(who);
    MPI_File_set_size(file, 64);
    late(who);
    MPI_File_preallocate(file, 128);
    late(who);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    late(who);
    MPI_File_set_atomicity(file, 0);
    late(who);
    MPI_File_set_info(file, info);
    late(who);
    MPI_File_sync(file);
    late(who);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    late(who);
    MPI_File_close(&file);
  }
  MPI_Finalize();
  return 0;
}
