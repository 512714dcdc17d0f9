/* Threads that come, go, and stay; argv[1] says which. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CROWD = 8 };

static pthread_barrier_t crowd;

static void barriers(int n) {
  for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_SELF);
}

static void* brief(void* unused) {
  barriers(1);
  return unused;
}

static void* in_crowd(void* unused) {
  barriers(1);
  pthread_barrier_wait(&crowd);
  barriers(1);
  return unused;
}

static void* until_cancelled(void* at) {
  barriers(3);
  pthread_barrier_wait(at);
  pause();
  return NULL;
}

static void* for_ever(void* at) {
  barriers(5);
  pthread_barrier_wait(at);
  for (;;) pause();
}

static void* forks(void* unused) {
  barriers(2);
  const pid_t child = fork();
  if (child == 0) exit(0); /* with destructors */
  waitpid(child, NULL, 0);
  barriers(2);
  return unused;
}

static void* ends_process(void* unused) {
  barriers(2);
  MPI_Finalize();
  exit(0);
  return unused;
}

static void* switches_off(void* unused) {
  barriers(1);
  MPI_Pcontrol(0);
  barriers(10);
  return unused;
}

static void* switches_on(void* unused) {
  barriers(10);
  MPI_Pcontrol(1);
  barriers(1);
  return unused;
}

static void run(void* (*what)(void*), void* argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, what, argument);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  int provided;
  pthread_barrier_t at;
  pthread_t threads[CROWD];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) puts("no threads");
  pthread_barrier_init(&crowd, NULL, CROWD);
  pthread_barrier_init(&at, NULL, 2);
  if (strcmp(argv[1], "brief") == 0) {
    for (int i = 0; i < 3000; i++) run(brief, NULL);
    for (int i = 0; i < CROWD; i++) pthread_create(&threads[i], NULL, in_crowd, NULL);
    for (int i = 0; i < CROWD; i++) pthread_join(threads[i], NULL);
  } else if (strcmp(argv[1], "cancelled") == 0) {
    for (int i = 0; i < 2; i++) {
      pthread_create(&threads[0], NULL, until_cancelled, &at);
      pthread_barrier_wait(&at);
      pthread_cancel(threads[0]);
      pthread_join(threads[0], NULL);
    }
  } else if (strcmp(argv[1], "staying") == 0) {
    pthread_create(&threads[0], NULL, for_ever, &at);
    pthread_barrier_wait(&at);
  } else if (strcmp(argv[1], "forking") == 0) {
    run(forks, NULL);
  } else if (strcmp(argv[1], "ending") == 0) {
    run(ends_process, NULL);
  } else if (strcmp(argv[1], "switching") == 0) {
    run(switches_off, NULL);
    barriers(1); /* the last one that is recorded here before it is noticed */
    barriers(10);
    run(switches_on, NULL);
    barriers(1);
  }
  MPI_Finalize();
  return 0;
}
