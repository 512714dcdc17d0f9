/* Start, switching and end of the recorder, and the slow paths of mora_begin.
 *
 * Nothing of a process is touched before MPI_Init: shells and daemons load the library too. The recorder communicates
 * on a private duplicate of MPI_COMM_WORLD only, in MPI_Init and MPI_Finalize; every process takes part in that, also
 * when its own journal could not be opened, as the others would wait otherwise.
 *
 * Threads: the state is written by the thread that initialised MPI; other threads read it to be counted. Nothing here
 * is async-signal-safe: MPI calls in signal handlers are not recorded correctly. A forked child records nothing. */
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

#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/handle_map.h"
#include "measure/handles/request_table.h"
#include "measure/recorder/end.h"
#include "measure/recorder/processors.h"
#include "measure/recorder/samples.h"
#include "measure/recorder/stacks.h"
#include "measure/user/functions.h"
#include "measure/user/marks.h"
#include "mpi/function_table.h"

__thread int mora_gate = MORA_GATE_FOREIGN;
int mora_gate_resting = MORA_GATE_SHUT;
uint8_t mora_enabled[MORA_FN_COUNT + 1];
struct mora_journal mora_journal = {.file = -1, .state = &mora_no_state};
uint64_t mora_unknown_requests;

static enum { not_started, running, closed } state;
static uint8_t noted[MORA_FN_COUNT + 1];
enum { pattern_chunk_bytes = 1 << 16 }; /* many processes on one machine */

static struct mora_paths paths;
static MPI_Comm private_comm;
static int rank, size, finalized, may_record, is_dry_run;
static uint64_t* clock_ids;
static uint64_t foreign_calls, forks;
static pid_t recorded_pid;
static struct mora_clock_triple at_init; /* Enter of MPI_Init */
static __thread MPI_Status* statuses;
static __thread uint32_t statuses_capacity;

/* Whether its hook runs while recording is off, so that the tables of handles stay right. */
static int is_tracked(unsigned function) {
  const unsigned traits = mora_function_traits(function);
  return (traits & MORA_TRAIT_TRACKED) || ((traits & MORA_TRAIT_COMPLETES) && mora_requests_live > 0) ||
         (mora_pattern && function == MORA_FN_MPI_Type_free);
}

int mora_begin_slow(struct mora_call* call, unsigned function) {
  switch (mora_gate) {
    case MORA_GATE_FOREIGN:
      if (mora_threaded && state == running) {
        if (!mora_enabled[function]) return 0;
        mora_thread_admit();
        if (mora_gate != MORA_GATE_OPEN) return mora_begin_slow(call, function);
        mora_name(call, function, 0);
        return 1;
      }
      if (state == running) __atomic_add_fetch(&foreign_calls, 1, __ATOMIC_RELAXED);
      return 0;
    case MORA_GATE_LOST:
      if (mora_enabled[function]) mora_journal_lose(&mora_journal, 1);
      mora_name(call, function, 1);
      return function == MORA_FN_MPI_Finalize;
    default:
      mora_name(call, function, 1);
      return is_tracked(function);
  }
}

/* Only MPI_Init and MPI_Init_thread start the recorder, once, and only with MORA_DIR. */
int mora_admit(unsigned function) {
  if (state != not_started || (function != MORA_FN_MPI_Init && function != MORA_FN_MPI_Init_thread)) return 0;
  const char* directory = getenv("MORA_DIR");
  if (!directory || !*directory) {
    mora_gate = MORA_GATE_SHUT;
    return 0;
  }
  mora_clock_choose();
  mora_stacks_choose();
  return 1;
}

/* From `begin` to now, as the recorder's own time. */
static void write_overhead(uint64_t begin, enum mora_overhead what) {
  const uint64_t ticks = mora_ticks() - begin;
  uint64_t* record = mora_journal_small(&mora_journal);
  record[1] = begin;
  record[2] = ticks >> 32 << 48;
  record[3] = ticks << 32;
  record[4] = mora_pair(what, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_OVERHEAD);
}

static void write_clock(void) {
  struct mora_clock_triple now;
  mora_clock_read(&now);
  uint64_t* record = mora_journal_small(&mora_journal);
  record[1] = mora_pattern ? 0 : now.ticks;
  record[2] = record[3] = 0;
  record[4] = now.ticks;
  record[5] = now.monotonic_ns;
  record[6] = now.realtime_ns;
  mora_publish_fact(record, 7, MORA_SHAPE_CLOCK);
}

void mora_recorder_switch(int on) {
  if (mora_journal.file < 0 || mora_journal.stopped) return;
  mora_gate_resting = on ? MORA_GATE_OPEN : MORA_GATE_OFF;
  mora_core_switch(on);
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill_fact(record, 0);
  record[4] = mora_pair(on, 0);
  mora_publish_fact(record, 5, MORA_SHAPE_RECORDING);
}

/* Not in pattern mode, which records no call sites. */
static void save_maps(void) {
  if (!mora_pattern) mora_save_maps(&paths);
}

void mora_recorder_flush(void) {
  save_maps();
  mora_journal_flush(&mora_journal);
}

void mora_call_failed(struct mora_call* call) {
  call->flags |= MORA_FLAG_FAILED;
  int class = 0;
  if (call->silent || state != running || !may_record || mora_pattern ||
      PMPI_Error_class(call->rc, &class) != MPI_SUCCESS)
    return;
  uint64_t* record = mora_journal_small(&mora_journal);
  record[1] = call->begin;
  record[2] = record[3] = 0;
  record[4] = mora_pair(class, call->function);
  mora_publish_fact(record, 5, MORA_SHAPE_ERROR);
}

void mora_finish_partial(struct mora_call* call) {
  if (!noted[call->function] && !call->silent) {
    noted[call->function] = 1;
    mora_write_note(MORA_NOTE_NO_FULL_EVENTS, call->function);
  }
  mora_finish_plain(call);
}

MPI_Status* mora_statuses(struct mora_call* call, int count) {
  (void)call;
  if (!mora_reserve((void**)&statuses, &statuses_capacity, count > 0 ? (uint32_t)count : 1, sizeof *statuses))
    return MPI_STATUSES_IGNORE;
  return statuses;
}

/* Called by the writer after each chunk: new modules are noted in time, and a full disk ends recording. */
static void chunk_written(struct mora_journal* journal) {
  if (journal->stopped) {
    mora_gate_resting = MORA_GATE_LOST;
    mora_samples_stop();
    mora_core_switch(0);
    mora_report_problem(&paths, "recording stopped: %s; later calls are counted only", strerror(journal->stopped));
  } else {
    save_maps();
  }
}

static void before_fork(void) { __atomic_add_fetch(&forks, 1, __ATOMIC_RELAXED); }

/* After fork in the child: it records nothing, and the parent's journal is left alone. */
static void in_child(void) {
  mora_gate = mora_gate_resting = MORA_GATE_SHUT;
  state = closed;
  mora_threaded = 0;
  mora_samples_forget();
  mora_core_switch(0);
  mora_marks_stop();
  mora_functions_stop();
  mora_journal_abandon(&mora_journal);
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

static void choose_functions(void) {
  const char* queries = getenv("MORA_RECORD_QUERIES");
  const int with_queries = queries && strcmp(queries, "1") == 0;
  for (unsigned i = 1; i <= MORA_FN_COUNT; i++)
    mora_enabled[i] = with_queries || !(mora_function_traits(i) & MORA_TRAIT_QUERY)
                          ? (mora_stacks ? MORA_RECORDED_STACK : MORA_RECORDED)
                          : 0;
}

static int open_journal(uint64_t run_tag, const char* library) {
  struct mora_file_header header;
  memset(&header, 0, sizeof header);
  header.world_rank = (uint32_t)rank;
  header.world_size = (uint32_t)size;
  header.pid = (uint32_t)getpid();
  header.run_tag = run_tag;
  header.clock_id = mora_clock_id();
  header.clock_kind = mora_pattern ? MORA_CLOCK_NONE : mora_clock_kind();
#ifdef OPEN_MPI
  header.mpi_flavour = 1;
#else
  header.mpi_flavour = 2;
#endif
  header.start = at_init;
  const char* shm = getenv("MORA_SHM");
  if (snprintf(header.live_chunk, sizeof header.live_chunk, "%s/mora.%016llx.%d", shm && *shm ? shm : "/dev/shm",
               (unsigned long long)run_tag, rank) >= (int)sizeof header.live_chunk)
    header.live_chunk[0] = 0;
  gethostname(header.host, sizeof header.host - 1);
  if (readlink("/proc/self/exe", header.program, sizeof header.program - 1) < 0) header.program[0] = 0;
  snprintf(header.mpi_library, sizeof header.mpi_library, "%s", library);

  char path[sizeof paths.stem + 16], fallback[sizeof paths.stem + 16], directory[sizeof paths.stem];
  snprintf(directory, sizeof directory, "%s/journal", getenv("MORA_DIR"));
  mkdir(directory, 0777);
  snprintf(path, sizeof path, "%s.journal", paths.stem);
  snprintf(fallback, sizeof fallback, "%s.live", paths.stem);
  const char* chunk = getenv("MORA_CHUNK_BYTES");
  const unsigned long long bytes = chunk ? strtoull(chunk, NULL, 10) : mora_pattern ? pattern_chunk_bytes : 1 << 20;
  const int failure = mora_journal_open(
      &mora_journal, path, fallback,
      bytes > MORA_JOURNAL_MAX_CHUNK_BYTES ? MORA_JOURNAL_MAX_CHUNK_BYTES : (uint32_t)bytes, &header, mora_clock_read);
  if (failure) mora_report_problem(&paths, "nothing was recorded: cannot create %s: %s", path, strerror(failure));
  mora_journal.notify = chunk_written;
  if (mora_pattern && !is_dry_run) mora_journal.state = &mora_no_state; /* nobody asks */
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
  if (!all_have) {
    if (ids) munmap(ids, bytes);
    return;
  }
  const uint64_t clock_id = mora_clock_id();
  PMPI_Allgather(&clock_id, 8, MPI_BYTE, ids, 8, MPI_BYTE, private_comm);
  clock_ids = ids;
}

void mora_recorder_before_init(struct mora_call* call) {
  mora_clock_read(&at_init);
  call->begin = mora_pattern ? 0 : at_init.ticks;
}

void mora_recorder_start(struct mora_call* call) {
  char library[128];
  state = closed; /* until everything below has succeeded */
  if (call->rc != MPI_SUCCESS) {
    state = not_started;
    mora_gate = MORA_GATE_FOREIGN;
    return;
  }
  if (!library_fits(library, sizeof library)) {
    mora_report_problem(NULL, "nothing was recorded: the program uses %s, for which another libmora_mpi is needed",
                        library);
    mora_leave();
    return;
  }
  if (!getenv("MORA_DIR")) { /* removed in MPI_Init: an auxiliary process of a dry run */
    mora_leave();
    return;
  }
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    mora_report_problem(NULL, "a spawned process was not recorded");
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
  choose_functions();
  recorded_pid = getpid();
  const int failure = open_journal(run_tag, library);
  state = running;
  may_record = !failure;
  mora_gate_resting = failure ? MORA_GATE_LOST : MORA_GATE_OPEN;
  pthread_atfork(before_fork, NULL, in_child);
  save_maps();
  if (may_record) {
    mora_comms_start();
    mora_stacks_open();
    uint64_t* record = mora_journal_small(&mora_journal);
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
    mora_samples_start();
    if (setting && strcmp(setting, "0") == 0) mora_recorder_switch(0);
    mora_marks_start();
    mora_functions_start();
  }
  mora_threads_start();
  if (may_record && !mora_pattern) mora_watch_end();
  mora_leave();
}

void mora_recorder_before_finalize(struct mora_call* call) {
  const uint64_t begin = call->begin;
  mora_marks_stop();
  mora_functions_stop();
  if (clock_ids) mora_clock_offsets(private_comm, rank, size, clock_ids, 1);
  if (!is_dry_run) PMPI_Comm_free(&private_comm);
  if (!may_record || mora_journal.stopped) return;
  mora_samples_stop();
  mora_threads_lock();
  mora_core_end();
  write_clock();
  save_maps();
  if (!mora_pattern) {
    mora_write_usage();
    write_overhead(begin, MORA_OVERHEAD_FINALIZE);
  }
  call->begin = mora_journal.state->begin = mora_ticks();
  if (!call->silent) {
    uint64_t* record = mora_journal_small(&mora_journal);
    call->end = call->begin;
    mora_fill(record, call, 0);
    mora_journal_publish(&mora_journal, record, 4, call->function, MORA_SHAPE_CALL, call->flags | MORA_FLAG_OPEN);
  }
  mora_threads_unlock();
}

static void write_last_notes(void) {
  if (mora_unknown_requests) mora_write_note(MORA_NOTE_REQUEST_UNKNOWN, mora_unknown_requests);
  if (foreign_calls) mora_write_note(MORA_NOTE_THREADS, foreign_calls);
  if (forks) mora_write_note(MORA_NOTE_FORKED, forks);
  mora_marks_write_notes();
  mora_functions_write_notes();
  mora_stacks_write_notes();
  mora_samples_write_notes();
  mora_unknown_requests = foreign_calls = forks = 0;
}

void mora_recorder_after_finalize(struct mora_call* call) {
  finalized = 1;
  mora_finish_plain(call);
  mora_threads_lock();
  if (may_record && !mora_journal.stopped) write_last_notes();
  mora_threads_unlock();
}

/* At exit. Another thread than the recorded one may have called exit: then the recorded one may be writing now, and the
 * live chunk is left to the reader, as if the process had been killed. */
__attribute__((destructor)) static void close_recorder(void) {
  if (state != running || getpid() != recorded_pid || !may_record || (mora_gate == MORA_GATE_FOREIGN && !mora_threaded))
    return;
  mora_threads_lock(); /* never unlocked: no record may be written after the journal is closed */
  state = closed;
  mora_gate = mora_gate_resting = MORA_GATE_SHUT;
  mora_samples_stop();
  if (!mora_journal.stopped) {
    save_maps();
    write_last_notes();
    write_clock();
  }
  mora_journal_end(&mora_journal, mora_ticks(), finalized ? 0 : MORA_FLAG_UNSUCCESSFUL);
  mora_journal_close(&mora_journal);
}
