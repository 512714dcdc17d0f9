/* The measuring program of `mora calibrate`. Times in ns of CLOCK_MONOTONIC of one process; none is compared with
 * another process's. */
#ifndef MORA_MEASURE_CALIBRATE_H
#define MORA_MEASURE_CALIBRATE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum {
  MORA_HOST_LENGTH = 256,
  MORA_PROCESSORS = 1024,
  MORA_SAMPLES = 10,    /* of a size in a pass */
  MORA_FEW_SAMPLES = 5, /* … of what is measured beside half round trips, of which there is much */
  MORA_LATE_SAMPLES = 3,
  MORA_MOST_SIZES = 72,
};

/* ---- where the ranks are (places.c) */

/* Where a rank is; -1: it may use several packages, cores. `processors`: one bit for each that it may use. */
struct mora_place {
  char host[MORA_HOST_LENGTH];
  int package, core;
  uint8_t processors[MORA_PROCESSORS / 8];
};
void mora_own_place(struct mora_place* place);
/* "same_core", "same_package", "same_node", "other_node". */
const char* mora_class_of(const struct mora_place* a, const struct mora_place* b);
/* Processors that the ranks on the node of `place` may use together. */
int mora_processors(const struct mora_place* places, int ranks, const struct mora_place* place);

/* ---- samples (samples.c) */

int64_t mora_now(void);
/* Computes, or is in MPI so that what comes from `source` of `comm` gets on, for so long. */
void mora_spin(int64_t duration);
void mora_spin_in_mpi(MPI_Comm comm, int source, int64_t duration);
/* Sleeps until all ranks have come. */
void mora_wait_for_all(void);

/* One pair's measurement; `raw` is open at rank `from` if it writes the samples. `comm`: of both, `from` has rank 0. */
struct mora_pair {
  const char* class_name;
  int rank, from, to;
  char *buffer, *results; /* of the largest size and 8 bytes */
  FILE* raw;
  MPI_Comm comm;
  MPI_Win window; /* of as many bytes at each of them */
};
static inline int mora_is_first(const struct mora_pair* pair) { return pair->rank == pair->from; }
void mora_sample(const struct mora_pair* pair, int pass, const char* test, int64_t bytes, int64_t ns);
int64_t mora_median(int64_t* times, int n); /* sorts them */

/* ---- which sizes, in which order (passes.c); both ranks of a pair draw the same */

void mora_seed(uint64_t seed);
/* `least`, and one size of each of equal stretches of the logarithm up to `largest`; ascending, none twice. Returns how
 * many; at most `most`. 0 and 1 are among them if `least` is 0. */
int mora_draw_sizes(int64_t* sizes, int most, int64_t least, int64_t largest);
void mora_shuffle(int64_t* sizes, int n);
/* The first rank of the pair says a number to the second. */
int64_t mora_agreed(const struct mora_pair* pair, int64_t word);
/* The first rank's clock says whether there is time left. */
int mora_has_time(const struct mora_pair* pair, int64_t until);

enum { MORA_FEWEST_PASSES = 3 };
typedef void (*mora_test)(const struct mora_pair* pair, int pass, int64_t bytes);
/* Pass 0 over as many sizes as there is time for, at least `fewest`, the largest and the smallest first; returns how
 * many: those stay. */
int mora_warm_up(const struct mora_pair* pair, int64_t until, int64_t* sizes, int n, int fewest, mora_test test);
/* Warms up in a quarter of the time, then measures those sizes, at least six, in new orders until it is over. */
void mora_measure_sizes(const struct mora_pair* pair, int64_t duration, int64_t* sizes, int n, mora_test test);

/* ---- messages of one pair (pair.c, messages.c) */

/* Half round trips of `bytes`, both ranks ready. Returns their median at `from`, 0 at `to`. */
int64_t mora_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes);
/* … of as many bytes in blocks of 8, every other one of a buffer. */
void mora_strided_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes);
/* One message and an answer, then several of them without a pause and an answer (tests "train_1", "train_8"). */
void mora_train(const struct mora_pair* pair, int pass, int64_t bytes);
/* The receive is posted `delay` after the send, by a receiver that is in MPI meanwhile: how long the send lasts (test
 * "send"), then how long the receive of a message that is there (test "late_receive"). Returns 1 at `from` if a send
 * was over before its receive was posted: that proves it eager; the contrary proves nothing, since a processor may have
 * been taken away. */
int mora_late_receiver(const struct mora_pair* pair, int pass, int64_t bytes, int64_t delay);
/* All of that, in so long. */
void mora_measure_messages(const struct mora_pair* pair, int64_t duration, int64_t largest);

/* ---- one-sided calls of one pair (windows.c) */

void mora_measure_windows(const struct mora_pair* pair, int64_t duration, int64_t largest);

/* ---- several at once (together.c) */

/* Pairs of ranks of one node, or of two, exchange messages at once: 1, 2, 4 … of them. All ranks call it; rank 0 writes
 * `raw`. */
void mora_measure_together(const struct mora_place* places, int ranks, int across, int64_t duration, int64_t largest,
                           char* buffer, FILE* raw);
/* Collective operations of all ranks, which are on one node. `memory`: two buffers of `largest` and 8 bytes. */
void mora_measure_collectives(int ranks, int64_t duration, char* memory, int64_t largest, FILE* raw);
/* The same computation again and again, on all ranks at once. */
void mora_measure_computation(int64_t duration, FILE* raw);

#endif
