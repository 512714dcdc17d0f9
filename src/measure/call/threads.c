#include "measure/call/threads.h"

#include <sched.h>

int mora_threaded;
__thread uint32_t mora_thread_number;

static char taken;
static __thread char mine;
static uint32_t numbered;

/* Held for some tens of ns, rarely for the writing of a chunk. */
void mora_threads_lock_now(void) {
  for (unsigned tries = 0; __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE); tries++)
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED))
      if (++tries > 64) sched_yield();
  mine = 1;
}

void mora_threads_unlock_now(void) {
  if (!mine) return;
  mine = 0;
  __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

void mora_returned_slow(struct mora_call* call) {
  call->end = mora_ticks();
  if (mora_threaded) mora_threads_returned(call);
}

void mora_threads_start(void) {
  int provided = MPI_THREAD_SINGLE;
  if (mora_pattern && PMPI_Query_thread(&provided) == MPI_SUCCESS) mora_threaded = provided >= MPI_THREAD_SERIALIZED;
  if (!mora_threaded) return;
  mora_leave_work |= MORA_LEAVE_UNLOCK;
  mora_journal.state->call = 0; /* threads would share it */
  mora_journal.state = &mora_no_state;
}

uint32_t mora_threads_count(void) { return 1 + __atomic_load_n(&numbered, __ATOMIC_RELAXED); }

void mora_thread_admit(void) {
  mora_thread_number = __atomic_add_fetch(&numbered, 1, __ATOMIC_RELAXED);
  mora_gate = mora_gate_resting;
}
