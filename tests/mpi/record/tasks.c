/* Tasks of OpenMP, made and executed in all places. By the program's own clock each rank says, summed over its threads,
 * how long they executed tasks (without waiting in them), waited in taskwait, and waited in barriers: for the last
 * thread to come and the last task to end, without the tasks that they executed there:
 *
 *   tasks rank=0 executed=0.123456 taskwait=… barrier=… late=…
 *
 * Threads sleep instead of computing, so that nothing depends on the number of processors. Arguments: rounds,
 * milliseconds of the longest part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "team_work.h"

enum { THREADS = 4 };

static double executed, taskwaits, barriers;
/* Of a thread: its tasks since it has come to the barrier, or since it waits in a task. */
static __thread double tasks_inside;
static double last_end;

static void note_end(double end) {
#pragma omp critical(last)
  if (end > last_end) last_end = end;
}

static double wait_for_children(void) {
  const double around = tasks_inside, begin = now();
  tasks_inside = 0;
#pragma omp taskwait /* line: taskwait */
  const double all = now() - begin, waited = all - tasks_inside;
#pragma omp atomic
  taskwaits += waited;
  tasks_inside = around;
  return all;
}

static void task(double ms) {
  const double begin = now();
  work(ms);
  const double end = now();
#pragma omp atomic
  executed += end - begin;
  tasks_inside += end - begin;
  note_end(end);
}

/* With two children, for which it waits. */
static void parent(double ms) {
  const double begin = now(), around = tasks_inside;
  for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(i) /* line: child */
    task(ms / (1 + i));
  work(ms / 4);
  const double waited = wait_for_children(), end = now();
#pragma omp atomic
  executed += end - begin - waited;
  tasks_inside = around + end - begin;
  note_end(end);
}

/* What all but the last wait at the end of a region. */
static double missing(const double* ends) {
  double last = ends[0], sum = 0;
  for (int t = 1; t < THREADS; t++) last = ends[t] > last ? ends[t] : last;
  for (int t = 0; t < THREADS; t++) sum += last - ends[t];
  return sum;
}

/* One thread makes tasks and then comes to the barrier `ms` late; the others are there all the time. */
static void team(double ms_late, int nested, const double* lengths, int count) {
  double came[THREADS], inside[THREADS], ends[THREADS];
  last_end = 0;
#pragma omp parallel num_threads(THREADS) /* line: parallel */
  {
    const int me = omp_get_thread_num();
    tasks_inside = 0;
    if (me == 1) {
      for (int i = 0; i < count; i++) {
        const double length = lengths[i];
        if (nested) {
#pragma omp task /* line: parent */
          parent(length);
        } else {
#pragma omp task /* line: task */
          task(length);
        }
      }
      work(ms_late);
    }
    came[me] = now();
#pragma omp barrier /* line: barrier */
    inside[me] = tasks_inside;
    ends[me] = now();
  }
  for (int t = 0; t < THREADS; t++) last_end = came[t] > last_end ? came[t] : last_end;
  for (int t = 0; t < THREADS; t++) barriers += last_end - came[t] - inside[t];
  barriers += missing(ends);
}

/* Executed at once by who makes them: in no team, if(0), final. */
static void at_once(double ms) {
#pragma omp task if (0) /* line: at once */
  task(ms / 8);
#pragma omp task final(1)
  task(ms / 8);
  tasks_inside = 0;
  double before[THREADS];
#pragma omp parallel num_threads(THREADS)
  {
#pragma omp task if (0)
    task(ms / 8);
    before[omp_get_thread_num()] = now();
  }
  barriers += missing(before);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 5;
  const double ms = argc > 2 ? atof(argv[2]) : 40;
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double uneven[] = {ms, ms / 2, ms / 4, ms / 8, ms / 8}, even[] = {ms / 4, ms / 4, ms / 4, ms / 4, ms / 4};
  for (int round = 0; round < rounds; round++) {
    team(0, 0, uneven, 5);
    team(ms, 0, even, 5);
    team(ms / 8, 1, even, 2);
    at_once(ms);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("tasks rank=%d executed=%.6f taskwait=%.6f barrier=%.6f late=%.6f\n", rank, executed, taskwaits, barriers,
         late / THREADS);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
