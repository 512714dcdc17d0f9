#define _GNU_SOURCE
#include "measure/recorder/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/call/sink.h"
#include "measure/call/threads.h"
#include "measure/recorder/cgroup_limit.h"
#include "measure/recorder/core_frequency.h"

enum { mask_words = 128 }; /* 8192 processors */

static uint64_t mask[mask_words]; /* what the threads that were asked may use, together */

long mora_own_processors(uint64_t* which) {
  const int error = errno;
  long count = 0;
  *which = mora_clock_id();
  memset(mask, 0, sizeof mask);
  if (sched_getaffinity(0, sizeof mask, (cpu_set_t*)mask) == 0)
    for (unsigned word = 0; word < mask_words; word++) {
      count += __builtin_popcountll(mask[word]);
      *which = (*which ^ mask[word]) * UINT64_C(0x9E3779B97F4A7C15) + (*which >> 29);
    }
  errno = error;
  return count;
}

static void write_processors(const uint64_t* which) {
  const long node = sysconf(_SC_NPROCESSORS_ONLN);
  if (node <= 0) return;
  unsigned words = mask_words;
  while (words > 1 && which[words - 1] == 0) words--;
  uint64_t* record = mora_journal_big(mora_self.journal, 5 + words);
  mora_fill_fact(record, 0);
  record[4] = mora_pair((int32_t)node, (int32_t)mora_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
  memcpy(record + 5, which, words * sizeof *which);
  mora_publish_fact(record, 5 + words, MORA_SHAPE_PROCESSORS);
}

void mora_write_processors(void) {
  const int error = errno;
  if (sched_getaffinity(0, sizeof mask, (cpu_set_t*)mask) == 0) write_processors(mask);
  errno = error;
}

long mora_processors_begin_thread(void) {
  const int error = errno;
  uint64_t own[mask_words] = {0};
  long count = 0;
  int is_new = 0;
  if (sched_getaffinity(0, sizeof own, (cpu_set_t*)own) != 0) memset(own, 0, sizeof own);
  for (unsigned word = 0; word < mask_words; word++) {
    const uint64_t before = __atomic_fetch_or(&mask[word], own[word], __ATOMIC_RELAXED);
    is_new |= (own[word] & ~before) != 0;
    count += __builtin_popcountll(before | own[word]);
  }
  if (is_new && !mora_pattern && !mora_self.journal->stopped) write_processors(own);
  errno = error;
  return count;
}

static uint64_t ns_of(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* What the recorder has written to its journals: no output of the program. */
static uint64_t journal_bytes(void) {
  uint64_t bytes = mora_self.journal->file_bytes;
  for (const struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before)
    if (&thread->journal != mora_self.journal) bytes += thread->journal.file_bytes;
  return bytes;
}

/* proc(5), /proc/pid/io. 0: Linux does not tell. */
static int read_io(uint64_t* bytes) {
  static const char* const names[] = {"rchar: ", "wchar: ", "\nread_bytes: ", "\nwrite_bytes: "};
  char text[512];
  const int file = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  const ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (n <= 0) return 0;
  text[n] = 0;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    const char* found = strstr(text, names[i]);
    if (!found) return 0;
    bytes[i] = strtoull(found + strlen(names[i]), NULL, 10);
  }
  const uint64_t own = journal_bytes();
  bytes[1] -= own < bytes[1] ? own : bytes[1];
  return 1;
}

void mora_write_usage(void) {
  enum { counted = 13, with_io = 17 };
  const int error = errno;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    uint64_t* record = mora_journal_big(mora_self.journal, with_io);
    mora_fill_fact(record, 0);
    record[4] = ns_of(usage.ru_utime);
    record[5] = ns_of(usage.ru_stime);
    record[6] = (uint64_t)usage.ru_minflt;
    record[7] = (uint64_t)usage.ru_majflt;
    record[8] = (uint64_t)usage.ru_nvcsw;
    record[9] = (uint64_t)usage.ru_nivcsw;
    record[10] = (uint64_t)usage.ru_maxrss * 1024;
    record[11] = mora_cgroup_throttled("/proc/self/cgroup", "/sys/fs/cgroup");
    record[12] = mora_core_khz("/sys/devices/system/cpu", sched_getcpu());
    mora_publish_fact(record, read_io(record + counted) ? with_io : counted, MORA_SHAPE_USAGE);
  }
  errno = error;
}
