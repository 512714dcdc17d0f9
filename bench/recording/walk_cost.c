/* What the stack of a call costs, by depth: processor time and user instructions of mora_stack_number().
 *   gcc -O2 -fomit-frame-pointer -Isrc bench/recording/walk_cost.c src/measure/stack/walk.c
 * src/measure/stack/unwind_rule.c src/measure/stack/python_frames.c src/measure/stack/python_places.c
 *   ./a.out                                    ns a call; "new": nothing is known of the stack yet
 *   valgrind --tool=callgrind ./a.out 10 1     instructions: of a run with N rounds less one with 1, by N - 1 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "measure/stack/walk.h"

static void define(uint32_t first, uint32_t inner, const uint64_t* addresses, unsigned count) {
  (void)first, (void)inner, (void)addresses, (void)count;
}

static volatile uint32_t sink;

static __attribute__((noinline)) void with_stack(void) {
  sink = mora_stack_number(__builtin_frame_address(0), __builtin_return_address(0)) + 1;
}
static __attribute__((noinline)) void without(void) { sink = 1; }
static void (*volatile wrapper)(void);

static __attribute__((noinline)) int nested(int depth, long times) {
  volatile char frame[48];
  frame[0] = (char)depth;
  int sum = 0;
  if (depth == 0)
    for (long i = 0; i < times; i++) wrapper();
  else
    sum = nested(depth - 1, times);
  return sum + frame[0];
}

static double cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc == 3) {
    if (!mora_stack_start(256, define)) return 1;
    wrapper = with_stack;
    return nested(atoi(argv[1]), atol(argv[2])) < 0;
  }
  for (int depth = 2; depth <= 32; depth *= 2) {
    const long times = 5000000;
    if (!mora_stack_start(256, define)) return 1;
    wrapper = with_stack, nested(depth, 10);
    const double a = cpu();
    nested(depth, times);
    const double b = cpu();
    wrapper = without, nested(depth, times);
    const double c = cpu();
    wrapper = with_stack;
    for (int i = 0; i < 2000; i++) mora_stack_stop(), mora_stack_start(256, define), nested(depth, 1);
    const double d = cpu();
    printf("depth %2d: known %.1f ns, new %.0f ns\n", depth + 5, ((b - a) - (c - b)) / (double)times, (d - c) / 2000);
    mora_stack_stop();
  }
  return 0;
}
