/* A stencil code: WORK multiplications, borders to both neighbours, a residual every tenth step, made in functions that
 * call each other; iterate STEPS WORK [2]: borders in two calls of MPI_Sendrecv instead of five. Each rank prints its
 * resident memory (KiB) after a tenth of the steps, and the most it ever had. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double border[4][128], start = 3;
static int left, right, calls = 5;

static long kib(const char* field) {
  char line[200];
  long amount = -1;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, field, strlen(field)) == 0) amount = atol(line + strlen(field));
  if (file) fclose(file);
  return amount;
}

__attribute__((noinline)) static double relax(int work) {
  double x = start;
  for (int i = 0; i < work; i++) x = x * 0.999 + 0.001;
  return x;
}

__attribute__((noinline)) static void exchange(void) {
  if (calls == 2) {
    MPI_Sendrecv(border[2], 128, MPI_DOUBLE, left, 1, border[1], 128, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(border[3], 128, MPI_DOUBLE, right, 0, border[0], 128, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request open[4];
  MPI_Status done[4];
  MPI_Irecv(border[0], 128, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &open[0]);
  MPI_Irecv(border[1], 128, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &open[1]);
  MPI_Isend(border[2], 128, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &open[2]);
  MPI_Isend(border[3], 128, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &open[3]);
  MPI_Waitall(4, open, done);
}

__attribute__((noinline)) static void step(long number, int work) {
  double residual = relax(work), sum;
  exchange();
  if (number % 10 == 0) MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size, right = (rank + 1) % size;
  const long steps = argc > 1 ? atol(argv[1]) : 1000;
  const int work = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3) calls = atoi(argv[3]);
  long after_a_tenth = 0;
  for (long i = 0; i < steps; i++) {
    step(i, work);
    if (i == steps / 10) after_a_tenth = kib("VmRSS:");
  }
  char line[100];
  snprintf(line, sizeof line, "rank %d: after a tenth %ld KiB, most %ld KiB\n", rank, after_a_tenth, kib("VmHWM:"));
  fputs(line, stdout);
  MPI_Finalize();
  return 0;
}
