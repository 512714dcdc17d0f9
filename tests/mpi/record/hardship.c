/* What programs do to a recorder; argv[1] chooses. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank;

static void barriers(int n) {
  for (int i = 0; i < n; i++) MPI_Barrier(MPI_COMM_WORLD);
}

/* Communicators, groups and windows, made and freed `n` times; MPI has room for few at once. */
static void handles(int n) {
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int i = 0; i < n; i++) {
    MPI_Comm copy;
    MPI_Group one;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Barrier(copy);
    MPI_Group_free(&one);
    MPI_Comm_free(&copy);
  }
  for (int i = 0; i < n; i++) {
    int memory = 0;
    MPI_Win window;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
  }
  MPI_Group_free(&all);
}

/* Many communicators at once. */
static void communicators(int n) {
  MPI_Comm* made = calloc((size_t)n, sizeof *made);
  for (int i = 0; i < n; i++) MPI_Comm_split(MPI_COMM_SELF, 0, 0, &made[i]);
  for (int i = 0; i < n; i++) MPI_Barrier(made[i]);
  for (int i = 0; i < n; i++) MPI_Comm_free(&made[i]);
  free(made);
}

/* The program uses all descriptors that it may have, and closes those that are not its own. */
static void descriptors(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 256;
  setrlimit(RLIMIT_NOFILE, &limit);
  int first = -1, fd;
  while ((fd = open("/dev/null", O_RDONLY)) >= 0)
    if (first < 0) first = fd;
  barriers(5000);
  for (fd = first; fd < 256; fd++) close(fd);
}

/* The program closes what is not its own and has files there of its own: nothing is written to these, and none is
 * closed. */
enum { first_high = 200, after_high = 1000 };
static FILE* take_high_numbers(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  closefrom(first_high);
  FILE* own = tmpfile();
  for (int number = first_high; own && number < after_high && number < (int)limit.rlim_cur; number++)
    if (dup2(fileno(own), number) != number) exit(5);
  return own;
}
static int high_numbers_are_as_before(FILE* own) {
  struct stat empty, s;
  if (!own || fstat(fileno(own), &empty) != 0 || empty.st_size != 0) return 0;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int number = first_high; number < after_high && number < (int)limit.rlim_cur; number++)
    if (fstat(number, &s) != 0 || s.st_dev != empty.st_dev || s.st_ino != empty.st_ino) return 0;
  return 1;
}

static volatile int* volatile nowhere; /* the compiler does not see that it is never changed */
static void dies(int signal_number) { *nowhere = signal_number; }

/* In the middle of whatever runs when a timer of processor time has fired so often: calls of MPI, which the recorder
 * writes, and what is between them, which it samples. */
static volatile sig_atomic_t more_profiles = 40;
static void dies_at_last(int signal_number) {
  if (--more_profiles == 0) dies(signal_number);
}
static void profile(void (*handler)(int)) {
  const struct itimerval often = {{0, 2000}, {0, 2000}};
  signal(SIGPROF, handler);
  setitimer(ITIMER_PROF, &often, NULL);
}

/* The kernel kills the process when it has used so much processor time. */
static void die_after(long us, int signal_number) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal_number};
  const struct itimerspec once = {.it_value = {us / 1000000, us % 1000000 * 1000}};
  timer_t timer;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0) exit(9);
}

static void call_and_compute(void) {
  for (volatile int k = 0;; k++) {
    int in;
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    for (volatile int i = 0; i < k % 8 * 1000; i++) continue;
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  barriers(3);
  if (strcmp(what, "handles") == 0) handles(n);
  if (strcmp(what, "communicators") == 0) communicators(n);
  if (strcmp(what, "descriptors") == 0) descriptors();
  FILE* own = NULL;
  if (strcmp(what, "takes high numbers") == 0) {
    own = take_high_numbers();
    barriers(20000);
    if (!high_numbers_are_as_before(own)) return 6;
    const pid_t child = fork();
    if (child == 0) _exit(!high_numbers_are_as_before(own));
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 7;
    barriers(20000);
  }
  if (strcmp(what, "forks") == 0) {
    for (int i = 0; i < 20; i++) {
      const pid_t child = fork();
      if (child == 0) _exit(i);
      int status = 0;
      if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i) return 3;
      barriers(10);
    }
    if (system("exit 5") >> 8 != 5) return 4;
  }
  if (strcmp(what, "dies in a handler") == 0 && rank == 0) {
    signal(SIGUSR1, dies);
    raise(SIGUSR1);
  }
  if (strcmp(what, "dies in a profiler") == 0) {
    profile(dies_at_last);
    call_and_compute();
  }
  if (strcmp(what, "is killed") == 0) {
    die_after(n, argc > 3 ? atoi(argv[3]) : SIGSEGV);
    call_and_compute();
  }
  MPI_Finalize();
  return own && !high_numbers_are_as_before(own) ? 8 : 0;
}
