#define _GNU_SOURCE
#include "measure/standin/core/shared.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/standin/core/standin.h"

#define REGION_BYTES (UINT64_C(4) << 30) /* of address space; only what is touched costs memory */

struct standin_shared* standin_shared;
struct standin_progress* standin_progress;

int standin_shared_map(void) {
  void* region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) return 0;
  standin_shared = region;
  standin_shared->used = (sizeof *standin_shared + 63) & ~UINT64_C(63);
  return 1;
}

void* standin_shared_alloc(size_t bytes) {
  bytes = (bytes + 7) & ~(size_t)7;
  const uint64_t at = __atomic_fetch_add(&standin_shared->used, bytes, __ATOMIC_RELAXED);
  return at + bytes > REGION_BYTES ? NULL : (char*)standin_shared + at;
}

void standin_shared_wake(void) {
  __atomic_add_fetch(&standin_shared->events, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &standin_shared->events, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void standin_shared_wait(uint32_t seen) {
  const struct timespec limit = {0, 200000000};
  syscall(SYS_futex, &standin_shared->events, FUTEX_WAIT, seen, &limit, NULL, 0);
}

void standin_suspend(uint32_t* word) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 1) syscall(SYS_futex, word, FUTEX_WAIT, 1, NULL, NULL, 0);
}

void standin_resume(uint32_t* word) {
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void standin_note(const char* what) {
  if (!standin_shared || (standin_progress && standin_progress->auxiliary)) return;
  const uint64_t text = (uint64_t)(uintptr_t)what;
  for (int i = 0; i < STANDIN_NOTES; i++) {
    struct standin_note_line* line = &standin_shared->notes[i];
    uint64_t expected = 0;
    if (__atomic_load_n(&line->text, __ATOMIC_RELAXED) == text ||
        __atomic_compare_exchange_n(&line->text, &expected, text, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        expected == text) {
      __atomic_add_fetch(&line->count, 1, __ATOMIC_RELAXED);
      return;
    }
  }
}
