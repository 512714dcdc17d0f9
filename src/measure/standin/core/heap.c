#define _GNU_SOURCE
#include "measure/standin/core/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include "measure/standin/core/exchange.h"
#include "measure/standin/core/standin.h"

enum { SIZES = 36, SMALLEST_LOG = 6, COUNTER_SHIFT = 34, GIVEN_BACK = 16 << 20 };

struct heap {
  uint64_t next;        /* first byte that was never given out */
  uint64_t in_use;      /* bytes asked for and not freed */
  uint64_t free[SIZES]; /* first free block in units of 64 bytes, and above COUNTER_SHIFT a counter of changes */
};

struct block {
  uint64_t bytes; /* asked for */
  uint64_t next;  /* while it is free: units of 64 bytes */
};

static char* region;
static uint64_t region_bytes, most_in_use;

int standin_heap_start(void) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
  most_in_use = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * page / 2;
  for (region_bytes = UINT64_C(1) << 40; region_bytes > 8 * memory; region_bytes /= 2) continue;
  for (; region_bytes >= UINT64_C(1) << 30; region_bytes /= 2) {
    void* got = mmap(NULL, region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) continue;
    region = got;
    ((struct heap*)got)->next = page;
    return 1;
  }
  return 0;
}

static int size_of(uint64_t bytes) {
  int log = SMALLEST_LOG;
  while (UINT64_C(1) << log < bytes) log++;
  return log - SMALLEST_LOG;
}

static uint64_t unit_of(uint64_t list) { return list & ((UINT64_C(1) << COUNTER_SHIFT) - 1); }
static uint64_t changed(uint64_t list, uint64_t unit) { return ((list >> COUNTER_SHIFT) + 1) << COUNTER_SHIFT | unit; }

static struct block* take_free(uint64_t* list) {
  uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  while (unit_of(head)) {
    struct block* first = (struct block*)(region + unit_of(head) * 64);
    const uint64_t next = __atomic_load_n(&first->next, __ATOMIC_RELAXED);
    if (__atomic_compare_exchange_n(list, &head, changed(head, next), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return first;
  }
  return NULL;
}

void* standin_heap_alloc(size_t bytes) {
  struct heap* heap = (struct heap*)region;
  while (__atomic_load_n(&heap->in_use, __ATOMIC_RELAXED) > most_in_use) standin_await_memory();
  __atomic_add_fetch(&heap->in_use, bytes, __ATOMIC_RELAXED);
  const int size = size_of(bytes + sizeof(struct block));
  struct block* block = size < SIZES ? take_free(&heap->free[size]) : NULL;
  if (!block) {
    const uint64_t whole = UINT64_C(1) << (size + SMALLEST_LOG);
    const uint64_t at = __atomic_fetch_add(&heap->next, whole, __ATOMIC_RELAXED);
    if (size >= SIZES || at + whole > region_bytes) standin_stop("no address space for data under way");
    block = (struct block*)(region + at);
  }
  block->bytes = bytes;
  return block + 1;
}

void standin_heap_free(void* memory) {
  struct heap* heap = (struct heap*)region;
  struct block* block = (struct block*)memory - 1;
  const uint64_t bytes = block->bytes, unit = (uint64_t)((char*)block - region) / 64;
  __atomic_sub_fetch(&heap->in_use, bytes, __ATOMIC_RELAXED);
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = (unit * 64 / page + 1) * page;
  if (bytes >= GIVEN_BACK) madvise(region + first, (bytes - page) / page * page, MADV_REMOVE);
  uint64_t* list = &heap->free[size_of(bytes + sizeof *block)];
  uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE);
  do __atomic_store_n(&block->next, unit_of(head), __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(list, &head, changed(head, unit), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

uint64_t standin_heap_offset(const void* block) { return block ? (uint64_t)((const char*)block - region) : 0; }
void* standin_heap_at(uint64_t offset) { return offset ? region + offset : NULL; }
