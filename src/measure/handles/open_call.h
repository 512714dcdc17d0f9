/* With whom the call is that the process has just entered, in struct mora_state: for processes that never leave it. The
 * wrappers say it, from the arguments that their functions have, and then which of the words count (mora_open); the
 * others are left as an earlier call had them.
 * Each thread has a state of its own, in its journal's live chunk; not in pattern mode, whose threads share one. Cost:
 * some stores to one cache line (bench/recording). */
#ifndef MORA_MEASURE_HANDLES_OPEN_CALL_H
#define MORA_MEASURE_HANDLES_OPEN_CALL_H

#include "measure/call/sink.h"
#include "measure/call/status.h"
#include "measure/handles/communicators.h"
#include "measure/handles/request_table.h"
#include "measure/handles/windows.h"

static inline uint64_t mora_open_comm(MPI_Comm comm) {
  const uint64_t key = MORA_KEY(comm);
  const struct mora_comm* entry = mora_self.last_comm;
  if (__builtin_expect(entry->key == key, 1)) return entry->id + 1;
  entry = mora_comm_search(key, 0);
  return entry ? entry->id + 1 : 0;
}

static inline void mora_open_source(struct mora_state* state, int source, int tag) {
  state->source = mora_pair(mora_peer(source), mora_tag(tag));
}

static inline void mora_open_dest(struct mora_state* state, int dest, int tag) {
  state->target = mora_pair(dest == MPI_PROC_NULL ? MORA_PEER_NONE : dest, tag);
}

static inline void mora_open_root(struct mora_state* state, int root) { state->target = mora_pair(root, 0); }

static inline void mora_open_window(struct mora_state* state, MPI_Win win) {
  const uint64_t key = MORA_KEY(win);
  const struct mora_window* window = mora_self.last_window;
  if (__builtin_expect(window->key != key, 0)) window = mora_window_search(key);
  state->object = window ? window->id + 1 : 0;
}

/* May write the definition of the group. */
static inline void mora_open_group(struct mora_state* state, MPI_Group group) {
  state->source = group != MPI_GROUP_NULL && !mora_pattern ? mora_group_id(group) : UINT32_MAX;
}

static inline void mora_open_lock(struct mora_state* state, int rank, int exclusive) {
  state->target = mora_pair(rank, exclusive);
}

/* Of a single request what the hooks want, too. */
static inline void mora_open_requests(struct mora_call* call, struct mora_state* state, int count,
                                      const MPI_Request* requests) {
  const uint64_t key = count == 1 && requests[0] != MPI_REQUEST_NULL ? MORA_KEY(requests[0]) : 0;
  struct mora_request* entry = NULL;
  if (key && !mora_pattern) {
    entry = mora_request_at_place(key);
    if (__builtin_expect(!entry, 0)) entry = mora_request_find(key);
  }
  call->key = key;
  state->object = (uint64_t)(uint32_t)count << 32;
  state->source = entry ? entry->number : 0;
  call->request = entry;
  if (__builtin_expect(mora_threaded, 0)) {
    mora_requests_release_now();
    call->request = NULL; /* it is looked up again: tables of other threads may grow until then */
  }
}

#endif
