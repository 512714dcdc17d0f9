/* Numbers of the recorder's files that the program's own do not meet: a program that closes what it did not open, and
 * then opens files, gets low ones. */
#ifndef MORA_MEASURE_COUNTERS_HIGH_FILE_H
#define MORA_MEASURE_COUNTERS_HIGH_FILE_H

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* The same file under a high number, which exec closes; the low one is closed. `file` if there is none. */
static inline int mora_to_high_number(int file) {
  struct rlimit files;
  const int few = 256;
  const rlim_t most = 1024; /* the kernel's table of files grows with the highest number, and fork copies it */
  const int lowest = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur > 2 * (rlim_t)few
                         ? (int)(files.rlim_cur < most ? files.rlim_cur : most) - few
                         : 64;
  const int high = fcntl(file, F_DUPFD_CLOEXEC, lowest);
  if (high < 0) return file;
  close(file);
  return high;
}

#endif
