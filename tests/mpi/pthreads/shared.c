/* What POSIX threads wait for besides mutexes and conditions: read-write locks, semaphores, barriers, spin locks.
 * Threads sleep, so that waits do not depend on the number of processors; the program measures by its own clock what
 * each waits for, until it was given up, posted or complete, and says it:
 *
 *   shared rank=0 readers=0.123 writer=… semaphore=… barrier=… spin=… late=…
 *
 * Arguments: rounds, milliseconds of a delay; "funneled": of the first thread only MPI knows. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 3, FREE = 100000 };

static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t all;
static pthread_mutex_t steps = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t step = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t items;
static int rounds;
static double delay;
static double waits[THREADS][5], late[THREADS], came[THREADS], posted, given_up;
enum { READERS, WRITER, SEMAPHORE, BARRIER, SPIN };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work(int me, double ms) {
  struct timespec t = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  const double begin = now();
  nanosleep(&t, NULL);
  late[me] += now() - begin - ms / 1000;
}

/* Waits until `until`, as others have written it meanwhile. */
static void add(int me, int what, double enter, const double* until) {
  if (*until > enter) waits[me][what] += *until - enter;
}

static void together(void) {
  static int here, round;
  pthread_mutex_lock(&steps);
  const int mine = round;
  if (++here == THREADS) {
    here = 0;
    round++;
    pthread_cond_broadcast(&step);
  }
  while (round == mine) pthread_cond_wait(&step, &steps);
  pthread_mutex_unlock(&steps);
}

/* Thread 0 writes, the others come while it does and read. */
static void read_behind_writer(int me) {
  if (me == 0) pthread_rwlock_wrlock(&table);
  together();
  if (me == 0) {
    work(me, delay);
    given_up = now();
    pthread_rwlock_unlock(&table);
  } else {
    const double enter = now();
    pthread_rwlock_rdlock(&table); /* site:pthread_rwlock_rdlock */
    add(me, READERS, enter, &given_up);
    work(me, delay / 4);
    pthread_rwlock_unlock(&table);
  }
  together();
}

/* Threads 1 and 2 read, one for longer; thread 0 comes meanwhile and writes. */
static void write_behind_readers(int me) {
  if (me != 0) pthread_rwlock_rdlock(&table);
  together();
  if (me == 0) {
    const double enter = now();
    pthread_rwlock_wrlock(&table); /* site:pthread_rwlock_wrlock */
    add(me, WRITER, enter, &given_up);
    pthread_rwlock_unlock(&table);
  } else {
    work(me, me == 1 ? delay : delay / 2);
    if (me == 1) given_up = now();
    pthread_rwlock_unlock(&table);
  }
  together();
}

static void consume(int me) {
  together();
  if (me == 0) {
    work(me, delay);
    posted = now();
    sem_post(&items); /* site:sem_post */
  } else if (me == 1) {
    const double enter = now();
    sem_wait(&items); /* site:sem_wait */
    add(me, SEMAPHORE, enter, &posted);
  }
  together();
}

static void meet(int me) {
  together();
  work(me, delay * (me + 1) / THREADS);
  came[me] = now();
  pthread_barrier_wait(&all); /* site:pthread_barrier_wait */
  double last = came[0];
  for (int t = 1; t < THREADS; t++) last = came[t] > last ? came[t] : last;
  waits[me][BARRIER] += last - came[me];
  together();
}

static void turn(int me) {
  if (me == 0) pthread_spin_lock(&spin);
  together();
  if (me == 0) {
    work(me, delay);
    given_up = now();
    pthread_spin_unlock(&spin);
  } else if (me == 1) {
    const double enter = now();
    pthread_spin_lock(&spin); /* site:pthread_spin_lock */
    add(me, SPIN, enter, &given_up);
    pthread_spin_unlock(&spin);
  }
  together();
}

static void* execute(void* number) {
  const int me = (int)(long)number;
  for (int i = 0; i < rounds; i++) {
    read_behind_writer(me);
    write_behind_readers(me);
    consume(me);
    meet(me);
    turn(me);
  }
  for (int i = 0; me == 0 && i < FREE; i++) { /* nobody else wants them */
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_unlock(&table);
    sem_post(&items);
    sem_wait(&items);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, rank;
  rounds = atoi(argv[1]);
  delay = atof(argv[2]);
  const int is_funneled = argc > 3 && strcmp(argv[3], "funneled") == 0;
  MPI_Init_thread(&argc, &argv, is_funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&all, NULL, THREADS);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&items, 0, 0);
  pthread_t threads[THREADS];
  for (long t = 1; t < THREADS; t++) pthread_create(&threads[t], NULL, execute, (void*)t);
  execute(NULL);
  for (int t = 1; t < THREADS; t++) pthread_join(threads[t], NULL);
  double sum[6] = {0};
  for (int t = 0; t < THREADS; t++) {
    for (int what = 0; what < 5; what++) sum[what] += waits[t][what];
    sum[5] += late[t];
  }
  printf("shared rank=%d readers=%.6f writer=%.6f semaphore=%.6f barrier=%.6f spin=%.6f late=%.6f\n", rank, sum[0],
         sum[1], sum[2], sum[3], sum[4], sum[5]);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
