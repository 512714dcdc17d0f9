/* The report: how each rank ended, as lines of $MORA_DIR/dryrun/<run tag>.txt (this folder's README; read by
 * src/predict/pattern/recording/dryrun.cpp), and the exit code
 * of the dry run. Called by the server only. */
#ifndef MORA_MEASURE_STANDIN_PROCESS_DRY_RESULTS_H
#define MORA_MEASURE_STANDIN_PROCESS_DRY_RESULTS_H

#include <stdint.h>

#include "measure/standin/core/shared.h"

/// Opens the report, if the plan has a directory. A failure is ignored: there is no report then.
void standin_results_begin(void);
/* Writes a rank's line. state: ended, unfinished (no MPI_Finalize), failed, aborted, stopped (by the stand-in), killed,
 * timeout; of all ranks together also deadlock, and dropped (ended with the job). `code`: its exit code, 128 + signal.
 */
void standin_report_rank(const struct standin_progress* progress, const char* state, int code, double seconds);
/* A sentence about a circle of ranks; nothing if it is empty. */
void standin_report_deadlock(const char* sentence);
/* Writes notes and totals. Returns the exit code of the run: that of the lowest rank that did not end with 0. */
int standin_results_end(uint64_t auxiliaries);

#endif
