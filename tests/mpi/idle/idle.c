/* Preloaded into the tests' MPI jobs: a rank that waits for long sleeps instead of spinning. Both MPI libraries wait by
 * polling without end, which costs a test its delays times its waiting ranks of processor time, and takes the processor
 * from the ranks that are waited for. A wait begins as ever; after SPIN_NS, naps of 70 us to 1 ms lie between the
 * polls, far less than any delay that a test injects. What is recorded stays the library's own doing. Tests of clock
 * offsets do without (they measure round trips).
 *
 * MORA_TEST_STRETCH=N makes sleeps of a millisecond or more, which stand for computation, N times as long: on a loaded
 * machine they stay long against the time that a rank waits for a processor. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 30000, AWAY_NS = 5000, LEAST_NAP_NS = 20000, LONGEST_NAP_NS = 1000000 };

static __thread uint64_t wait_began, last_poll;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Called in every poll that found nothing; whether it slept. Between two waits the caller was away for a while. */
static int idle_poll(void) {
  const uint64_t now = now_ns();
  if (now - last_poll > AWAY_NS) wait_began = now;
  last_poll = now;
  if (now - wait_began < SPIN_NS) return 0;
  const uint64_t part = (now - wait_began) / 64; /* late by a little of what was waited for already */
  const struct timespec nap = {0, part < LEAST_NAP_NS     ? LEAST_NAP_NS
                                  : part > LONGEST_NAP_NS ? LONGEST_NAP_NS
                                                          : (long)part};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
  last_poll = now_ns();
  return 1;
}

/* Open MPI, between two polls, with mpi_yield_when_idle. */
int sched_yield(void) {
  if (idle_poll()) return 0;
  const int result = (int)syscall(SYS_sched_yield);
  last_poll = now_ns();
  return result;
}

/* MPICH of Debian, in every poll. */
unsigned ucp_worker_progress(void* worker) {
  typedef unsigned progress(void*);
  static progress* real; /* the same value whichever thread stores it */
  if (real == NULL) real = (progress*)dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = real(worker);
  if (done != 0) {
    wait_began = last_poll = now_ns();
  } else {
    idle_poll();
  }
  return done;
}

int nanosleep(const struct timespec* wanted, struct timespec* left) {
  const char* setting = getenv("MORA_TEST_STRETCH");
  const int64_t stretch = setting && (wanted->tv_sec > 0 || wanted->tv_nsec >= 1000000) ? atoi(setting) : 1;
  const int64_t ns = (wanted->tv_sec * INT64_C(1000000000) + wanted->tv_nsec) * stretch;
  const struct timespec longer = {ns / 1000000000, ns % 1000000000};
  struct timespec rest = {0, 0};
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, &longer, &rest);
  if (error == 0) return 0;
  if (left != NULL) {
    const int64_t rest_ns = (rest.tv_sec * INT64_C(1000000000) + rest.tv_nsec) / stretch;
    left->tv_sec = rest_ns / 1000000000;
    left->tv_nsec = rest_ns % 1000000000;
  }
  errno = error;
  return -1;
}
