/* Wait, Test and what else is done with requests; arrays may mix ours with the real library's (generalized requests,
 * MPI-IO).
 *
 * Everything that needs other ranks is complete as soon as the program asks (but for tests of receives from anybody:
 * messages.h): Test succeeds at once, Waitany and Testany take the request that was started first (a master that waits
 * for any worker gets an answer from each in turn), Waitsome and Testsome take all. What waits for this process itself
 * (a receive of its own message) is complete when that was sent; waiting for it before ends the process.
 *
 * If all ranks run together, a request is complete when what it waits for has really come; waiting sleeps. */
#include <stdlib.h>

#include "measure/standin/core/plan.h"
#include "measure/standin/messages/messages.h"

/* 1 if it is complete now. Inactive ones are. */
static int complete(struct standin_request* request) {
  if (!request->active || request->done) return 1;
  if (standin_plan.together) return standin_request_has_come(request);
  if (request->kind == STANDIN_RECV) return standin_receive_complete(request);
  request->done = 1;
  return 1;
}

/* The same for a wait, which of all ranks together sleeps until then. */
static int becomes_complete(struct standin_request* request) {
  for (;;) {
    const uint32_t seen = standin_plan.together ? standin_events() : 0;
    if (complete(request)) return 1;
    if (!standin_plan.together) return 0;
    standin_sleep(seen, standin_request_awaits(request));
  }
}

/* The same for a test. */
static int has_come(struct standin_request* request) {
  if (standin_plan.together) return complete(request);
  if (request->active && !request->done && request->kind == STANDIN_RECV && !standin_receive_has_come(request))
    return 0;
  return complete(request);
}

static int is_idle(MPI_Request handle, const struct standin_request* mine) {
  return handle == MPI_REQUEST_NULL || (mine && !mine->active);
}

/* Hands out a complete request's status. Returns its error code. */
static int hand_out(MPI_Request* handle, struct standin_request* request, MPI_Status* status) {
  if (!request->active) {
    standin_set_empty_status(status);
    return MPI_SUCCESS;
  }
  const int code = request->status.MPI_ERROR;
  if (status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;
    *status = request->status;
    status->MPI_ERROR = error;
  }
  if (request->persistent)
    request->active = 0;
  else
    standin_request_free(handle);
  return code;
}

static int found_nothing(void) {
  standin_found_nothing();
  return MPI_SUCCESS;
}

static void __attribute__((noreturn)) hangs(void) {
  standin_stop("waits for ever for a message of this rank to itself");
}

/* Errors belong to the communicator of the request; the request may be gone when they are raised. */
static const struct standin_comm* communicator_of(const struct standin_request* request) {
  if (request->kind != STANDIN_RECV || !request->more) return NULL;
  return standin_comm_of(((const struct standin_receive*)request->more)->comm.handle);
}

int standin_Wait(MPI_Request* handle, MPI_Status* status) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Wait(handle, status);
  if (!becomes_complete(request)) hangs();
  const struct standin_comm* comm = communicator_of(request);
  const int code = hand_out(handle, request, status);
  return code == MPI_SUCCESS ? code : standin_error(comm, code);
}

int standin_Test(MPI_Request* handle, int* flag, MPI_Status* status) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Test(handle, flag, status);
  *flag = has_come(request);
  if (!*flag) return found_nothing();
  const struct standin_comm* comm = communicator_of(request);
  const int code = hand_out(handle, request, status);
  return code == MPI_SUCCESS ? code : standin_error(comm, code);
}

int standin_Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  struct standin_request* request = standin_request_of(handle);
  if (!request) return PMPI_Request_get_status(handle, flag, status);
  *flag = has_come(request);
  if (!*flag) return found_nothing();
  if (!request->active)
    standin_set_empty_status(status);
  else if (status != MPI_STATUS_IGNORE)
    *status = request->status;
  return MPI_SUCCESS;
}

static MPI_Status* nth(MPI_Status statuses[], int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

/* After all were handed out one by one: MPI_ERROR in the statuses, if one failed. */
static int sum_up(int count, const int* codes, MPI_Status statuses[], const struct standin_comm* comm) {
  int failed = 0;
  for (int i = 0; i < count; i++) failed |= codes[i] != MPI_SUCCESS;
  if (!failed) return MPI_SUCCESS;
  if (statuses != MPI_STATUSES_IGNORE)
    for (int i = 0; i < count; i++) statuses[i].MPI_ERROR = codes[i];
  return standin_error(comm, MPI_ERR_IN_STATUS);
}

static int take_all(int count, MPI_Request handles[], MPI_Status statuses[]) {
  int few[64] = {0}, *codes = count > 64 ? standin_alloc((size_t)count * sizeof *codes) : few;
  const struct standin_comm* comm = NULL;
  for (int i = 0; i < count; i++) {
    struct standin_request* request = standin_request_of(handles[i]);
    if (!request) {
      codes[i] = PMPI_Wait(&handles[i], nth(statuses, i));
      continue;
    }
    if (!becomes_complete(request)) hangs();
    const struct standin_comm* its = communicator_of(request);
    codes[i] = hand_out(&handles[i], request, nth(statuses, i));
    if (codes[i] != MPI_SUCCESS) comm = its;
  }
  const int rc = sum_up(count, codes, statuses, comm);
  if (codes != few) free(codes);
  return rc;
}

int standin_Waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  return take_all(count, handles, statuses);
}

/* Asks without taking. */
static int is_complete(MPI_Request handle, int* rc) {
  struct standin_request* request = standin_request_of(handle);
  if (request) return has_come(request);
  int flag = 1;
  if (handle != MPI_REQUEST_NULL) *rc = PMPI_Request_get_status(handle, &flag, MPI_STATUS_IGNORE);
  return flag;
}

int standin_Testall(int count, MPI_Request handles[], int* flag, MPI_Status statuses[]) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  int rc = MPI_SUCCESS;
  *flag = 1;
  for (int i = 0; i < count && rc == MPI_SUCCESS; i++) *flag &= is_complete(handles[i], &rc);
  if (rc == MPI_SUCCESS && !*flag) return found_nothing();
  return rc == MPI_SUCCESS ? take_all(count, handles, statuses) : rc;
}

/* The active request to be taken next: of ours the one that was started first and is complete; -1 none, *idle = 1 if
 * there is no active one. */
static int choose(int count, MPI_Request handles[], int tests, int* idle, int* has_real) {
  int found = -1;
  uint64_t started = UINT64_MAX;
  *idle = 1;
  *has_real = 0;
  for (int i = 0; i < count; i++) {
    struct standin_request* request = standin_request_of(handles[i]);
    if (is_idle(handles[i], request)) continue;
    *idle = 0;
    if (!request) *has_real = 1;
    if (!request || request->started >= started) continue;
    /* A receive from others must not be completed before its turn. */
    const int ready = standin_plan.together
                          ? standin_request_has_come(request)
                          : request->kind != STANDIN_RECV || request->done ||
                                (tests ? standin_receive_has_come(request) : standin_receive_is_ready(request));
    if (!ready) continue;
    started = request->started;
    found = i;
  }
  return found;
}

/* None of these is complete. */
static void sleep_for_any(uint32_t seen, int count, MPI_Request handles[]) {
  if (!standin_plan.together) hangs();
  struct standin_awaited awaited = {-1, -1, NULL};
  for (int i = 0, n = 0; i < count; i++) {
    const struct standin_request* request = standin_request_of(handles[i]);
    if (is_idle(handles[i], request)) continue;
    awaited = standin_request_awaits(request);
    if (n++ == 0) continue;
    awaited = (struct standin_awaited){-1, -1, "waits for one of several requests"};
    break;
  }
  standin_sleep(seen, awaited);
}

static int take_one(MPI_Request* handle, MPI_Status* status) {
  struct standin_request* request = standin_request_of(*handle);
  complete(request);
  const struct standin_comm* comm = communicator_of(request);
  const int code = hand_out(handle, request, status);
  return code == MPI_SUCCESS ? code : standin_error(comm, code);
}

/* One of the real library's requests, if one is complete. */
static int take_real(int count, MPI_Request handles[], int* index, MPI_Status* status) {
  for (int i = 0; i < count; i++) {
    int flag = 0;
    if (handles[i] == MPI_REQUEST_NULL || standin_request_of(handles[i])) continue;
    /* An inactive persistent request of the real library tests true at once with an empty status: it is no candidate,
     * but that cannot be seen here. */
    const int rc = PMPI_Test(&handles[i], &flag, status);
    if (rc != MPI_SUCCESS || flag) {
      *index = i;
      return rc;
    }
  }
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int standin_Testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  int idle, has_real;
  const int found = choose(count, handles, 1, &idle, &has_real);
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (found >= 0) {
    *index = found;
    return take_one(&handles[found], status);
  }
  if (idle) {
    standin_set_empty_status(status);
    return MPI_SUCCESS;
  }
  const int rc = take_real(count, handles, index, status);
  *flag = *index != MPI_UNDEFINED;
  if (!*flag) standin_found_nothing();
  return rc;
}

int standin_Waitany(int count, MPI_Request handles[], int* index, MPI_Status* status) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  for (;;) {
    const uint32_t seen = standin_plan.together ? standin_events() : 0;
    int idle, has_real;
    const int found = choose(count, handles, 0, &idle, &has_real);
    *index = MPI_UNDEFINED;
    if (found >= 0) {
      *index = found;
      return take_one(&handles[found], status);
    }
    if (idle) {
      standin_set_empty_status(status);
      return MPI_SUCCESS;
    }
    const int rc = has_real ? take_real(count, handles, index, status) : MPI_SUCCESS;
    if (rc != MPI_SUCCESS || *index != MPI_UNDEFINED) return rc;
    if (has_real)
      standin_found_nothing();
    else
      sleep_for_any(seen, count, handles);
  }
}

static int take_some(int count, MPI_Request handles[], int* n, int indices[], MPI_Status statuses[], int waits) {
  if (count < 0) return standin_error(NULL, MPI_ERR_COUNT);
  const struct standin_comm* comm = NULL;
  int few[64] = {0}, *codes = count > 64 ? standin_alloc((size_t)count * sizeof *codes) : few;
  int active, real;
  do {
    const uint32_t seen = standin_plan.together ? standin_events() : 0;
    active = real = 0;
    *n = 0;
    for (int i = 0; i < count; i++) {
      struct standin_request* request = standin_request_of(handles[i]);
      if (is_idle(handles[i], request)) continue;
      active = 1;
      int flag = 1;
      if (request) {
        if (!(waits ? complete(request) : has_come(request))) continue;
        const struct standin_comm* its = communicator_of(request);
        codes[*n] = hand_out(&handles[i], request, nth(statuses, *n));
        if (codes[*n] != MPI_SUCCESS) comm = its;
      } else {
        real = 1;
        codes[*n] = PMPI_Test(&handles[i], &flag, nth(statuses, *n));
        if (codes[*n] == MPI_SUCCESS && !flag) continue;
      }
      indices[(*n)++] = i;
    }
    if (waits && active && *n == 0 && !real) sleep_for_any(seen, count, handles);
    if (active && *n == 0 && (real || !waits)) standin_found_nothing();
  } while (waits && active && *n == 0);
  const int rc = sum_up(*n, codes, statuses, comm);
  if (codes != few) free(codes);
  if (!active) *n = MPI_UNDEFINED;
  return rc;
}

int standin_Waitsome(int count, MPI_Request handles[], int* n, int indices[], MPI_Status statuses[]) {
  return take_some(count, handles, n, indices, statuses, 1);
}

int standin_Testsome(int count, MPI_Request handles[], int* n, int indices[], MPI_Status statuses[]) {
  return take_some(count, handles, n, indices, statuses, 0);
}

int standin_Request_free(MPI_Request* handle) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Request_free(handle);
  standin_request_free(handle);
  return MPI_SUCCESS;
}

/* A receive that is not complete is cancelled, as if nothing had been sent to it yet; everything else is done already.
 */
int standin_Cancel(MPI_Request* handle) {
  struct standin_request* request = standin_request_of(*handle);
  if (!request) return PMPI_Cancel(handle);
  if (!request->active) return standin_error(communicator_of(request), MPI_ERR_REQUEST);
  if (request->kind == STANDIN_RECV && !(standin_plan.together ? complete(request) : request->done)) {
    standin_receive_cancel(request);
    request->cancelled = 1;
  }
  return MPI_SUCCESS;
}
