/* Samples of computation: which functions the processor was in between MPI calls (MORA_SAMPLE=HZ: so often per second
 * of processor time; absent or "off": none). Not in pattern mode. What says nothing of threads is called by the one
 * that initialised MPI. */
#ifndef MORA_MEASURE_SAMPLES_SAMPLES_H
#define MORA_MEASURE_SAMPLES_SAMPLES_H

/* Where the process may run: how many processors it may use, and how many processes of the job may use the same, itself
 * too; 0: not known. */
struct mora_sharing {
  long processors, processes;
};

/* Behind MPI_Init; the journal is open. `places` writes the places in Python functions that paths name. */
void mora_samples_start(const struct mora_sharing* shared, void (*places)(void));
/* Before MPI_Finalize: of all threads. What those others have not written yet is lost. */
void mora_samples_stop(void);
/* The calling thread begins to be recorded, the first one's sampling has begun, and all threads may use so many
 * processors together; it ends, or its recording does for lack of space. The gate is shut. */
void mora_samples_begin_thread(long processors);
void mora_samples_end_thread(void);
/* In a forked child, which has no timer. */
void mora_samples_forget(void);
/* What was not sampled and why, as notes. */
void mora_samples_write_notes(void);

#endif
