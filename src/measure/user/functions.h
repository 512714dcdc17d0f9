/* Functions of programs that were built with -finstrument-functions: they call two functions of ours, which libc has,
 * too, doing nothing. Each begin and end is one record with the function's address. Recorded between MPI_Init and
 * MPI_Finalize, also while MPI_Pcontrol has recording off, so that they stay in pairs; of the thread that called
 * MPI_Init and outside of MPI calls only. MORA_FUNCTIONS=0: not at all. Names and filters come after the run. */
#ifndef MORA_MEASURE_USER_FUNCTIONS_H
#define MORA_MEASURE_USER_FUNCTIONS_H

/* Functions are recorded between the two; stop also in a forked child, which has no journal. */
void mora_functions_start(void);
void mora_functions_stop(void);

/* A NOTE record for what was counted since the last time. */
void mora_functions_write_notes(void);

#endif
