/* Counters of the processor stand in groups: the kernel lets all of a group count at the same time or none, and one
 * system call reads all. A counter that does not fit into the group any more begins the next one. Those of the kernel
 * itself are a group of their own, which always counts. Nothing is inherited: each thread opens its own, a child of
 * fork has the files but not the pages and reads neither, exec closes the files.
 *
 * The files are moved to high numbers: a program that closes what it did not open, and then opens files of its own,
 * gets low ones. One that puts its own files at high numbers, too, would have them read: before a file is read or
 * closed, the kernel is asked whether it is still that of the counter. If it is not, the set is lost.
 *
 * Source: perf_event_open(2). Cost of a reading: six loads and `rdpmc` for each counter in a register, 0.5 us for
 * each group that system calls read. Limits: x86-64 for registers; no events of other units than the processor's
 * core. */
#define _GNU_SOURCE
#include "measure/counters/counter_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/counters/counter_page.h"
#include "measure/counters/high_file.h"

/* What getrusage and the thread's clock know. */
enum usage { USAGE_NONE, USAGE_CLOCK, USAGE_FAULTS, USAGE_SWITCHES, USAGE_MINOR, USAGE_MAJOR };

unsigned mora_counter_list_read(const char* setting, struct mora_counter_list* list) {
  list->count = 0;
  while (setting && *setting && list->count < MORA_MOST_COUNTERS) {
    struct mora_counter* counter = &list->counters[list->count];
    char* rest = NULL;
    counter->type = (uint32_t)strtoul(setting, &rest, 10);
    if (*rest != '/') break;
    counter->config = strtoull(rest + 1, &rest, 16);
    if (*rest != '/') break;
    counter->modes = (uint32_t)strtoul(rest + 1, &rest, 10);
    if (*rest != '/') break;
    const size_t bytes = strcspn(++rest, ",");
    if (bytes == 0 || bytes >= sizeof counter->name) break;
    memcpy(counter->name, rest, bytes);
    counter->name[bytes] = 0;
    list->count++;
    setting = rest[bytes] == ',' ? rest + bytes + 1 : NULL;
  }
  return list->count;
}

uint64_t mora_counter_gain(struct mora_counter_share* share, uint64_t count, uint64_t enabled_ns, uint64_t running_ns) {
  /* Modulo 2^64: what is taken off is a place's, and may be more than the thread that has it now was counted. */
  if ((int64_t)(count - share->count) < 0) return 0;
  const uint64_t counted = count - share->count;
  const uint64_t enabled = enabled_ns - share->enabled_ns, running = running_ns - share->running_ns;
  if (running == 0 && enabled != 0 && counted == 0) {
    share->is_scaled = 1;
    return 0;
  }
  share->count = count;
  share->enabled_ns = enabled_ns;
  share->running_ns = running_ns;
  if (running == enabled || running == 0) return counted;
  share->is_scaled = 1;
  return (uint64_t)((long double)counted * ((long double)enabled / (long double)running) + 0.5L);
}

static enum usage usage_of(const struct mora_counter* counter) {
  if (counter->type != PERF_TYPE_SOFTWARE || counter->modes != 0) return USAGE_NONE;
  switch (counter->config) {
    case PERF_COUNT_SW_CPU_CLOCK:
    case PERF_COUNT_SW_TASK_CLOCK:
      return USAGE_CLOCK;
    case PERF_COUNT_SW_PAGE_FAULTS:
      return USAGE_FAULTS;
    case PERF_COUNT_SW_CONTEXT_SWITCHES:
      return USAGE_SWITCHES;
    case PERF_COUNT_SW_PAGE_FAULTS_MIN:
      return USAGE_MINOR;
    case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
      return USAGE_MAJOR;
    default:
      return USAGE_NONE;
  }
}

/* -1, with errno: not opened. */
static int open_event(const struct mora_counter* counter, int group, int is_program_only) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = counter->type;
  attributes.config = counter->config;
  attributes.disabled = group < 0; /* what joins a group that counts already may not count before the next time slice */
  attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.exclude_kernel = attributes.exclude_hv =
      is_program_only || (counter->modes & MORA_COUNT_PROGRAM_ONLY) != 0;
  attributes.exclude_user = (counter->modes & MORA_COUNT_KERNEL_ONLY) != 0;
  const int file = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
  if (file < 0) return -1;
  return mora_to_high_number(file);
}

/* As software counters do not count the kernel's doings for the program alone, they are given up instead. */
static int open_as_allowed(struct mora_counter_set* set, const struct mora_counter* counter, unsigned i, int group) {
  int file = open_event(counter, group, 0);
  const int is_forbidden = file < 0 && (errno == EACCES || errno == EPERM);
  if (!is_forbidden || usage_of(counter) != USAGE_NONE || counter->modes != 0) return file;
  file = open_event(counter, group, 1);
  set->is_program_only[i] = file >= 0;
  return file;
}

static void open_proc(struct mora_counter_set* set, const struct mora_counter* counter, unsigned i) {
  set->usage[i] = (uint8_t)counter->config;
  set->is_new[i] = 1;
  if (counter->config != MORA_PROC_MEMORY && set->io.file < 0) set->error[i] = mora_proc_io_open(&set->io);
  if (set->error[i] == 0 && counter->config < MORA_PROC_COUNTS) set->how[i] = MORA_COUNTER_PROC;
}

static void open_counter(struct mora_counter_set* set, const struct mora_counter* counter, unsigned i,
                         int* first_of_software, int* first_of_others) {
  if (counter->type == MORA_COUNTER_OF_PROC) {
    open_proc(set, counter, i);
    return;
  }
  const int is_software = counter->type == PERF_TYPE_SOFTWARE;
  int* first = is_software ? first_of_software : first_of_others;
  int file = *first < 0 ? -1 : open_as_allowed(set, counter, i, set->file[*first]);
  if (file < 0) { /* a group of its own */
    file = open_as_allowed(set, counter, i, -1);
    if (file >= 0) *first = (int)i;
  }
  if (file < 0) {
    set->error[i] = errno;
    set->usage[i] = (uint8_t)usage_of(counter);
    set->how[i] = set->usage[i] != USAGE_NONE ? MORA_COUNTER_USAGE : MORA_COUNTER_MISSING;
    set->is_new[i] = 1;
    return;
  }
  set->file[i] = file;
  ioctl(file, PERF_EVENT_IOC_ID, &set->identity[i]);
  set->first[i] = (uint8_t)*first;
  set->how[i] = MORA_COUNTER_CALL;
#if defined(__x86_64__)
  if (is_software) return;
  void* page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) return;
  set->page[i] = page;
  if (set->page[i]->cap_user_rdpmc) set->how[i] = MORA_COUNTER_REGISTER;
#endif
}

void mora_counter_set_open(struct mora_counter_set* set, const struct mora_counter_list* list) {
  const int error = errno;
  int software = -1, others = -1;
  set->count = list->count;
  set->io.file = -1;
  set->is_lost = 0;
  for (unsigned i = 0; i < set->count; i++) {
    set->file[i] = -1;
    set->page[i] = NULL;
    set->error[i] = 0;
    set->share[i] = (struct mora_counter_share){0};
    open_counter(set, &list->counters[i], i, &software, &others);
  }
  for (unsigned i = 0; i < set->count; i++)
    if (set->file[i] >= 0 && set->first[i] == i) ioctl(set->file[i], PERF_EVENT_IOC_ENABLE, 0);
  errno = error;
}

static int has_file(const struct mora_counter_set* set, unsigned i) {
  uint64_t identity;
  return set->file[i] >= 0 && ioctl(set->file[i], PERF_EVENT_IOC_ID, &identity) == 0 && identity == set->identity[i];
}

static void add(struct mora_counter_set* set, unsigned i, uint64_t count, uint64_t enabled_ns, uint64_t running_ns) {
  set->total[i] += mora_counter_gain(&set->share[i], count, enabled_ns, running_ns);
  set->is_scaled |= set->share[i].is_scaled;
}

/* All of the group whose first counter is `first`, each of which has a page. 0: the kernel must be asked. */
static int read_registers(struct mora_counter_set* set, unsigned first) {
  struct mora_page_count counts[MORA_MOST_COUNTERS];
  for (unsigned i = first; i < set->count; i++) {
    if (set->how[i] < MORA_COUNTER_REGISTER || set->how[i] > MORA_COUNTER_CALL || set->first[i] != first) continue;
    if (set->how[i] != MORA_COUNTER_REGISTER || !mora_page_read(set->page[i], mora_rdpmc, &counts[i])) return 0;
  }
  for (unsigned i = first; i < set->count; i++)
    if (set->how[i] == MORA_COUNTER_REGISTER && set->first[i] == first)
      add(set, i, counts[i].count, counts[i].enabled_ns, counts[i].enabled_ns);
  return 1;
}

static void read_group(struct mora_counter_set* set, unsigned first) {
  enum { number, enabled, running, values };
  uint64_t said[values + MORA_MOST_COUNTERS];
  unsigned members[MORA_MOST_COUNTERS], n = 0;
  for (unsigned i = first; i < set->count; i++)
    if ((set->how[i] == MORA_COUNTER_REGISTER || set->how[i] == MORA_COUNTER_CALL) && set->first[i] == first)
      members[n++] = i;
  const ssize_t bytes = has_file(set, first) ? read(set->file[first], said, sizeof said) : 0;
  if (bytes > 0) set->io.own_read += (uint64_t)bytes;
  if (bytes < (ssize_t)(values * sizeof *said) || said[number] != n) { /* a file that is closed leaves its group */
    set->is_lost = 1;
    return;
  }
  for (unsigned place = 0; place < n; place++)
    add(set, members[place], said[values + place], said[enabled], said[running]);
}

static uint64_t usage_count(const struct rusage* usage, enum usage which) {
  struct timespec time;
  switch (which) {
    case USAGE_CLOCK:
      return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0
                 ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec
                 : 0;
    case USAGE_FAULTS:
      return (uint64_t)usage->ru_minflt + (uint64_t)usage->ru_majflt;
    case USAGE_SWITCHES:
      return (uint64_t)usage->ru_nvcsw + (uint64_t)usage->ru_nivcsw;
    case USAGE_MINOR:
      return (uint64_t)usage->ru_minflt;
    case USAGE_MAJOR:
      return (uint64_t)usage->ru_majflt;
    default:
      return 0;
  }
}

/* What the thread did before its counters were opened does not count, as with perf. */
static void add_usage(struct mora_counter_set* set, unsigned i, uint64_t count) {
  if (set->is_new[i]) set->share[i].count = count;
  set->is_new[i] = 0;
  add(set, i, count, 0, 0);
}

void mora_counter_set_read(struct mora_counter_set* set, uint64_t own_read, uint64_t own_written, uint64_t* totals) {
  const int error = errno;
  struct rusage usage;
  int has_usage = 0, has_io = 0;
  uint64_t io[MORA_PROC_COUNTS];
  for (unsigned i = 0; i < set->count; i++) {
    switch (set->how[i]) {
      case MORA_COUNTER_REGISTER:
      case MORA_COUNTER_CALL:
        if (set->first[i] == i && !read_registers(set, i)) read_group(set, i);
        break;
      case MORA_COUNTER_USAGE:
        if (!has_usage) has_usage = getrusage(RUSAGE_THREAD, &usage) == 0;
        if (has_usage) add_usage(set, i, usage_count(&usage, (enum usage)set->usage[i]));
        break;
      case MORA_COUNTER_PROC:
        if (set->usage[i] == MORA_PROC_MEMORY) {
          set->total[i] += mora_proc_memory_growth(&set->io.own_read);
          break;
        }
        if (!has_io) has_io = mora_proc_io_read(&set->io, io);
        const uint64_t own = set->usage[i] == MORA_PROC_READ      ? own_read
                             : set->usage[i] == MORA_PROC_WRITTEN ? own_written
                                                                  : 0;
        if (has_io) add_usage(set, i, io[set->usage[i]] - own);
        break;
      default:
        break;
    }
  }
  memcpy(totals, set->total, set->count * sizeof *totals);
  errno = error;
}

void mora_counter_set_close(struct mora_counter_set* set) {
  const int error = errno;
  for (unsigned i = 0; i < set->count; i++) {
    if (set->page[i]) munmap((void*)(uintptr_t)set->page[i], (size_t)sysconf(_SC_PAGESIZE));
    if (has_file(set, i)) close(set->file[i]);
    set->page[i] = NULL;
    set->file[i] = -1;
    set->how[i] = MORA_COUNTER_MISSING;
  }
  mora_proc_io_close(&set->io);
  errno = error;
}
