/* What a sample of computation costs: the signal that samples come by, sent again and again by the program itself, ten
 * frames deep, and written at an MPI call every 20,000 samples. Without MORA_SAMPLE: the same signal with an empty
 * handler.
 *
 *     mpicc.openmpi -O2 -g sample_cost.c -o sample_cost && mpirun.openmpi -n 1 ./sample_cost 200000
 *     mora record --sample 1 mpirun.openmpi -n 1 ./sample_cost 200000 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void nothing(int number) { (void)number; }

static volatile long depth_reached;

__attribute__((noinline)) static void send_signals(int depth, long count) {
  if (depth > 0) {
    send_signals(depth - 1, count);
  } else {
    const pid_t process = getpid();
    const long thread = syscall(SYS_gettid);
    for (long i = 1; i <= count; i++) {
      syscall(SYS_tgkill, process, thread, SIGRTMAX);
      if (i % 20000 == 0) MPI_Barrier(MPI_COMM_SELF);
    }
  }
  depth_reached++;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long count = argc > 1 ? atol(argv[1]) : 200000;
  if (!getenv("MORA_SAMPLE")) signal(SIGRTMAX, nothing);
  const double begin = used();
  send_signals(8, count);
  printf("%ld signals: %.1f ns each\n", count, (used() - begin) * 1e9 / (double)count);
  MPI_Finalize();
  return 0;
}
