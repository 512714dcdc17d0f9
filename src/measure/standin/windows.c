/* Creation and end of windows, synchronisation, segments of shared windows (window.h). */
#include "measure/standin/window.h"

#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "measure/runtime/handle_map.h"
#include "measure/standin/registry.h"
#include "measure/standin/tables.h"

static struct mora_map by_handle;

struct standin_window* standin_window_of(MPI_Win win) {
  if (!MORA_KEY(win) || win == MPI_WIN_NULL) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, MORA_KEY(win));
  return slot ? (struct standin_window*)(uintptr_t)slot->value : NULL;
}

/* After the real window was made. */
static int enter(int rc, const struct standin_comm* comm, const MPI_Win* win, void* base, MPI_Aint size, int unit,
                 int dynamic, uint64_t creation) {
  if (rc != MPI_SUCCESS) return rc;
  struct standin_window* window = standin_alloc(sizeof *window);
  memset(window, 0, sizeof *window);
  window->handle = *win;
  window->comm = *comm;
  window->comm.members = standin_comm_members(comm);
  window->base = base;
  window->size = size;
  window->unit = unit;
  window->dynamic = dynamic;
  window->creation = creation;
  if (creation) {
    window->segments = standin_alloc((size_t)comm->size * sizeof *window->segments);
    memset(window->segments, 0, (size_t)comm->size * sizeof *window->segments);
    window->segments[comm->rank].size = size;
    window->segments[comm->rank].unit = unit;
    window->segments[comm->rank].base = base;
  }
  if (!mora_map_set(&by_handle, MORA_KEY(*win), (uint64_t)(uintptr_t)window)) standin_stop("dry run", "no memory");
  return PMPI_Win_lock_all(MPI_MODE_NOCHECK, *win);
}

static int check(const struct standin_comm* comm, MPI_Aint size, int unit) {
  if (comm->remote_size > 0) return MPI_ERR_COMM;
  if (size < 0) return MPI_ERR_SIZE;
  return unit <= 0 ? MPI_ERR_DISP : MPI_SUCCESS;
}

int standin_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, MPI_Win* win) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Win_create(base, size, unit, info, handle, win);
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Win_create", wrong);
  return enter(PMPI_Win_create(base, size, unit, info, handle, win), comm, win, base, size, unit, 0, 0);
}

int standin_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, void* base, MPI_Win* win) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Win_allocate(size, unit, info, handle, base, win);
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Win_allocate", wrong);
  const int rc = PMPI_Win_allocate(size, unit, info, handle, base, win);
  if (rc == MPI_SUCCESS && size > 0) memset(*(void**)base, 0, (size_t)size);
  return enter(rc, comm, win, rc == MPI_SUCCESS ? *(void**)base : NULL, size, unit, 0, 0);
}

/* Size and unit are published: who asks for another rank's segment gets memory of that size. */
int standin_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm handle, void* base, MPI_Win* win) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Win_allocate_shared(size, unit, info, handle, base, win);
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(handle, "MPI_Win_allocate_shared", wrong);
  const uint64_t key = standin_creation_key(comm);
  const int mine[] = {(int)(uint32_t)(size & 0xffffffff), (int)(size >> 32), unit};
  standin_publish(key, mine, 3);
  const int rc = PMPI_Win_allocate_shared(size, unit, info, handle, base, win);
  if (rc == MPI_SUCCESS && size > 0) memset(*(void**)base, 0, (size_t)size);
  return enter(rc, comm, win, rc == MPI_SUCCESS ? *(void**)base : NULL, size, unit, 0, key);
}

static void find_segment(struct standin_window* window, int rank) {
  if (window->segments[rank].base) return;
  const int world = standin_member(&window->comm, rank);
  standin_call_for(MORA_FN_MPI_Win_allocate_shared, window->creation, &world, 1);
  const struct standin_contribution* theirs = standin_published(window->creation, world);
  window->segments[rank].size =
      (MPI_Aint)((uint64_t)(uint32_t)theirs->words[0] | (uint64_t)(uint32_t)theirs->words[1] << 32);
  window->segments[rank].unit = theirs->words[2];
  window->segments[rank].base = calloc(1, window->segments[rank].size > 0 ? (size_t)window->segments[rank].size : 1);
  if (!window->segments[rank].base) standin_stop("MPI_Win_shared_query", "no memory for the segment of rank %d", world);
}

/* Another rank's segment is zeroed memory of its size, private to this process and not next to its own. */
int standin_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit, void* base) {
  struct standin_window* window = standin_window_of(win);
  if (!window) return PMPI_Win_shared_query(win, rank, size, unit, base);
  if (!window->segments) return standin_error(MPI_COMM_WORLD, "MPI_Win_shared_query", MPI_ERR_RMA_FLAVOR);
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window->comm.size))
    return standin_error(MPI_COMM_WORLD, "MPI_Win_shared_query", MPI_ERR_RANK);
  int at = rank;
  if (rank == MPI_PROC_NULL) /* the first segment that is not empty */
    for (at = 0; at < window->comm.size; at++) {
      find_segment(window, at);
      if (window->segments[at].size > 0) break;
    }
  *size = 0;
  *unit = window->unit;
  *(void**)base = NULL;
  if (at == window->comm.size) return MPI_SUCCESS;
  find_segment(window, at);
  *size = window->segments[at].size;
  *unit = window->segments[at].unit;
  if (*size > 0) *(void**)base = window->segments[at].base;
  return MPI_SUCCESS;
}

int standin_Win_create_dynamic(MPI_Info info, MPI_Comm handle, MPI_Win* win) {
  struct standin_comm* comm = standin_comm_of(handle);
  if (!comm) return PMPI_Win_create_dynamic(info, handle, win);
  if (comm->remote_size > 0) return standin_error(handle, "MPI_Win_create_dynamic", MPI_ERR_COMM);
  return enter(PMPI_Win_create_dynamic(info, handle, win), comm, win, NULL, 0, 1, 1, 0);
}

int standin_Win_attach(MPI_Win win, void* base, MPI_Aint size) { return PMPI_Win_attach(win, base, size); }
int standin_Win_detach(MPI_Win win, const void* base) { return PMPI_Win_detach(win, base); }
int standin_Win_set_info(MPI_Win win, MPI_Info info) { return PMPI_Win_set_info(win, info); }
int standin_Win_get_info(MPI_Win win, MPI_Info* info) { return PMPI_Win_get_info(win, info); }

int standin_Win_free(MPI_Win* win) {
  struct standin_window* window = standin_window_of(*win);
  if (!window) return PMPI_Win_free(win);
  mora_map_remove(&by_handle, MORA_KEY(*win));
  PMPI_Win_unlock_all(*win);
  const int rc = PMPI_Win_free(win);
  for (int i = 0; window->segments && i < window->comm.size; i++)
    if (i != window->comm.rank) free(window->segments[i].base);
  free(window->segments);
  for (struct standin_shadow *shadow = window->shadows, *next; shadow; shadow = next) {
    next = shadow->next;
    free(shadow);
  }
  free(window->comm.members);
  free(window);
  return rc;
}

int standin_Win_get_group(MPI_Win win, MPI_Group* group) {
  struct standin_window* window = standin_window_of(win);
  if (!window) return PMPI_Win_get_group(win, group);
  *group = standin_group_new(window->comm.members, window->comm.size);
  return MPI_SUCCESS;
}

/* ---- synchronisation: transfers are complete when they return, no rank is waited for ---- */

static int check_target(const struct standin_window* window, const char* name, int rank) {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < window->comm.size)) return MPI_SUCCESS;
  return standin_error(MPI_COMM_WORLD, name, MPI_ERR_RANK);
}

#define SYNC(X, PARAMETERS, ...)                                  \
  int standin_##X PARAMETERS {                                    \
    const struct standin_window* window = standin_window_of(win); \
    if (!window) return PMPI_##X(__VA_ARGS__);                    \
    return PMPI_Win_sync(win);                                    \
  }
#define SYNC_AT(X, PARAMETERS, ...)                               \
  int standin_##X PARAMETERS {                                    \
    const struct standin_window* window = standin_window_of(win); \
    if (!window) return PMPI_##X(__VA_ARGS__);                    \
    PMPI_Win_sync(win);                                           \
    return check_target(window, "MPI_" #X, rank);                 \
  }

SYNC(Win_fence, (int assertion, MPI_Win win), assertion, win)
SYNC(Win_start, (MPI_Group group, int assertion, MPI_Win win), group, assertion, win)
SYNC(Win_post, (MPI_Group group, int assertion, MPI_Win win), group, assertion, win)
SYNC(Win_complete, (MPI_Win win), win)
SYNC(Win_wait, (MPI_Win win), win)
SYNC(Win_lock_all, (int assertion, MPI_Win win), assertion, win)
SYNC(Win_unlock_all, (MPI_Win win), win)
SYNC(Win_flush_all, (MPI_Win win), win)
SYNC(Win_flush_local_all, (MPI_Win win), win)
SYNC(Win_sync, (MPI_Win win), win)
SYNC_AT(Win_lock, (int type, int rank, int assertion, MPI_Win win), type, rank, assertion, win)
SYNC_AT(Win_unlock, (int rank, MPI_Win win), rank, win)
SYNC_AT(Win_flush, (int rank, MPI_Win win), rank, win)
SYNC_AT(Win_flush_local, (int rank, MPI_Win win), rank, win)

int standin_Win_test(MPI_Win win, int* flag) {
  if (!standin_window_of(win)) return PMPI_Win_test(win, flag);
  *flag = 1;
  return PMPI_Win_sync(win);
}
