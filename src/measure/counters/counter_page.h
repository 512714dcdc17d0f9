/* One counter of the calling thread, read without a system call: as perf_event_open(2) describes it ("mmap layout"),
 * the kernel keeps in a page the part of the count that is not in the processor's register, and which register that is.
 * It changes the page whenever it moves the counter, which a sequence number tells: then the reading begins anew.
 *
 * Only of a counter that had its register all the time (time_enabled is time_running); where several share one, the
 * kernel knows better how long each had it, and is asked (counter_set.c). x86-64; elsewhere no page is ever used.
 * Cost: six loads and `rdpmc`. Any thread may read its own counters' pages; not those of another. */
#ifndef MORA_MEASURE_COUNTERS_COUNTER_PAGE_H
#define MORA_MEASURE_COUNTERS_COUNTER_PAGE_H

#include <linux/perf_event.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint64_t mora_rdpmc(uint32_t counter) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
  return (uint64_t)high << 32 | low;
#else
  (void)counter;
  return 0;
#endif
}

/* What a page says at one moment. */
struct mora_page_count {
  uint64_t count;
  uint64_t enabled_ns; /* for so long it was to count, and did */
};

/* 0: the kernel must be asked. `read_register`: mora_rdpmc, in tests a stand-in. */
static inline int mora_page_read(const volatile struct perf_event_mmap_page* page, uint64_t (*read_register)(uint32_t),
                                 struct mora_page_count* reading) {
  uint32_t sequence;
  do {
    sequence = page->lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the kernel writes on this very processor */
    const uint32_t index = page->index;      /* 0: it is in no register now */
    const uint16_t width = page->pmc_width;
    reading->enabled_ns = page->time_enabled;
    if (!page->cap_user_rdpmc || index == 0 || width == 0 || width > 64 || page->time_running != reading->enabled_ns)
      return 0;
    const uint64_t offset = (uint64_t)page->offset;
    const unsigned unused = 64u - width; /* bits of the register that there are not; the highest is a sign */
    const uint64_t in_register = (uint64_t)((int64_t)(read_register(index - 1) << unused) >> unused);
    reading->count = offset + in_register;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (page->lock != sequence);
  return 1;
}

#ifdef __cplusplus
}
#endif

#endif
