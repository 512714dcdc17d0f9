/* Threads that all call MPI: argv[1] "multiple" at once, "serialized" one after the other, "funneled" though they may
 * not. Each sends its number to itself as a tag, ROUNDS times, frees types and communicators in between; then one hands
 * a request over. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { threads = 3, rounds = 500 };
static MPI_Request handed;
static int value;

static void* work(void* argument) {
  int tag = (int)(long)argument, in = 0;
  for (int i = 0; i < rounds; i++) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&tag, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (in != tag) abort();
    if (i % 100 == 99) {
      MPI_Comm own;
      MPI_Datatype type;
      int from[8] = {0}, to[8];
      MPI_Comm_dup(MPI_COMM_SELF, &own);
      MPI_Type_contiguous(tag + 1, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Sendrecv(from, 1, type, 0, 1, to, 1, type, 0, 1, own, MPI_STATUS_IGNORE);
      MPI_Type_free(&type);
      MPI_Comm_free(&own);
    }
  }
  return 0;
}

static void* complete(void* argument) {
  (void)argument;
  MPI_Wait(&handed, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_SELF);
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "multiple";
  const int wanted = strcmp(how, "multiple") == 0     ? MPI_THREAD_MULTIPLE
                     : strcmp(how, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                      : MPI_THREAD_FUNNELED;
  int provided;
  pthread_t ids[threads];
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided != wanted) return 77;
  for (long i = 0; i < threads; i++) {
    pthread_create(&ids[i], 0, work, (void*)(i + 1));
    if (wanted != MPI_THREAD_MULTIPLE) pthread_join(ids[i], 0);
  }
  if (wanted == MPI_THREAD_MULTIPLE) work((void*)0);
  for (int i = 0; wanted == MPI_THREAD_MULTIPLE && i < threads; i++) pthread_join(ids[i], 0);
  MPI_Irecv(&value, 1, MPI_INT, 0, 77, MPI_COMM_SELF, &handed);
  MPI_Send(&provided, 1, MPI_INT, 0, 77, MPI_COMM_SELF);
  pthread_create(&ids[0], 0, complete, 0);
  pthread_join(ids[0], 0);
  MPI_Finalize();
  return 0;
}
