/* The registry: what each rank contributes to a call that makes a communicator (colour and key of a split, its edges
 * …), as a table in shared memory from (key of the call, world rank) to words.
 *
 * A rank publishes its own contribution when it gets to the call. A process that needs others' contributions asks the
 * server (fork_server.c), which runs each missing rank as an auxiliary process: an unrecorded process of the same
 * program that runs up to that call and publishes. There it is suspended, to go on when the same rank is needed for a
 * later call; or it ends, if there are too many. Rule `membership-by-forks` (docs/rules.md).
 *
 * Limits: 4,194,304 contributions, 4 GiB in all. The functions are called with the stand-in's lock held. */
#ifndef MORA_MEASURE_STANDIN_CORE_REGISTRY_H
#define MORA_MEASURE_STANDIN_CORE_REGISTRY_H

#include <stdint.h>

#include "measure/standin/core/standin.h"

struct standin_contribution {
  uint32_t n; /* words */
  int32_t words[];
};

/* Call before the first fork. 0: no memory. */
int standin_registry_start(void);

/// Mixes a value into a hash; never 0.
uint64_t standin_hash(uint64_t seed, uint64_t value);
uint64_t standin_hash_ints(uint64_t seed, const int* values, int n);
/* The key of the call that makes something on `comm` now; counts comm->collectives up. Every member calls it exactly
 * once per such call, or keys of later calls differ between ranks. */
uint64_t standin_creation_key(struct standin_comm* comm);

/* Publishes what this rank contributes (copied); a second time for one key has no effect. An auxiliary process whose
 * goal this is ends or is suspended here. Stops the process when the table or the region is full. */
void standin_publish(uint64_t key, const int* words, int n);
/* The value that all processes take for the key: the first that one of them proposes. */
uint64_t standin_agree(uint64_t key, uint64_t proposed);
/* 0: half of the table is used: contributions that a run can do without are no longer to be published. */
int standin_registry_has_room(void);
/* NULL: not published so far. Valid until the process ends; never changes. */
const struct standin_contribution* standin_published(uint64_t key, int world_rank);
/* Waits until all of `ranks` (world ranks) have published; the server runs the missing ones as auxiliary processes.
 * `function` (enum mora_function) is named in messages. Ends the process if one of the ranks never will publish. */
void standin_call_for(uint64_t key, const int* ranks, int n);

/* The pipe to the server: offsets of struct standin_need in the region, or STANDIN_SUSPENDED: an auxiliary process has
 * reached its goal and is suspended. */
enum { STANDIN_SUSPENDED = 1 };
extern int standin_need_pipe;

#endif
