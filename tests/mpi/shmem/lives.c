/* How a program of OpenSHMEM may begin and end. Argument: what. */
#include <mpi.h>
#include <pshmem.h>
#include <pthread.h>
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static long value;

static void* of_a_thread(void* unused) {
  for (int i = 0; i < 10; i++) shmem_long_p(&value, 1, 0);
  return unused;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int is = strcmp(what, "threads") == 0;
  if (is) {
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  } else if (strcmp(what, "old") == 0) {
    start_pes(0); /* OpenSHMEM 1.0: no call ends it */
  } else {
    shmem_init();
  }
  const int me = shmem_my_pe();
  if (strcmp(what, "old") == 0) {
    shmem_barrier_all();
    return 0;
  }
  if (is) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, of_a_thread, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  }
  if (strcmp(what, "profiled") == 0) pshmem_barrier_all(); /* a tool's way around other tools */
  if (strcmp(what, "off") == 0) {
    MPI_Pcontrol(0);
    for (int i = 0; i < 100; i++) shmem_long_p(&value, 1, 0);
    MPI_Pcontrol(1);
  }
  shmem_barrier_all();
  if (strcmp(what, "exit") == 0) shmem_global_exit(3);
  if (strcmp(what, "killed") == 0) {
    if (me == 1) raise(SIGKILL);
    shmem_barrier_all(); /* site:killed */
  }
  if (strcmp(what, "many") == 0)
    for (int i = 0; i < 100000; i++) shmem_long_p(&value, i, me);
  shmem_finalize();
  return 0;
}
