/* One wrapped MPI call, from the wrapper's point of view.
 *
 * Recorded are the thread that initialised MPI and, where MPI lets several call it, all others
 * (measure/call/threads.h), and only the outermost MPI function a thread is in. Both follow from one thread-local
 * number, the gate: the wrapper shuts it at the start of a recorded call and the post hook puts it back to its resting
 * value. What a call writes goes to the thread's own journal, found through the same thread-local variable: no inline
 * function here allocates or locks (but in pattern mode, where threads share a journal). Thread-safe; not
 * async-signal-safe: a signal handler that calls MPI inside a recorded call is taken to be part of that call. */
#ifndef MORA_MEASURE_CALL_CALL_H
#define MORA_MEASURE_CALL_CALL_H

#include <limits.h>
#include <stdint.h>

#include "functions.h"
#include "journal/journal_writer.h"
#include "measure/call/clock.h"
#include "measure/call/core_time.h"
#include "measure/call/counters.h"
#include "measure/call/hidden.h"
#include "measure/mpi/mpi_binding.h"

enum mora_gate {
  MORA_GATE_OPEN = 0,    /* record */
  MORA_GATE_SHUT = 1,    /* within a recorded call, or nothing will ever be recorded here */
  MORA_GATE_FOREIGN = 2, /* every thread's first state: not the thread that initialised MPI, so far */
  MORA_GATE_LOST = 3,    /* recording ended for lack of space: count */
  MORA_GATE_OFF = 4,     /* MPI_Pcontrol(0) or MORA_RECORD=0: only keep the tables of handles right */
  MORA_GATE_WAKE = 5,    /* another thread has switched recording on: open, once the journal says so */
  /* Off, and the journal says so. Where the gate rests at off, calls that touch no table are forwarded at once… */
  MORA_GATE_QUIET = 6,
  MORA_GATE_IDLE = 7 /* …and no request is outstanding: calls that complete some are, too */
};

struct mora_call {
  uint64_t begin, end; /* ticks */
  void* site;          /* return address in the program, or MORA_SITE_STACK | number of the stack */
  int rc;
  union {
    struct {
      uint16_t function;
      uint8_t flags;  /* enum mora_flag of the record */
      uint8_t silent; /* recording is off: update tables, write no record of this call */
    };
    uint32_t kind; /* the three, to compare */
  };
  /* what a pre hook keeps for its post hook */
  uint64_t key;
  struct mora_request* request; /* of a call that waits or tests for the one `key`, as found at entry; NULL: search */
  uint32_t object;
  int count;
  MPI_Request* requests; /* as they were before MPI changed them */
  MPI_Status status;     /* takes the place of MPI_STATUS_IGNORE */
};

enum {
  MORA_RECORDED = 1,
  MORA_RECORDED_STACK = 2, /* with its stack, mora_stacks_are_plain */
  MORA_LEFT_OUT = 3,       /* as asked: only keeps the tables of handles right, like all calls while recording is off */
  MORA_RECORDED_SLOWLY = 4 /* with its stack otherwise */
};

/* What a thread has of the recorder. One variable, so that its place among the thread-local ones is looked up once in a
 * function. The pointers are never NULL. */
struct mora_self {
  int gate;         /* enum mora_gate */
  int gate_resting; /* value to which the gate returns; other threads may set it */
  struct mora_journal* journal;
  struct mora_thread* thread;  /* measure/call/threads.h */
  struct mora_comm* last_comm; /* the communicator and the window that were looked up last: measure/handles */
  struct mora_window* last_window;
  uint64_t core_due;         /* measure/call/core_time.h */
  int leave_work;            /* what the end of a call has to do beyond opening the gate: one test for all of it */
  volatile int samples_wait; /* of computation: call/sampling.h; set by a signal handler */
  int is_idle;               /* its part in a team has ended: it waits for the others, or for a part in another one */
};
extern MORA_HIDDEN __thread struct mora_self mora_self;
extern MORA_HIDDEN uint8_t mora_enabled[MORA_FN_COUNT + 1]; /* 0: never recorded (queries) */
extern MORA_HIDDEN int mora_polls_left_out;                 /* tests and probes that found nothing are not recorded */
void mora_choose_functions(void);                           /* sets both, as the environment says; after mora_stacks */
extern MORA_HIDDEN int mora_stacks;                         /* calls are recorded with their stacks */
extern MORA_HIDDEN int mora_stacks_are_plain;               /* by the TSC, and not checked */

/* Several threads may be recorded (measure/call/threads.h). In pattern mode the post hook then runs under a lock, from
 * mora_returned to mora_leave. */
extern MORA_HIDDEN int mora_threaded;
void mora_threads_returned(struct mora_call* call);
/* The clock is the TSC, and no counters are read. */
extern MORA_HIDDEN int mora_return_is_plain;
/* Otherwise: ends the call, reads counters, and begins what threads share. */
void mora_returned_slow(struct mora_call* call);

/* mora_self::leave_work */
enum {
  MORA_LEAVE_UNLOCK = 1 /* pattern mode of several threads */,
  MORA_LEAVE_READ = 2 /* a stretch is read that begins behind it */
};
void mora_leave_slow(void);

void mora_threads_unlock_now(void); /* what mora_threads_lock_now took (threads.h) */

/* With the gate neither open nor shut. 1: the hooks run, the call has begun; its name says whether they write records.
 */
int mora_begin_slow(struct mora_call* call, unsigned function, void* site);
/* The same for what is no call: opens the gate if the thread may record now, 1. */
int mora_gate_opens(void);
/* With the gate open, of functions that are MORA_RECORDED_STACK; the call has its name. */
void mora_begin_stack(struct mora_call* call, void* site);
/* The same of those that are neither that nor MORA_RECORDED. 0: not recorded. */
int mora_begin_otherwise(struct mora_call* call, void* site);
/* Of functions that are MORA_LEFT_OUT: as mora_begin_slow while recording is off. */
int mora_begin_left_out(struct mora_call* call, unsigned function, void* site);
/* mora_enter with the call's stack as its site; 1. */
int mora_enter_stack(struct mora_call* call, void* site);
/* What stands for `site` in a record: itself, or the number of the calling thread's stack; `own_frame` as
 * mora_stack_number() has it. */
uint64_t mora_site_of(void* site, const void* own_frame);
/* The first call of a thread, to a function that may start or switch recording. 1: the hooks run. */
int mora_admit(unsigned function);

/* What the call is; the three together are one store. */
static inline void mora_name(struct mora_call* call, unsigned function, int silent) {
  call->function = (uint16_t)function;
  call->flags = 0;
  call->silent = (uint8_t)silent;
}

/* Of a call that has its name. */
static inline void mora_enter(struct mora_call* call, void* site) {
  call->site = site;
  mora_self.gate = MORA_GATE_SHUT;
  call->begin = mora_ticks();
  if (__builtin_expect(call->begin >= mora_self.core_due, 0)) call->begin = mora_core_before_call(call->begin);
  struct mora_state* state = mora_self.journal->state;
  state->begin = call->begin;
  state->site = (uint64_t)(uintptr_t)site;
}

/* The process is in this call, whose partner the state tells as far as `of` says (enum mora_state_of); after
 * mora_begin, and before MPI is called. */
static inline void mora_open(struct mora_state* state, unsigned function, unsigned of) {
  __atomic_store_n(&state->call, (uint64_t)(function | of << 16), __ATOMIC_RELEASE);
}

/* The first thing that a wrapper asks: whether it only forwards to PMPI, with nothing else to do. `quiet`: from which
 * gate on it does, MORA_GATE_QUIET or IDLE; INT_MAX where a hook keeps tables of handles right while recording is off.
 */
static inline int mora_is_quiet(int quiet) {
  const int gate = mora_self.gate;
  if (__builtin_expect(gate >= quiet, 0)) return mora_self.gate_resting == MORA_GATE_OFF;
  return __builtin_expect(gate == MORA_GATE_SHUT, 0);
}

/* Begins a call. 0: the wrapper only forwards to PMPI. `site`: return address in the program. */
static inline int mora_begin(struct mora_call* call, unsigned function, void* site) {
  const int gate = mora_self.gate;
  if (__builtin_expect(gate != MORA_GATE_OPEN, 0))
    return gate != MORA_GATE_SHUT && mora_begin_slow(call, function, site);
  mora_name(call, function, 0);
  const uint8_t how = mora_enabled[function];
  if (__builtin_expect(how == MORA_RECORDED_STACK, 1)) {
    mora_begin_stack(call, site);
    return 1;
  }
  if (how != MORA_RECORDED) return mora_begin_otherwise(call, site);
  mora_enter(call, site);
  return 1;
}

/* For MPI_Init, MPI_Init_thread, MPI_Pcontrol: also while recording is off. */
static inline int mora_begin_always(struct mora_call* call, unsigned function, void* site) {
  const int gate = mora_self.gate;
  if (gate == MORA_GATE_SHUT || gate == MORA_GATE_LOST) return 0;
  if (gate == MORA_GATE_FOREIGN && !mora_admit(function)) return 0;
  mora_name(call, function, mora_self.gate != MORA_GATE_OPEN);
  if (mora_stacks) return mora_enter_stack(call, site);
  mora_enter(call, site);
  return 1;
}

/* In MPI_Init of a program of the other MPI (mora_mpi_is_foreign): writes that to a .problem file, if MORA_DIR is set.
 */
void mora_report_foreign_mpi(void);

/* MPI returned an error code: notes its class. */
void mora_call_failed(struct mora_call* call);
/* The record of a query that is not recorded otherwise. */
void mora_query_failed(unsigned function, void* site, int rc);

/* Of a query: it is not recorded, though other calls are here and now. */
static inline int mora_is_asked(unsigned function) {
  return mora_self.gate == MORA_GATE_OPEN && __builtin_expect(!mora_enabled[function], 1);
}

/* Begins such a query: the process is known to be in it. */
static inline void mora_ask(unsigned function, void* site) {
  struct mora_state* state = mora_self.journal->state;
  state->begin = mora_ticks();
  state->site = (uint64_t)(uintptr_t)site;
  mora_open(state, function, 0);
}

/* Ends it: it is recorded if MPI refused it. */
static inline void mora_answered(unsigned function, void* site, int rc) {
  if (__builtin_expect(rc != MPI_SUCCESS, 0)) mora_query_failed(function, site, rc);
  __atomic_store_n(&mora_self.journal->state->call, 0, __ATOMIC_RELAXED);
}

static inline void mora_returned(struct mora_call* call, int rc) { /* first thing behind the real call: takes its end */
  if (__builtin_expect(mora_return_is_plain, 1))
    call->end = mora_ticks_of_tsc(); /* not in pattern mode, which has no clock */
  else
    mora_returned_slow(call);
  call->rc = rc;
  if (__builtin_expect(rc != MPI_SUCCESS, 0)) mora_call_failed(call);
}

/* Ends a call; no stretch of computation that is read begins behind it (core_time.h). */
static inline void mora_leave_poll(void) {
  __atomic_store_n(&mora_self.journal->state->call, 0, __ATOMIC_RELAXED);
  mora_self.gate = mora_self.gate_resting;
  if (__builtin_expect(mora_self.leave_work & MORA_LEAVE_UNLOCK, 0)) mora_threads_unlock_now();
}

/* The end of mora_publish_last where more is to be done. */
void mora_publish_last_slow(struct mora_call* call, uint64_t* record, unsigned words, unsigned shape);
void mora_turn_and_leave(void);

static inline void mora_leave(void) { /* the thread is in the program again; ends every recorded call */
  if (__builtin_expect(mora_self.leave_work, 0)) {
    mora_leave_slow();
  } else {
    __atomic_store_n(&mora_self.journal->state->call, 0, __ATOMIC_RELAXED);
    mora_self.gate = mora_self.gate_resting;
  }
}

/* Room for `count` statuses; MPI_STATUSES_IGNORE if there is no memory. */
MPI_Status* mora_statuses(struct mora_call* call, int count);

#endif
