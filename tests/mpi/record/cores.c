/* Computation that sleeps, writes, touches new memory, shares a processor or only computes between two calls; argv:
 * which, times, and "marked" if each stretch is to be an interval; "replacing" if the recorder's descriptor of
 * schedstat is to become another file, "closing" if it is to be closed, by rank 1 with all others from 200 on, "taking
 * all" if no other is left then during the second third of the stretches; "threaded" if another thread than the first
 * is to compute. With WITHOUT_PROC nobody can open schedstat. Prints by the clocks and counters of the system how long
 * all of it took and, of each kind (did not run, waited for a core by schedstat, page faults, voluntary switches), how
 * much there was in the stretches, how unequal these are (the root of the summed squares of what each had beyond its
 * share by length, which is what an estimate from some can miss), and how much there was outside of them, from the
 * start of the process to the end of MPI_Finalize. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <mora/mora.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000, NEW_BYTES = 4 << 20, PAGE = 4096 };
enum { NOT_RUNNING, QUEUED, FAULTS, VOLUNTARY, KINDS };
static const char* const names[KINDS] = {"not_running", "queued", "faults", "voluntary"};

struct reading {
  double wall, of[KINDS];
};

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int is_lowest;

static double queued(void) {
  if (is_lowest) return 0; /* this would take a number */
  FILE* file = fopen("/proc/thread-self/schedstat", "r");
  unsigned long long cpu = 0, wait = 0;
  if (file && fscanf(file, "%llu %llu", &cpu, &wait) != 2) wait = 0;
  if (file) fclose(file);
  return (double)wait * 1e-9;
}

static struct reading read_counters(int whose) {
  struct rusage usage;
  getrusage(whose, &usage);
  struct reading now = {seconds(CLOCK_MONOTONIC), {0}};
  now.of[NOT_RUNNING] = now.wall - seconds(whose == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID);
  now.of[QUEUED] = queued();
  now.of[FAULTS] = (double)(usage.ru_minflt + usage.ru_majflt);
  now.of[VOLUNTARY] = (double)usage.ru_nvcsw;
  return now;
}

static struct reading since(struct reading before, struct reading now) {
  now.wall -= before.wall;
  for (int k = 0; k < KINDS; k++) now.of[k] -= before.of[k];
  return now;
}

/* Seconds from the start of the process to now. */
static double age(void) {
  char text[1000];
  FILE* file = fopen("/proc/self/stat", "r");
  const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[n] = 0;
  const char* at = strrchr(text, ')');
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return seconds(CLOCK_BOOTTIME) - (at ? atof(at) : 0) / (double)sysconf(_SC_CLK_TCK);
}

/* "share": all ranks on the first processor they may use; "uneven": rank 0 only. */
static void bind_to_one(const char* what) {
  const char* names_of_rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
  int is_first = 0;
  for (int i = 0; i < 2; i++) {
    const char* rank = getenv(names_of_rank[i]);
    is_first |= rank && atoi(rank) == 0;
  }
  if (strcmp(what, "share") != 0 && (strcmp(what, "uneven") != 0 || !is_first)) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof one, &one);
  int first = 0;
  while (!CPU_ISSET(first, &one)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void compute(double cpu_seconds) {
  static volatile double sum;
  const double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu_seconds;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) sum += 1;
}

static void touch_new_memory(void) {
  char* memory = mmap(NULL, NEW_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  madvise(memory, NEW_BYTES, MADV_NOHUGEPAGE);
  for (int i = 0; i < NEW_BYTES; i += PAGE) memory[i] = 1;
  munmap(memory, NEW_BYTES);
}

#ifdef WITHOUT_PROC
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const int mode = va_arg(more, int);
  va_end(more);
  if (strstr(path, "schedstat")) return errno = ENOENT, -1;
  return openat(AT_FDCWD, path, flags, mode);
}
#endif

/* The recorder's descriptor of schedstat. */
static int descriptor_of_recorder(void) {
  for (int number = 3; number < 1024; number++) {
    char link[64], target[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    const ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0) continue;
    target[n] = 0;
    if (strstr(target, "schedstat")) return number;
  }
  exit(1); /* nothing is tried */
}

/* As programs do that close what they do not know, and open files of their own. */
static void lose_descriptor(const char* how, int rank) {
  const int number = descriptor_of_recorder();
  if (strcmp(how, "replacing") == 0) {
    const int zeroes = open("/dev/zero", O_RDONLY);
    if (dup2(zeroes, number) != number || close(zeroes) != 0) exit(1);
  } else if (rank == 1) { /* but those of MPI */
    if (number < 200 || close_range(200, 599, 0) != 0) exit(1);
    closefrom(600);
  } else if (close(number) != 0) {
    exit(1);
  }
}

static int taken[1024], takes;
static void take_all_descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max < 1024 ? limit.rlim_max : 1024;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) exit(1);
  while (takes < 1024 && (taken[takes] = open("/dev/null", O_RDONLY)) >= 0) takes++;
}
static void give_all_descriptors_back(void) {
  while (takes > 0) close(taken[--takes]);
}

enum { LATE = 20 }; /* so often it touches memory in each stretch: longer than a loaded machine keeps others waiting */
static const char* what = "";
static int times = 100, is_marked, is_late, is_taking, file = -1;
static struct reading took[MOST], all;

static atomic_int done; /* stretches */

static void* stretches(void* unused) {
  static char data[200000];
  MPI_Barrier(strcmp(what, "late") == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF);
  for (int i = 0; i < times; i++) {
    if (is_taking && i == times / 3) lose_descriptor("closing", 0), take_all_descriptors();
    if (i == 2 * times / 3) give_all_descriptors_back();
    const struct reading before = read_counters(RUSAGE_THREAD);
    if (is_marked) MORA_REGION_BEGIN("stretch");
    compute(strcmp(what, "touch") == 0 ? 0.0002 : 0.002);
    if (strcmp(what, "sleep") == 0) usleep(6000);
    if (strcmp(what, "touch") == 0) touch_new_memory();
    for (int often = 0; is_late && often < LATE; often++) touch_new_memory();
    if (file >= 0 && write(file, data, sizeof data) < 0) exit(1);
    if (file >= 0 && lseek(file, 0, SEEK_SET) < 0) exit(1);
    if (is_marked) MORA_REGION_END("stretch");
    took[i] = since(before, read_counters(RUSAGE_THREAD));
    atomic_store(&done, i + 1);
    all.wall += took[i].wall;
    for (int k = 0; k < KINDS; k++) all.of[k] += took[i].of[k];
    MPI_Barrier(strcmp(what, "late") == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF);
  }
  return unused;
}

/* From when the other thread has begun. */
static void count_on_lowest_number(void) {
  while (atomic_load(&done) < times / 5) sched_yield();
  while (atomic_load(&done) < times) {
    const int lowest = dup(0), file = (close(lowest), open("/dev/null", O_RDONLY));
    if (file != lowest || close(file) != 0) exit(9);
  }
}

int main(int argc, char** argv) {
  if (argc > 1) what = argv[1];
  if (argc > 2) times = atoi(argv[2]) < MOST ? atoi(argv[2]) : MOST;
  is_marked = argc > 3 && strcmp(argv[3], "marked") == 0;
  is_lowest = argc > 3 && strcmp(argv[3], "lowest") == 0;
  const int is_threaded = is_lowest || (argc > 3 && strcmp(argv[3], "threaded") == 0);
  bind_to_one(what);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char name[64];
  snprintf(name, sizeof name, "written.%d", rank);
  if (strcmp(what, "write") == 0) file = open(name, O_CREAT | O_TRUNC | O_WRONLY | O_SYNC, 0600);
  is_late = strcmp(what, "late") == 0 && rank == 0; /* the others wait for it */
  if (strcmp(what, "late") == 0) times /= LATE / 2;
  is_taking = argc > 3 && strcmp(argv[3], "taking all") == 0;
  if (argc > 3 && (strcmp(argv[3], "replacing") == 0 || strcmp(argv[3], "closing") == 0))
    lose_descriptor(argv[3], rank);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_t other;
  if (!is_threaded)
    stretches(NULL);
  else if (pthread_create(&other, NULL, stretches, NULL) != 0)
    return 1;
  if (is_lowest) count_on_lowest_number();
  if (is_threaded && pthread_join(other, NULL) != 0) return 1;
  MPI_Finalize();
  struct reading outside = since(all, read_counters(RUSAGE_SELF));
  outside.of[NOT_RUNNING] = age() - seconds(CLOCK_PROCESS_CPUTIME_ID) - all.of[NOT_RUNNING];
  char line[1000];
  int n = snprintf(line, sizeof line, "rank %d wall %.6f", rank, all.wall);
  for (int k = 0; k < KINDS; k++) {
    double squares = 0;
    for (int i = 0; i < times; i++) squares += pow(took[i].of[k] - all.of[k] / all.wall * took[i].wall, 2);
    n += snprintf(line + n, sizeof line - (size_t)n, " %s %.6f unequal %.6f outside %.6f", names[k], all.of[k],
                  sqrt(squares), outside.of[k]);
  }
  printf("%s\n", line);
  return 0;
}
