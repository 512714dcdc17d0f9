/* What a root gives to the others (broadcast, scatter) is known: a run of the root computes it.
 *
 * Roots publish what they give (registry.h). A rank that takes it waits until the root's process has come there: the
 * recorded rank, if it runs, else a herald, an unrecorded process of that rank that runs to its end. So what programs
 * read in one rank and broadcast is exact in all. Limits, the same in every process, so that both sides agree: calls of
 * at most 1 MiB, the first 65536 of a communicator, intra-communicators; each rank listens to the first four roots that
 * it meets. Beyond them, if the root ends before, and if the region is half full, the data are unknown. */
#ifndef MORA_MEASURE_STANDIN_HERALD_H
#define MORA_MEASURE_STANDIN_HERALD_H

#include "measure/standin/data.h"

/* Counts a call of a root on `comm`: every member calls it once per such call. 0: this one is not published. */
uint64_t standin_rooted_key(struct standin_comm* comm);
/* 1: a call that moves so much is published. */
int standin_is_heralded(const struct standin_comm* comm, size_t bytes);
void standin_proclaim(uint64_t key, const void* bytes, size_t n);
/* What the root (rank of comm) published under the key; NULL: not known. Valid for ever. */
const void* standin_hear(unsigned function, uint64_t key, struct standin_comm* comm, int root, size_t* n);

/* What one rank (of the world) published, or will: waits for it or its herald. NULL: it ended before. */
struct standin_contribution;
const struct standin_contribution* standin_await(unsigned function, uint64_t key, int world_rank, int is_message);

#endif
