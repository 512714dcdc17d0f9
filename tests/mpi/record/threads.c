/* Nearly all messages are those of a thread that did not call MPI_Init_thread, against what the program told MPI:
 * without --pthreads the recorder counts them only. */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void* exchange(void* unused) {
  int x = 0;
  for (int i = 0; i < 100; i++)
    MPI_Sendrecv(&x, 1, MPI_INT, rank ^ 1, 7, &x, 1, MPI_INT, rank ^ 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread;
  pthread_create(&thread, NULL, exchange, NULL);
  pthread_join(thread, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
