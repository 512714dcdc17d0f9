/* What every recorder of times does, to compare with: a loop of two clock reads and the stores of one record. */
#ifndef BARE_H
#define BARE_H
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Of area_words. */
static uint64_t* area;
enum { area_words = 1 << 17 };

static void bare(long calls) {
  uint64_t* next = area;
  for (long i = 0; i < calls; i++) {
    const uint64_t begin = __rdtsc();
    __asm__ volatile("" ::: "memory");
    const uint64_t end = __rdtsc();
    next[1] = begin;
    next[2] = (uint64_t)i;
    next[3] = end - begin;
    next[4] = next[5] = 7;
    next[6] = 0;
    __atomic_store_n(next, 1, __ATOMIC_RELEASE);
    next += 6;
    if (next > area + area_words - 8) next = area;
  }
}

#endif
