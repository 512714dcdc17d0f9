/* A program that takes away what the recorder or the reader of its records wants; argv[1] chooses. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t came;
static void on_signal(int number) { (void)number, came++; }

static void handle_all(void) {
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++) signal(number, on_signal);
}

static volatile double sum;

__attribute__((noinline)) void burn(void) {
  struct timespec t;
  do {
    for (int i = 0; i < 20000; i++) sum = sum * 0.999 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((t.tv_nsec / 100000000) % 2 == 0);
  do {
    for (int i = 0; i < 20000; i++) sum = sum * 0.999 + 1;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while ((t.tv_nsec / 100000000) % 2 == 1);
}

static void brief(void) { /* sampled all the same, at thousands of times a second */
  for (int i = 0; i < 1000000; i++) sum = sum * 0.999 + 1;
}

__attribute__((noinline)) void step(void) {
  burn();
  MPI_Barrier(MPI_COMM_WORLD);
  sum += 1; /* or the call would be a jump */
}

/* Where the function returns to, and the frame around it, are not what the unwind tables say they are. */
__attribute__((noinline)) void with_a_corrupt_stack(void) {
  uint64_t* frame = __builtin_frame_address(0);
  const uint64_t before[2] = {frame[0], frame[1]}, inside = (uint64_t)(uintptr_t)burn + 5;
  const uint64_t garbage[] = {0,
                              1,
                              UINT64_C(0xdeadbeefdeadbeef),
                              UINT64_C(0x7ffffffff000),
                              inside,
                              (uint64_t)(uintptr_t)&sum,
                              (uint64_t)(uintptr_t)frame,
                              (uint64_t)(uintptr_t)frame + 3};
  const unsigned n = sizeof garbage / sizeof *garbage;
  for (unsigned i = 0; i < n * n; i++) {
    ((volatile uint64_t*)frame)[0] = garbage[i % n];
    ((volatile uint64_t*)frame)[1] = garbage[i / n];
    brief();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ((volatile uint64_t*)frame)[0] = before[0];
  ((volatile uint64_t*)frame)[1] = before[1];
}

/* A coroutine on a stack of its own, above which is what `fill` says and then nothing that may be read. */
static ucontext_t around, inside;
static void in_coroutine(void) {
  brief();
  MPI_Barrier(MPI_COMM_WORLD);
  sum += 1;
}
__attribute__((noinline)) static void on_a_stack_below(uint64_t fill) {
  enum { bytes = 1 << 18, page = 4096 };
  char* memory = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + bytes, page, PROT_NONE) != 0) exit(1);
  for (unsigned i = 0; i < bytes / sizeof fill; i++) ((uint64_t*)memory)[i] = fill;
  getcontext(&inside);
  inside.uc_stack.ss_sp = memory;
  inside.uc_stack.ss_size = bytes - 256;
  inside.uc_link = &around;
  makecontext(&inside, in_coroutine, 0);
  /* What makecontext puts above the function's frame is what returns from it; a second stack has garbage there. */
  swapcontext(&around, &inside);
  char* top = memory + bytes - 128;
  __asm__ volatile("mov %%rsp, %%r15\n\tmov %0, %%rsp\n\tcall *%1\n\tmov %%r15, %%rsp"
                   :
                   : "r"(top), "r"(in_coroutine)
                   : "r15", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
                     "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
                     "xmm15", "memory", "cc");
  munmap(memory, bytes + page);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "signals") == 0) handle_all();
  if (strcmp(what, "timers") == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_SIGPENDING, &none);
  }
  MPI_Init(&argc, &argv);
  step();
  if (strcmp(what, "takes") == 0) {
    handle_all();
    raise(SIGRTMAX);
  }
  step();
  if (strcmp(what, "corrupt") == 0) with_a_corrupt_stack();
  if (strcmp(what, "coroutines") == 0) {
    const uint64_t fills[] = {0, UINT64_C(0xaaaaaaaaaaaaaaaa), (uint64_t)(uintptr_t)step + 5,
                              (uint64_t)(uintptr_t)&fills};
    for (unsigned i = 0; i < sizeof fills / sizeof *fills; i++) on_a_stack_below(fills[i]);
  }
  if (strcmp(what, "replace") == 0 && rename(argv[2], argv[3]) != 0) return 1;
  if (strcmp(what, "remove") == 0 && unlink(argv[2]) != 0) return 1;
  printf("signals that came: %d\n", (int)came);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
