/* A map from MPI handles to numbers: a hash table with open addressing, linear probing and deletion by shifting back
 * (Knuth, The Art of Computer Programming 3, 6.4, Algorithm R). Memory comes from mmap, doubles and never shrinks. A
 * key is a handle's bits and never 0. Not thread-safe. */
#ifndef MORA_MEASURE_HANDLES_HANDLE_MAP_H
#define MORA_MEASURE_HANDLES_HANDLE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "measure/mpi/mpi_binding.h"

#ifdef OPEN_MPI
#define MORA_KEY(handle) ((uint64_t)(uintptr_t)(handle))
#else
#define MORA_KEY(handle) ((uint64_t)(uint32_t)(handle))
#endif

#define MORA_ABSENT UINT32_MAX

struct mora_map_slot {
  uint64_t key; /* the handle's bits */
  uint64_t value;
};

struct mora_map {
  struct mora_map_slot* slots;
  uint32_t mask; /* slots - 1 */
  uint32_t used;
};

/* A zero-filled block grown to new_bytes, or NULL (then the old one stays). old may be NULL. */
void* mora_grow(void* old, size_t old_bytes, size_t new_bytes);

/* Makes *array hold at least `count` elements of `size` bytes; doubles. 0 if there is no memory. */
int mora_reserve(void** array, uint32_t* capacity, uint32_t count, size_t size);

/* Inserts or overwrites. 0 if there is no memory. */
int mora_map_set(struct mora_map* map, uint64_t key, uint64_t value);

/* Removes if present. */
void mora_map_remove(struct mora_map* map, uint64_t key);

/* Where a key is looked for first (Fibonacci hashing); `mask` is the number of slots less 1, a power of two. */
static inline uint32_t mora_map_place(uint64_t key, uint32_t mask) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
}

/* Entries of tables: memory that never moves, so that threads may keep where they found one. Every entry begins with
 * its key, which is 0 while the entry is free: whoever compares it with a handle sees the old or the new key, as it is
 * one aligned word. */
struct mora_entry {
  uint64_t key;
  struct mora_entry* next; /* free ones */
};
struct mora_pool {
  struct mora_entry* unused;
  char* rest; /* of the newest block */
  size_t rest_bytes;
};
/* A zero-filled entry of `bytes`, the same for all of the pool and not less than two words; NULL without memory. */
void* mora_pool_take(struct mora_pool* pool, size_t bytes);
void mora_pool_give(struct mora_pool* pool, void* entry, size_t bytes);

/* The slot of a key or NULL. */
static inline struct mora_map_slot* mora_map_find(const struct mora_map* map, uint64_t key) {
  if (map->used == 0) return NULL;
  for (uint32_t i = mora_map_place(key, map->mask);; i = (i + 1) & map->mask) {
    if (map->slots[i].key == key) return &map->slots[i];
    if (map->slots[i].key == 0) return NULL;
  }
}

#endif
