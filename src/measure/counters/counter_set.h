/* The counters of one thread, opened and read by the thread itself. errno stays as it was. Not async-signal-safe. */
#ifndef MORA_MEASURE_COUNTERS_COUNTER_SET_H
#define MORA_MEASURE_COUNTERS_COUNTER_SET_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "measure/counters/proc_counts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MORA_MOST_COUNTERS = 16, MORA_COUNTER_NAME_BYTES = 40 };

/* Of struct mora_counter, bits. */
enum mora_counter_mode { MORA_COUNT_PROGRAM_ONLY = 1, MORA_COUNT_KERNEL_ONLY = 2 };

/* What perf_event_open is asked for, or MORA_COUNTER_OF_PROC. */
struct mora_counter {
  uint32_t type;
  uint32_t modes;
  uint64_t config;
  char name[MORA_COUNTER_NAME_BYTES];
};
struct mora_counter_list {
  unsigned count;
  struct mora_counter counters[MORA_MOST_COUNTERS];
};

/* "TYPE/CONFIG/MODES/NAME,…", CONFIG hexadecimal; how many there are, 0: none, or not readable. */
unsigned mora_counter_list_read(const char* setting, struct mora_counter_list* list);

/* A counter that may have to share its register with others, so far. */
struct mora_counter_share {
  uint64_t count, enabled_ns, running_ns;
  int is_scaled; /* it had to */
};
/* What was counted since the last time: what the kernel counted, in the proportion of the time in which it was to count
 * to that in which it did. While it does not count at all nothing is added: what was missed comes with the next part.
 */
uint64_t mora_counter_gain(struct mora_counter_share* share, uint64_t count, uint64_t enabled_ns, uint64_t running_ns);

enum mora_counter_how {
  MORA_COUNTER_MISSING = 0,
  MORA_COUNTER_REGISTER = 1, /* rdpmc, as a rule */
  MORA_COUNTER_CALL = 2,     /* read(2) of perf's file */
  MORA_COUNTER_USAGE = 3,    /* getrusage(2), the thread's clock: perf is forbidden */
  MORA_COUNTER_PROC = 4      /* /proc */
};

/* All zero: not open. */
struct mora_counter_set {
  unsigned count;
  uint8_t how[MORA_MOST_COUNTERS];             /* enum mora_counter_how */
  uint8_t is_program_only[MORA_MOST_COUNTERS]; /* the kernel may not be counted, though that was asked for */
  int error[MORA_MOST_COUNTERS];               /* errno: why it is missing, or read from getrusage */
  int is_scaled;                               /* some had to share registers */
  int is_lost; /* the program closed files of some, or has its own at their numbers: to be closed and opened again */
  int file[MORA_MOST_COUNTERS];
  uint64_t identity[MORA_MOST_COUNTERS]; /* the kernel's, of the file */
  const volatile struct perf_event_mmap_page* page[MORA_MOST_COUNTERS];
  uint8_t first[MORA_MOST_COUNTERS];  /* the first counter of its group, which is read as one */
  uint8_t usage[MORA_MOST_COUNTERS];  /* of MORA_COUNTER_USAGE and MORA_COUNTER_PROC: which, */
  uint8_t is_new[MORA_MOST_COUNTERS]; /* and not read yet */
  struct mora_counter_share share[MORA_MOST_COUNTERS];
  struct mora_proc_io io;
  uint64_t total[MORA_MOST_COUNTERS];
};

/* Opens those that can be. Totals of a set that was open before go on. */
void mora_counter_set_open(struct mora_counter_set* set, const struct mora_counter_list* list);
/* `own_read`, `own_written`: bytes that the thread has read and written for the recorder so far, which are none of the
 * program's. `totals`: one for each counter; of one that is missing, always the same. */
void mora_counter_set_read(struct mora_counter_set* set, uint64_t own_read, uint64_t own_written, uint64_t* totals);
void mora_counter_set_close(struct mora_counter_set* set);

#ifdef __cplusplus
}
#endif

#endif
