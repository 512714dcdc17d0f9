/* Two processes: every form of reading and writing a file. argv[1]: its name. */
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, data[64] = {0}, other[64] = {0};
  MPI_File file;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_write_at_all(file, rank * 64, data, 16, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at(file, rank * 64, data, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, 96, other, 16, MPI_INT, MPI_STATUS_IGNORE); /* asks for more than there is */
  MPI_File_seek(file, rank * 64, MPI_SEEK_SET);
  MPI_File_read_all(file, other, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read(file, other, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered(file, data, 3, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, rank * 64, data, 8, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, rank * 64, other, 8, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, rank * 64, data, 5, MPI_INT);
  MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
