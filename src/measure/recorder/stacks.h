/* Call stacks in the journal (MORA_STACK=N: up to N frames): DEFINE_STACK records, and the numbers that stand for
 * return addresses in the records of calls. Not in pattern mode. Called by the thread that initialised MPI, but for
 * mora_stacks_begin_thread. */
#ifndef MORA_MEASURE_RECORDER_STACKS_H
#define MORA_MEASURE_RECORDER_STACKS_H

#include "measure/call/call.h"

/* In MPI_Init's Enter: so that its own stack is known, too. */
void mora_stacks_choose(void);
/* In MPI_Init, whose journal is open: what was defined before is written, and functions of Python are known from now
 * on, those around this call, too. */
void mora_stacks_open(struct mora_call* call);
/* What of Python DEFINE_PATH and DEFINE_STACK records refer to that are written next. */
void mora_stacks_write_places(void);
/* Another thread begins to be recorded; it has its place. */
void mora_stacks_begin_thread(void);
/* Calls that have their call site only, as a note. */
void mora_stacks_write_notes(void);

#endif
