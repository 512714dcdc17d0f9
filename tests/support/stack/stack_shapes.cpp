/// Functions whose frames are as compilers make them, for walk_test.cpp: compiled several times with different options,
/// MORA_SHAPES names the copy. Every call of `probe` compares two unwinders.
#include "support/stack/stack_shapes.h"

#include <alloca.h>

#include <csetjmp>
#include <cstdlib>
#include <stdexcept>

namespace {

volatile int sink;

__attribute__((noinline)) void leaf() {
  probe();
  sink = sink + 1;
}

__attribute__((noinline)) void with_alloca(int bytes) {
  auto* memory = static_cast<volatile char*>(alloca(static_cast<std::size_t>(bytes)));
  memory[0] = 1;
  leaf();
  auto* more = static_cast<volatile char*>(alloca(static_cast<std::size_t>(bytes) * 2));
  more[0] = memory[0];
  leaf();
  sink = sink + more[0];
}

__attribute__((noinline)) void with_variable_array(int n) {
  volatile int array[n];
  for (int i = 0; i < n; i++) array[i] = i;
  leaf();
  sink = sink + array[n - 1];
}

__attribute__((noinline)) void with_large_frame() {
  volatile char large[40000];
  large[39999] = 1;
  leaf();
  sink = sink + large[39999];
}

struct alignas(64) Wide {
  volatile double values[8];
};

/// Its frame is aligned: rules with a word on the stack, where the argument list is out of reach otherwise.
__attribute__((noinline)) void aligned(int n) {
  Wide wide;
  volatile char array[n + 1];
  wide.values[3] = n;
  array[n] = 1;
  leaf();
  sink = sink + static_cast<int>(wide.values[3]) + array[n];
}

__attribute__((noinline)) void many_arguments(long a, long b, long c, long d, long e, long f, long g, long h) {
  Wide wide;
  wide.values[1] = static_cast<double>(a + b + c + d + e + f + g + h);
  leaf();
  leaf();
  sink = sink + static_cast<int>(wide.values[1]) + static_cast<int>(g * h);
}

std::jmp_buf back;

__attribute__((noinline)) void jump_out(int depth) {
  leaf();
  if (depth == 0) std::longjmp(back, 1);
  jump_out(depth - 1);
  sink = sink + 1;
}

__attribute__((noinline)) void jumping() {
  if (setjmp(back) == 0) jump_out(5);
  leaf();
}

struct Guard {
  ~Guard() { leaf(); }
};

__attribute__((noinline)) void throwing(int depth) {
  const Guard guard;
  leaf();
  if (depth == 0) throw std::runtime_error("out");
  throwing(depth - 1);
  sink = sink + 1;
}

__attribute__((noinline)) void catching() {
  try {
    throwing(4);
  } catch (const std::exception&) {
    leaf();
  }
  leaf();
}

__attribute__((noinline)) int recursion(int depth) {
  leaf();
  if (depth == 0) return 1;
  const int below = recursion(depth - 1);
  leaf();
  return below + depth;
}

int compare(const void* a, const void* b) {
  leaf();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

__attribute__((noinline)) void sorting() {
  int values[17];
  for (int i = 0; i < 17; i++) values[i] = i * 7 % 17;
  std::qsort(values, 17, sizeof values[0], compare);
  sink = sink + values[3];
}

__attribute__((noinline)) double many_registers(const double* x, int n) {
  double a = 0, b = 0, c = 0, d = 0;
  long p = 1, q = 2, r = 3, s = 4, t = 5, u = 6;
  for (int i = 0; i < n; i++) {
    a += x[i] * b;
    b += x[i] * c + a;
    c += d - x[i];
    d += a + b + c;
    p += q ^ i, q += r ^ p, r += s ^ q, s += t ^ r, t += u ^ s, u += p ^ t;
    leaf();
  }
  return a + b + c + d + static_cast<double>(p + q + r + s + t + u);
}

template <class F>
__attribute__((noinline)) void through_lambda(F f) {
  f();
  sink = sink + 1;
}

}  // namespace

void MORA_SHAPES(int rounds) {
  const double x[4] = {1, 2, 3, 4};
  for (int i = 1; i <= rounds; i++) {
    leaf();
    with_alloca(i * 40);
    with_variable_array(i * 3);
    with_large_frame();
    aligned(i);
    many_arguments(i, 2, 3, 4, 5, 6, 7, 8);
    jumping();
    catching();
    recursion(i);
    sorting();
    sink = sink + static_cast<int>(many_registers(x, 4));
    through_lambda([i] { with_variable_array(i); });
    through_lambda([] { through_lambda([] { leaf(); }); });
  }
}
