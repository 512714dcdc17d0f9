// Functions that call, recurse, throw, jump and run in another thread; built with -finstrument-functions.
#include <mpi.h>

#include <csetjmp>
#include <thread>

static volatile int sink;
static std::jmp_buf back;

namespace work {

struct Failure {};

__attribute__((noinline)) void depth(int n) {
  if (n > 0) depth(n - 1);
  sink = sink + n;
}

__attribute__((noinline)) void thrower() { throw Failure(); }

__attribute__((noinline)) void catcher() {
  try {
    thrower();
  } catch (const Failure&) {
    sink = sink + 1;
  }
}

__attribute__((noinline)) void jumper() { std::longjmp(back, 1); }

__attribute__((noinline)) void lander() {
  if (setjmp(back) == 0) jumper();
  sink = sink + 1;
}

__attribute__((noinline)) void tiny(int n) { sink = sink + n; }

__attribute__((noinline)) void exchange() {
  for (int i = 0; i < 3; i++) tiny(i);
  MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) void off() {
  MPI_Pcontrol(0);
  tiny(7);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
}

}  // namespace work

__attribute__((noinline)) static void starts() { MPI_Init(nullptr, nullptr); }

__attribute__((noinline)) static void ends() { MPI_Finalize(); }

int main() {
  starts();
  work::depth(2);
  work::catcher();
  work::lander();
  work::exchange();
  work::off();
  std::thread([] { work::tiny(1); }).join();
  ends();
  work::tiny(2);
  return 0;
}
