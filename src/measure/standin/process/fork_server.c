/* The server's loop: starts processes, serves their needs, watches time limits and ends.
 *
 * Ranks are started in order, `jobs` at a time. A process that needs what other ranks contribute to a call writes a
 * need (shared.h) to the pipe; the ranks that the need names are run as auxiliary processes, again `jobs` at a time.
 * Needs are a stack: an auxiliary process that has needs itself is served before the processes that wait for it, so
 * that few processes exist at once. A process that waits for a need does not count as running, and the time does not
 * count against its limit. An auxiliary process that has published what it was started for is suspended, as long as
 * memory allows, and resumed when the same rank is needed again.
 *
 * Cost: one fork per rank and at most one per rank that others need, about 2 ms each; the loop wakes on events and
 * every 200 ms and looks at all children. Limits: 16384 suspended processes. Rules `membership-by-forks` and
 * `dry-run-end` (docs/rules.md). */
#define _GNU_SOURCE
#include "measure/standin/process/fork_server.h"

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

#include "measure/standin/core/exchange.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/core/shared.h"
#include "measure/standin/process/deadlock.h"
#include "measure/standin/process/dry_results.h"
#include "mpi/function_table.h"

struct child {
  pid_t pid;
  int pidfd; /* pidfd: readable when the process has ended */
  int rank, timed_out, ready;
  enum { NOT_STOPPED, DROPPED, DEADLOCKED } stopped; /* by the server, as the job ends: of all ranks together */
  uint64_t goal;                         /* of an auxiliary process: what it is to publish; 0 for recorded ranks */
  double started, waited, waiting_since; /* seconds */
  struct standin_progress* progress;
};

struct open_need {
  struct standin_need* need;
  uint32_t next; /* ranks before it have been started, or need not be */
};

/* An auxiliary process ended before it published what it was started for; another one of that rank would, too. */
struct failure {
  uint64_t key;
  int rank;
  char why[sizeof((struct standin_need*)0)->why];
};

static struct failure* failures;
static int n_failures, failures_capacity;
static struct child* children;
static int n_children, children_capacity;
static struct open_need* needs;
static int n_needs, needs_capacity;
static int next_rank, ranks_alive, ranks_done, auxiliaries_busy;
static uint64_t auxiliaries_started;
static int need_pipe[2];
static int auxiliaries_alive;
static struct rlimit files_before; /* of the program; the server needs one descriptor for each process */

enum { FIRST_PIDFD = 768 }; /* descriptors of processes stand above the program's own */

/* The goal of an auxiliary process that publishes root data or messages of rank 0: it runs to its end. */
static const uint64_t to_the_end = UINT64_MAX;
static char* has_ended; /* by rank: its recorded process, or the auxiliary one that runs to its end, has ended */

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

static void fail_if_named(struct standin_need* need, const struct failure* failure) {
  if (need->key != failure->key || need->failed) return;
  for (uint32_t r = 0; r < need->n; r++) {
    if (need->ranks[r] != failure->rank || standin_published(need->key, failure->rank)) continue;
    memcpy(need->why, failure->why, sizeof need->why);
    __atomic_store_n(&need->failed, 1, __ATOMIC_RELEASE);
    return;
  }
}

/* A needed rank will not publish: needs that name it fail, those of now and those that come later. */
static void report_missing(int rank, uint64_t key, const char* what, const struct standin_progress* progress) {
  grow((void**)&failures, &failures_capacity, n_failures + 1, sizeof *failures);
  struct failure* failure = &failures[n_failures++];
  failure->rank = rank;
  failure->key = key;
  const char* last = progress && progress->function ? mora_function_name(progress->function) : NULL;
  snprintf(failure->why, sizeof failure->why,
           "it needs the arguments of rank %d, which %s before it made this call%s%s%s%.200s", rank, what,
           last ? ": its last MPI call was " : "", last ? last : "", progress && progress->text[0] ? "; " : "",
           progress ? progress->text : "");
  for (int i = 0; i < n_needs; i++) fail_if_named(needs[i].need, failure);
  standin_shared_wake();
}

/* A rank has ended and will publish nothing more: needs of its root data or messages fail. */
static void report_ended(int rank, const char* what, const struct standin_progress* progress) {
  has_ended[rank] = 1;
  for (int i = 0; i < n_needs; i++)
    if (needs[i].need->kind != STANDIN_NEED_ARGUMENTS && needs[i].need->ranks[0] == rank &&
        !standin_published(needs[i].need->key, rank))
      report_missing(rank, needs[i].need->key, what, progress);
}

/* A descriptor that is readable when the process has ended; -1: not to be had. */
static int open_pidfd(pid_t pid) {
  const int low = (int)syscall(SYS_pidfd_open, pid, 0);
  if (low < 0) return -1;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, FIRST_PIDFD);
  if (high < 0) return fcntl(low, F_SETFD, FD_CLOEXEC) == 0 ? low : -1;
  close(low);
  return high;
}

/* In a new process: closes what belongs to the server. */
static void forget_server(void) {
  syscall(SYS_close_range, FIRST_PIDFD, FIRST_PIDFD + n_children + 64, 0);
  close(need_pipe[0]);
  setrlimit(RLIMIT_NOFILE, &files_before);
}

static void could_not_start(struct standin_progress* progress, const char* why) {
  progress->stopped = 1;
  snprintf(progress->text, sizeof progress->text, "no process could be started for it: %s", why);
  if (progress->auxiliary) {
    report_missing(progress->rank, progress->goal, "could not be started", progress);
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
  progress->auxiliary = goal != 0;
  progress->goal = goal;
  progress->may_suspend = goal != 0 && standin_may_suspend(auxiliaries_alive);
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
      .pid = pid, .pidfd = open_pidfd(pid), .rank = rank, .goal = goal, .started = begin, .progress = progress};
  children[n_children++] = child;
  if (goal) {
    auxiliaries_started++;
    auxiliaries_alive++;
  } else {
    ranks_alive++;
  }
  return 0;
}

static void stop_all(int how) {
  for (int i = 0; i < n_children; i++) {
    if (children[i].stopped != NOT_STOPPED || children[i].timed_out) continue;
    children[i].stopped = how;
    if (how == DEADLOCKED) standin_save_maps(children[i].rank, children[i].pid);
    kill(children[i].pid, SIGKILL);
  }
}

/* Of all ranks together: a circle of ranks that wait for each other ends the job. */
static void end_deadlock(void) {
  static struct standin_progress** living;
  static int capacity;
  if (!standin_plan.together || n_children == 0 || children[0].stopped != NOT_STOPPED) return;
  grow((void**)&living, &capacity, n_children, sizeof *living);
  for (int i = 0; i < n_children; i++) living[i] = children[i].progress;
  if (!standin_is_deadlock(living, n_children, now())) return;
  stop_all(DEADLOCKED);
}

static void ended(struct child* child, int status) {
  char what[64];
  const char* state = "ended";
  int code = 0;
  if (child->timed_out) {
    snprintf(what, sizeof what, "ran into the time limit of %g s", standin_plan.timeout);
    state = "timeout";
    code = STANDIN_TIMED_OUT;
  } else if (child->stopped == DROPPED) {
    snprintf(what, sizeof what, "was ended with the job");
    state = "dropped";
  } else if (child->stopped == DEADLOCKED) {
    snprintf(what, sizeof what, "was ended in a deadlock");
    state = "deadlock";
    code = STANDIN_STOPPED;
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
  if (standin_plan.together && !child->progress->finalized) {
    if (code == 0 && child->stopped == NOT_STOPPED) code = 1; /* as a launcher says */
    stop_all(DROPPED);
  }
  if (!child->goal || child->goal == to_the_end) report_ended(child->rank, what, child->progress);
  if (child->goal == to_the_end) {
    /* report_ended has failed the needs that name it */
  } else if (child->goal) {
    if (!standin_published(child->goal, child->rank)) report_missing(child->rank, child->goal, what, child->progress);
  } else {
    ranks_alive--;
    ranks_done++;
    standin_report_rank(child->progress, state, code, now() - child->started);
  }
  if (child->pidfd >= 0) close(child->pidfd);
}

static void collect(void) {
  for (int i = 0; i < n_children;) {
    int status = 0;
    const int ask = children[i].ready || children[i].pidfd < 0;
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
    if (!child->goal) standin_save_maps(child->rank, child->pid);
    kill(child->pid, SIGKILL);
  }
}

static void read_needs(void) {
  uint64_t where[64];
  const ssize_t got = read(need_pipe[0], where, sizeof where);
  for (int i = 0; i < got / (ssize_t)sizeof *where; i++) {
    if (where[i] == STANDIN_SUSPENDED) continue;
    grow((void**)&needs, &needs_capacity, n_needs + 1, sizeof *needs);
    struct standin_need* need = (struct standin_need*)((char*)standin_shared + where[i]);
    needs[n_needs++] = (struct open_need){need, 0};
    for (int f = 0; f < n_failures; f++) fail_if_named(need, &failures[f]);
    if (need->failed) standin_shared_wake();
  }
}

static void remove_satisfied(void) {
  int kept = 0;
  for (int i = 0; i < n_needs; i++)
    if (!__atomic_load_n(&needs[i].need->done, __ATOMIC_ACQUIRE) && !needs[i].need->failed) needs[kept++] = needs[i];
  n_needs = kept;
}

static int is_running(int rank, uint64_t goal) {
  for (int i = 0; i < n_children; i++)
    if (children[i].goal == goal && children[i].rank == rank) return 1;
  return 0;
}

/* 1: an auxiliary process that runs to its end must be started for this need of root data or a message. */
static int needs_auxiliary(struct open_need* open) {
  const int rank = open->need->ranks[0];
  if (standin_published(open->need->key, rank) || is_running(rank, 0) || is_running(rank, to_the_end)) return 0;
  if (!has_ended[rank]) return 1;
  report_missing(rank, open->need->key, "had ended", NULL);
  return 0;
}

/* The next rank to be run for a need of arguments, or -1. */
static int next_auxiliary_rank(struct open_need* open) {
  while (open->next < open->need->n) {
    const int rank = open->need->ranks[open->next++];
    if (!standin_published(open->need->key, rank) && !is_running(rank, open->need->key)) return rank;
  }
  return -1;
}

/* Resumes a suspended process of this rank with another goal. 0: there is none. */
static int resume(int rank, uint64_t goal) {
  for (int i = 0; i < n_children; i++) {
    struct child* child = &children[i];
    if (child->rank != rank || !child->goal || !__atomic_load_n(&child->progress->suspended, __ATOMIC_ACQUIRE))
      continue;
    child->goal = child->progress->goal = goal;
    child->started = now();
    child->waited = child->waiting_since = 0;
    child->progress->waiting = 0;
    standin_resume(&child->progress->suspended);
    return 1;
  }
  return 0;
}

/* Starts what may run. Returns 1 in a new process. */
static int start_processes(void) {
  auxiliaries_busy = 0;
  for (int i = 0; i < n_children; i++)
    auxiliaries_busy += children[i].goal != 0 && children[i].goal != to_the_end && !is_waiting(&children[i]);
  for (int i = 0; i < n_needs; i++)
    if (needs[i].need->kind != STANDIN_NEED_ARGUMENTS && needs_auxiliary(&needs[i]) &&
        start(needs[i].need->ranks[0], to_the_end))
      return 1;
  for (int top = n_needs; top-- > 0 && auxiliaries_busy < standin_plan.jobs;) {
    if (needs[top].need->kind != STANDIN_NEED_ARGUMENTS) continue;
    for (int rank; auxiliaries_busy < standin_plan.jobs && (rank = next_auxiliary_rank(&needs[top])) >= 0;
         auxiliaries_busy++)
      if (!resume(rank, needs[top].need->key) && start(rank, needs[top].need->key)) return 1;
  }
  while (next_rank < standin_plan.n_ranks && ranks_alive < standin_plan.jobs)
    if (start(standin_plan.ranks[next_rank++], 0)) return 1;
  return 0;
}

/* All processes have waited for two seconds and none can be started: a deadlock of the program, or a message that was
 * never sent. One need is failed per call, first those that a process can do without: messages of rank 0, then root
 * data, then arguments. */
static void resolve_deadlock(void) {
  static double idle_since;
  int idle = n_children > 0 && n_needs > 0;
  for (int i = 0; i < n_children; i++) idle &= is_waiting(&children[i]);
  if (!idle || idle_since == 0) {
    idle_since = idle ? now() : 0;
    return;
  }
  if (now() - idle_since < 2) return;
  idle_since = 0;
  for (int i = 0; i < 3 * n_needs; i++) {
    const struct standin_need* need = needs[i % n_needs].need;
    if (need->kind != STANDIN_NEED_MESSAGE - (uint32_t)(i / n_needs)) continue;
    for (uint32_t r = 0; r < need->n; r++)
      if (!standin_published(need->key, need->ranks[r])) {
        report_missing(need->ranks[r], need->key, "waits for this one in another call", NULL);
        return;
      }
  }
}

static void show_progress(void) {
  static double shown;
  if (!standin_plan.progress || now() - shown < 0.1) return;
  shown = now();
  fprintf(stderr, "\rmora: dry run: %d of %d ranks done, %d running", ranks_done, standin_plan.n_ranks, ranks_alive);
  if (auxiliaries_started)
    fprintf(stderr, ", %llu auxiliary processes so far", (unsigned long long)auxiliaries_started);
  fprintf(stderr, "\033[K");
}

static void wait_for_something(void) {
  static struct pollfd* watched;
  static int* whose;
  static int capacity, whose_capacity;
  grow((void**)&watched, &capacity, n_children + 1, sizeof *watched);
  grow((void**)&whose, &whose_capacity, n_children + 1, sizeof *whose);
  int n = 0, blind = 0;
  watched[n++] = (struct pollfd){need_pipe[0], POLLIN, 0};
  for (int i = 0; i < n_children; i++) {
    children[i].ready = 0;
    if (children[i].pidfd < 0) {
      blind = 1;
    } else if (!children[i].progress->suspended) {
      whose[n] = i;
      watched[n++] = (struct pollfd){children[i].pidfd, POLLIN, 0};
    }
  }
  const int events = poll(watched, (nfds_t)n, blind ? 10 : 200);
  for (int i = 1; events > 0 && i < n; i++) children[whose[i]].ready = watched[i].revents != 0;
  if (events > 0 && watched[0].revents & POLLIN) read_needs();
}

static void allow_many_descriptors(void) {
  getrlimit(RLIMIT_NOFILE, &files_before);
  struct rlimit more = files_before;
  more.rlim_cur = more.rlim_max;
  setrlimit(RLIMIT_NOFILE, &more);
}

static int serve_ranks(void) {
  while (ranks_done < standin_plan.n_ranks) {
    remove_satisfied();
    if (start_processes()) return 1;
    resolve_deadlock();
    wait_for_something();
    collect();
    watch();
    end_deadlock();
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
  if (standin_plan.together && !standin_exchange_start()) return 0;
  has_ended = calloc((size_t)standin_plan.world_size, 1);
  if (!has_ended) return 0;
  if (pipe2(need_pipe, O_CLOEXEC) != 0) return 0;
  standin_need_pipe = need_pipe[1];
  allow_many_descriptors();
  name_the_run();
  if (standin_plan.directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/output", standin_plan.directory);
    mkdir(path, 0777);
  }
  standin_results_begin();
  if (serve_ranks()) return 1;
  const int code = standin_results_end(auxiliaries_started);
  PMPI_Finalize();
  _exit(code);
}
