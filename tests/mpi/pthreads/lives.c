/* Threads that come, go and stay; argv[1] says which. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* brief(void* unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void unlock(void* unused) {
  (void)unused;
  pthread_mutex_unlock(&mutex);
}

static int is_waiting;

static void* waits_for_ever(void* unused) {
  MPI_Barrier(MPI_COMM_SELF);
  pthread_mutex_lock(&mutex);
  __atomic_store_n(&is_waiting, 1, __ATOMIC_RELEASE);
  pthread_cleanup_push(unlock, NULL);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

static sem_t nothing;

static void* waits_at_semaphore(void* unused) {
  __atomic_store_n(&is_waiting, 1, __ATOMIC_RELEASE);
  sem_wait(&nothing);
  return unused;
}

static void* holds(void* unused) {
  pthread_mutex_lock(&mutex);
  usleep(50000);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t thread, others[4];
  MPI_Init_thread(&argc, &argv, strcmp(argv[1], "funneled") == 0 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                  &provided);
  if (strcmp(argv[1], "thousands") == 0) {
    for (int i = 0; i < 500; i++) {
      for (int k = 0; k < 4; k++) pthread_create(&others[k], NULL, brief, NULL);
      for (int k = 0; k < 4; k++) pthread_join(others[k], NULL);
    }
  } else if (strcmp(argv[1], "cancelled") == 0) {
    for (int i = 0; i < 20; i++) {
      pthread_create(&thread, NULL, waits_for_ever, NULL);
      usleep(2000);
      pthread_cancel(thread);
      pthread_join(thread, NULL);
    }
  } else if (strcmp(argv[1], "cancelled-at-semaphore") == 0) {
    sem_init(&nothing, 0, 0);
    for (int i = 0; i < 20; i++) {
      __atomic_store_n(&is_waiting, 0, __ATOMIC_RELEASE);
      pthread_create(&thread, NULL, waits_at_semaphore, NULL);
      while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE)) usleep(1000);
      pthread_cancel(thread);
      pthread_join(thread, NULL);
    }
    usleep(1000);
    for (int i = 0; i < 1000; i++) { /* nobody has waited */
      sem_post(&nothing);
      if (sem_wait(&nothing) != 0) abort();
    }
  } else if (strcmp(argv[1], "outlives") == 0) {
    pthread_create(&thread, NULL, waits_for_ever, NULL);
    while (!__atomic_load_n(&is_waiting, __ATOMIC_ACQUIRE)) usleep(1000);
    usleep(5000);
    MPI_Finalize();
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&never);
    pthread_mutex_unlock(&mutex);
    brief(NULL);
    return 0;
  } else if (strcmp(argv[1], "funneled") == 0) {
    pthread_create(&thread, NULL, holds, NULL);
    usleep(10000);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
  } else if (strcmp(argv[1], "kinds") == 0) { /* mutexes that are more than a lock keep their meaning */
    pthread_mutexattr_t kind;
    pthread_mutex_t m;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) || pthread_mutex_unlock(&m) || pthread_mutex_unlock(&m) ||
        !pthread_mutex_unlock(&m))
      abort();
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) == 0 || pthread_mutex_unlock(&m)) abort();
    struct timespec past = {1, 0};
    pthread_mutex_lock(&mutex);
    if (pthread_cond_timedwait(&never, &mutex, &past) == 0) abort();
    pthread_mutex_unlock(&mutex);
  }
  MPI_Finalize();
  return 0;
}
