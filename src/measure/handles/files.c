#include "measure/handles/files.h"

#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/handles/handle_map.h"
#include "measure/handles/names.h"

static struct mora_map by_handle; /* → entry */
static struct mora_pool entries;
static uint32_t next_id;

static struct mora_file* find(uint64_t key) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  return slot ? (struct mora_file*)(uintptr_t)slot->value : NULL;
}

struct mora_file* mora_file_of(MPI_File file) {
  mora_threads_lock();
  struct mora_file* found = find(MORA_FILE_KEY(file));
  mora_threads_unlock();
  return found;
}

static struct mora_file* opened(uint32_t comm, uint64_t key, const char* name) {
  struct mora_file* old = find(key); /* closed by a call that was not seen */
  struct mora_file* entry = old ? old : mora_pool_take(&entries, sizeof *entry);
  if (!entry || !mora_map_set(&by_handle, key, (uint64_t)(uintptr_t)entry)) return NULL;
  *entry = (struct mora_file){key, next_id++, 0};
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, entry->id);
  record[4] = mora_pair((int32_t)comm, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_DEFINE_FILE);
  mora_write_name(entry->id, 2, name);
  return entry;
}

struct mora_file* mora_file_opened(uint32_t comm, MPI_File file, const char* name) {
  mora_threads_lock();
  struct mora_file* entry = opened(comm, MORA_FILE_KEY(file), name);
  mora_threads_unlock();
  return entry;
}

void mora_file_forget(uint64_t key) {
  mora_threads_lock();
  struct mora_file* entry = find(key);
  if (entry) {
    mora_map_remove(&by_handle, key);
    mora_pool_give(&entries, entry, sizeof *entry);
  }
  mora_threads_unlock();
}
