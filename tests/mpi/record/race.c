/* Two threads write a variable at the same time: what the thread sanitizer must find beside a recorder. */
#include <mpi.h>
#include <pthread.h>

static volatile int shared;

static void* write_it(void* nothing) {
  for (int i = 0; i < 1000; i++) shared = i;
  return nothing;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_t thread;
  pthread_create(&thread, NULL, write_it, NULL);
  write_it(NULL);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
