/* Requests: generalized requests of the real library that are never completed there, so that their handles have Fortran
 * numbers and are never mistaken for one of the real library's own. A freed handle serves again. */
#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/core/exchange.h"
#include "measure/standin/core/standin.h"

static struct mora_map by_handle; /* handle → address */
static struct standin_request* unused;

static int query(void* state, MPI_Status* status) {
  (void)state;
  (void)status;
  return MPI_SUCCESS;
}
static int release(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

struct standin_request* standin_request_of(MPI_Request request) {
  const uint64_t key = MORA_KEY(request);
  if (!key || request == MPI_REQUEST_NULL) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  return slot ? (struct standin_request*)(uintptr_t)slot->value : NULL;
}

MPI_Request standin_request_new(enum standin_request_kind kind, struct standin_request** request) {
  struct standin_request* entry = unused;
  MPI_Request handle;
  if (entry) {
    unused = entry->next;
    handle = entry->handle;
  } else {
    if (PMPI_Grequest_start(query, release, cancel, NULL, &handle) != MPI_SUCCESS)
      standin_stop("the MPI library gives no request");
    entry = standin_alloc(sizeof *entry);
  }
  memset(entry, 0, sizeof *entry);
  entry->handle = handle;
  entry->kind = kind;
  entry->active = 1;
  if (!mora_map_set(&by_handle, MORA_KEY(handle), (uint64_t)(uintptr_t)entry)) standin_stop("no memory");
  *request = entry;
  return handle;
}

void standin_request_free(MPI_Request* request) {
  struct standin_request* entry = standin_request_of(*request);
  if (entry) {
    if (entry->release) entry->release(entry);
    mora_map_remove(&by_handle, MORA_KEY(*request));
    entry->next = unused;
    unused = entry;
  }
  *request = MPI_REQUEST_NULL;
}
