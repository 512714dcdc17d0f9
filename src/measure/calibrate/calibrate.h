/* The measuring program of `mora calibrate`. Times in ns of CLOCK_MONOTONIC of one process; none is compared with
 * another process's. */
#ifndef MORA_MEASURE_CALIBRATE_H
#define MORA_MEASURE_CALIBRATE_H

#include <stdint.h>
#include <stdio.h>

enum { MORA_HOST_LENGTH = 256, MORA_SAMPLES = 10, MORA_LATE_SAMPLES = 3 };

/* Where a rank is; -1: it may use several packages, cores. */
struct mora_place {
  char host[MORA_HOST_LENGTH];
  int package, core;
};
void mora_own_place(struct mora_place* place);
/* "same_core", "same_package", "same_node", "other_node". */
const char* mora_class_of(const struct mora_place* a, const struct mora_place* b);

int64_t mora_now(void);

/* One pair's measurement; `raw` is open at rank `from`, where the samples are written. */
struct mora_pair {
  const char* class_name;
  int rank, from, to;
  char* buffer;
  FILE* raw;
};
/* Half round trips of `bytes`, both ranks ready. Returns their median at `from`, 0 at `to`. */
int64_t mora_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes);
/* The receive is posted `delay` after the send, by a receiver that is in MPI meanwhile: how long the send lasts (test
 * "send"), then how long the receive of a message that is there (test "late_receive"). Returns 1 at `from` if a send
 * was over before its receive was posted: that proves it eager; the contrary proves nothing, since a processor may have
 * been taken away. */
int mora_late_receiver(const struct mora_pair* pair, int pass, int64_t bytes, int64_t delay);

#endif
