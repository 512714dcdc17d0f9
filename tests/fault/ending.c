/* Jobs that hang or die in every way. Argument: which. site:NAME marks the lines that a test looks for.
 * If the test is gone, a job ends after ten minutes. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The test looks for such files. */
static void tell(const char* what, int rank) {
  char path[64];
  snprintf(path, sizeof path, "%s.%d", what, rank);
  fclose(fopen(path, "w"));
}

int main(int argc, char** argv) {
  int rank, size, x = 0;
  alarm(600);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "returned") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1) MPI_Send(&x, 1, MPI_INT, 77, 5, MPI_COMM_WORLD); /* site:returned */
    if (rank == 1) MPI_Comm_size(MPI_COMM_NULL, &x);                /* site:query-returned */
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2) tell(argv[2], rank); /* that this rank is behind the barrier */
  if (strcmp(how, "recv") == 0) {
    if (rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 98, MPI_COMM_WORLD);                    /* site:send */
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site:recv */
    if (rank == 1) {
      if (argc > 2) tell("sent", rank);
      for (;;) sleep(1);
    }
  }
  if (strcmp(how, "circle") == 0)
    MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* site:circle */
  if (strcmp(how, "finalize") == 0) {
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize(); /* site:finalize */
    return 0;
  }
  if (strcmp(how, "wait") == 0 && rank == 0) {
    MPI_Request request;
    MPI_Irecv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &request); /* site:irecv */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                      /* site:wait */
  }
  if (strcmp(how, "poll") == 0 && rank == 0) {
    int flag = 0;
    for (int i = 0; !flag; i++) {
      MPI_Iprobe(1, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* site:iprobe */
      if (i == 100 && argc > 2) tell("polls", rank);
    }
  }
  if (strcmp(how, "poll-for-requests") == 0 && rank == 0) {
    MPI_Request request;
    int flag = 0;
    MPI_Irecv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &request); /* site:tested */
    for (int i = 0; !flag; i++) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE); /* site:test */
      if (i == 100 && argc > 2) tell("polls", rank);
      usleep(1000);
    }
  }
  if (strcmp(how, "other-collective") == 0) {
    MPI_Comm all;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (rank == 0) MPI_Bcast(&x, 1, MPI_INT, 0, all); /* site:bcast */
    if (rank == 0) MPI_Recv(&x, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int sum;
    MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, all); /* site:allreduce */
  }
  if (strcmp(how, "waitall") == 0 && rank == 0) {
    MPI_Request requests[2];
    int y;
    MPI_Irecv(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]); /* site:first */
    MPI_Irecv(&y, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[1]); /* site:second */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                 /* site:waitall */
  }
  if (strcmp(how, "waitall") == 0 && rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  if (strncmp(how, "win", 3) == 0) {
    MPI_Win window;
    MPI_Group world, other;
    const int peer = rank == 0 ? 1 : 0;
    int memory[8] = {0};
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    if (strcmp(how, "win-fence") == 0 && rank == 0) MPI_Win_fence(0, window); /* site:fence */
    if (strcmp(how, "win-wait") == 0 && rank == 0) {
      MPI_Win_post(other, 0, window);
      MPI_Win_wait(window); /* site:win-wait */
    }
    if (strcmp(how, "win-complete") == 0 && rank == 0) {
      MPI_Win_start(other, 0, window); /* site:win-start */
      MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
      MPI_Win_complete(window); /* site:win-complete */
    }
    if (strcmp(how, "win-lock") == 0) {
      if (rank != 1) MPI_Recv(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank < 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window); /* site:lock */
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window); /* site:flush */
      }
      for (int to = 0; rank == 1 && to < size; to++)
        if (to != 1) MPI_Send(&x, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
    }
  }
  if (rank == 1) {
    if (strcmp(how, "segv") == 0) raise(SIGSEGV);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    if (strcmp(how, "exit") == 0) exit(3);
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);                         /* site:abort */
    if (strncmp(how, "refuse", 6) == 0) MPI_Send(&x, 1, MPI_INT, 77, 5, MPI_COMM_WORLD); /* site:refuse */
    MPI_Group world, other;
    MPI_Datatype type;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (strstr(how, "group-refused")) MPI_Group_incl(world, 1, (int[]){77}, &other); /* site:group-refused */
    if (strstr(how, "type-refused")) MPI_Type_contiguous(-1, MPI_INT, &type);        /* site:type-refused */
    if (strstr(how, "info-refused")) MPI_Info_set(MPI_INFO_NULL, "key", "value");    /* site:info-refused */
    if (strstr(how, "query-refused")) MPI_Type_size(MPI_DATATYPE_NULL, &x);          /* site:query-refused */
    if (strstr(how, "attribute-refused"))
      MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &x); /* site:attribute-refused */
  }
  while (strstr(how, "while-others-compute")) sleep(1);
  MPI_Barrier(MPI_COMM_WORLD); /* site:barrier */
  MPI_Finalize();
  return 0;
}
