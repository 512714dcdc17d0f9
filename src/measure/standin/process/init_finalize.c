/* MPI_Init to MPI_Finalize and MPI_Abort in a dry run, refusals, and the frame around every entry. MPI_Init turns the
 * process into a server whose children return from it as ranks (fork_server.c).
 *
 * Threads: standin_enter and standin_leave hold one recursive lock, so that the stand-in's functions run one at a time.
 * Nothing here may be called from a signal handler. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/standin/communicators/tables.h"
#include "measure/standin/core/exchange.h"
#include "measure/standin/core/plan.h"
#include "measure/standin/core/registry.h"
#include "measure/standin/core/shared.h"
#include "measure/standin/core/standin_entry.h"
#include "measure/standin/process/fork_server.h"
#include "mpi/function_table.h"

int standin_world_rank, standin_world_size, standin_active;

static int finalized;
static int* self_attributes; /* key values, in the order in which they were set */
static int n_self_attributes, room_for_self_attributes;

MORA_EXPORT int mora_dry_run(void);
int mora_dry_run(void) { return 1; }

/* ---- the entries' frame ---- */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned lock_depth;

unsigned standin_enter(unsigned function) {
  pthread_mutex_lock(&lock);
  lock_depth++;
  const unsigned outer = standin_progress->inside;
  if (!outer) {
    standin_progress->function = function;
    standin_progress->calls++;
    standin_progress->inside = 1;
  }
  return outer;
}

void standin_leave(unsigned outer) {
  standin_progress->inside = outer;
  lock_depth--;
  pthread_mutex_unlock(&lock);
}

unsigned standin_open_lock(void) {
  const unsigned depth = lock_depth;
  lock_depth = 0;
  for (unsigned i = 0; i < depth; i++) pthread_mutex_unlock(&lock);
  return depth;
}

void standin_close_lock(unsigned depth) {
  const unsigned function = standin_progress->function;
  for (unsigned i = 0; i < depth; i++) pthread_mutex_lock(&lock);
  lock_depth = depth;
  standin_progress->function = function;
  standin_progress->inside = 1;
}

/* ---- start and end ---- */

/* A job of one process needs no network, no daemon and no shared memory. The user's own settings win. */
static void ask_for_a_singleton(void) {
  static const char* const settings[][2] = {
      {"OMPI_MCA_ess_singleton_isolated", "1"},   {"OMPI_MCA_pml", "ob1"},      {"OMPI_MCA_btl", "self"},
      {"OMPI_MCA_mtl", "^ofi,psm2,psm,portals4"}, {"OMPI_MCA_osc", "pt2pt,sm"}, {"OMPI_MCA_io", "romio321"}};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) setenv(settings[i][0], settings[i][1], 0);
}

static int is_dry_run(void) {
  const char* size = getenv("MORA_DRYRUN");
  return size && atoi(size) > 0;
}

static void become_a_rank(void) {
  standin_active = 1;
  standin_comms_start();
  if (standin_plan.together) standin_exchange_enter();
}

static int init(int rc) {
  if (rc != MPI_SUCCESS) return rc;
  if (!standin_serve()) return MPI_ERR_OTHER;
  become_a_rank();
  return MPI_SUCCESS;
}

/* MPI_Init has entries of its own: the process is no rank yet. */
MORA_EXPORT int standin_first_Init(int* argc, char*** argv) __asm__("MPI_Init");
MORA_EXPORT int standin_first_profiled_Init(int* argc, char*** argv) __asm__("PMPI_Init")
    __attribute__((alias("MPI_Init")));
int standin_first_Init(int* argc, char*** argv) {
  standin_find_mpi();
  if (standin_active || !is_dry_run()) return PMPI_Init(argc, argv);
  ask_for_a_singleton();
  return init(PMPI_Init(argc, argv));
}

MORA_EXPORT int standin_first_Init_thread(int* argc, char*** argv, int required,
                                          int* provided) __asm__("MPI_Init_thread");
MORA_EXPORT int standin_first_profiled_Init_thread(int* argc, char*** argv, int required,
                                                   int* provided) __asm__("PMPI_Init_thread")
    __attribute__((alias("MPI_Init_thread")));
int standin_first_Init_thread(int* argc, char*** argv, int required, int* provided) {
  standin_find_mpi();
  if (standin_active || !is_dry_run()) return PMPI_Init_thread(argc, argv, required, provided);
  ask_for_a_singleton();
  const int rc = init(PMPI_Init_thread(argc, argv, required, provided));
  if (rc == MPI_SUCCESS) standin_progress->threads = *provided == MPI_THREAD_MULTIPLE;
  return rc;
}

int standin_Initialized(int* flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

int standin_Finalized(int* flag) {
  *flag = finalized;
  return MPI_SUCCESS;
}

/* The real library stays as it is: its threads did not survive the fork. What the program sees of its end are the
 * callbacks of the attributes on MPI_COMM_SELF, in reverse order (MPI-3.1 8.7.1). */
int standin_Finalize(void) {
  if (finalized) return standin_error(NULL, MPI_ERR_OTHER);
  while (n_self_attributes > 0) PMPI_Comm_delete_attr(MPI_COMM_SELF, self_attributes[--n_self_attributes]);
  finalized = 1;
  standin_progress->finalized = 1;
  return MPI_SUCCESS;
}

static int set_attribute(MPI_Comm comm, int keyval, void* value) {
  const int rc = PMPI_Comm_set_attr(comm, keyval, value);
  if (rc != MPI_SUCCESS || comm != MPI_COMM_SELF) return rc;
  int at = 0;
  while (at < n_self_attributes && self_attributes[at] != keyval) at++;
  if (at == room_for_self_attributes) {
    room_for_self_attributes = 2 * room_for_self_attributes + 16;
    self_attributes = realloc(self_attributes, (size_t)room_for_self_attributes * sizeof *self_attributes);
    if (!self_attributes) standin_stop("no memory");
  }
  self_attributes[at] = keyval;
  if (at == n_self_attributes) n_self_attributes++;
  return rc;
}

int standin_Comm_set_attr(MPI_Comm comm, int keyval, void* value) { return set_attribute(comm, keyval, value); }
int standin_Attr_put(MPI_Comm comm, int keyval, void* value) { return set_attribute(comm, keyval, value); }

int standin_Abort(MPI_Comm comm, int code) {
  (void)comm;
  snprintf(standin_progress->text, sizeof standin_progress->text, "MPI_Abort(%d)", code);
  standin_progress->aborted = 1;
  fflush(stdout);
  _exit(code & 0xff ? code & 0xff : 1);
}

/* ---- refusals ---- */

const char* standin_function(void) {
  return standin_progress && standin_progress->function ? mora_function_name(standin_progress->function) : "dry run";
}

void standin_stop(const char* format, ...) {
  static int stopping;
  char text[sizeof standin_progress->text - 64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (standin_progress && !standin_progress->stopped) {
    snprintf(standin_progress->text, sizeof standin_progress->text, "%.60s: %s", standin_function(), text);
    standin_progress->stopped = 1;
  }
  fprintf(stderr, "mora dry run: rank %d: %s: %s\n", standin_world_rank, standin_function(), text);
  if (stopping++ || (standin_progress && standin_progress->auxiliary)) _exit(STANDIN_STOPPED);
  exit(STANDIN_STOPPED);
}

/* Calls the error handler with `code`; `text` says why the process ends, should the handler be MPI_ERRORS_ARE_FATAL. */
static int raise_error(const struct standin_comm* on, int code, const char* text) {
  const MPI_Comm comm = on ? on->handle : MPI_COMM_WORLD;
  MPI_Errhandler handler;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return code;
  const int fatal = handler == MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  if (fatal) standin_stop("%s", text);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

int standin_error(const struct standin_comm* comm, int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return raise_error(comm, code, text);
}

int standin_unsupported(const struct standin_comm* comm) {
  standin_note(standin_function());
  return raise_error(comm, MPI_ERR_UNSUPPORTED_OPERATION, "a dry run cannot do this (docs/user/dryrun.md)");
}

void* standin_alloc(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (!memory) standin_stop("no memory");
  return memory;
}

void* standin_copy(const void* from, size_t bytes) {
  void* memory = standin_alloc(bytes);
  if (bytes > 0) memcpy(memory, from, bytes);
  return memory;
}
