/* Creation and end of windows, synchronisation, segments of shared windows (window.h). */
#include "measure/standin/one_sided/window.h"

#include <stdlib.h>
#include <string.h>

#include "measure/handles/handle_map.h"
#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/one_sided/together.h"

static struct mora_map by_handle;

struct standin_window* standin_window_of(MPI_Win win) {
  if (!MORA_KEY(win) || win == MPI_WIN_NULL) return NULL;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, MORA_KEY(win));
  return slot ? (struct standin_window*)(uintptr_t)slot->value : NULL;
}

/* After the real window was made. */
static int enter(int rc, struct standin_comm* comm, const MPI_Win* win, void* base, MPI_Aint size, int unit,
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
  if (standin_plan.together) standin_window_meet(window, creation ? creation : standin_creation_key(comm));
  if (!mora_map_set(&by_handle, MORA_KEY(*win), (uint64_t)(uintptr_t)window)) standin_stop("no memory");
  return PMPI_Win_lock_all(MPI_MODE_NOCHECK, *win);
}

static int check(const struct standin_comm* comm, MPI_Aint size, int unit) {
  if (comm->remote_size > 0) return MPI_ERR_COMM;
  if (size < 0) return MPI_ERR_SIZE;
  return unit <= 0 ? MPI_ERR_DISP : MPI_SUCCESS;
}

int standin_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, struct standin_comm* comm, MPI_Win* win) {
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  return enter(PMPI_Win_create(base, size, unit, info, comm->handle, win), comm, win, base, size, unit, 0, 0);
}

int standin_Win_allocate(MPI_Aint size, int unit, MPI_Info info, struct standin_comm* comm, void* base, MPI_Win* win) {
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  const int rc = PMPI_Win_allocate(size, unit, info, comm->handle, base, win);
  if (rc == MPI_SUCCESS && size > 0) memset(*(void**)base, 0, (size_t)size);
  return enter(rc, comm, win, rc == MPI_SUCCESS ? *(void**)base : NULL, size, unit, 0, 0);
}

/* Size and unit are published: who asks for another rank's segment gets memory of that size. */
int standin_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, struct standin_comm* comm, void* base,
                                MPI_Win* win) {
  const int wrong = check(comm, size, unit);
  if (wrong != MPI_SUCCESS) return standin_error(comm, wrong);
  const uint64_t key = standin_creation_key(comm);
  const int mine[] = {(int)(uint32_t)(size & 0xffffffff), (int)(size >> 32), unit};
  standin_publish(key, mine, 3);
  const int rc = PMPI_Win_allocate_shared(size, unit, info, comm->handle, base, win);
  if (rc == MPI_SUCCESS && size > 0) memset(*(void**)base, 0, (size_t)size);
  if (rc == MPI_SUCCESS && standin_plan.together) *(void**)base = standin_window_shared_memory(comm, key, size);
  return enter(rc, comm, win, rc == MPI_SUCCESS ? *(void**)base : NULL, size, unit, 0, key);
}

static void find_segment(struct standin_window* window, int rank) {
  if (standin_plan.together || window->segments[rank].base) return;
  const int world = standin_member(&window->comm, rank);
  standin_call_for(window->creation, &world, 1);
  const struct standin_contribution* theirs = standin_published(window->creation, world);
  window->segments[rank].size =
      (MPI_Aint)((uint64_t)(uint32_t)theirs->words[0] | (uint64_t)(uint32_t)theirs->words[1] << 32);
  window->segments[rank].unit = theirs->words[2];
  window->segments[rank].base = calloc(1, window->segments[rank].size > 0 ? (size_t)window->segments[rank].size : 1);
  if (!window->segments[rank].base) standin_stop("no memory for the segment of rank %d", world);
}

/* Another rank's segment is zeroed memory of its size, private to this process and not next to its own. */
int standin_Win_shared_query(struct standin_window* window, int rank, MPI_Aint* size, int* unit, void* base) {
  if (!window->creation) return standin_error(NULL, MPI_ERR_RMA_FLAVOR);
  if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window->comm.size)) return standin_error(NULL, MPI_ERR_RANK);
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

int standin_Win_create_dynamic(MPI_Info info, struct standin_comm* comm, MPI_Win* win) {
  if (comm->remote_size > 0) return standin_error(comm, MPI_ERR_COMM);
  return enter(PMPI_Win_create_dynamic(info, comm->handle, win), comm, win, NULL, 0, 1, 1, 0);
}

int standin_Win_attach(MPI_Win win, void* base, MPI_Aint size) { return PMPI_Win_attach(win, base, size); }
int standin_Win_detach(MPI_Win win, const void* base) { return PMPI_Win_detach(win, base); }
int standin_Win_set_info(MPI_Win win, MPI_Info info) { return PMPI_Win_set_info(win, info); }
int standin_Win_get_info(MPI_Win win, MPI_Info* info) { return PMPI_Win_get_info(win, info); }

int standin_Win_free(MPI_Win* win) {
  struct standin_window* window = standin_window_of(*win);
  if (!window) return PMPI_Win_free(win);
  if (standin_plan.together) standin_window_part(window);
  mora_map_remove(&by_handle, MORA_KEY(*win));
  PMPI_Win_unlock_all(*win);
  const int rc = PMPI_Win_free(win);
  for (int i = 0; window->segments && !standin_plan.together && i < window->comm.size; i++)
    if (i != window->comm.rank) free(window->segments[i].base);
  free(window->segments);
  free(window->posted.ranks);
  free(window->started.ranks);
  for (struct standin_shadow *shadow = window->shadows, *next; shadow; shadow = next) {
    next = shadow->next;
    free(shadow);
  }
  free(window->comm.members);
  free(window);
  return rc;
}

int standin_Win_get_group(struct standin_window* window, MPI_Group* group) {
  *group = standin_group_new(window->comm.members, window->comm.size);
  return MPI_SUCCESS;
}

/* ---- synchronisation: transfers are complete when they return; ranks are waited for only if all run together ---- */

static int check_target(const struct standin_window* window, int rank) {
  if (rank == MPI_PROC_NULL || (rank >= 0 && rank < window->comm.size)) return MPI_SUCCESS;
  return standin_error(NULL, MPI_ERR_RANK);
}

/* TOGETHER: what all ranks together do in addition. */
#define SYNC(X, TOGETHER, ...)                        \
  int standin_##X(__VA_ARGS__) {                      \
    const int rc = PMPI_Win_sync(window->handle);     \
    return standin_plan.together ? (TOGETHER) : (rc); \
  }
#define SYNC_AT(X, TOGETHER, ...)                                                                         \
  int standin_##X(__VA_ARGS__) {                                                                          \
    PMPI_Win_sync(window->handle);                                                                        \
    const int wrong = check_target(window, rank);                                                         \
    return wrong == MPI_SUCCESS && standin_plan.together && rank != MPI_PROC_NULL ? (TOGETHER) : (wrong); \
  }

static int lock_all(struct standin_window* window) {
  for (int i = 0; i < window->comm.size; i++) standin_together_lock(window, 0, i);
  return MPI_SUCCESS;
}

static int unlock_all(struct standin_window* window) {
  for (int i = 0; i < window->comm.size; i++) standin_together_unlock(window, i);
  return MPI_SUCCESS;
}

SYNC(Win_fence, standin_together_fence(window), int assertion, struct standin_window* window)
SYNC(Win_start, standin_together_start(window, group), MPI_Group group, int assertion, struct standin_window* window)
SYNC(Win_post, standin_together_post(window, group), MPI_Group group, int assertion, struct standin_window* window)
SYNC(Win_complete, standin_together_complete(window), struct standin_window* window)
SYNC(Win_wait, standin_together_wait(window), struct standin_window* window)
SYNC(Win_lock_all, lock_all(window), int assertion, struct standin_window* window)
SYNC(Win_unlock_all, unlock_all(window), struct standin_window* window)
SYNC(Win_flush_all, rc, struct standin_window* window)
SYNC(Win_flush_local_all, rc, struct standin_window* window)
SYNC(Win_sync, rc, struct standin_window* window)
SYNC_AT(Win_lock, standin_together_lock(window, type == MPI_LOCK_EXCLUSIVE, rank), int type, int rank, int assertion,
        struct standin_window* window)
SYNC_AT(Win_unlock, standin_together_unlock(window, rank), int rank, struct standin_window* window)
SYNC_AT(Win_flush, wrong, int rank, struct standin_window* window)
SYNC_AT(Win_flush_local, wrong, int rank, struct standin_window* window)

int standin_Win_test(struct standin_window* window, int* flag) {
  *flag = 1;
  const int rc = PMPI_Win_sync(window->handle);
  return standin_plan.together ? standin_together_test(window, flag) : rc;
}
