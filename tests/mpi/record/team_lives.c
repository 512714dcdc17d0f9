/* Teams of OpenMP in unusual circumstances; the argument says which. */
#include <mpi.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int sum;

static void team(int threads) {
#pragma omp parallel num_threads(threads)
#pragma omp atomic
  sum++;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int provided, rank;
  MPI_Init_thread(&argc, &argv, strcmp(what, "calling") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "nested") == 0) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    team(3);
    if (sum != 6) abort();
  } else if (strcmp(what, "tasks") == 0) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
      for (int i = 0; i < 20; i++)
#pragma omp task
      {
        usleep(1000);
#pragma omp atomic
        sum++;
      }
#pragma omp taskwait
    }
    if (sum != 20) abort();
  } else if (strcmp(what, "sizes") == 0) {
    for (int threads = 1; threads <= 4; threads++) team(threads);
    if (sum != 10) abort();
  } else if (strcmp(what, "environment") == 0) { /* OMP_NUM_THREADS, then what the program sets, then that again */
    const int threads = omp_get_max_threads();
    for (int i = 0; i < 3; i++) {
      if (i > 0) omp_set_num_threads(i == 1 ? 2 : threads);
#pragma omp parallel
#pragma omp atomic
      sum++;
    }
    if (sum != 2 * threads + 2) abort();
  } else if (strcmp(what, "calling") == 0) {
#pragma omp parallel num_threads(3)
    {
      int mine = omp_get_thread_num(), got = -1;
      MPI_Sendrecv(&mine, 1, MPI_INT, rank, mine, &got, 1, MPI_INT, rank, mine, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (got != mine) abort();
    }
  } else if (strcmp(what, "switched") == 0) {
    team(3);
    MPI_Pcontrol(0);
    team(3);
    MPI_Pcontrol(1);
    team(3);
  } else if (strcmp(what, "forking") == 0) {
    team(3);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    team(3);
  } else if (strcmp(what, "finalizing") == 0) {
#pragma omp parallel num_threads(3)
    {
#pragma omp master
      MPI_Finalize();
    }
    return 0;
  } else if (strcmp(what, "ending") == 0) {
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
      if (omp_get_thread_num() == 1) exit(0);
      sleep(5);
    }
  } else if (strcmp(what, "killed") == 0) {
#pragma omp parallel num_threads(3)
    {
      usleep(100000);
#pragma omp master
      raise(9);
      sleep(5);
    }
  }
  MPI_Finalize();
  return 0;
}
