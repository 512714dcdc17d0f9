/* Threads of a program of MPI_THREAD_MULTIPLE wait for each other: for a mutex, on a condition, for the end of a
 * thread. Threads sleep, so that waits do not depend on the number of processors; the program measures by its own clock
 * what each waits for and says it:
 *
 *   waits rank=0 mutex=0.123 condition=… join=… late=…
 *
 * Arguments: rounds, milliseconds of a delay. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, own[THREADS], queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, taken = PTHREAD_COND_INITIALIZER;
static int rounds, items;
static double delay, released, late, mutex_waits, condition_waits;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(double ms) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  const double begin = now();
  nanosleep(&t, NULL);
  const double more = now() - begin - ms / 1000;
  static char taken_now; /* a spin lock: a mutex would be one more to be recorded */
  while (__atomic_test_and_set(&taken_now, __ATOMIC_ACQUIRE)) sched_yield();
  late += more;
  __atomic_clear(&taken_now, __ATOMIC_RELEASE);
}

static void* contend(void* number) {
  MPI_Barrier(MPI_COMM_SELF);
  for (int i = 0; i < rounds; i++) {
    const double enter = now();
    pthread_mutex_lock(&mutex); /* site:pthread_mutex_lock */
    if (released > enter) mutex_waits += released - enter;
    work(delay);
    released = now();
    pthread_mutex_unlock(&mutex);
    work(1);
  }
  pthread_mutex_t* mine = &own[(long)number];
  for (int i = 0; i < 100000; i++) { /* nobody else wants it */
    pthread_mutex_lock(mine);
    pthread_mutex_unlock(mine);
  }
  return NULL;
}

static void* consume(void* unused) {
  MPI_Barrier(MPI_COMM_SELF);
  pthread_mutex_lock(&queue);
  for (int i = 0; i < rounds; i++) {
    while (items == 0) {
      const double enter = now();
      pthread_cond_wait(&filled, &queue); /* site:pthread_cond_wait */
      condition_waits += now() - enter;
    }
    items--;
    pthread_cond_signal(&taken);
  }
  pthread_mutex_unlock(&queue);
  return unused;
}

static void produce(void) {
  for (int i = 0; i < rounds; i++) {
    work(delay);
    pthread_mutex_lock(&queue);
    items++;
    pthread_cond_signal(&filled); /* site:pthread_cond_signal */
    pthread_mutex_unlock(&queue);
    work(1);
  }
}

static void* sleep_long(void* unused) {
  work(2 * delay);
  return unused;
}

int main(int argc, char** argv) {
  int provided, rank;
  rounds = atoi(argv[1]);
  delay = argc > 2 ? atof(argv[2]) : 20;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t threads[THREADS], other;
  for (long t = 0; t < THREADS; t++) {
    pthread_mutex_init(&own[t], NULL);
    pthread_create(&threads[t], NULL, contend, (void*)t); /* site:pthread_create */
  }
  double joined = now();
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  double join_waits = now() - joined;
  pthread_create(&other, NULL, consume, NULL);
  produce();
  pthread_join(other, NULL);
  pthread_create(&other, NULL, sleep_long, NULL);
  joined = now();
  pthread_join(other, NULL); /* site:pthread_join */
  join_waits += now() - joined;
  printf("waits rank=%d mutex=%.6f condition=%.6f join=%.6f late=%.6f\n", rank, mutex_waits, condition_waits,
         join_waits, late);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
