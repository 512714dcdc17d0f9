/* What /proc tells of a thread's reads and writes and of the process's memory, as counters that only grow. errno may
 * change. Not async-signal-safe. */
#ifndef MORA_MEASURE_COUNTERS_PROC_COUNTS_H
#define MORA_MEASURE_COUNTERS_PROC_COUNTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `type` of a struct mora_counter that is none of perf's; its `config` is one of these. */
#define MORA_COUNTER_OF_PROC 0x50524F43u
enum mora_proc_count {
  MORA_PROC_READ = 1,     /* bytes that the thread asked the kernel to read, from files, pipes and sockets */
  MORA_PROC_WRITTEN,      /* likewise */
  MORA_PROC_DISK_READ,    /* bytes that it had read from storage */
  MORA_PROC_DISK_WRITTEN, /* bytes that it made others write to storage */
  MORA_PROC_MEMORY,       /* bytes by which the process's resident memory grew beyond all that it had */
  MORA_PROC_COUNTS
};

/* All zero but `file`, which is -1: not open. */
struct mora_proc_io {
  int file;
  uint64_t own_read; /* of the file itself, and for the memory: counts as read */
};

/* Of the calling thread. Returns 0 or errno. */
int mora_proc_io_open(struct mora_proc_io* io);
/* counts[MORA_PROC_READ … MORA_PROC_DISK_WRITTEN]; 0 if they cannot be read. A file that the program has closed, or
 * whose number it has given to one of its own, is opened again. */
int mora_proc_io_read(struct mora_proc_io* io, uint64_t* counts);
/* Closes it, unless it is not what has the number. */
void mora_proc_io_close(struct mora_proc_io* io);
/* For tests. 0: these are no counts. */
int mora_proc_io_parse(const char* text, uint64_t* counts);

/* By how many bytes the high-water mark of the process's memory grew since any thread asked; 0 the first time.
 * `own_read`: what was read from /proc for that is added. */
uint64_t mora_proc_memory_growth(uint64_t* own_read);

#ifdef __cplusplus
}
#endif

#endif
