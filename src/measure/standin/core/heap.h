/* Memory that all processes of a dry run share, for data under way between them (exchange.h).
 *
 * Blocks of powers of two, a list of free ones for each size. Lists change by compare-and-swap of an offset with a
 * counter (which makes an offset that comes back another value): no lock, as a process may be killed at any instant.
 * What is not touched costs no memory. */
#ifndef MORA_MEASURE_STANDIN_CORE_HEAP_H
#define MORA_MEASURE_STANDIN_CORE_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Call before the first fork. 0: no memory. */
int standin_heap_start(void);
/* 16-aligned, not zeroed. Waits while data under way fill half of the memory that was free at the start, until others
 * have taken theirs. Stops the process without address space. */
void* standin_heap_alloc(size_t bytes);
void standin_heap_free(void* block);
/* Offsets name blocks in shared memory; 0 is none. */
uint64_t standin_heap_offset(const void* block);
void* standin_heap_at(uint64_t offset);

#endif
