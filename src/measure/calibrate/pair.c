/* Two tests between two ranks. Both are symmetric in who decides: `from` tells `to` everything in advance. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "measure/calibrate/calibrate.h"

int64_t mora_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void spin(int64_t duration) {
  const int64_t end = mora_now() + duration;
  while (mora_now() < end) {
  }
}

/* As spin(), but in MPI, which takes what comes: some libraries' small sends are over only then. */
static void spin_in_mpi(const struct mora_pair* pair, int64_t duration) {
  const int64_t end = mora_now() + duration;
  int found = 0;
  while (mora_now() < end) MPI_Iprobe(pair->from, 8, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

static void sample(const struct mora_pair* pair, int pass, const char* test, int64_t bytes, int64_t ns) {
  fprintf(pair->raw, "%s,%d,%d,%d,%s,%lld,%lld\n", pair->class_name, pair->from, pair->to, pass, test, (long long)bytes,
          (long long)ns);
}

static int compare(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return x < y ? -1 : x > y;
}

int64_t mora_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes) {
  enum { unused = 2 };
  int64_t times[MORA_SAMPLES];
  const int n = (int)bytes;
  for (int i = -unused; i < MORA_SAMPLES; ++i) {
    if (pair->rank == pair->from) {
      const int64_t begin = mora_now();
      MPI_Send(pair->buffer, n, MPI_BYTE, pair->to, 1, MPI_COMM_WORLD);
      MPI_Recv(pair->buffer, n, MPI_BYTE, pair->to, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i >= 0) times[i] = (mora_now() - begin) / 2;
    } else {
      MPI_Recv(pair->buffer, n, MPI_BYTE, pair->from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(pair->buffer, n, MPI_BYTE, pair->from, 1, MPI_COMM_WORLD);
    }
  }
  if (pair->rank != pair->from) return 0;
  for (int i = 0; i < MORA_SAMPLES; ++i) sample(pair, pass, "half_round_trip", bytes, times[i]);
  qsort(times, MORA_SAMPLES, sizeof *times, compare);
  return times[MORA_SAMPLES / 2];
}

int mora_late_receiver(const struct mora_pair* pair, int pass, int64_t bytes, int64_t delay) {
  int is_eager = 0;
  const int n = (int)bytes;
  for (int i = 0; i < MORA_LATE_SAMPLES; ++i) {
    int64_t word = delay;
    if (pair->rank == pair->from) {
      const int64_t said = mora_now();
      MPI_Send(&word, 8, MPI_BYTE, pair->to, 2, MPI_COMM_WORLD);
      spin(delay / 8);
      const int64_t begin = mora_now();
      MPI_Send(pair->buffer, n, MPI_BYTE, pair->to, 3, MPI_COMM_WORLD);
      const int64_t end = mora_now(), sent = end - begin;
      /* The receive cannot have been posted before `delay` after the word was sent. */
      if (end - said < delay) is_eager = 1;
      MPI_Recv(&word, 8, MPI_BYTE, pair->to, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sample(pair, pass, "send", bytes, sent);
      sample(pair, pass, "late_receive", bytes, word);
    } else {
      MPI_Recv(&word, 8, MPI_BYTE, pair->from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      spin_in_mpi(pair, word);
      const int64_t begin = mora_now();
      MPI_Recv(pair->buffer, n, MPI_BYTE, pair->from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      word = mora_now() - begin;
      MPI_Send(&word, 8, MPI_BYTE, pair->from, 4, MPI_COMM_WORLD);
    }
  }
  return is_eager;
}
