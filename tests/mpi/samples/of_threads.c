/* Functions of several threads, whose processor time the program measures by its own clock and says:
 *
 *   used thread=1 function=heavy seconds=0.451200
 *
 * Argument:
 *   team    a team of OpenMP: `heavy` takes three parts of a thread's time and `light` one, the more the higher the
 *           thread's number; threads then wait for the last one and, between two regions, for the first
 *   posix   threads of POSIX that call MPI between `heavy` and `light`; a thread is in `heavy` while it holds a lock,
 *           for which the others spin in `waits`; then each touches memory
 *   steps   a thread of POSIX whose steps take as long as the recorder's period between samples: three parts of each
 *           step in `heavy`, and one in `light` */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 20, UNIT_MS = 5 };

static volatile double sink, start = 3;
static double heavy_used[THREADS], light_used[THREADS], touches_used[THREADS];

/* The thread's processor time: other programs on the machine take none of it. */
static inline __attribute__((always_inline)) double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#define BURNS(name, factor)                                           \
  __attribute__((noinline)) static void name(double ms, double* of) { \
    const double begin = used();                                      \
    double x = start;                                                 \
    do {                                                              \
      for (int i = 0; i < 20000; i++) x = x * (factor) + 0.001;       \
    } while (used() < begin + ms * 1e-3);                             \
    sink = x;                                                         \
    *of += used() - begin;                                            \
  }
BURNS(heavy, 0.999)
BURNS(light, 0.998)

/* Most of its time the kernel works for it. */
__attribute__((noinline)) static void touches(double ms, double* of) {
  const size_t bytes = 64 << 20, page = 4096;
  const double begin = used();
  do {
    char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) break;
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += page) memory[at] = 1;
    munmap(memory, bytes);
  } while (used() < begin + ms * 1e-3);
  *of += used() - begin;
}

static void part_of(int thread) {
  heavy(3 * UNIT_MS * thread, &heavy_used[thread]);
  light(UNIT_MS * thread, &light_used[thread]);
}

static void team(void) {
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2) /* as many as there are processors: else they would not spin while they wait */
    part_of(omp_get_thread_num());
    const double begin = used(); /* the others wait, and spin for a while */
    while (used() < begin + 15e-3) sink = sink * 0.997 + 0.001;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static pthread_spinlock_t lock;
__attribute__((noinline)) static void waits(void) {
  pthread_spin_lock(&lock);
  sink = start;
}

static void* work(void* thread) {
  const int number = (int)(long)thread, self = 1;
  for (int round = 0; round < ROUNDS; round++) {
    waits();
    heavy(3 * UNIT_MS * number, &heavy_used[number]);
    pthread_spin_unlock(&lock);
    MPI_Send(&self, 1, MPI_INT, MPI_PROC_NULL, number, MPI_COMM_WORLD);
    light(UNIT_MS * number, &light_used[number]);
    MPI_Send(&self, 1, MPI_INT, MPI_PROC_NULL, number, MPI_COMM_WORLD);
  }
  touches(200, &touches_used[number]);
  MPI_Send(&self, 1, MPI_INT, MPI_PROC_NULL, number, MPI_COMM_WORLD);
  return NULL;
}

static void* work_in_steps(void* unused) {
  const int self = 1;
  MPI_Send(&self, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD); /* threads are sampled from their first call on */
  const double step_ms = 4, begin_ms = used() * 1e3;
  for (int step = 0; step < 500; step++) {
    const double of_step = begin_ms + step * step_ms;
    heavy(of_step + step_ms * 3 / 4 - used() * 1e3, &heavy_used[1]);
    light(of_step + step_ms - used() * 1e3, &light_used[1]);
  }
  MPI_Send(&self, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  return unused;
}

static void steps(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work_in_steps, NULL);
  pthread_join(thread, NULL);
}

/* A child that takes signals for itself keeps its own timers, which have the numbers of its parent's. */
static int child_keeps_its_timers(void) {
  const pid_t child = fork();
  if (child == 0) {
    timer_t timers[THREADS];
    struct sigevent none;
    struct itimerspec left;
    memset(&none, 0, sizeof none);
    none.sigev_notify = SIGEV_NONE;
    int kept = 1;
    for (int t = 0; t < THREADS; t++) kept &= timer_create(CLOCK_MONOTONIC, &none, &timers[t]) == 0;
    signal(SIGSTKFLT, SIG_IGN);
    signal(SIGRTMAX, SIG_IGN);
    for (int t = 0; t < THREADS; t++) kept &= timer_gettime(timers[t], &left) == 0;
    _exit(!kept);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

static void posix(void) {
  pthread_t threads[THREADS];
  pthread_spin_init(&lock, 0);
  for (long t = 1; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void*)t);
  const struct timespec some = {0, 100000000};
  nanosleep(&some, NULL);
  printf("child %s\n", child_keeps_its_timers() ? "kept its timers" : "lost a timer");
  signal(SIGSTKFLT, SIG_DFL); /* as programs do that reset all signals: nothing changes */
  for (int t = 1; t < THREADS; t++) pthread_join(threads[t], NULL);
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const char* what = argv[argc - 1];
  strcmp(what, "posix") == 0 ? posix() : strcmp(what, "steps") == 0 ? steps() : team();
  for (int t = 1; t < THREADS; t++)
    printf("used thread=%d function=heavy seconds=%.6f\nused thread=%d function=light seconds=%.6f\n", t, heavy_used[t],
           t, light_used[t]);
  for (int t = 1; t < THREADS; t++) printf("used thread=%d function=touches seconds=%.6f\n", t, touches_used[t]);
  MPI_Finalize();
  return provided < MPI_THREAD_MULTIPLE;
}
