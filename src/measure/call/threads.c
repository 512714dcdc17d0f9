/* Threads that come and go (threads.h). The list of recorded threads only grows; places of ended threads are given out
 * again, the last one first. A thread's end is seen by a destructor of thread-specific data (POSIX,
 * pthread_key_create), also if it was cancelled; where destructors that run later call MPI, the thread begins anew. */
#define _GNU_SOURCE
#include "measure/call/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

int mora_threaded;
struct mora_thread mora_first_thread = {.journal = {.file = -1, .state = &mora_no_state},
                                        .numbers = &mora_first_thread.own,
                                        .core = {.due = UINT64_MAX, .file = -1}};
struct mora_thread mora_no_thread = {.journal = {.file = -1, .state = &mora_no_state},
                                     .numbers = &mora_no_thread.own,
                                     .core = {.due = UINT64_MAX, .file = -1}};
static struct mora_thread refused; /* threads whose journal cannot be opened */

/* Apart from what every call reads (mora_threaded). */
static struct { _Alignas(MORA_APART_BYTES) char taken; } lock_of_all;
static __thread unsigned times; /* that this thread has taken the lock */
static struct mora_thread* newest = &mora_first_thread;
static struct mora_thread* unused;
static uint32_t numbered;
static pthread_key_t at_end;
static int has_key;
static struct mora_thread_hooks hooks;

/* Held for some tens of ns, rarely for the writing of a chunk. */
void mora_spin_lock(char* lock) {
  for (unsigned tries = 0; __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE); tries++)
    while (__atomic_load_n(lock, __ATOMIC_RELAXED))
      if (++tries > 64) sched_yield();
}

void mora_threads_lock_now(void) {
  if (times++ == 0) mora_spin_lock(&lock_of_all.taken);
}

void mora_threads_unlock_now(void) {
  if (times > 0 && --times == 0) mora_spin_unlock(&lock_of_all.taken);
}

int mora_return_is_plain;

void mora_returned_slow(struct mora_call* call) {
  call->end = mora_ticks();
  if (mora_counters_on) mora_counters_after_call(call);
  if (mora_threaded && mora_pattern) mora_threads_returned(call);
}

static void become(struct mora_thread* thread, int gate) {
  mora_self.gate = gate;
  mora_self.thread = thread;
  mora_self.leave_work = mora_pattern ? MORA_LEAVE_UNLOCK : 0;
  mora_self.core_due = UINT64_MAX;
  mora_self.is_idle = 0;
  mora_self.journal = mora_pattern && thread != &mora_no_thread ? &mora_first_thread.journal : &thread->journal;
}

/* The thread's journal and tables are kept for the next one. In pattern mode each thread has a number of its own. */
static void thread_ended(void* place) {
  struct mora_thread* thread = place;
  if (!mora_threaded) return; /* in a forked child */
  mora_threads_lock_now();
  if (mora_threaded && thread->self == &mora_self) {
    mora_self.gate = MORA_GATE_SHUT;
    /* Else the place of a thread that got it behind its own destructors, and whose memory this one has now. */
    if (!mora_pattern && mora_self.thread == thread) {
      hooks.end();
      mora_core_end_thread();
      mora_counters_end_thread();
    }
    thread->self = NULL;
    thread->ended = mora_ticks();
    if (thread != &mora_first_thread && !mora_pattern) {
      thread->unused = unused;
      unused = thread;
    }
    become(&mora_no_thread, MORA_GATE_FOREIGN);
  }
  mora_threads_unlock_now();
}

static void expect_several(void) {
  has_key = pthread_key_create(&at_end, thread_ended) == 0;
  if (has_key) pthread_setspecific(at_end, &mora_first_thread);
  mora_threaded = 1;
  if (!mora_pattern) return;
  mora_self.leave_work |= MORA_LEAVE_UNLOCK;
  mora_self.journal->state->call = 0; /* threads would share it */
  mora_self.journal->state = &mora_no_state;
}

void mora_threads_start(const struct mora_thread_hooks* given) {
  int provided = MPI_THREAD_SINGLE;
  hooks = *given;
  if (PMPI_Query_thread(&provided) == MPI_SUCCESS && provided >= MPI_THREAD_SERIALIZED) expect_several();
}

int mora_threads_expect(void) {
  if (!mora_threaded && hooks.open && mora_is_first_thread()) expect_several();
  return mora_threaded;
}

void mora_threads_stop(void) {
  mora_threaded = 0;
  hooks.open = NULL;
}

struct mora_thread* mora_threads_newest(void) {
  return __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
}

static struct mora_thread* make(void) {
  struct mora_thread* thread = mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (thread == MAP_FAILED) return NULL;
  thread->number = numbered + 1;
  thread->own.requests = (uint64_t)thread->number << MORA_THREAD_BITS;
  thread->numbers = mora_pattern ? &mora_first_thread.own : &thread->own;
  if (!mora_pattern && !hooks.open(thread)) {
    munmap(thread, sizeof *thread);
    return NULL;
  }
  numbered++;
  thread->before = newest;
  __atomic_store_n(&newest, thread, __ATOMIC_RELEASE);
  return thread;
}

int mora_thread_admit(void) {
  if (mora_self.thread == &refused) return 0;
  const int error = errno;
  int cancelled = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelled);
  mora_threads_lock_now();
  struct mora_thread* thread = NULL;
  if (mora_threaded && unused) {
    thread = unused;
    unused = thread->unused;
  } else if (mora_threaded) {
    thread = make();
  }
  if (thread) {
    become(thread, MORA_GATE_SHUT);
    thread->self = &mora_self;
    if (has_key) pthread_setspecific(at_end, thread);
    hooks.begin();
    mora_core_begin_thread();
    mora_self.gate = mora_self.gate_resting;
  } else {
    mora_self.thread = &refused;
  }
  mora_threads_unlock_now();
  pthread_setcancelstate(cancelled, NULL);
  errno = error;
  return thread != NULL;
}
