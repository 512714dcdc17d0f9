/* The report: how each rank ended, as lines of $MORA_DIR/dryrun/<run tag>.txt (this folder's README; read by
 * src/predict/pattern/recording/dryrun.cpp), and the exit code
 * of the dry run. Called by the server only. */
#ifndef MORA_MEASURE_STANDIN_PROCESS_DRY_RESULTS_H
#define MORA_MEASURE_STANDIN_PROCESS_DRY_RESULTS_H

#include <stdint.h>
#include <sys/types.h>

#include "measure/standin/core/shared.h"

/// Opens the report, if the plan has a directory. A failure is ignored: there is no report then.
void standin_results_begin(void);
/* Writes a rank's line. state: ended, unfinished (no MPI_Finalize), failed, aborted, stopped (by the stand-in), killed,
 * timeout; of all ranks together also deadlock, and dropped (ended with the job). `code`: its exit code, 128 + signal.
 */
void standin_report_rank(const struct standin_progress* progress, const char* state, int code, double seconds);
/* Before a process is killed: copies which modules it has where to the file beside its journal that the recorder writes
 * without pattern mode, so that the call that it is in has a place in the source. The first copy stays. Of a process
 * that ended by itself, standin_report_rank copies what the server has: all that was loaded before MPI_Init. */
void standin_save_maps(int rank, pid_t process);
/* Writes notes and totals. Returns the exit code of the run: that of the lowest rank that did not end with 0. */
int standin_results_end(uint64_t auxiliaries);

#endif
