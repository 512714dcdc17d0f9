/* Loops, sections, parallel regions and groups of tasks that are cancelled (OMP_CANCELLATION=true), a nestable lock, a
 * lock by Fortran's names, a loop whose iterations wait for each other, and sections with a reduction of tasks. Ends
 * itself with an error where something does not do its work, and says how many tasks were executed, in all and by the
 * team of one, where that is no matter of chance:
 *
 *   cancelled tasks=34 of_one=13
 *
 * -DSCHEDULE=static: LLVM's library 14 ends the program where a loop whose parts are given out is cancelled. */
#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

#ifndef SCHEDULE
#define SCHEDULE dynamic
#endif

extern "C" {
void omp_init_lock_(void* lock);
void omp_set_lock_(void* lock);
void omp_unset_lock_(void* lock);
void omp_destroy_lock_(void* lock);
}

namespace {

constexpr int threads = 4;
int tasks;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

int add_one(int& number) {
  int now;
#pragma omp atomic capture
  now = ++number;
  return now;
}

struct Copied {
  Copied() : self(this) {}
  Copied(const Copied& other) : value(other.value), self(this) {}
  ~Copied() { expect(self == this && value == 7, "an object of a task that is cancelled"); }
  int value = 7;
  const Copied* self;
};

/* The third of ten tasks cancels the others. Tasks whose objects are copied already are executed by GCC's library. */
void group_of_tasks(int of_them) {
  Copied object;
  int done = 0, done_with_object = 0;
#pragma omp parallel num_threads(of_them)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 10; i++)
#pragma omp task shared(done)
    {
      add_one(tasks);
      if (add_one(done) == 3) {
#pragma omp cancel taskgroup
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(object) shared(done_with_object)
    {
      add_one(tasks);
      expect(object.self == &object && object.value == 7, "an object of a task");
      if (add_one(done_with_object) == 3) {
#pragma omp cancel taskgroup
      }
    }
  }
  expect(done >= 3 && done <= 10, "a group of tasks that is cancelled");
  expect(done_with_object >= 3 && done_with_object <= 10, "a group of tasks with objects that is cancelled");
}

void loop() {
  int done = 0, behind = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(SCHEDULE)
    for (int i = 0; i < 100000; i++) {
      add_one(done);
#pragma omp cancel for
    }
    add_one(behind);
  }
  expect(done >= 1 && done <= threads, "a loop that is cancelled");
  expect(behind == threads, "what is behind a loop that is cancelled");
}

void sections() {
  int behind = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
      }
#pragma omp section
      {
#pragma omp cancellation point sections
      }
    }
    add_one(behind);
  }
  expect(behind == threads, "what is behind sections that are cancelled");
}

/* One thread cancels it instead of coming to the barrier where the others wait. */
void region() {
  int behind = 0;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
#pragma omp barrier /* line: barrier */
    add_one(behind);
  }
  expect(behind == 0, "what is behind a barrier that is cancelled");
}

void locks() {
  int inside = 0;
  omp_nest_lock_t lock;
  void* of_fortran = nullptr;
  omp_init_nest_lock(&lock);
  omp_init_lock_(&of_fortran);
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < 100; i++) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    inside++;
    omp_unset_nest_lock(&lock);
    inside++;
    omp_unset_nest_lock(&lock);
    omp_set_lock_(&of_fortran);
    omp_unset_lock_(&of_fortran);
  }
  expect(inside == 2 * 100 * threads, "a nestable lock");
  omp_destroy_nest_lock(&lock);
  omp_destroy_lock_(&of_fortran);
}

void iterations_in_order() {
  int sum[20] = {1};
#pragma omp parallel num_threads(threads)
#pragma omp for ordered(1) schedule(dynamic)
  for (int i = 1; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
    sum[i] = sum[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  expect(sum[19] == 20, "iterations that wait for each other");
}

void sections_of_tasks() {
  int sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp sections reduction(task, + : sum)
  {
#pragma omp section
#pragma omp task in_reduction(+ : sum)
    add_one(tasks), sum += 3;
#pragma omp section
#pragma omp task in_reduction(+ : sum)
    add_one(tasks), sum += 4;
  }
  expect(sum == 7, "a sum of tasks in sections");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  expect(omp_get_cancellation(), "OMP_CANCELLATION");
  group_of_tasks(1);
  const int of_one = tasks;
  for (int round = 0; round < 5; round++) {
    group_of_tasks(threads);
    loop();
    sections();
    region();
    locks();
    iterations_in_order();
    sections_of_tasks();
  }
  std::printf("cancelled tasks=%d of_one=%d\n", tasks, of_one);
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
