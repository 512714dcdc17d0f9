#include "measure/handles/files.h"

#include "measure/call/sink.h"
#include "measure/handles/handle_map.h"
#include "measure/handles/names.h"

static struct mora_map by_handle; /* → index in entries */
static struct mora_file* entries;
static uint32_t capacity, made;
static uint32_t* unused;
static uint32_t unused_capacity, unused_count;
static uint32_t next_id;

struct mora_file* mora_file_of(MPI_File file) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, MORA_FILE_KEY(file));
  return slot ? &entries[slot->value] : NULL;
}

struct mora_file* mora_file_opened(uint32_t comm, MPI_File file, const char* name) {
  mora_file_forget(MORA_FILE_KEY(file)); /* closed by another thread */
  uint32_t i;
  if (unused_count > 0) {
    i = unused[--unused_count];
  } else {
    if (!mora_reserve((void**)&entries, &capacity, made + 1, sizeof *entries)) return NULL;
    i = made++;
  }
  if (!mora_map_set(&by_handle, MORA_FILE_KEY(file), i)) return NULL;
  entries[i] = (struct mora_file){next_id++, 0};
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill_fact(record, entries[i].id);
  record[4] = mora_pair((int32_t)comm, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_DEFINE_FILE);
  mora_write_name(entries[i].id, 2, name);
  return &entries[i];
}

void mora_file_forget(uint64_t key) {
  const struct mora_map_slot* slot = mora_map_find(&by_handle, key);
  if (!slot) return;
  const uint32_t i = (uint32_t)slot->value;
  mora_map_remove(&by_handle, key);
  if (mora_reserve((void**)&unused, &unused_capacity, unused_count + 1, sizeof *unused)) unused[unused_count++] = i;
}
