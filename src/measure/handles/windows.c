/* Table of windows, and of the types of locks that are held (windows.h). */
#include "measure/handles/windows.h"

#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/handle_map.h"

static struct mora_map by_handle; /* handle → entry */
static struct mora_map locks;     /* (window, target) → exclusive */
static struct mora_pool entries;
static uint32_t next_id;
struct mora_window mora_window_none;

struct mora_window* mora_window_search(uint64_t key) {
  struct mora_window* last = mora_self.last_window;
  if (last->key == key) return last;
  mora_threads_lock();
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  struct mora_window* found = slot ? (struct mora_window*)(uintptr_t)slot->value : NULL;
  mora_threads_unlock();
  return found ? mora_self.last_window = found : NULL;
}

struct mora_window* mora_window_of(MPI_Win win) {
  return mora_window_search(MORA_KEY(win));
}

uint32_t mora_window_id(MPI_Win win) {
  const struct mora_window* window = mora_window_of(win);
  return window ? window->id : MORA_NO_WINDOW;
}

/* Writes address and bytes of the own memory. */
static void write_memory(MPI_Win win, int is_dynamic, uint64_t* to) {
  void* base = NULL;
  MPI_Aint* bytes = NULL;
  int has_base = 0, has_bytes = 0;
  to[0] = 0;
  to[1] = is_dynamic ? UINT64_MAX : 0;
  if (is_dynamic) return;
  if (PMPI_Win_get_attr(win, MPI_WIN_BASE, &base, &has_base) != MPI_SUCCESS || !has_base) return;
  if (PMPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &has_bytes) != MPI_SUCCESS || !has_bytes) return;
  to[0] = (uint64_t)(uintptr_t)base;
  to[1] = (uint64_t)*bytes;
}

static uint32_t made(MPI_Comm comm, MPI_Win win, unsigned function, int unit, int is_dynamic) {
  struct mora_comm* on = mora_comm_of(comm);
  const uint64_t key = MORA_KEY(win);
  const struct mora_map_slot* old = mora_map_find(&by_handle, key);
  struct mora_window* entry =
      old ? (struct mora_window*)(uintptr_t)old->value : mora_pool_take(&entries, sizeof *entry);
  if (!entry || !mora_map_set(&by_handle, key, (uint64_t)(uintptr_t)entry)) return MORA_NO_WINDOW;
  const uint32_t ordinal = on ? on->windows++ : 0;
  *entry = (struct mora_window){key, next_id++, UINT32_MAX, UINT32_MAX};
  mora_self.last_window = entry;
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, entry->id);
  record[4] = mora_pair((int32_t)(on ? on->id : MORA_NO_COMM), (int32_t)ordinal);
  record[5] = function;
  record[6] = (uint64_t)unit;
  write_memory(win, is_dynamic, record + 7);
  mora_publish_fact(record, 9, MORA_SHAPE_DEFINE_WIN);
  return entry->id;
}

uint32_t mora_window_made(MPI_Comm comm, MPI_Win win, unsigned function, int unit, int is_dynamic) {
  mora_threads_lock();
  const uint32_t id = made(comm, win, function, unit, is_dynamic);
  mora_threads_unlock();
  return id;
}

void mora_window_forget(uint64_t key) {
  mora_threads_lock();
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (slot) {
    struct mora_window* entry = (struct mora_window*)(uintptr_t)slot->value;
    mora_map_remove(&by_handle, key);
    mora_pool_give(&entries, entry, sizeof *entry);
  }
  mora_threads_unlock();
}

static uint64_t lock_key(uint32_t window, int target) { return ((uint64_t)window + 1) << 32 | (uint32_t)target; }

void mora_window_locked(uint32_t window, int target, int exclusive) {
  mora_threads_lock();
  mora_map_set(&locks, lock_key(window, target), (uint64_t)exclusive);
  mora_threads_unlock();
}

int mora_window_unlocked(uint32_t window, int target) {
  mora_threads_lock();
  const struct mora_map_slot* slot = mora_map_find(&locks, lock_key(window, target));
  const int exclusive = slot ? (int)slot->value : -1;
  mora_map_remove(&locks, lock_key(window, target));
  mora_threads_unlock();
  return exclusive;
}
