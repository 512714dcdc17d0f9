/* Start, switching and end of the recorder, and the slow paths of mora_begin.
 *
 * Nothing of a process is touched before MPI_Init: shells load the library too. The recorder communicates on a private
 * duplicate of MPI_COMM_WORLD, in MPI_Init and MPI_Finalize only; processes without a journal, too: others would wait.
 *
 * Threads: the process's journal and most notes are those of the thread that initialised MPI; others have journals of
 * their own (call/threads.h), or are counted. Not async-signal-safe. A forked child records nothing. */
#define _GNU_SOURCE
#include "measure/recorder/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/call/status.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/handle_map.h"
#include "measure/handles/request_table.h"
#include "measure/handles/windows.h"
#include "measure/openmp/teams.h"
#include "measure/pthread/waits.h"
#include "measure/recorder/end.h"
#include "measure/recorder/journals.h"
#include "measure/recorder/processors.h"
#include "measure/recorder/stacks.h"
#include "measure/samples/samples.h"
#include "measure/user/functions.h"
#include "measure/user/marks.h"
#include "mpi/function_table.h"

__thread struct mora_self mora_self = {.gate = MORA_GATE_FOREIGN,
                                       .gate_resting = MORA_GATE_SHUT,
                                       .journal = &mora_no_thread.journal,
                                       .thread = &mora_no_thread,
                                       .last_comm = &mora_comm_none,
                                       .last_window = &mora_window_none};
uint64_t mora_unknown_requests;

static enum { not_started, running, closed } state;
static uint8_t noted[MORA_FN_COUNT + 1];
static struct mora_paths paths;
static MPI_Comm private_comm;
static int rank, size, finalized, may_record, is_dry_run;
static struct mora_sharing sharing;
static int is_on = 1; /* as MPI_Pcontrol said last */
static uint64_t *clock_ids, foreign_calls, refused_calls, forks;
static pid_t recorded_pid;
static struct mora_clock_triple at_init; /* Enter of MPI_Init */

/* Whether its hook runs while recording is off, so that the tables of handles stay right. */
static int is_tracked(unsigned function) {
  const unsigned traits = mora_function_traits(function);
  return (traits & MORA_TRAIT_TRACKED) || ((traits & MORA_TRAIT_COMPLETES) && mora_requests_are_live()) ||
         (mora_pattern && function == MORA_FN_MPI_Type_free);
}

/* In the thread's own journal. */
static void write_switch(int on) {
  mora_core_switch(on);
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill_fact(record, 0);
  record[4] = mora_pair(on, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_RECORDING);
  mora_counters_here(mora_ticks()); /* what is counted while recording is off is nobody's */
  mora_self.thread->is_off = !on;
}

/* Another thread has switched recording on. */
static void wake(void) {
  int before = MORA_GATE_WAKE;
  __atomic_compare_exchange_n(&mora_self.gate_resting, &before, MORA_GATE_OPEN, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  mora_self.thread->is_off ? write_switch(1) : mora_core_switch(1);
  mora_self.gate = mora_self.gate_resting;
}

static int begin_silently(struct mora_call* call, unsigned function, void* site, int if_this) {
  if (!if_this) return 0;
  mora_name(call, function, 1);
  mora_enter(call, site);
  return 1;
}

int mora_begin_left_out(struct mora_call* call, unsigned function, void* site) {
  return begin_silently(call, function, site, is_tracked(function));
}

int mora_begin_slow(struct mora_call* call, unsigned function, void* site) {
  switch (mora_self.gate) {
    case MORA_GATE_FOREIGN:
      if (state != running || (mora_threaded && !mora_enabled[function])) return 0;
      if (mora_threaded && mora_thread_admit()) return mora_begin(call, function, site);
      __atomic_add_fetch(mora_threaded ? &refused_calls : &foreign_calls, 1, __ATOMIC_RELAXED);
      return 0;
    case MORA_GATE_LOST:
      if (mora_enabled[function] && mora_enabled[function] != MORA_LEFT_OUT) mora_journal_lose(mora_self.journal, 1);
      return begin_silently(call, function, site, function == MORA_FN_MPI_Finalize);
    case MORA_GATE_OFF:
    case MORA_GATE_QUIET:
    case MORA_GATE_IDLE:
      if (mora_self.gate_resting != MORA_GATE_WAKE) {
        if (mora_threaded && !mora_pattern && !mora_self.thread->is_off) write_switch(0); /* by another thread */
        mora_self.gate = mora_threaded || mora_requests_are_live() ? MORA_GATE_QUIET : MORA_GATE_IDLE;
        return mora_begin_left_out(call, function, site);
      }
      /* fall through */
    default:
      wake();
      return mora_begin(call, function, site);
  }
}

int mora_gate_opens(void) {
  if (mora_self.gate == MORA_GATE_FOREIGN && (state != running || !mora_threaded || !mora_thread_admit())) return 0;
  const int is_woken = mora_self.gate_resting == MORA_GATE_WAKE;
  if (is_woken && mora_self.gate >= MORA_GATE_OFF) wake();
  return mora_self.gate == MORA_GATE_OPEN;
}

/* Only MPI_Init, MPI_Init_thread and what initialises MPI besides them start the recorder, once, and only with
 * MORA_DIR. */
int mora_admit(unsigned function) {
  if (state == running && mora_threaded && function == MORA_FN_MPI_Pcontrol) return mora_thread_admit();
  if (state != not_started ||
      (function != MORA_FN_MPI_Init && function != MORA_FN_MPI_Init_thread && function < MORA_FIRST_LIBRARY_FUNCTION))
    return 0;
  const char* directory = getenv("MORA_DIR");
  if (!directory || !*directory) {
    mora_self.gate = MORA_GATE_SHUT;
    return 0;
  }
  mora_self.thread = &mora_first_thread;
  mora_self.journal = &mora_first_thread.journal;
  mora_first_thread.self = &mora_self;
  mora_clock_choose();
  mora_stacks_choose();
  return 1;
}

/* From `begin` to now, as the recorder's own time. */
static void write_overhead(uint64_t begin, enum mora_overhead what) {
  const uint64_t ticks = mora_ticks() - begin;
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = begin;
  record[2] = ticks >> 32 << 48;
  record[3] = ticks << 32;
  record[4] = mora_pair(what, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_OVERHEAD);
}

static void write_clock(void) {
  struct mora_clock_triple now;
  mora_clock_read(&now);
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = mora_pattern ? 0 : now.ticks;
  record[2] = record[3] = 0;
  record[4] = now.ticks;
  record[5] = now.monotonic_ns;
  record[6] = now.realtime_ns;
  mora_publish_fact(record, 7, MORA_SHAPE_CLOCK);
}

/* Of all threads but the calling one. */
static void set_resting_gates(int gate) {
  mora_threads_lock();
  for (struct mora_thread* thread = mora_threads_newest(); thread; thread = thread->before) {
    struct mora_self* self = thread->self;
    if (self && self != &mora_self && __atomic_load_n(&self->gate_resting, __ATOMIC_RELAXED) != MORA_GATE_LOST)
      __atomic_store_n(&self->gate_resting, gate, __ATOMIC_RELAXED);
  }
  mora_threads_unlock();
}

void mora_recorder_switch(int on) {
  if (mora_self.journal->file < 0 || mora_self.journal->stopped) return;
  is_on = on;
  mora_self.gate_resting = on ? MORA_GATE_OPEN : MORA_GATE_OFF;
  if (mora_threaded) set_resting_gates(!on ? MORA_GATE_OFF : mora_pattern ? MORA_GATE_OPEN : MORA_GATE_WAKE);
  write_switch(on);
}

/* The calling thread has its place. */
static void thread_begins(void) {
  mora_stacks_begin_thread();
  mora_self.gate_resting = mora_self.journal->stopped                  ? MORA_GATE_LOST
                           : !is_on                                    ? MORA_GATE_OFF
                           : mora_self.thread->is_off && !mora_pattern ? MORA_GATE_WAKE
                                                                       : MORA_GATE_OPEN;
  mora_samples_begin_thread(mora_processors_begin_thread());
}

/* Cancelled within a call: it lasted until now. */
static void thread_ends(void) {
  mora_samples_end_thread();
  struct mora_state* open = mora_self.journal->state;
  const unsigned function = (unsigned)(open->call & 0xffff);
  open->call = 0;
  if (function == 0 || mora_self.thread->is_off) return;
  struct mora_call call = {.begin = open->begin, .end = mora_ticks(), .site = (void*)(uintptr_t)open->site};
  mora_name(&call, function, 0);
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, &call, UINT32_MAX);
  mora_publish(&call, record, 4, MORA_SHAPE_CALL);
}

/* Not in pattern mode, which records no call sites. */
void mora_recorder_save_maps(void) {
  if (mora_pattern) return;
  mora_threads_lock();
  mora_save_maps(&paths);
  mora_threads_unlock();
}

void mora_recorder_flush(void) {
  mora_recorder_save_maps();
  mora_journal_flush(mora_self.journal);
}

void mora_call_failed(struct mora_call* call) {
  call->flags |= MORA_FLAG_FAILED;
  int class = 0;
  if (call->silent || state != running || !may_record || mora_pattern ||
      PMPI_Error_class(call->rc, &class) != MPI_SUCCESS)
    return;
  uint64_t* record = mora_journal_small(mora_self.journal);
  record[1] = call->begin;
  record[2] = record[3] = 0;
  record[4] = mora_pair(class, call->function);
  mora_publish_fact(record, 5, MORA_SHAPE_ERROR);
}

void mora_query_failed(unsigned function, void* site, int rc) {
  if (mora_pattern) return;
  struct mora_call call = {.begin = mora_self.journal->state->begin, .end = mora_ticks(), .site = site, .rc = rc};
  mora_name(&call, function, 0);
  mora_call_failed(&call);
  mora_finish_plain(&call);
}

void mora_note_partial(const struct mora_call* call) {
  if (call->silent || __atomic_load_n(&noted[call->function], __ATOMIC_RELAXED) ||
      __atomic_exchange_n(&noted[call->function], 1, __ATOMIC_RELAXED))
    return;
  mora_write_note(MORA_NOTE_NO_FULL_EVENTS, call->function);
}

void mora_finish_partial(struct mora_call* call) {
  mora_note_partial(call);
  mora_finish_plain(call);
}

MPI_Status* mora_statuses(struct mora_call* call, int count) {
  (void)call;
  struct mora_room* room = &mora_self.thread->rooms[MORA_ROOM_STATUSES];
  const int has_room =
      mora_reserve(&room->memory, &room->capacity, count > 0 ? (uint32_t)count : 1, sizeof(MPI_Status));
  return has_room ? room->memory : MPI_STATUSES_IGNORE;
}

/* Called by the writer after each chunk: new modules are noted in time, and a full disk ends recording. */
static void chunk_written(struct mora_journal* journal) {
  if (journal->stopped) {
    mora_self.gate_resting = MORA_GATE_LOST;
    if (mora_threaded && mora_pattern) set_resting_gates(MORA_GATE_LOST);
    mora_samples_end_thread();
    mora_core_switch(0);
    if (journal->stopped != MORA_LOST_BUDGET) /* that was to happen */
      mora_report_problem(&paths, "recording stopped: %s; later calls are counted only", strerror(journal->stopped));
  } else {
    mora_recorder_save_maps();
  }
}

static void before_fork(void) { __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED); }

/* After fork in the child: it records nothing, and the parent's journal is left alone. */
static void in_child(void) {
  mora_self.gate = mora_self.gate_resting = MORA_GATE_SHUT;
  state = closed;
  mora_threads_stop();
  mora_samples_forget();
  mora_core_switch(0);
  mora_marks_stop();
  mora_functions_stop();
  mora_teams_stop();
  mora_pthreads_stop();
  mora_journals_abandon();
}

/* 1 if the running MPI library is of the flavour this code was compiled for; handles and statuses differ. */
static int library_fits(char* first_line, size_t bytes) {
  static char version[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  int length = 0;
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return 0;
#ifdef OPEN_MPI
  const int fits = strncmp(version, "Open MPI", 8) == 0;
#else
  const int fits = strstr(version, "MPICH") != NULL;
#endif
  snprintf(first_line, bytes, "%.*s", (int)strcspn(version, "\n"), version);
  return fits;
}

static int open_journal(uint64_t run_tag, const char* library) {
  const struct mora_journal_facts facts = {run_tag, rank, size, library, at_init, chunk_written};
  const int failure = mora_journals_open(&paths, &facts);
  if (mora_pattern && !is_dry_run) mora_self.journal->state = &mora_no_state; /* nobody asks */
  return failure;
}

/* Rank 0 draws the tag; in a dry run the environment gives it and nothing is communicated. */
static uint64_t agree_on_run_tag(void) {
  const char* given = getenv("MORA_RUN_TAG");
  is_dry_run = mora_pattern && given && *given;
  if (is_dry_run) return strtoull(given, NULL, 16);
  PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
  uint64_t tag = 0;
  while (rank == 0 && tag == 0)
    if (getrandom(&tag, sizeof tag, 0) != sizeof tag) tag = mora_ticks();
  PMPI_Bcast(&tag, sizeof tag, MPI_BYTE, 0, private_comm);
  return tag;
}

/* Memory may be short in one process only: then none has them, or the others would wait for it for ever. */
static void exchange_clock_ids(void) {
  const size_t bytes = (size_t)size * sizeof *clock_ids;
  uint64_t* ids = mora_grow(NULL, 0, bytes);
  int has = ids != NULL, all_have = 0;
  PMPI_Allreduce(&has, &all_have, 1, MPI_INT, MPI_MIN, private_comm);
  if (!all_have) return (void)(ids && munmap(ids, bytes));
  uint64_t clock_id = mora_clock_id(), own = 0;
  sharing.processors = mora_own_processors(&own);
  PMPI_Allgather(&own, 8, MPI_BYTE, ids, 8, MPI_BYTE, private_comm);
  for (int r = 0; r < size; r++) sharing.processes += ids[r] == own;
  PMPI_Allgather(&clock_id, 8, MPI_BYTE, ids, 8, MPI_BYTE, private_comm);
  clock_ids = ids;
}

void mora_recorder_before_init(struct mora_call* call) {
  mora_clock_read(&at_init);
  call->begin = mora_pattern ? 0 : at_init.ticks;
}

void mora_recorder_start(struct mora_call* call, struct mora_library_function* function) {
  char library[128];
  state = closed; /* until everything below has succeeded */
  if (call->rc != MPI_SUCCESS) {
    state = not_started;
    mora_self.gate = MORA_GATE_FOREIGN;
    mora_self.thread = &mora_no_thread;
    mora_self.journal = &mora_no_thread.journal;
    return;
  }
  if (!library_fits(library, sizeof library)) {
    mora_report_problem(NULL, "nothing was recorded: the program uses %s, for which another libmora_mpi is needed",
                        library);
    mora_leave();
    return;
  }
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) mora_report_problem(NULL, "a spawned process was not recorded");
  if (parent != MPI_COMM_NULL || !getenv("MORA_DIR")) { /* removed in MPI_Init: an auxiliary process of a dry run */
    mora_leave();
    return;
  }
  const uint64_t overhead_begin = call->end;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const uint64_t run_tag = agree_on_run_tag();
  const uint64_t duration = call->end - call->begin;
  mora_clock_pretend(rank, &at_init);
  call->begin = mora_pattern ? 0 : at_init.ticks;
  call->end = call->begin + duration;
  if (!mora_pattern) exchange_clock_ids();

  snprintf(paths.stem, sizeof paths.stem, "%s/journal/%016llx.%d", getenv("MORA_DIR"), (unsigned long long)run_tag,
           rank);
  mora_choose_functions();
  recorded_pid = getpid();
  const int failure = open_journal(run_tag, library);
  state = running;
  may_record = !failure;
  mora_self.gate_resting = failure ? MORA_GATE_LOST : MORA_GATE_OPEN;
  pthread_atfork(before_fork, NULL, in_child);
  mora_recorder_save_maps();
  if (may_record) {
    mora_basic_types_start();
    mora_comms_start();
    mora_stacks_open(call);
    if (function) mora_library_define(function, call->function);
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill(record, call, 0);
    call->silent = 0;
    mora_publish(call, record, 4, MORA_SHAPE_CALL);
  }
  if (clock_ids) mora_clock_offsets(private_comm, rank, size, clock_ids, 0);
  const char* setting = getenv("MORA_RECORD");
  if (may_record) {
    write_clock();
    if (!mora_pattern) {
      mora_write_processors();
      mora_write_usage();
      write_overhead(mora_clock_is_tsc ? overhead_begin : call->end, MORA_OVERHEAD_INIT);
    }
    mora_core_start(&at_init);
    mora_samples_start(&sharing, mora_stacks_write_places);
    if (setting && strcmp(setting, "0") == 0) mora_recorder_switch(0);
    mora_marks_start();
    mora_functions_start();
    const struct mora_thread_hooks hooks = {mora_journals_open_thread, thread_begins, thread_ends};
    mora_threads_start(&hooks);
    mora_teams_start();
    mora_pthreads_start();
    if (!mora_pattern) mora_watch_end();
  }
  mora_leave();
}

void mora_recorder_before_finalize(struct mora_call* call) {
  const uint64_t begin = call->begin;
  mora_marks_stop();
  mora_functions_stop();
  mora_teams_stop();
  mora_pthreads_stop();
  const int is_recording = may_record && !mora_self.journal->stopped;
  mora_samples_stop(); /* comparing clocks is no time of the program */
  if (is_recording) mora_core_end();
  if (clock_ids) mora_clock_offsets(private_comm, rank, size, clock_ids, 1);
  if (!is_dry_run) PMPI_Comm_free(&private_comm);
  if (!is_recording) return;
  mora_threads_lock();
  write_clock();
  mora_recorder_save_maps();
  if (!mora_pattern) {
    mora_write_usage();
    write_overhead(begin, MORA_OVERHEAD_FINALIZE);
  }
  call->begin = mora_self.journal->state->begin = mora_ticks();
  if (!call->silent) {
    uint64_t* record = mora_journal_small(mora_self.journal);
    call->end = call->begin;
    mora_fill(record, call, 0);
    mora_journal_publish(mora_self.journal, record, 4, call->function, MORA_SHAPE_CALL, call->flags | MORA_FLAG_OPEN);
  }
  mora_threads_unlock();
}

static void write_last_notes(void) {
  if (mora_unknown_requests) mora_write_note(MORA_NOTE_REQUEST_UNKNOWN, mora_unknown_requests);
  if (foreign_calls) mora_write_note(MORA_NOTE_THREADS, foreign_calls);
  if (refused_calls) mora_write_note(MORA_NOTE_THREADS_REFUSED, refused_calls);
  if (forks) mora_write_note(MORA_NOTE_FORKED, forks);
  mora_marks_write_notes();
  mora_functions_write_notes();
  mora_stacks_write_notes();
  mora_samples_write_notes();
  mora_unknown_requests = foreign_calls = refused_calls = forks = 0;
}

void mora_recorder_after_finalize(struct mora_call* call) {
  finalized = 1;
  mora_finish_plain(call);
  mora_threads_lock();
  if (may_record && !mora_self.journal->stopped) write_last_notes();
  mora_threads_unlock();
}

/* At exit. Another thread than that which called MPI_Init may have called exit: then that one may be writing now, and
 * the live chunks are left to the reader, as if the process had been killed. */
__attribute__((destructor)) static void close_recorder(void) {
  if (state != running || getpid() != recorded_pid || !may_record) return;
  if (mora_pattern ? mora_self.gate == MORA_GATE_FOREIGN && !mora_threaded : !mora_is_first_thread()) return;
  mora_threads_lock();
  state = closed;
  mora_self.gate = mora_self.gate_resting = MORA_GATE_SHUT;
  mora_self.thread = &mora_first_thread;
  mora_self.journal = &mora_first_thread.journal;
  mora_samples_stop();
  if (!mora_self.journal->stopped) {
    mora_recorder_save_maps();
    write_last_notes();
    write_clock();
  }
  if (!mora_pattern && !finalized) PMPI_Finalized(&finalized); /* start_pes lets OpenSHMEM end at exit */
  if (!mora_pattern) mora_journals_finish_others();
  mora_journal_end(mora_self.journal, mora_ticks(), finalized ? 0 : MORA_FLAG_UNSUCCESSFUL);
  mora_journal_close(mora_self.journal);
  if (mora_pattern) return; /* the lock stays taken: no thread may write to the journal that they share */
  mora_teams_stop();
  mora_pthreads_stop();
  mora_threads_stop();
  mora_threads_unlock_now(); /* threads that end now are waited for by destructors which run later */
}
