/* Samples of computation: which functions the processor was in between MPI calls (MORA_SAMPLE=HZ: so often per second
 * of processor time; absent or "off": none). Not in pattern mode. Called by the thread that initialised MPI. */
#ifndef MORA_MEASURE_RECORDER_SAMPLES_H
#define MORA_MEASURE_RECORDER_SAMPLES_H

/* Behind MPI_Init; the journal is open. */
void mora_samples_start(void);
/* Before MPI_Finalize, and when recording ends for lack of space. */
void mora_samples_stop(void);
/* In a forked child, which has no timer. */
void mora_samples_forget(void);
/* What was not sampled and why, as notes. */
void mora_samples_write_notes(void);

#endif
