#include "planted.h"

#include <stdio.h>
#include <time.h>

enum { ARRIVALS = 100 };

static double lost;
static double arrivals[ARRIVALS];
static int arrived;

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void work(double milliseconds) {
  struct timespec left = {(time_t)(milliseconds / 1000), (long)(milliseconds * 1e6) % 1000000000};
  while (nanosleep(&left, &left) != 0) {
  }
}

void planted_work(double milliseconds, double victims) {
  const double begin = now();
  work(milliseconds);
  lost += victims * (now() - begin);
}

void planted_loss(double seconds) { lost += seconds; }

void planted_arrival(void) { arrivals[arrived++] = now(); }

void together(void) { PMPI_Barrier(MPI_COMM_WORLD); }

static void print(const char* kind, const char* rank, const char* function, double loss) {
  printf("planted: kind=%s rank=%s function=%s loss=%.6f\n", kind, rank, function, loss);
  fflush(stdout);
}

void planted_print(const char* kind, const char* rank, const char* function) {
  int self;
  double sum, last[ARRIVALS];
  PMPI_Allreduce(arrivals, last, arrived, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < arrived; i++) lost += last[i] - arrivals[i];
  PMPI_Reduce(&lost, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 0) print(kind, rank, function, sum);
}

void planted_print_alone(const char* kind, const char* rank, const char* function) {
  print(kind, rank, function, lost);
}
