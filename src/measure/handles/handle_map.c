#define _GNU_SOURCE
#include "measure/handles/handle_map.h"

#include <string.h>
#include <sys/mman.h>

void* mora_grow(void* old, size_t old_bytes, size_t new_bytes) {
  void* memory = old ? mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE)
                     : mmap(NULL, new_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

int mora_reserve(void** array, uint32_t* capacity, uint32_t count, size_t size) {
  if (count <= *capacity) return 1;
  uint32_t wanted = *capacity ? *capacity : 256;
  while (wanted < count) {
    if (wanted > UINT32_MAX / 2) return 0;
    wanted *= 2;
  }
  void* memory = mora_grow(*array, *capacity * size, wanted * size);
  if (!memory) return 0;
  *array = memory;
  *capacity = wanted;
  return 1;
}

void* mora_pool_take(struct mora_pool* pool, size_t bytes) {
  enum { block = 1 << 14 };
  struct mora_entry* entry = pool->unused;
  if (entry) {
    pool->unused = entry->next;
    entry->next = NULL;
    return entry;
  }
  if (pool->rest_bytes < bytes) {
    pool->rest = mora_grow(NULL, 0, block);
    pool->rest_bytes = pool->rest ? block : 0;
    if (!pool->rest) return NULL;
  }
  entry = (struct mora_entry*)(void*)pool->rest;
  pool->rest += bytes;
  pool->rest_bytes -= bytes;
  return entry;
}

void mora_pool_give(struct mora_pool* pool, void* given, size_t bytes) {
  struct mora_entry* entry = given;
  __atomic_store_n(&entry->key, 0, __ATOMIC_RELEASE);
  memset((char*)given + sizeof entry->key, 0, bytes - sizeof entry->key);
  entry->next = pool->unused;
  pool->unused = entry;
}

static void put(struct mora_map* map, uint64_t key, uint64_t value) {
  uint32_t i = mora_map_place(key, map->mask);
  while (map->slots[i].key != 0) i = (i + 1) & map->mask;
  map->slots[i].key = key;
  map->slots[i].value = value;
}

static int rehash(struct mora_map* map) {
  const uint32_t slots = map->slots ? (map->mask + 1) * 2 : 256;
  struct mora_map larger = {mora_grow(NULL, 0, slots * sizeof *map->slots), slots - 1, map->used};
  if (!larger.slots) return 0;
  if (map->slots) {
    for (uint32_t i = 0; i <= map->mask; i++)
      if (map->slots[i].key != 0) put(&larger, map->slots[i].key, map->slots[i].value);
    munmap(map->slots, (map->mask + 1) * sizeof *map->slots);
  }
  *map = larger;
  return 1;
}

int mora_map_set(struct mora_map* map, uint64_t key, uint64_t value) {
  struct mora_map_slot* slot = mora_map_find(map, key);
  if (slot) {
    slot->value = value;
    return 1;
  }
  if ((!map->slots || map->used >= (map->mask + 1) / 2) && !rehash(map)) return 0;
  put(map, key, value);
  map->used++;
  return 1;
}

void mora_map_remove(struct mora_map* map, uint64_t key) {
  struct mora_map_slot* slot = mora_map_find(map, key);
  if (!slot) return;
  uint32_t hole = (uint32_t)(slot - map->slots);
  for (uint32_t i = (hole + 1) & map->mask; map->slots[i].key != 0; i = (i + 1) & map->mask) {
    const uint32_t home = mora_map_place(map->slots[i].key, map->mask);
    if (((i - home) & map->mask) < ((i - hole) & map->mask)) continue; /* its first choice lies behind the hole */
    map->slots[hole] = map->slots[i];
    hole = i;
  }
  map->slots[hole].key = 0;
  map->used--;
}
