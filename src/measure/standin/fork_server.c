/* Ranks are started in order, `jobs` at a time. A rank that needs to know what others contribute to a communicator
 * writes a wish; the ranks it names are run as scouts, again `jobs` at a time. Wishes are a stack: a scout that needs
 * scouts itself is served before those who wait for it, so that few processes exist at once. A process that waits for a
 * wish does not count as running, and its time stands still. A scout that has told what it was sent for parks, as long
 * as memory allows, and goes on from there when the same rank is asked for again. */
#define _GNU_SOURCE
#include "measure/standin/fork_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/mpi/function_table.h"
#include "measure/standin/dry_results.h"
#include "measure/standin/registry.h"
#include "measure/standin/shared.h"

struct child {
  pid_t pid;
  int life; /* pidfd: readable when the process has ended */
  int rank, timed_out, ready;
  uint64_t goal;                         /* of a scout */
  double started, waited, waiting_since; /* seconds */
  struct standin_progress* progress;
};

struct open_wish {
  struct standin_wish* wish;
  uint32_t next; /* ranks before it have been started, or need not be */
};

/* A scout that ended without what it was sent for: the next one would too. */
struct failure {
  uint64_t key;
  int rank;
  char why[sizeof((struct standin_wish*)0)->why];
};

static struct failure* failures;
static int n_failures, failures_capacity;
static struct child* children;
static int n_children, children_capacity;
static struct open_wish* wishes;
static int n_wishes, wishes_capacity;
static int next_rank, ranks_alive, ranks_done, scouts_busy;
static uint64_t scouts_started;
static int wish_pipe[2];
static int scouts_alive;
static struct rlimit files_before; /* of the program; the server needs one descriptor for each process */

enum { FIRST_LIFE = 768 }; /* descriptors of processes stand above the program's own */

/* The goal of a herald (herald.h): it goes on to its end. */
static const uint64_t to_the_end = UINT64_MAX;
static char* has_ended; /* by rank: its recorded process or its herald is over */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void grow(void** array, int* capacity, int count, size_t bytes) {
  if (count <= *capacity) return;
  const int larger = count < 16 ? 16 : 2 * count;
  void* memory = realloc(*array, (size_t)larger * bytes);
  if (!memory) {
    fprintf(stderr, "mora dry run: no memory\n");
    _exit(STANDIN_STOPPED);
  }
  *array = memory;
  *capacity = larger;
}

static int is_waiting(const struct child* child) {
  return (int)__atomic_load_n(&child->progress->waiting, __ATOMIC_RELAXED);
}

static void fail_if_named(struct standin_wish* wish, const struct failure* failure) {
  if (wish->key != failure->key || wish->failed) return;
  for (uint32_t r = 0; r < wish->n; r++) {
    if (wish->ranks[r] != failure->rank || standin_published(wish->key, failure->rank)) continue;
    memcpy(wish->why, failure->why, sizeof wish->why);
    __atomic_store_n(&wish->failed, 1, __ATOMIC_RELEASE);
    return;
  }
}

/* A rank that was asked for will not publish: whoever waits for it, or will, is told. */
static void disappoint(int rank, uint64_t key, const char* what, const struct standin_progress* progress) {
  grow((void**)&failures, &failures_capacity, n_failures + 1, sizeof *failures);
  struct failure* failure = &failures[n_failures++];
  failure->rank = rank;
  failure->key = key;
  const char* last = progress && progress->function ? mora_function_name(progress->function) : NULL;
  snprintf(failure->why, sizeof failure->why,
           "it needs the arguments of rank %d, which %s before it made this call%s%s%s%.200s", rank, what,
           last ? ": its last MPI call was " : "", last ? last : "", progress && progress->text[0] ? "; " : "",
           progress ? progress->text : "");
  for (int i = 0; i < n_wishes; i++) fail_if_named(wishes[i].wish, failure);
  standin_shared_wake();
}

/* The same of a rank that will publish nothing more at all. */
static void disappoint_listeners(int rank, const char* what, const struct standin_progress* progress) {
  has_ended[rank] = 1;
  for (int i = 0; i < n_wishes; i++)
    if (wishes[i].wish->herald && wishes[i].wish->ranks[0] == rank && !standin_published(wishes[i].wish->key, rank))
      disappoint(rank, wishes[i].wish->key, what, progress);
}

static long available_kb(void) {
  long kb = -1;
  FILE* file = fopen("/proc/meminfo", "re");
  char line[256];
  while (file && kb < 0 && fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %ld", &kb) != 1) kb = -1;
  if (file) fclose(file);
  return kb;
}

/* A parked scout costs what it has changed of its memory, half a megabyte or the program's whole data. A quarter of
 * what was free serves. */
static int may_stay(void) {
  static long at_first, lately;
  static int wanted = -2, asked;
  if (wanted == -2) {
    const char* text = getenv("MORA_DRYRUN_PARKED");
    wanted = text && *text ? atoi(text) : -1;
    at_first = available_kb();
  }
  if (wanted >= 0) return scouts_alive < wanted;
  if (asked++ % 16 == 0) lately = available_kb();
  return scouts_alive < 16384 && lately > at_first / 4 * 3;
}

/* A descriptor that is readable when the process has ended; -1: not to be had. */
static int life_of(pid_t pid) {
  const int low = (int)syscall(SYS_pidfd_open, pid, 0);
  if (low < 0) return -1;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, FIRST_LIFE);
  if (high < 0) return fcntl(low, F_SETFD, FD_CLOEXEC) == 0 ? low : -1;
  close(low);
  return high;
}

/* In a new process: what is the server's own. */
static void forget_server(void) {
  syscall(SYS_close_range, FIRST_LIFE, FIRST_LIFE + n_children + 64, 0);
  close(wish_pipe[0]);
  setrlimit(RLIMIT_NOFILE, &files_before);
}

static void could_not_start(struct standin_progress* progress, const char* why) {
  progress->stopped = 1;
  snprintf(progress->text, sizeof progress->text, "no process could be started for it: %s", why);
  if (progress->scout) {
    disappoint(progress->rank, progress->goal, "could not be started", progress);
  } else {
    standin_report_rank(progress, "stopped", STANDIN_STOPPED, 0);
    ranks_done++;
  }
}

/* Returns 1 in the new process. */
static int start(int rank, uint64_t goal) {
  grow((void**)&children, &children_capacity, n_children + 1, sizeof *children);
  struct standin_progress* progress = standin_shared_alloc(sizeof *progress);
  if (!progress) return 0;
  progress->rank = rank;
  progress->scout = goal != 0;
  progress->goal = goal;
  progress->stay = goal != 0 && may_stay();
  const double begin = now();
  const pid_t pid = fork();
  if (pid == 0) {
    forget_server();
    standin_progress = progress;
    standin_start_process(rank, goal != 0);
    return 1;
  }
  if (pid < 0) {
    could_not_start(progress, strerror(errno));
    return 0;
  }
  const struct child child = {
      .pid = pid, .life = life_of(pid), .rank = rank, .goal = goal, .started = begin, .progress = progress};
  children[n_children++] = child;
  if (goal) {
    scouts_started++;
    scouts_alive++;
  } else {
    ranks_alive++;
  }
  return 0;
}

static void ended(struct child* child, int status) {
  char what[64];
  const char* state = "ended";
  int code = 0;
  if (child->timed_out) {
    snprintf(what, sizeof what, "ran into the time limit of %g s", standin_plan.timeout);
    state = "timeout";
    code = STANDIN_TIMED_OUT;
  } else if (WIFSIGNALED(status)) {
    snprintf(what, sizeof what, "was killed by signal %d", WTERMSIG(status));
    state = "killed";
    code = 128 + WTERMSIG(status);
  } else {
    code = WEXITSTATUS(status);
    snprintf(what, sizeof what, code ? "ended with exit code %d" : "ended", code);
    if (child->progress->aborted)
      state = "aborted";
    else if (child->progress->stopped)
      state = "stopped";
    else if (code != 0)
      state = "failed";
    else if (!child->progress->finalized)
      state = "unfinished";
  }
  if (!child->goal || child->goal == to_the_end) disappoint_listeners(child->rank, what, child->progress);
  if (child->goal == to_the_end) {
    /* nobody needs it any more */
  } else if (child->goal) {
    if (!standin_published(child->goal, child->rank)) disappoint(child->rank, child->goal, what, child->progress);
  } else {
    ranks_alive--;
    ranks_done++;
    standin_report_rank(child->progress, state, code, now() - child->started);
  }
  if (child->life >= 0) close(child->life);
}

static void collect(void) {
  for (int i = 0; i < n_children;) {
    int status = 0;
    const int ask = children[i].ready || children[i].life < 0;
    if (!ask || waitpid(children[i].pid, &status, WNOHANG) != children[i].pid) {
      i++;
      continue;
    }
    struct child gone = children[i];
    children[i] = children[--n_children];
    ended(&gone, status);
  }
}

static void watch(void) {
  const double time = now();
  for (int i = 0; i < n_children; i++) {
    struct child* child = &children[i];
    const int waiting = is_waiting(child);
    if (waiting && child->waiting_since == 0) child->waiting_since = time;
    if (!waiting && child->waiting_since > 0) {
      child->waited += time - child->waiting_since;
      child->waiting_since = 0;
    }
    if (waiting || standin_plan.timeout <= 0 || time - child->started - child->waited < standin_plan.timeout ||
        child->timed_out)
      continue;
    child->timed_out = 1;
    kill(child->pid, SIGKILL);
  }
}

static void read_wishes(void) {
  uint64_t where[64];
  const ssize_t got = read(wish_pipe[0], where, sizeof where);
  for (int i = 0; i < got / (ssize_t)sizeof *where; i++) {
    if (where[i] == STANDIN_NEWS) continue;
    grow((void**)&wishes, &wishes_capacity, n_wishes + 1, sizeof *wishes);
    struct standin_wish* wish = (struct standin_wish*)((char*)standin_shared + where[i]);
    wishes[n_wishes++] = (struct open_wish){wish, 0};
    for (int f = 0; f < n_failures; f++) fail_if_named(wish, &failures[f]);
    if (wish->failed) standin_shared_wake();
  }
}

static void forget_granted(void) {
  int kept = 0;
  for (int i = 0; i < n_wishes; i++)
    if (!__atomic_load_n(&wishes[i].wish->done, __ATOMIC_ACQUIRE) && !wishes[i].wish->failed)
      wishes[kept++] = wishes[i];
  n_wishes = kept;
}

static int is_running(int rank, uint64_t goal) {
  for (int i = 0; i < n_children; i++)
    if (children[i].goal == goal && children[i].rank == rank) return 1;
  return 0;
}

/* 1: a herald must be started for this wish. */
static int needs_herald(struct open_wish* open) {
  const int rank = open->wish->ranks[0];
  if (standin_published(open->wish->key, rank) || is_running(rank, 0) || is_running(rank, to_the_end)) return 0;
  if (!has_ended[rank]) return 1;
  disappoint(rank, open->wish->key, "had ended", NULL);
  return 0;
}

/* The rank to be run for a wish next, or -1. */
static int next_scout(struct open_wish* open) {
  while (open->next < open->wish->n) {
    const int rank = open->wish->ranks[open->next++];
    if (!standin_published(open->wish->key, rank) && !is_running(rank, open->wish->key)) return rank;
  }
  return -1;
}

/* A parked scout of this rank goes on to another goal. 0: there is none. */
static int resume(int rank, uint64_t goal) {
  for (int i = 0; i < n_children; i++) {
    struct child* child = &children[i];
    if (child->rank != rank || !child->goal || !__atomic_load_n(&child->progress->parked, __ATOMIC_ACQUIRE)) continue;
    child->goal = child->progress->goal = goal;
    child->started = now();
    child->waited = child->waiting_since = 0;
    child->progress->waiting = 0;
    standin_unpark(&child->progress->parked);
    return 1;
  }
  return 0;
}

/* Starts what may run. Returns 1 in a new process. */
static int start_processes(void) {
  scouts_busy = 0;
  for (int i = 0; i < n_children; i++)
    scouts_busy += children[i].goal != 0 && children[i].goal != to_the_end && !is_waiting(&children[i]);
  for (int i = 0; i < n_wishes; i++)
    if (wishes[i].wish->herald && needs_herald(&wishes[i]) && start(wishes[i].wish->ranks[0], to_the_end)) return 1;
  for (int top = n_wishes; top-- > 0 && scouts_busy < standin_plan.jobs;) {
    if (wishes[top].wish->herald) continue;
    for (int rank; scouts_busy < standin_plan.jobs && (rank = next_scout(&wishes[top])) >= 0; scouts_busy++)
      if (!resume(rank, wishes[top].wish->key) && start(rank, wishes[top].wish->key)) return 1;
  }
  while (next_rank < standin_plan.n_ranks && ranks_alive < standin_plan.jobs)
    if (start(standin_plan.ranks[next_rank++], 0)) return 1;
  return 0;
}

/* All that is left has waited for two seconds, and nothing can be started that would end it: the program's own
 * deadlock. */
static void resolve_deadlock(void) {
  static double idle_since;
  int idle = n_children > 0 && n_wishes > 0;
  for (int i = 0; i < n_children; i++) idle &= is_waiting(&children[i]);
  if (!idle || idle_since == 0) {
    idle_since = idle ? now() : 0;
    return;
  }
  if (now() - idle_since < 2) return;
  idle_since = 0;
  for (int i = 0; i < 3 * n_wishes;
       i++) { /* first those who can do without: a message that may never be sent, what a root gives (shared.h) */
    const struct standin_wish* wish = wishes[i % n_wishes].wish;
    if (wish->herald != 2 - (uint32_t)(i / n_wishes)) continue;
    for (uint32_t r = 0; r < wish->n; r++)
      if (!standin_published(wish->key, wish->ranks[r])) {
        disappoint(wish->ranks[r], wish->key, "waits for this one in another call", NULL);
        return;
      }
  }
}

static void show_progress(void) {
  static double shown;
  if (!standin_plan.progress || now() - shown < 0.1) return;
  shown = now();
  fprintf(stderr, "\rmora: dry run: %d of %d ranks done, %d running", ranks_done, standin_plan.n_ranks, ranks_alive);
  if (scouts_started) fprintf(stderr, ", %llu scouts so far", (unsigned long long)scouts_started);
  fprintf(stderr, "\033[K");
}

static void wait_for_something(void) {
  static struct pollfd* watched;
  static int* whose;
  static int capacity, whose_capacity;
  grow((void**)&watched, &capacity, n_children + 1, sizeof *watched);
  grow((void**)&whose, &whose_capacity, n_children + 1, sizeof *whose);
  int n = 0, blind = 0;
  watched[n++] = (struct pollfd){wish_pipe[0], POLLIN, 0};
  for (int i = 0; i < n_children; i++) {
    children[i].ready = 0;
    if (children[i].life < 0) {
      blind = 1;
    } else if (!children[i].progress->parked) {
      whose[n] = i;
      watched[n++] = (struct pollfd){children[i].life, POLLIN, 0};
    }
  }
  const int events = poll(watched, (nfds_t)n, blind ? 10 : 200);
  for (int i = 1; events > 0 && i < n; i++) children[whose[i]].ready = watched[i].revents != 0;
  if (events > 0 && watched[0].revents & POLLIN) read_wishes();
}

static void allow_many_descriptors(void) {
  getrlimit(RLIMIT_NOFILE, &files_before);
  struct rlimit more = files_before;
  more.rlim_cur = more.rlim_max;
  setrlimit(RLIMIT_NOFILE, &more);
}

static int serve_ranks(void) {
  while (ranks_done < standin_plan.n_ranks) {
    forget_granted();
    if (start_processes()) return 1;
    resolve_deadlock();
    wait_for_something();
    collect();
    watch();
    show_progress();
  }
  if (standin_plan.progress) fprintf(stderr, "\r\033[K");
  for (int i = 0; i < n_children; i++) kill(children[i].pid, SIGKILL);
  while (waitpid(-1, NULL, 0) > 0) continue;
  return 0;
}

static void name_the_run(void) {
  uint64_t tag = 0;
  char text[32];
  while (tag == 0)
    if (getrandom(&tag, sizeof tag, 0) != sizeof tag) tag = (uint64_t)(now() * 1e9);
  snprintf(text, sizeof text, "%016llx", (unsigned long long)tag);
  setenv("MORA_RUN_TAG", text, 1);
}

int standin_serve(void) {
  if (!standin_read_plan() || !standin_shared_map() || !standin_registry_start()) return 0;
  has_ended = calloc((size_t)standin_plan.world_size, 1);
  if (!has_ended) return 0;
  if (pipe2(wish_pipe, O_CLOEXEC) != 0) return 0;
  standin_wish_pipe = wish_pipe[1];
  allow_many_descriptors();
  name_the_run();
  if (standin_plan.directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/output", standin_plan.directory);
    mkdir(path, 0777);
  }
  standin_results_begin();
  if (serve_ranks()) return 1;
  const int code = standin_results_end(scouts_started);
  PMPI_Finalize();
  _exit(code);
}
