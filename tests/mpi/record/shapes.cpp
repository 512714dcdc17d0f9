// MPI calls on stacks of all shapes; "thread" runs everything, MPI_Init too, in another thread than main's. The library
// is `through(void (*)(int), int)` of stack_library.c.
#include <alloca.h>
#include <mpi.h>
#include <setjmp.h>
#include <ucontext.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

extern "C" void through(void (*callback)(int), int value);

namespace {

volatile int sink;
jmp_buf back;
ucontext_t of_caller, of_coroutine;

[[gnu::noinline]] void call(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sink = sum;
}

[[gnu::noinline]] void with_alloca(int bytes) {
  char* memory = static_cast<char*>(alloca(static_cast<size_t>(bytes)));
  std::memset(memory, 1, static_cast<size_t>(bytes));
  call(memory[bytes / 2]);
  sink = sink + memory[0];
}

[[gnu::noinline]] void with_variable_array(int n) {
  int values[n];
  for (int i = 0; i < n; i++) values[i] = i;
  call(values[n - 1]);
  with_alloca(16 + values[n / 2]);
  sink = sink + values[0];
}

[[gnu::noinline]] void with_aligned_frame(int value) {
  alignas(64) volatile double wide[8] = {1.0 * value};
  with_variable_array(1 + value % 7);
  sink = sink + static_cast<int>(wide[value % 8]);
}

[[gnu::noinline]] int deep(int depth) {
  if (depth == 0) {
    call(depth);
    longjmp(back, 1);
  }
  return deep(depth - 1) + 1;
}

[[gnu::noinline]] void by_longjmp(int depth) {
  if (setjmp(back) == 0) deep(depth);
  call(1);
}

struct Guard {
  ~Guard() { call(2); }  // while the stack is unwound, too
};

[[gnu::noinline]] void throws(int depth) {
  Guard guard;
  if (depth == 0) throw std::runtime_error("as planned");
  throws(depth - 1);
  sink = sink + 1;
}

[[gnu::noinline]] void by_exception(int depth) {
  try {
    throws(depth);
  } catch (const std::exception&) {
    call(3);
  }
  call(4);
}

struct Base {
  virtual ~Base() = default;
  virtual void run(int value) { call(value); }
};
struct Derived : Base {
  void run(int value) override {
    Base::run(value);
    through(with_alloca, 64 + value);
  }
};

int compare(const void* a, const void* b) {
  call(5);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

[[gnu::noinline]] void by_qsort() {
  int values[4] = {4, 1, 3, 2};
  std::qsort(values, 4, sizeof *values, compare);
  sink = values[0];
}

void handler(int) { call(6); }

[[gnu::noinline]] void on_other_stack() {
  std::vector<char> memory(1 << 17);
  stack_t alternate{};
  alternate.ss_sp = memory.data();
  alternate.ss_size = memory.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  raise(SIGUSR2);
  action.sa_flags = 0;
  sigaction(SIGUSR2, &action, nullptr);
  raise(SIGUSR2);
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
}

[[gnu::noinline]] void in_coroutine() {
  std::vector<char> memory(1 << 18);
  getcontext(&of_coroutine);
  of_coroutine.uc_stack.ss_sp = memory.data();
  of_coroutine.uc_stack.ss_size = memory.size();
  of_coroutine.uc_link = &of_caller;
  makecontext(
      &of_coroutine, [] { with_alloca(99); }, 0);
  swapcontext(&of_caller, &of_coroutine);
}

void run() {
  MPI_Init(nullptr, nullptr);
  for (int i = 0; i < 40; i++) {
    with_alloca(8 + 24 * (i % 9));
    with_aligned_frame(i);
    by_longjmp(i % 11);
    by_exception(i % 5);
    Derived derived;
    Base& object = derived;
    object.run(i);
    by_qsort();
    on_other_stack();
    in_coroutine();
  }
  MPI_Finalize();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "thread") == 0)
    std::thread(run).join();
  else
    run();
}
