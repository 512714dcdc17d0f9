/* The files beside the journal: what went wrong, and which modules were loaded where. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/call/threads.h"
#include "measure/recorder/recorder.h"

/* Beyond RLIMIT_FSIZE a write would raise SIGXFSZ in the user's program. */
static int may_write(int file, size_t bytes) {
  struct rlimit limit;
  struct stat now;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         (fstat(file, &now) == 0 && (uint64_t)now.st_size + bytes <= limit.rlim_cur);
}

static void write_all(int file, const char* bytes, size_t n) {
  if (!may_write(file, n)) return;
  while (n > 0) {
    const ssize_t done = write(file, bytes, n);
    if (done <= 0) return;
    bytes += done;
    n -= (size_t)done;
  }
}

static int open_beside(const char* stem, const char* ending) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s.%s", stem, ending) >= (int)sizeof path) return -1;
  return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void mora_report_problem(const struct mora_paths* paths, const char* format, ...) {
  char stem[3072], host[65] = "", line[1024];
  if (!paths) {
    gethostname(host, sizeof host - 1);
    snprintf(stem, sizeof stem, "%s/journal", getenv("MORA_DIR"));
    mkdir(stem, 0777);
    snprintf(stem, sizeof stem, "%s/journal/%s.%d", getenv("MORA_DIR"), host, (int)getpid());
  }
  const int file = open_beside(paths ? paths->stem : stem, "problem");
  if (file < 0) return;
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  const size_t length = n < 0 ? 0 : (size_t)n < sizeof line - 2 ? (size_t)n : sizeof line - 2;
  line[length] = '\n';
  write_all(file, line, length + 1);
  close(file);
}

void mora_report_foreign_mpi(void) {
#ifdef OPEN_MPI
  const char* ours = "Open MPI";
#else
  const char* ours = "MPICH";
#endif
  if (getenv("MORA_DIR"))
    mora_report_problem(
        NULL,
        "nothing was recorded: the program's MPI is not %s, whose library was preloaded; choose the other with --mpi",
        ours);
}

static int count_loads(struct dl_phdr_info* info, size_t size, void* loads) {
  (void)size;
  *(unsigned long long*)loads = info->dlpi_adds;
  return 1;
}

void mora_save_maps(const struct mora_paths* paths) {
  static unsigned long long loads_saved;
  static char buffer[1 << 14];
  unsigned long long loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  if (loads == loads_saved) return;
  const int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (from < 0) return;
  const int to = open_beside(paths->stem, "maps");
  if (to >= 0) {
    if (loads_saved) {
      const int n = snprintf(buffer, sizeof buffer, "--- %llu\n", (unsigned long long)mora_ticks());
      write_all(to, buffer, (size_t)n);
    }
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) > 0;) {
      mora_self.thread->core.read_bytes += (uint64_t)n;
      mora_self.journal->written_bytes += (uint64_t)n;
      write_all(to, buffer, (size_t)n);
    }
    close(to);
    loads_saved = loads;
  }
  close(from);
}
