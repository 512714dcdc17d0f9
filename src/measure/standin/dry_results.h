/* What became of each rank: lines of $MORA_DIR/dryrun/<run tag>.txt, read by src/predict/pattern/dryrun.cpp, and the
 * exit code of the process. */
#ifndef MORA_MEASURE_STANDIN_DRY_RESULTS_H
#define MORA_MEASURE_STANDIN_DRY_RESULTS_H

#include <stdint.h>

#include "measure/standin/shared.h"

void standin_results_begin(void);
/* state: ended, unfinished (no MPI_Finalize), failed, aborted, stopped (by the stand-in), killed, timeout. */
void standin_report_rank(const struct standin_progress* progress, const char* state, int code, double seconds);
/* Notes and totals. The exit code of the run: that of the lowest rank that did not end with 0. */
int standin_results_end(uint64_t scouts);

#endif
