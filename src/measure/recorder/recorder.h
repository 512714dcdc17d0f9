/* The recorder of one process: started after PMPI_Init, closed when the process exits. All functions are called by the
 * thread that initialised MPI, from hooks; none is async-signal-safe. A failure stops recording, is written to the
 * .problem file and never reaches the program. */
#ifndef MORA_MEASURE_RECORDER_RECORDER_H
#define MORA_MEASURE_RECORDER_RECORDER_H

#include "measure/call/library.h"

/* Before PMPI_Init(_thread): reads all clocks. */
void mora_recorder_before_init(struct mora_call* call);

/* After PMPI_Init(_thread) succeeded: verifies the MPI library, agrees on the run tag, opens the journal, measures
 * clock offsets, writes the record of the call. Ends the call. `function`: that of the call, if it is none of MPI's. */
void mora_recorder_start(struct mora_call* call, struct mora_library_function* function);

/* Before PMPI_Finalize: measures the clock offsets for the second time. */
void mora_recorder_before_finalize(struct mora_call* call);
/* After PMPI_Finalize: writes the notes that the data-quality table needs; no MPI call from here on. */
void mora_recorder_after_finalize(struct mora_call* call);

/* Switches recording off (0) or on (1), as MPI_Pcontrol asks. */
void mora_recorder_switch(int on);

/* Notes which modules stand where. Any thread, while recording goes on. */
void mora_recorder_save_maps(void);

/* Writes everything recorded so far to the journal file. */
void mora_recorder_flush(void);

/* Requests that were completed and whose start was not seen; counted for the notes at the end. */
extern uint64_t mora_unknown_requests;

/* Offsets of this process's clock against rank 0's, written as a CLOCK_OFFSET record; collective on `comm`. `ids` are
 * all processes' clock ids. Nothing happens if they are equal. */
void mora_clock_offsets(MPI_Comm comm, int rank, int size, const uint64_t* ids, int phase);

/* The files beside the journal: side_files.c */
struct mora_paths {
  char stem[3072]; /* $MORA_DIR/journal/<run tag>.<rank> */
};
/* One line of text into <stem>.problem; `stem` NULL before the run tag is known. */
void mora_report_problem(const struct mora_paths* paths, const char* format, ...) __attribute__((format(printf, 2, 3)));
/* Copies /proc/self/maps to <stem>.maps if modules were loaded since the last time. */
void mora_save_maps(const struct mora_paths* paths);

#endif
