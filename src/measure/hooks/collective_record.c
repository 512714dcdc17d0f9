/* Bytes of collective calls, and their COLLECTIVE and VECTOR records (collective.h). */
#include "measure/hooks/collective_record.h"

#include "measure/call/sink.h"
#include "measure/call/status.h"
#include "measure/handles/request_table.h"
#include "mpi/function_table.h"

enum { part_words = 1000 };

struct mora_collective mora_collective_begin(struct mora_call* call, MPI_Comm comm, int rooted, int root,
                                             int in_place) {
  struct mora_collective c = {.call = call, .id = MORA_NO_COMM, .root = -1, .in_place = in_place};
  if (in_place) call->flags |= MORA_FLAG_IN_PLACE;
  if (call->rc != MPI_SUCCESS) {
    c.id = mora_comm_id(call, comm);
    c.idle = 1; /* nothing moved */
    return c;
  }
  const struct mora_comm* entry = mora_comm_of(comm);
  if (!entry) return c;
  c.id = entry->id;
  c.rank = entry->rank;
  c.inter = entry->remote_size > 0;
  c.peers = (uint64_t)(c.inter ? entry->remote_size : entry->local_size);
  if (!rooted) return c;
  c.root = root == MPI_ROOT ? -3 : root == MPI_PROC_NULL ? -2 : root;
  c.idle = c.inter && root == MPI_PROC_NULL;
  c.at_root = c.inter ? root == MPI_ROOT : root == entry->rank;
  return c;
}

uint64_t mora_vector_bytes(const struct mora_vector* v) {
  if (!v->counts) return 0;
  const uint64_t size = v->types ? 0 : mora_type_bytes(v->type, 1);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < v->n; i++)
    if ((int64_t)i != v->without && v->counts[i] > 0)
      sum += v->types ? mora_type_bytes(v->types[i], (uint64_t)v->counts[i]) : size * (uint64_t)v->counts[i];
  return sum;
}

/* Bytes per peer; long vectors in several records. */
static void write_vector(const struct mora_call* call, uint32_t id, int direction, const struct mora_vector* v) {
  const uint64_t size = v->types ? 0 : mora_type_bytes(v->type, 1);
  unsigned heads = 1;
  uint64_t done = 0;
  do {
    unsigned n = v->n - done > part_words ? part_words : (unsigned)(v->n - done);
    uint64_t* record = mora_journal_big(mora_self.journal, 4 + heads + n);
    mora_fill(record, call, id);
    if (heads) record[4] = mora_pair(direction, (int32_t)v->n);
    for (unsigned i = 0; i < n; i++, done++) {
      const uint64_t count = v->counts[done] > 0 ? (uint64_t)v->counts[done] : 0;
      record[4 + heads + i] = (int64_t)done == v->without ? 0
                              : v->types                  ? mora_type_bytes(v->types[done], count)
                                                          : size * count;
    }
    if (heads && done == v->n)
      mora_publish(call, record, 5 + n, MORA_SHAPE_VECTOR);
    else
      mora_journal_publish(mora_self.journal, record, 4 + heads + n, call->function, MORA_SHAPE_VECTOR,
                           call->flags | (done < v->n ? MORA_FLAG_CONTINUED : 0));
    heads = 0;
  } while (done < v->n);
}

/* Enters the request of a non-blocking or persistent collective; returns its number. */
static uint64_t remember(const struct mora_collective* c, MPI_Request request) {
  const int persistent = (mora_function_traits(c->call->function) & MORA_TRAIT_PERSISTENT) != 0;
  const uint64_t number = mora_request_next();
  struct mora_request* entry = mora_request_made(c->call, request, MORA_REQUEST_OTHER, persistent, number, c->id);
  if (entry && persistent && !c->call->silent) entry->bytes = number;
  mora_requests_release();
  return number;
}

/* Writes the COLLECTIVE record; `more`: records that belong to it follow. 0: recording is off, nothing was written. */
static int write_collective(struct mora_collective* c, const MPI_Request* request, int more) {
  struct mora_call* call = c->call;
  const uint64_t number = request ? remember(c, *request) : 0;
  if (call->silent) return 0;
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, c->id);
  record[4] = mora_pair(c->root, 0);
  record[5] = c->idle ? 0 : c->sent;
  record[6] = c->idle ? 0 : c->received;
  record[7] = number;
  const unsigned words = request ? 8 : 7;
  if (more)
    mora_publish_held(call, record, words, MORA_SHAPE_COLLECTIVE);
  else
    mora_publish(call, record, words, MORA_SHAPE_COLLECTIVE);
  return 1;
}

void mora_collective_end(struct mora_collective* c, const MPI_Request* request, const struct mora_vector* sent,
                         const struct mora_vector* received) {
  const int has_sent = sent && sent->counts && !c->idle, has_received = received && received->counts && !c->idle;
  if (write_collective(c, request, has_sent || has_received)) {
    if (has_sent) write_vector(c->call, c->id, 0, sent);
    if (has_received) write_vector(c->call, c->id, 1, received);
  }
  mora_leave();
}

static uint64_t edge_bytes(const struct mora_edges* e, int i) {
  const int count = e->counts ? e->counts[i] : e->count;
  return count > 0 ? mora_type_bytes(e->types ? e->types[i] : e->type, (uint64_t)count) : 0;
}

/* Bytes over all edges; *real: how many edges lead to a process. */
static uint64_t edges_sum(const struct mora_edges* e, uint64_t* real) {
  uint64_t sum = 0;
  *real = 0;
  for (int i = 0; i < e->n; i++) {
    if (e->ranks[i] == MPI_PROC_NULL) continue;
    sum += edge_bytes(e, i);
    ++*real;
  }
  return sum;
}

/* Pairs (rank, bytes) of the neighbours that exist; long lists in several records. */
static void write_edges(const struct mora_call* call, uint32_t id, int direction, const struct mora_edges* e,
                        uint64_t real) {
  unsigned heads = 1;
  int i = 0;
  uint64_t left = 2 * real;
  do {
    const unsigned n = left > part_words ? part_words : (unsigned)left;
    uint64_t* record = mora_journal_big(mora_self.journal, 4 + heads + n);
    mora_fill(record, call, id);
    if (heads) record[4] = mora_pair(direction, (int32_t)(2 * real));
    for (unsigned k = 0; k < n; i++) {
      if (e->ranks[i] == MPI_PROC_NULL) continue;
      record[4 + heads + k++] = (uint64_t)e->ranks[i];
      record[4 + heads + k++] = edge_bytes(e, i);
    }
    left -= n;
    if (heads && left == 0)
      mora_publish(call, record, 5 + n, MORA_SHAPE_VECTOR);
    else
      mora_journal_publish(mora_self.journal, record, 4 + heads + n, call->function, MORA_SHAPE_VECTOR,
                           call->flags | (left > 0 ? MORA_FLAG_CONTINUED : 0));
    heads = 0;
  } while (left > 0);
}

void mora_neighborhood_end(struct mora_collective* c, const MPI_Request* request, const struct mora_edges* destinations,
                           const struct mora_edges* sources) {
  uint64_t n_destinations = 0, n_sources = 0;
  if (!c->idle) {
    c->sent = edges_sum(destinations, &n_destinations);
    c->received = edges_sum(sources, &n_sources);
  }
  if (write_collective(c, request, !c->idle) && !c->idle) {
    write_edges(c->call, c->id, 2, destinations, n_destinations);
    write_edges(c->call, c->id, 3, sources, n_sources);
  }
  mora_leave();
}
