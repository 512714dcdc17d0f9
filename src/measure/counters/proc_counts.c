/* Source: proc(5), /proc/pid/io and VmHWM of /proc/pid/status; getrusage(2). The high-water mark of getrusage itself is
 * that of the launcher's process, too, which became this one by exec.
 *
 * Cost: 0.4 us for the thread's reads and writes. The high-water mark takes 0.3 us, and 2.7 us more where a page was
 * touched for the first time since: without a page fault it cannot have grown. */
#define _GNU_SOURCE
#include "measure/counters/proc_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/counters/high_file.h"

/* 1: opened. */
static int open_file(struct mora_proc_io* io) {
  const int file = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);
  io->file = file < 0 ? -1 : mora_to_high_number(file);
  return file >= 0;
}

int mora_proc_io_open(struct mora_proc_io* io) {
  io->own_read = 0;
  return open_file(io) ? 0 : errno;
}

int mora_proc_io_parse(const char* text, uint64_t* counts) {
  static const struct {
    const char* name;
    enum mora_proc_count count;
  } rows[] = {{"rchar: ", MORA_PROC_READ},
              {"wchar: ", MORA_PROC_WRITTEN},
              {"\nread_bytes: ", MORA_PROC_DISK_READ},
              {"\nwrite_bytes: ", MORA_PROC_DISK_WRITTEN}};
  for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char* found = strstr(text, rows[i].name);
    if (!found) return 0;
    counts[rows[i].count] = strtoull(found + strlen(rows[i].name), NULL, 10);
  }
  return 1;
}

static int read_file(struct mora_proc_io* io, uint64_t* counts) {
  char text[512];
  const ssize_t bytes = pread(io->file, text, sizeof text - 1, 0);
  if (bytes <= 0) return 0;
  text[bytes] = 0;
  const uint64_t own = io->own_read;
  io->own_read += (uint64_t)bytes;
  if (!mora_proc_io_parse(text, counts)) return 0;
  counts[MORA_PROC_READ] -= own;
  return 1;
}

/* What has the old number, if anything, is the program's: it was read where it stands, and is left alone. */
int mora_proc_io_read(struct mora_proc_io* io, uint64_t* counts) {
  if (read_file(io, counts)) return 1;
  if (!open_file(io)) return 0;
  if (read_file(io, counts)) return 1;
  close(io->file);
  io->file = -1;
  return 0;
}

void mora_proc_io_close(struct mora_proc_io* io) {
  uint64_t counts[MORA_PROC_COUNTS];
  if (io->file >= 0 && read_file(io, counts)) close(io->file);
  io->file = -1;
}

/* Bytes; 0: not known. */
static uint64_t high_water(uint64_t* own_read) {
  char text[4096];
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  *own_read += (uint64_t)bytes;
  text[bytes] = 0;
  const char* found = strstr(text, "\nVmHWM:");
  return found ? strtoull(found + strlen("\nVmHWM:"), NULL, 10) * 1024 : 0;
}

uint64_t mora_proc_memory_growth(uint64_t* own_read) {
  static uint64_t faults_then, known;
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  const uint64_t faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
  if (__atomic_exchange_n(&faults_then, faults, __ATOMIC_RELAXED) == faults) return 0;
  const uint64_t now = high_water(own_read);
  uint64_t before = __atomic_load_n(&known, __ATOMIC_RELAXED);
  while (now > before && !__atomic_compare_exchange_n(&known, &before, now, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before != 0 && now > before ? now - before : 0;
}
