/* Ends of processes and switches. argv[1] says which; see recorded_life_test.cpp. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size, data[4];

static void ring(int rounds) {
  for (int i = 0; i < rounds; i++)
    MPI_Sendrecv(data, 1, MPI_INT, (rank + 1) % size, i % 1000, data + 1, 1, MPI_INT, (rank + size - 1) % size,
                 i % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* How many calls have returned stands in a file that survives the process. */
static void count_until_killed(const char* directory) {
  char path[1024];
  snprintf(path, sizeof path, "%s/count.%d", directory, rank);
  FILE* file = fopen(path, "w");
  for (long i = 1;; i++) {
    MPI_Sendrecv(data, 1, MPI_INT, 0, 1, data + 1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    if (i % 100 == 0) {
      rewind(file);
      fprintf(file, "%ld\n", i);
      fflush(file);
    }
    if (rank == size - 1 && i == 100000) kill(getpid(), SIGKILL);
  }
}

/* For 12 ms of this thread's CPU time, or of time. */
static void compute_or_sleep(int sleeps) {
  struct timespec begin, now;
  if (sleeps) {
    usleep(12000);
    return;
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 12000000);
}

static void* other_thread(void* unused) {
  (void)unused;
  for (int i = 0; i < 50; i++)
    MPI_Sendrecv(data, 1, MPI_INT, 0, 1, data + 1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  int provided = 0, flag;
  if (strcmp(how, "threads") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "exit") == 0) {
    ring(10);
    usleep(300000); /* an exit without MPI_Finalize kills the other one */
    _Exit(0);       /* no destructors */
  } else if (strcmp(how, "core") == 0) {
    for (int i = 0; i < 60; i++) {
      compute_or_sleep(i % 2);
      MPI_Barrier(MPI_COMM_SELF);
    }
  } else if (strcmp(how, "kill") == 0) {
    count_until_killed(argv[2]);
  } else if (strcmp(how, "abort") == 0) {
    ring(3);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody is killed before he has done his rounds */
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    pause();
  } else if (strcmp(how, "errors") == 0) {
    MPI_Request requests[2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int failures = 0;
    failures += MPI_Send(data, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD) != MPI_SUCCESS;
    failures += MPI_Bcast(data, 1, MPI_INT, size + 5, MPI_COMM_WORLD) != MPI_SUCCESS;
    /* truncated: the message is consumed */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(data, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data, 4, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* Open MPI calls this a success */
    MPI_Recv(data, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ring(1);
    MPI_Finalize();
    return failures == 2 ? 0 : 1;
  } else if (strcmp(how, "pcontrol") == 0) {
    MPI_Comm made;
    MPI_Request pending, late, persistent;
    MPI_Irecv(data + 2, 1, MPI_INT, rank, 900, MPI_COMM_WORLD, &pending);
    MPI_Recv_init(data + 3, 1, MPI_INT, rank, 901, MPI_COMM_WORLD, &persistent);
    MPI_Pcontrol(0);
    ring(5);
    MPI_Send(data, 1, MPI_INT, rank, 900, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Irecv(data + 2, 1, MPI_INT, rank, 902, MPI_COMM_WORLD, &late);
    MPI_Pcontrol(1);
    MPI_Barrier(made);
    MPI_Send(data, 1, MPI_INT, rank, 902, MPI_COMM_WORLD);
    MPI_Wait(&late, MPI_STATUS_IGNORE);
    MPI_Start(&persistent);
    MPI_Send(data, 1, MPI_INT, rank, 901, MPI_COMM_WORLD);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Pcontrol(77);
  } else if (strcmp(how, "threads") == 0) {
    ring(10);
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    if (provided == MPI_THREAD_MULTIPLE) ring(10);
    pthread_join(thread, NULL);
    if (provided != MPI_THREAD_MULTIPLE) ring(10);
  } else if (strcmp(how, "fork") == 0) {
    ring(5);
    if (fork() == 0) {
      MPI_Initialized(&flag);
      exit(0); /* with destructors */
    }
    wait(NULL);
    ring(5);
  } else if (strcmp(how, "spawn") == 0) {
    MPI_Comm parent, children;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
      MPI_Comm_spawn(argv[0], (char*[]){"spawn", NULL}, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                     MPI_ERRCODES_IGNORE);
    else
      children = parent;
    MPI_Barrier(children);
    MPI_Comm_disconnect(&children);
  } else if (strcmp(how, "full") == 0) {
    struct rlimit limit = {400000, 400000};
    setrlimit(RLIMIT_FSIZE, &limit);
    ring(20000);
  } else if (strcmp(how, "many") == 0) {
    ring(atoi(argv[2]));
  }
  MPI_Finalize();
  return 0;
}
