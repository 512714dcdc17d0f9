/* Tasks of all kinds; says how many were executed, and ends with an error if one of them did not do its work:
 *
 *   kinds tasks=77
 *
 * Arguments: how deep tasks are nested (5), microseconds that the innermost ones compute (0). Threads are four.
 * -DUNTIED= leaves out that tasks may change threads. */
#include <mpi.h>
#include <omp.h>

#ifndef UNTIED
#define UNTIED untied
#endif

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int tasks;

void counted() {
#pragma omp atomic
  tasks++;
}

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::abort();
}

struct Copied {
  Copied() : self(this) {}
  Copied(const Copied& other) : value(other.value), self(this) {
#pragma omp atomic
    copies++;
  }
  ~Copied() {
    expect(self == this, "an object was moved");
#pragma omp atomic
    ends++;
  }
  int value = 7;
  const Copied* self;
  static int copies, ends;
};
int Copied::copies, Copied::ends;

struct alignas(64) Aligned {
  long numbers[8];
};

/* Big ones, aligned ones, objects that only their constructor copies. */
void data_of_tasks() {
  Copied object;
  Aligned aligned{};
  char large[60000];
  for (char& c : large) c = 3;
  for (long& n : aligned.numbers) n = 5;
  int small = 11, sum = 0;
  for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(object, small) shared(sum)
    {
      counted();
      expect(object.self == &object, "an object has its address");
#pragma omp atomic
      sum += object.value + small;
    }
#pragma omp task firstprivate(aligned) shared(sum)
    {
      counted();
      expect(reinterpret_cast<unsigned long>(&aligned) % 64 == 0, "alignment");
      aligned.numbers[0] += i;
#pragma omp atomic
      sum += static_cast<int>(aligned.numbers[0] + aligned.numbers[7]);
    }
#pragma omp task firstprivate(large) shared(sum)
    {
      counted();
      large[0] = 4;
      int all = 0;
      for (const char c : large) all += c;
#pragma omp atomic
      sum += all;
    }
  }
#pragma omp taskwait
  expect(sum == 3 * 18 + 3 * 10 + 3 + 3 * (3 * 60000 + 1), "data of tasks");
}

void depends() {
  int x = 0, y = 0;
#pragma omp task depend(out : x) shared(x)
  counted(), x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
  counted(), y = x + 1;
#pragma omp task depend(inout : y) shared(y) priority(2)
  counted(), y *= 10;
#pragma omp task if (0) depend(in : y) shared(y)
  counted(), expect(y == 20, "dependences");
#pragma omp taskwait
  expect(y == 20, "dependences");
}

void loops() {
  int seen[100] = {}, last = 0;
  long sum = 0;
  Copied object;
#pragma omp taskloop num_tasks(5) firstprivate(object) lastprivate(last) shared(seen)
  for (int i = 0; i < 100; i++) {
    if (i % 20 == 0) counted();
    seen[i] += object.value;
    last = i;
  }
  for (const int s : seen) expect(s == 7, "iterations");
  expect(last == 99, "the last iteration");
#pragma omp taskloop grainsize(25) reduction(+ : sum)
  for (unsigned long long i = 0; i < 100; i++) {
    if (i % 25 == 0) counted();
    sum += static_cast<long>(i);
  }
  expect(sum == 4950, "a sum of a loop");
  long more = 0;
#pragma omp taskgroup task_reduction(+ : more)
  for (int i = 0; i < 6; i++)
#pragma omp task in_reduction(+ : more) firstprivate(i)
    counted(), more += i;
  expect(more == 15, "a sum of a group");
#pragma omp taskloop num_tasks(4) nogroup shared(seen)
  for (int i = 0; i < 4; i++) counted(), seen[i]++;
#pragma omp taskwait
  for (int i = 0; i < 4; i++) expect(seen[i] == 8, "a loop without group");
}

double leaf_seconds;

void leaf() {
  if (leaf_seconds == 0) return;
  for (const double end = omp_get_wtime() + leaf_seconds; omp_get_wtime() < end;) continue;
}

int tree(int depth) {
  if (depth == 0) return leaf(), 1;
  int left = 0, right = 0;
#pragma omp task shared(left) UNTIED
  counted(), left = tree(depth - 1);
#pragma omp task shared(right) mergeable final(depth < 2)
  counted(), right = tree(depth - 1);
#pragma omp taskyield
#pragma omp taskwait
  return left + right;
}

void detached() {
  omp_event_handle_t event, other;
  int done = 0;
  Copied object;
#pragma omp task detach(event) shared(done) depend(out : done)
  counted(), done = 1;
#pragma omp task detach(other) firstprivate(object) shared(done)
  counted(), expect(object.value == 7, "data of a detached task");
  omp_fulfill_event(other);
#pragma omp task shared(done)
  counted(), omp_fulfill_event(event);
#pragma omp taskwait
  expect(done == 1, "a detached task");
}

void calls_mpi(int rank) {
  for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
  {
    int got = -1;
    counted();
    MPI_Sendrecv(&i, 1, MPI_INT, rank, i, &got, 1, MPI_INT, rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got == i, "messages");
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int depth = argc > 1 ? std::atoi(argv[1]) : 5;
  leaf_seconds = argc > 2 ? std::atof(argv[2]) / 1e6 : 0;
  tree(2);  // in no team
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    {
      data_of_tasks();
      depends();
      loops();
      expect(tree(depth) == 1 << depth, "tree");
      detached();
      calls_mpi(rank);
    }
  }
  expect(Copied::copies > 0 && Copied::ends >= Copied::copies, "copies of objects");
  std::printf("kinds tasks=%d\n", tasks);
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
