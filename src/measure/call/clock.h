/* The recording clock: the invariant TSC where the processor has one, else CLOCK_MONOTONIC_RAW in ns. Ticks of the TSC
 * become nanoseconds afterwards, through triples of readings in the journal. Reading the clock is thread-safe and
 * async-signal-safe; the functions that choose or compare clocks are called by the initialising thread only. */
#ifndef MORA_MEASURE_CALL_CLOCK_H
#define MORA_MEASURE_CALL_CLOCK_H

#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "journal/format.h"
#include "measure/call/hidden.h"

extern MORA_HIDDEN int mora_clock_is_tsc;
extern MORA_HIDDEN int
    mora_pattern; /* MORA_PATTERN=1: no clock is read, mora_ticks is 0; needs mora_clock_is_tsc == 0 */

/// The clock where it is not the TSC: CLOCK_MONOTONIC_RAW in ns.
uint64_t mora_ticks_slow(void);

/* Where mora_clock_is_tsc. */
static inline uint64_t mora_ticks_of_tsc(void) {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

/* Now, in ticks of the chosen clock; 0 in pattern mode, which has none. */
static inline uint64_t mora_ticks(void) {
  if (__builtin_expect(mora_clock_is_tsc, 1)) return mora_ticks_of_tsc();
  return __builtin_expect(mora_pattern, 1) ? 0 : mora_ticks_slow();
}

/* Chooses pattern mode (MORA_PATTERN) and the clock (MORA_CLOCK); call before the first mora_ticks. Idempotent. */
void mora_clock_choose(void);

/* Test hook MORA_TEST_CLOCK_OFFSET_NS, MORA_TEST_CLOCK_RATE_PPB ("rank:value,…"): from now on all clocks of this
 * process read as on a machine whose clock is off and drifts. If any rank is named all use the monotonic clock.
 * `earlier` becomes what it would have been. */
void mora_clock_pretend(int rank, struct mora_clock_triple* earlier);

/// What the journal's header says about the clock.
enum mora_clock_kind mora_clock_kind(void);

/* A number that is equal in two processes iff they read the same clock. */
uint64_t mora_clock_id(void);

/* Reads all clocks at one instant: the closest of a few tries. */
void mora_clock_read(struct mora_clock_triple* now);

#endif
