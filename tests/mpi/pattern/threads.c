/* Three threads of each of two ranks exchange messages; only the first one made MPI_Init_thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;

static void* exchange(void* number) {
  const int tag = (int)(long)number;
  for (int i = 0; i < 100; i++) {
    int in, out = tag;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (in != tag) printf("wrong\n");
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) printf("no threads\n");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, exchange, (void*)(i + 1));
  exchange((void*)0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
