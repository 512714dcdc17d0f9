/* Calls that make, name and free communicators. A creation is recorded as a collective without bytes on the parent, or,
 * where the parent takes no part as a whole, on the new communicator. */
#include <string.h>

#include "measure/pattern/data.h"
#include "measure/pattern/threads.h"
#include "measure/runtime/communicators.h"
#include "measure/runtime/hooks.h"
#include "measure/runtime/names.h"
#include "measure/runtime/request_table.h"
#include "measure/runtime/status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

static void finish(struct mora_call* call, uint32_t id) {
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, id);
    record[4] = mora_pair(-1, 0);
    record[5] = record[6] = 0;
    mora_publish(call, record, 7, MORA_SHAPE_COLLECTIVE);
  }
  mora_leave();
}

static void made(struct mora_call* call, MPI_Comm parent, const MPI_Comm* comm) {
  if (call->rc == MPI_SUCCESS) mora_comm_made(parent, *comm);
  finish(call, mora_comm_id(call, parent));
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

static void made_dynamic(struct mora_call* call, const MPI_Comm* comm) {
  finish(call, call->rc == MPI_SUCCESS ? mora_comm_made_dynamic(*comm) : MORA_NO_COMM);
}

void mora_post_comm_dup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm) { made(call, comm, newcomm); }

void mora_post_comm_dup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  made(call, comm, newcomm);
}

void mora_post_comm_create(struct mora_call* call, MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  made(call, comm, newcomm);
}

void mora_post_comm_split(struct mora_call* call, MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  made_by_color(call, comm, color, key, newcomm);
}

void mora_post_comm_split_type(struct mora_call* call, MPI_Comm comm, int split_type, int key, MPI_Info info,
                               MPI_Comm* newcomm) {
  made_by_color(call, comm, split_type, key, newcomm);
}

void mora_post_cart_create(struct mora_call* call, MPI_Comm old_comm, int ndims, const int dims[], const int periods[],
                           int reorder, MPI_Comm* comm_cart) {
  made(call, old_comm, comm_cart);
}

void mora_post_cart_sub(struct mora_call* call, MPI_Comm comm, const int remain_dims[], MPI_Comm* new_comm) {
  made(call, comm, new_comm);
}

void mora_post_graph_create(struct mora_call* call, MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                            int reorder, MPI_Comm* comm_graph) {
  made(call, comm_old, comm_graph);
}

void mora_post_dist_graph_create(struct mora_call* call, MPI_Comm comm_old, int n, const int nodes[],
                                 const int degrees[], const int targets[], const int weights[], MPI_Info info,
                                 int reorder, MPI_Comm* newcomm) {
  made(call, comm_old, newcomm);
}

void mora_post_dist_graph_create_adjacent(struct mora_call* call, MPI_Comm comm_old, int indegree, const int sources[],
                                          const int sourceweights[], int outdegree, const int destinations[],
                                          const int destweights[], MPI_Info info, int reorder,
                                          MPI_Comm* comm_dist_graph) {
  made(call, comm_old, comm_dist_graph);
}

void mora_post_intercomm_merge(struct mora_call* call, MPI_Comm intercomm, int high, MPI_Comm* newintercomm) {
  made_by_color(call, intercomm, high, 0, newintercomm);
}

static void duplicated(struct mora_call* call, MPI_Comm comm, const MPI_Comm* newcomm, const MPI_Request* request) {
  if (call->rc == MPI_SUCCESS) mora_comm_duplicated(comm, *newcomm);
  const uint32_t id = mora_comm_id(call, comm);
  const uint64_t number = call->silent ? 0 : ++mora_request_number;
  struct mora_request* entry =
      call->rc != MPI_SUCCESS || *request == MPI_REQUEST_NULL ? NULL : mora_request_add(MORA_KEY(*request));
  if (entry) {
    *entry = (struct mora_request){.number = number,
                                   .peer = MORA_PEER_NONE,
                                   .tag = MORA_TAG_ANY,
                                   .comm = id,
                                   .kind = MORA_REQUEST_OTHER,
                                   .active = 1,
                                   .next = entry->next,
                                   .tail = entry->tail};
    mora_requests_live++;
  }
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    mora_fill(record, call, id);
    record[4] = mora_pair(-1, 0);
    record[5] = record[6] = 0;
    record[7] = number;
    mora_publish(call, record, 8, MORA_SHAPE_COLLECTIVE);
  }
  mora_leave();
}

void mora_post_comm_idup(struct mora_call* call, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  duplicated(call, comm, newcomm, request);
}

void mora_post_comm_idup_with_info(struct mora_call* call, MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                                   MPI_Request* request) {
  duplicated(call, comm, newcomm, request);
}

void mora_post_comm_create_group(struct mora_call* call, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  made_aside(call, comm, newcomm, MORA_COMM_GROUP, tag);
}

void mora_post_comm_create_from_group(struct mora_call* call, MPI_Group group, const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  made_aside(call, MPI_COMM_NULL, newcomm, MORA_COMM_GROUP, 0);
}

void mora_post_intercomm_create(struct mora_call* call, MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm,
                                int remote_leader, int tag, MPI_Comm* newintercomm) {
  made_aside(call, MPI_COMM_NULL, newintercomm, MORA_COMM_INTER, tag);
}

void mora_post_intercomm_create_from_groups(struct mora_call* call, MPI_Group local_group, int local_leader,
                                            MPI_Group remote_group, int remote_leader, const char* stringtag,
                                            MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  made_aside(call, MPI_COMM_NULL, newintercomm, MORA_COMM_INTER, 0);
}

void mora_post_comm_spawn(struct mora_call* call, const char* command, char* argv[], int maxprocs, MPI_Info info,
                          int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
  made_dynamic(call, intercomm);
}

void mora_post_comm_spawn_multiple(struct mora_call* call, int count, char* array_of_commands[], char** array_of_argv[],
                                   const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                   MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
  made_dynamic(call, intercomm);
}

void mora_post_comm_connect(struct mora_call* call, const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                            MPI_Comm* newcomm) {
  made_dynamic(call, newcomm);
}

void mora_post_comm_join(struct mora_call* call, int fd, MPI_Comm* intercomm) { made_dynamic(call, intercomm); }

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
