/* A master deals out tasks and is told when each is done: who gets how many is a matter of time in a real run; in a dry
 * run everybody gets his share. The master's program ends in a dry run, and so do the workers', who are told by tag
 * when to stop. farm WAY: 1 MPI_Recv from anybody, 2 MPI_Waitany over a receive per worker, 3 polling with MPI_Iprobe.
 * Counts of tasks are printed. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { work = 1, result = 2, tasks = 60 };

int main(int argc, char** argv) {
  int rank, size, done = 0, dealt = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int way = atoi(argv[1]);
  if (rank == 0) {
    int* counts = calloc((size_t)size, sizeof *counts);
    int* answers = calloc((size_t)size, sizeof *answers);
    MPI_Request* requests = malloc((size_t)size * sizeof *requests);
    for (int w = 1; w < size; w++, dealt++) {
      MPI_Send(&dealt, 1, MPI_INT, w, work, MPI_COMM_WORLD);
      if (way == 2) MPI_Irecv(&answers[w], 1, MPI_INT, w, result, MPI_COMM_WORLD, &requests[w]);
    }
    while (done < tasks) {
      MPI_Status status;
      int index, flag = 0;
      if (way == 2) {
        MPI_Waitany(size - 1, requests + 1, &index, &status);
      } else {
        while (way == 3 && !flag) MPI_Iprobe(MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(answers, 1, MPI_INT, way == 3 ? status.MPI_SOURCE : MPI_ANY_SOURCE, result, MPI_COMM_WORLD, &status);
      }
      const int worker = status.MPI_SOURCE;
      done++;
      counts[worker]++;
      if (dealt < tasks) {
        MPI_Send(&dealt, 1, MPI_INT, worker, work, MPI_COMM_WORLD);
        dealt++;
        if (way == 2) MPI_Irecv(&answers[worker], 1, MPI_INT, worker, result, MPI_COMM_WORLD, &requests[worker]);
      }
    }
    for (int w = 1; w < size; w++) printf("%d ", counts[w]);
    printf("tasks\n");
    free(counts);
    free(answers);
    free(requests);
  }
  MPI_Finalize();
  return 0;
}
