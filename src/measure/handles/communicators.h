/* The communicators of this process: handle → entry, and their definitions in the journal.
 *
 * All processes identify a communicator in the same way without communication: by its parent and the number of
 * creations on the parent so far, which all members count equally (ADR 0006, docs/adr). Limit: after a creation of
 * which a member saw nothing (recording off in a thread that is not recorded) the counts differ. Cost of a look-up: one
 * comparison for the communicator that the thread used last, else one hash look-up. Thread-safe: the table has a lock
 * (call/threads.h), and a definition stands in the journal of the thread that made or met it. */
#ifndef MORA_MEASURE_HANDLES_COMMUNICATORS_H
#define MORA_MEASURE_HANDLES_COMMUNICATORS_H

#include "measure/call/call.h"
#include "measure/handles/handle_map.h"

struct mora_comm {
  uint64_t key;
  uint32_t id;
  int32_t local_size, remote_size; /* remote 0: no inter-communicator */
  int32_t rank;
  uint32_t children; /* collective creations on it so far */
  uint32_t windows;  /* window creations on it so far */
};

#define MORA_NO_COMM UINT32_MAX

/* Defines MPI_COMM_WORLD (id 0) and MPI_COMM_SELF (id 1). */
void mora_comms_start(void);

/// The slow path of mora_comm_of. may_define: defines a communicator that is not in the table.
struct mora_comm* mora_comm_search(uint64_t key, int may_define);
extern MORA_HIDDEN struct mora_comm mora_comm_none; /* what a thread used last that has used none */

/* The entry of a communicator that MPI accepted; one that is not in the table is defined now. NULL: no memory. */
static inline struct mora_comm* mora_comm_of(MPI_Comm comm) {
  const uint64_t key = MORA_KEY(comm);
  struct mora_comm* last = mora_self.last_comm;
  if (__builtin_expect(last->key == key, 1)) return last;
  return mora_comm_search(key, 1);
}

/* Id for a record; MORA_NO_COMM for one that MPI refused and we do not know. */
static inline uint32_t mora_comm_id(const struct mora_call* call, MPI_Comm comm) {
  const uint64_t key = MORA_KEY(comm);
  const struct mora_comm* last = mora_self.last_comm;
  if (__builtin_expect(last->key == key, 1)) return last->id;
  const struct mora_comm* entry = mora_comm_search(key, call->rc == MPI_SUCCESS);
  return entry ? entry->id : MORA_NO_COMM;
}

/* After a collective creation on `parent` returned; made may be MPI_COMM_NULL. Returns the new id or MORA_NO_COMM. */
uint32_t mora_comm_made(MPI_Comm parent, MPI_Comm made);

/* MPI_Comm_idup: the new communicator may not be asked yet; it has its parent's members. */
uint32_t mora_comm_duplicated(MPI_Comm parent, MPI_Comm made);

/* MPI_Comm_create_group (kind GROUP) and MPI_Intercomm_create (kind INTER): not collective on the parent; identity
 * (parent or none, members, tag, ordinal among equals). */
uint32_t mora_comm_made_aside(MPI_Comm parent, MPI_Comm made, enum mora_comm_kind kind, int tag);

/* A communicator made by spawn, connect, accept or join: it may have members outside MPI_COMM_WORLD. */
uint32_t mora_comm_made_dynamic(MPI_Comm made);

/* After PMPI_Comm_free: forgets the handle, if it still means this id, and writes FREE_COMM. */
void mora_comm_forget(uint64_t key, uint32_t id);

/* The id of a group by content; defines it if it is new. */
uint32_t mora_group_id(MPI_Group group);

#endif
