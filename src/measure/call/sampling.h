/* Samples of computation that wait to be written (samples/samples.c). They belong in front of the next record, so
 * whoever writes one outside of MPI calls takes them first; calls do by mora_self::core_due. */
#ifndef MORA_MEASURE_CALL_SAMPLING_H
#define MORA_MEASURE_CALL_SAMPLING_H

#include <stdint.h>

#include "measure/call/hidden.h"
#include "measure/call/threads.h"

/* Whether the calling thread has some that wait. */
static inline int mora_has_samples(void) { return mora_self.samples_wait; }

/* Writes them, but for those later than `until`: then the thread waited, which is no computation. The gate is shut. */
void mora_samples_write(uint64_t until);
/* Forgets them. */
void mora_samples_drop(void);
/* Whether a poll that begins now would go on with the row of polls before it (hooks/poll.c): then there was no
 * computation worth a sample, and one would end the row. */
int mora_polls_may_go_on(uint64_t begin);
/* Whether the call, which is over, may be a poll, and one that would do so. */
struct mora_call;
int mora_polls_may_begin(const struct mora_call* call);
int mora_polls_may_be_joined(const struct mora_call* call);

#endif
