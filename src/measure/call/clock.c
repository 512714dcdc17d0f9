/* The choice of the clock, its slow readings, and the clocks that tests pretend (clock.h). */
#define _GNU_SOURCE
#include "measure/call/clock.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

int mora_clock_is_tsc;
int mora_pattern;
static int chosen;
static int64_t pretended_offset_ns, pretended_rate_ppb;
static uint64_t pretended_from_ns;

static uint64_t read_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* How far the pretended clock is ahead of the real one at a real monotonic time. */
static int64_t pretended_lead(uint64_t ns) {
  return pretended_offset_ns + (int64_t)((__int128)(int64_t)(ns - pretended_from_ns) * pretended_rate_ppb / 1000000000);
}

static uint64_t monotonic_ns(void) {
  const uint64_t ns = read_ns(CLOCK_MONOTONIC_RAW);
  return ns + (uint64_t)pretended_lead(ns);
}

uint64_t mora_ticks_slow(void) { return monotonic_ns(); }

static int tsc_is_invariant(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
  return 0;
#endif
}

void mora_clock_choose(void) {
  if (chosen) return;
  chosen = 1;
  const char* pattern = getenv("MORA_PATTERN");
  mora_pattern = pattern && strcmp(pattern, "1") == 0;
  const char* setting = getenv("MORA_CLOCK");
  mora_clock_is_tsc = !mora_pattern && tsc_is_invariant() && !(setting && strcmp(setting, "monotonic") == 0);
  if (getenv("MORA_TEST_CLOCK_OFFSET_NS") || getenv("MORA_TEST_CLOCK_RATE_PPB")) mora_clock_is_tsc = 0;
}

/* The value of `rank` in a list "rank:value,…"; 0 if it is not there. */
static int64_t value_for_rank(const char* list, int rank) {
  while (list && *list) {
    char* end;
    const long of = strtol(list, &end, 10);
    if (*end != ':') return 0;
    const long long value = strtoll(end + 1, &end, 10);
    if (of == rank) return value;
    if (*end != ',') return 0;
    list = end + 1;
  }
  return 0;
}

void mora_clock_pretend(int rank, struct mora_clock_triple* earlier) {
  if (mora_clock_is_tsc) return;
  pretended_from_ns = earlier->monotonic_ns;
  pretended_offset_ns = value_for_rank(getenv("MORA_TEST_CLOCK_OFFSET_NS"), rank);
  pretended_rate_ppb = value_for_rank(getenv("MORA_TEST_CLOCK_RATE_PPB"), rank);
  earlier->ticks += (uint64_t)pretended_offset_ns;
  earlier->monotonic_ns += (uint64_t)pretended_offset_ns;
  earlier->realtime_ns += (uint64_t)pretended_offset_ns;
}

enum mora_clock_kind mora_clock_kind(void) { return mora_clock_is_tsc ? MORA_CLOCK_TSC : MORA_CLOCK_MONOTONIC; }

static uint64_t hash_bytes(uint64_t hash, const void* bytes, size_t n) {
  for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char*)bytes)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

uint64_t mora_clock_id(void) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  char text[256];
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t n = file < 0 ? -1 : read(file, text, sizeof text);
  if (file >= 0) close(file);
  if (n <= 0) n = gethostname(text, sizeof text) == 0 ? (ssize_t)strnlen(text, sizeof text) : 0;
  hash = hash_bytes(hash, text, (size_t)n);
  const int kind = mora_clock_kind();
  hash = hash_bytes(hash, &kind, sizeof kind);
  if (!mora_clock_is_tsc) { /* each time namespace has a CLOCK_MONOTONIC of its own */
    n = readlink("/proc/self/ns/time", text, sizeof text);
    if (n > 0) hash = hash_bytes(hash, text, (size_t)n);
  }
  hash = hash_bytes(hash, &pretended_offset_ns, sizeof pretended_offset_ns);
  return hash_bytes(hash, &pretended_rate_ppb, sizeof pretended_rate_ppb);
}

void mora_clock_read(struct mora_clock_triple* now) {
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < (mora_pattern ? 1 : 4); i++) {
    const uint64_t before = mora_ticks();
    const uint64_t monotonic = monotonic_ns();
    const uint64_t realtime = read_ns(CLOCK_REALTIME);
    const uint64_t after = mora_ticks();
    if (after - before >= closest) continue;
    closest = after - before;
    now->ticks = mora_clock_is_tsc ? before + (after - before) / 3 : monotonic;
    now->monotonic_ns = monotonic;
    now->realtime_ns = realtime + (uint64_t)pretended_lead(monotonic);
  }
}
