/* Marks of every kind, nested, with ids; file and lines are checked by test_intervals.py. Prints the same with Mora and
 * without. Argument "wrong": marks that do not fit together; "threads": marks of a second thread and inside a callback;
 * "die": killed inside an interval. */
#include <mora/mora.h>
#include <mora/mora_mpi.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void* other_thread(void* steps) {
  for (int i = 0; i < *(int*)steps; i++) {
    MORA_INTERVAL_BEGIN(i);
    MORA_INTERVAL_END(i);
  }
  return NULL;
}

static int copied(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)state, (void)in, (void)out;
  MORA_REGION_BEGIN("in a callback");
  MORA_REGION_END("in a callback");
  *flag = 0;
  return MPI_SUCCESS;
}

static void wrong(void) {
  MORA_INTERVAL_END(1);        /* never begun */
  MORA_REGION_BEGIN("open");   // line: open
  MORA_INTERVAL_BEGIN(2);      // line: outer
  MORA_REGION_BEGIN("inner");  // line: inner
  MORA_INTERVAL_END(2);        /* crosses inner */
  MORA_REGION_END("inner");    /* was closed there */
  MORA_INTERVAL_BEGIN(3);      // line: three
  MORA_INTERVAL_END(4);        /* another number */
  MORA_INTERVAL_END(3);
  MORA_INTERVAL_BEGIN(-7);  // line: negative
  MORA_INTERVAL_END(-7);
  MORA_REPLICATED_BEGIN(0);  // line: by none
  MORA_REPLICATED_END();
}

static void right(int rank, int* steps) {
  MORA_SEQUENTIAL_BEGIN();  // line: sequential
  MORA_SEQUENTIAL_END();
  MORA_REPLICATED_BEGIN(2 + *steps);  // line: replicated
  MORA_REPLICATED_END();
  MORA_REGION_BEGIN("time loop");  // line: time loop
  for (int i = 0; i < 3; i++) {
    MORA_INTERVAL_BEGIN(++*steps);  // line: step
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MORA_INTERVAL_BEGIN(0);  // line: only rank 0
      MORA_INTERVAL_END(0);
    }
    MORA_INTERVAL_END(*steps);
  }
  MORA_REGION_END("time loop");
  MPI_Pcontrol(0);
  MORA_REGION_BEGIN("unrecorded");  // line: unrecorded
  MPI_Barrier(MPI_COMM_WORLD);
  MORA_REGION_END("unrecorded");
  MPI_Pcontrol(0x0A0005AA);  // line: level
  MPI_Pcontrol(0x0A0005BB);
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; i++) {
    MORA_MESSAGE_BEGIN(0xfffe);  // line: message
    MORA_MESSAGE_END(0xfffe);
  }
}

int main(int argc, char** argv) {
  int rank, size, steps = 0;
  MORA_REGION_BEGIN("before");
  MORA_REGION_END("before");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "wrong") == 0) {
    if (rank == 1) wrong();
  } else if (strcmp(how, "die") == 0) {
    MORA_REGION_BEGIN("about to die");  // line: about to die
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
  } else if (strcmp(how, "threads") == 0) {
    pthread_t thread;
    steps = 5;
    pthread_create(&thread, NULL, other_thread, &steps);
    pthread_join(thread, NULL);
    int key;
    MPI_Comm copy;
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&key);
  } else {
    right(rank, &steps);
  }
  MPI_Finalize();
  MORA_REGION_BEGIN("after");
  MORA_REGION_END("after");
  printf("rank %d of %d: %d steps\n", rank, size, steps);
  return 0;
}
