/* Root data: what a root gives to the others (broadcast, scatter) is known, because a run of the root computes it.
 *
 * Roots publish what they give (registry.h). A rank that takes it waits until the root's process has come there: the
 * recorded rank, if it runs, else an auxiliary process of that rank, which runs to its end. So what programs read in
 * one rank and broadcast is exact in all (rule `dry-run-known-data`, docs/rules.md).
 *
 * Limits, the same in every process, so that both sides agree: calls of at most 1 MiB, the first 65536 of a
 * communicator, intra-communicators; each rank uses the first four roots that it meets. The data are unknown beyond
 * these limits, if the root ends before the call, and once the shared region is half full. */
#ifndef MORA_MEASURE_STANDIN_ASSUMED_ROOT_DATA_H
#define MORA_MEASURE_STANDIN_ASSUMED_ROOT_DATA_H

#include "measure/standin/core/data.h"

/* The registry's key of the rooted call that is made on `comm` now. Every member calls this exactly once per call, as
 * it counts them. 0: this call is not published. */
uint64_t standin_rooted_key(struct standin_comm* comm);
/* 1: the root of a call that moves `bytes` bytes publishes them. */
int standin_root_publishes(const struct standin_comm* comm, size_t bytes);
/* In the root: publishes `n` bytes (copied) under the key; key 0: nothing. Noted when the region has no room. */
void standin_publish_root_data(uint64_t key, const void* bytes, size_t n);
/* In the others: waits for what the root (rank of comm) publishes under the key. *n: its bytes. NULL: not known, which
 * is noted. Valid until the process ends. */
const void* standin_root_data(uint64_t key, struct standin_comm* comm, int root, size_t* n);

/* Waits until one rank of the world has published under the key; the server starts an auxiliary process of that rank if
 * none runs. `kind`: STANDIN_NEED_ROOT_DATA or STANDIN_NEED_MESSAGE (shared.h). NULL: the rank ended before, or the
 * region is full. */
struct standin_contribution;
const struct standin_contribution* standin_wait_for_contribution(uint64_t key, int world_rank, uint32_t kind);

#endif
