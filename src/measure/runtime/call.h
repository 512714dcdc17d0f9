/* One wrapped MPI call, from the wrapper's point of view.
 *
 * Only the thread that initialised MPI is recorded (in pattern mode also others: measure/pattern/threads.h), and only
 * the outermost MPI function it is in. Both follow from one thread-local number, the gate: the wrapper shuts it at the
 * start of a recorded call and the post hook puts it back to its resting value. No inline function here allocates or
 * locks (a lock is taken only when several threads are recorded). Thread-safe; not async-signal-safe: a signal handler
 * that calls MPI inside a recorded call is taken to be part of that call. */
#ifndef MORA_MEASURE_RUNTIME_CALL_H
#define MORA_MEASURE_RUNTIME_CALL_H

#include <stdint.h>

#include "functions.h"
#include "journal/journal_writer.h"
#include "measure/mpi/mpi_binding.h"
#include "measure/pattern/repeat.h"
#include "measure/runtime/clock.h"

enum mora_gate {
  MORA_GATE_OPEN = 0,    /* record */
  MORA_GATE_SHUT = 1,    /* within a recorded call, or nothing will ever be recorded here */
  MORA_GATE_FOREIGN = 2, /* every thread's first state: not the thread that initialised MPI, so far */
  MORA_GATE_LOST = 3,    /* recording ended for lack of space: count */
  MORA_GATE_OFF = 4      /* MPI_Pcontrol(0) or MORA_RECORD=0: only keep the tables of handles right */
};

struct mora_call {
  uint64_t begin, end; /* ticks */
  void* site;          /* return address in the program */
  int rc;
  uint16_t function;
  uint8_t flags;  /* enum mora_flag of the record */
  uint8_t silent; /* recording is off: update tables, write no record of this call */
  /* what a pre hook keeps for its post hook */
  uint64_t key;
  uint32_t object;
  int count;
  MPI_Request* requests; /* as they were before MPI changed them */
  MPI_Status status;     /* takes the place of MPI_STATUS_IGNORE */
};

extern __thread int mora_gate;
extern int mora_gate_resting;                   /* value to which the gate of the recorded thread returns */
extern uint8_t mora_enabled[MORA_FN_COUNT + 1]; /* 0: never recorded (queries) */
extern struct mora_journal mora_journal;

/* Several threads are recorded (measure/pattern/threads.h): then the post hook runs under a lock, from mora_returned to
 * mora_leave. */
extern int mora_threaded;
void mora_threads_returned(struct mora_call* call);
void mora_threads_leave(void);

/* With the gate neither open nor shut. 1: the hooks run; call->silent says whether they write records. */
int mora_begin_slow(struct mora_call* call, unsigned function);
/* The first call of a thread, to a function that may start recording. 1: the hooks run. */
int mora_admit(unsigned function);

static inline void mora_enter(struct mora_call* call, unsigned function, void* site) {
  call->function = (uint16_t)function;
  call->site = site;
  call->flags = 0;
  mora_gate = MORA_GATE_SHUT;
  call->begin = mora_ticks();
}

/* Begins a call. 0: the wrapper only forwards to PMPI. `site`: return address in the program. */
static inline int mora_begin(struct mora_call* call, unsigned function, void* site) {
  const int gate = mora_gate;
  if (__builtin_expect(gate != MORA_GATE_OPEN, 0)) {
    if (gate == MORA_GATE_SHUT || !mora_begin_slow(call, function)) return 0;
  } else {
    if (__builtin_expect(!mora_enabled[function], 0)) return 0;
    call->silent = 0;
  }
  mora_enter(call, function, site);
  return 1;
}

/* For MPI_Init, MPI_Init_thread, MPI_Pcontrol: also while recording is off. */
static inline int mora_begin_always(struct mora_call* call, unsigned function, void* site) {
  const int gate = mora_gate;
  if (gate == MORA_GATE_SHUT || gate == MORA_GATE_LOST) return 0;
  if (gate == MORA_GATE_FOREIGN && !mora_admit(function)) return 0;
  call->silent = gate != MORA_GATE_OPEN;
  mora_enter(call, function, site);
  return 1;
}

static inline void mora_returned(struct mora_call* call, int rc) {
  call->end = mora_ticks();
  if (__builtin_expect(mora_threaded, 0)) mora_threads_returned(call);
  call->rc = rc;
  if (__builtin_expect(rc != MPI_SUCCESS, 0)) call->flags |= MORA_FLAG_FAILED;
}

static inline void mora_leave(void) {
  mora_gate = mora_gate_resting;
  if (__builtin_expect(mora_threaded, 0)) mora_threads_leave();
}

/* The four words every record of a call begins with. */
static inline void mora_fill(uint64_t* record, const struct mora_call* call, uint32_t object) {
  const uint64_t duration = call->end > call->begin ? call->end - call->begin : 0;
  record[1] = call->begin;
  record[2] = ((uint64_t)(uintptr_t)call->site & UINT64_C(0xffffffffffff)) | (duration >> 32 << 48);
  record[3] = (uint64_t)object | duration << 32;
}

static inline void mora_publish(const struct mora_call* call, uint64_t* record, unsigned words, unsigned shape) {
  if (__builtin_expect(mora_pattern, 0))
    mora_publish_pattern(record, words, call->function, shape, call->flags);
  else
    mora_journal_publish(&mora_journal, record, words, call->function, shape, call->flags);
}

static inline uint64_t mora_pair(int32_t low, int32_t high) {
  return (uint64_t)(uint32_t)low | (uint64_t)(uint32_t)high << 32;
}

/* A CALL record naming an object (communicator, window, or what docs/formats/journal.md says); ends the call. */
static inline void mora_finish_object(struct mora_call* call, uint32_t object) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, object);
    mora_publish(call, record, 4, MORA_SHAPE_CALL);
  }
  mora_leave();
}

static inline void mora_finish_plain(struct mora_call* call) { mora_finish_object(call, 0); }

/* As mora_finish_plain, for a function that moves data: says once per function that its events are not complete. */
void mora_finish_partial(struct mora_call* call);

/* Room for `count` statuses; MPI_STATUSES_IGNORE if there is no memory. */
MPI_Status* mora_statuses(struct mora_call* call, int count);

#endif
