/* Table of windows, and of the types of locks that are held (windows.h). */
#include "measure/handles/windows.h"

#include "measure/call/sink.h"
#include "measure/handles/communicators.h"
#include "measure/handles/handle_map.h"

static struct mora_map by_handle; /* handle → index in entries */
static struct mora_map locks;     /* (window, target) → exclusive */
static struct mora_window* entries;
static uint32_t capacity, made, next_id;
static uint32_t* unused;
static uint32_t unused_capacity, unused_count;
static struct mora_window nobody;
struct mora_window* mora_window_last = &nobody;

struct mora_window* mora_window_search(uint64_t key) {
  if (mora_window_last->key == key) return mora_window_last;
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  return slot ? mora_window_last = &entries[slot->value] : NULL;
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

uint32_t mora_window_made(MPI_Comm comm, MPI_Win win, unsigned function, int unit, int is_dynamic) {
  struct mora_comm* on = mora_comm_of(comm);
  const uint64_t key = MORA_KEY(win);
  const struct mora_map_slot* old = mora_map_find(&by_handle, key);
  uint32_t i;
  if (old) {
    i = (uint32_t)old->value;
  } else if (unused_count > 0) {
    i = unused[--unused_count];
  } else {
    if (!mora_reserve((void**)&entries, &capacity, made + 1, sizeof *entries)) return MORA_NO_WINDOW;
    i = made++;
  }
  if (!mora_map_set(&by_handle, key, i)) return MORA_NO_WINDOW;
  const uint32_t ordinal = on ? on->windows++ : 0;
  entries[i] = (struct mora_window){key, next_id++, UINT32_MAX, UINT32_MAX};
  mora_window_last = &entries[i];
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill_fact(record, entries[i].id);
  record[4] = mora_pair((int32_t)(on ? on->id : MORA_NO_COMM), (int32_t)ordinal);
  record[5] = function;
  record[6] = (uint64_t)unit;
  write_memory(win, is_dynamic, record + 7);
  mora_publish_fact(record, 9, MORA_SHAPE_DEFINE_WIN);
  return entries[i].id;
}

void mora_window_forget(uint64_t key) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (!slot) return;
  const uint32_t i = (uint32_t)slot->value;
  entries[i].key = 0;
  mora_map_remove(&by_handle, key);
  mora_window_last = &nobody;
  if (mora_reserve((void**)&unused, &unused_capacity, unused_count + 1, sizeof *unused)) unused[unused_count++] = i;
}

static uint64_t lock_key(uint32_t window, int target) { return ((uint64_t)window + 1) << 32 | (uint32_t)target; }

void mora_window_locked(uint32_t window, int target, int exclusive) {
  mora_map_set(&locks, lock_key(window, target), (uint64_t)exclusive);
}

int mora_window_unlocked(uint32_t window, int target) {
  const struct mora_map_slot* slot = mora_map_find(&locks, lock_key(window, target));
  const int exclusive = slot ? (int)slot->value : -1;
  mora_map_remove(&locks, lock_key(window, target));
  return exclusive;
}
