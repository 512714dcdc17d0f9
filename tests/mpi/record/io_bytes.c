/* Between MPI_Init and MPI_Finalize each rank writes argv[1] bytes, reads them again, has argv[2] bytes of memory for a
 * moment, and makes so many calls that the recorder writes journals of several MiB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { calls = 150000, piece = 1 << 16 };

int main(int argc, char** argv) {
  static char buffer[piece];
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  FILE* file = tmpfile();
  if (!file) return 3;
  const int fd = fileno(file);
  const long bytes = atol(argv[1]);
  for (long done = 0; done < bytes; done += piece)
    if (write(fd, buffer, piece) != piece) return 3;
  for (long done = 0; done < bytes; done += piece)
    if (pread(fd, buffer, piece, done) != piece) return 3;
  const size_t room = (size_t)atol(argv[2]);
  char* memory = malloc(room);
  if (!memory) return 3;
  memset(memory, buffer[0] + 1, room);
  buffer[1] = memory[room / 2];
  free(memory);
  for (int i = 0; i < calls; i++) MPI_Send(buffer, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
