/* The registry: what each rank contributes to a call that makes a communicator (colour and key of a split, its edges
 * …).
 *
 * A rank publishes its own contribution when it gets to the call. Whoever needs others' asks the server
 * (fork_server.c), which runs each missing rank as a scout: an unrecorded process of the same program that goes up to
 * that call and publishes. There it parks, to go on from there when it is asked for a later call, or ends, if there are
 * too many. */
#ifndef MORA_MEASURE_STANDIN_REGISTRY_H
#define MORA_MEASURE_STANDIN_REGISTRY_H

#include <stdint.h>

#include "measure/standin/standin.h"

struct standin_contribution {
  uint32_t n;
  int32_t words[];
};

/* 0: no memory. Before the first fork. */
int standin_registry_start(void);

uint64_t standin_hash(uint64_t seed, uint64_t value);
uint64_t standin_hash_ints(uint64_t seed, const int* values, int n);
/* Of the call that makes something now on `comm`: counts comm->collectives up. */
uint64_t standin_creation_key(struct standin_comm* comm);

/* A scout whose goal this is ends or parks here. Equal contributions may be published again. */
void standin_publish(uint64_t key, const int* words, int n);
/* 0: half of the 4,194,304 contributions are there: what is not vital is to be left out. */
int standin_registry_has_room(void);
/* NULL: not published so far. */
const struct standin_contribution* standin_published(uint64_t key, int world_rank);
/* Waits until all of `ranks` (world ranks) have published, and calls for scouts. Ends the process if one of them never
 * will. */
void standin_call_for(unsigned function, uint64_t key, const int* ranks, int n);

/* Where wishes are written for the server: offsets of struct standin_wish in the region, or STANDIN_NEWS: a scout has
 * parked. */
enum { STANDIN_NEWS = 1 };
extern int standin_wish_pipe;

#endif
