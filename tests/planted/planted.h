/* What all programs of tests/planted share: work, the clock of the planted problem, and its one line of output. */
#ifndef PLANTED_H
#define PLANTED_H
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of CLOCK_MONOTONIC. */
double now(void);

/* Stands for computation; sleeping leaves the processor to the other ranks (tests/mpi/idle). */
void work(double milliseconds);

/* The planted problem: work that makes `victims` other ranks wait for as long as it takes. */
void planted_work(double milliseconds, double victims);

/* Processor time that the planted problem costs, as measured otherwise. */
void planted_loss(double seconds);

/* The calling rank comes to where all ranks meet. Where several are late, the loss is what all wait there for the last
 * of them: planted_print adds it up, by the clock that the ranks of a node share. */
void planted_arrival(void);

/* All ranks go on together, which is not recorded (PMPI): where the problem is what calls cost, waiting for those whose
 * sleep before them took longer is no part of it. */
void together(void);

/* Rank 0 prints the sum over all ranks. Collective; its own communication is not recorded (PMPI), and it is called
 * where all ranks are together anyway. rank: a number, numbers ("3-5"), or "-". */
void planted_print(const char* kind, const char* rank, const char* function);

/* The calling rank prints what it alone has counted: where no collective call may be. */
void planted_print_alone(const char* kind, const char* rank, const char* function);

#ifdef __cplusplus
}
#endif
#endif
