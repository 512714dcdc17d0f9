/* Calls that make, name and free communicators. A creation is recorded as a collective without bytes on the parent, or,
 * where the parent takes no part as a whole, on the new communicator. */
#include <string.h>

#include "hooks.h"
#include "measure/call/status.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/names.h"
#include "measure/handles/request_table.h"
#include "measure/pattern/data.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

static void finish(struct mora_call* call, uint32_t id) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill(record, call, id);
    record[4] = mora_pair(-1, 0);
    record[5] = record[6] = 0;
    mora_publish(call, record, 7, MORA_SHAPE_COLLECTIVE);
  }
  mora_leave();
}

void mora_post_comm_made(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm) {
  if (call->rc == MPI_SUCCESS) mora_comm_made(comm, *newcomm);
  finish(call, mora_comm_id(call, comm));
}

/* Pattern mode: by what the members were chosen. */
static void data_split(struct mora_call* call, int color, int key) {
  if (mora_has_data(call))
    mora_write_data_with(call, 0, MORA_NO_COUNT, 0, MORA_NO_COUNT,
                         mora_pair(color == MPI_UNDEFINED ? INT32_MIN : color, key));
}

static void made_by_color(struct mora_call* call, MPI_Comm parent, int color, int key, const MPI_Comm* comm) {
  if (call->rc == MPI_SUCCESS) mora_comm_made(parent, *comm);
  const uint32_t id = mora_comm_id(call, parent);
  data_split(call, color, key);
  finish(call, id);
}

static void made_aside(struct mora_call* call, MPI_Comm parent, const MPI_Comm* comm, enum mora_comm_kind kind,
                       int tag) {
  finish(call, call->rc == MPI_SUCCESS ? mora_comm_made_aside(parent, *comm, kind, tag) : MORA_NO_COMM);
}

void mora_post_comm_joined(struct mora_call* call, MPI_Comm* newcomm) {
  finish(call, call->rc == MPI_SUCCESS ? mora_comm_made_dynamic(*newcomm) : MORA_NO_COMM);
}

void mora_post_comm_split(struct mora_call* call, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  made_by_color(call, comm, color, key, newcomm);
}

void mora_post_comm_split_type(struct mora_call* call, MPI_Comm comm, int split_type, int key, MPI_Comm* newcomm) {
  made_by_color(call, comm, split_type, key, newcomm);
}

void mora_post_intercomm_merge(struct mora_call* call, MPI_Comm comm, int high, MPI_Comm* newcomm) {
  made_by_color(call, comm, high, 0, newcomm);
}

void mora_post_comm_idup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  if (call->rc == MPI_SUCCESS) mora_comm_duplicated(comm, *newcomm);
  const uint32_t id = mora_comm_id(call, comm);
  const uint64_t number = call->silent ? 0 : mora_request_next();
  mora_request_made(call, *request, MORA_REQUEST_OTHER, 0, number, id);
  mora_requests_release();
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill(record, call, id);
    record[4] = mora_pair(-1, 0);
    record[5] = record[6] = 0;
    record[7] = number;
    mora_publish(call, record, 8, MORA_SHAPE_COLLECTIVE);
  }
  mora_leave();
}

void mora_post_comm_create_group(struct mora_call* call, MPI_Comm comm, int tag, MPI_Comm* newcomm) {
  made_aside(call, comm, newcomm, MORA_COMM_GROUP, tag);
}

void mora_post_intercomm_create(struct mora_call* call, int tag, MPI_Comm* newcomm) {
  made_aside(call, MPI_COMM_NULL, newcomm, MORA_COMM_INTER, tag);
}

void mora_pre_comm_free(struct mora_call* call, MPI_Comm* comm) {
  call->key = MORA_KEY(*comm);
  call->rc = MPI_ERR_COMM; /* an unknown one is not defined now */
  mora_threads_lock();
  call->object = mora_comm_id(call, *comm);
  mora_threads_unlock();
}

void mora_post_comm_free(struct mora_call* call, MPI_Comm* comm) {
  if (call->rc == MPI_SUCCESS) mora_comm_forget(call->key, call->object);
  finish(call, call->object);
}

void mora_post_comm_set_name(struct mora_call* call, MPI_Comm comm, const char* comm_name) {
  const uint32_t id = mora_comm_id(call, comm);
  if (call->rc == MPI_SUCCESS) mora_write_name(id, 0, comm_name);
  mora_finish_object(call, id);
}
