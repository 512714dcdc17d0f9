/* Checks that a rank makes of what MPI answers; `finish` ends the program with 1 if one failed. */
#ifndef EXPECT_H
#define EXPECT_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures, checks;

#define EXPECT(CONDITION)                                               \
  do {                                                                  \
    checks++;                                                           \
    if (!(CONDITION)) {                                                 \
      printf("rank %d, line %d: not %s\n", rank, __LINE__, #CONDITION); \
      failures++;                                                       \
    }                                                                   \
  } while (0)

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static int finish(void) {
  printf("%d checks\n", checks);
  fflush(stdout);
  MPI_Finalize();
  return failures != 0;
}

static int count_of(MPI_Status* status, MPI_Datatype type) {
  int n = -7;
  MPI_Get_count(status, type, &n);
  return n;
}

#endif
