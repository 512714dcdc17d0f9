/* Start and end of OpenSHMEM, and the records of its calls (shmem.h). */
#define _GNU_SOURCE
#include "measure/shmem/shmem.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/call/core_time.h"
#include "measure/call/threads.h"
#include "measure/recorder/recorder.h"

static struct mora_library_function functions[] = {MORA_SHMEM_FUNCTIONS};
static void* reals[MORA_SHMEM_COUNT];

#define SITE __builtin_return_address(0)
#define REAL(name) ((__typeof__(&(name)))mora_shmem_real(MORA_SHMEM_##name))

static void* find_real(const char* name) {
  char profiled[64];
  snprintf(profiled, sizeof profiled, "p%s", name);
  void* real = dlsym(RTLD_NEXT, profiled);
  return real ? real : mora_find_next(name, "liboshmem.so.40");
}

void* mora_shmem_real(unsigned function) {
  void* real = __atomic_load_n(&reals[function], __ATOMIC_RELAXED);
  if (__builtin_expect(!real, 0)) {
    real = find_real(functions[function].name);
    __atomic_store_n(&reals[function], real, __ATOMIC_RELAXED);
  }
  return real;
}

static unsigned number_of(unsigned function) { return MORA_FIRST_LIBRARY_FUNCTION + function; }

int mora_shmem_begin(struct mora_call* call, unsigned function, void* site) {
  return mora_library_begin(call, &functions[function], number_of(function), site);
}

void mora_shmem_moved(struct mora_call* call, int pe, uint64_t put, uint64_t got) {
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, 0);
  record[4] = mora_pair(pe, ++mora_self.thread->numbers->transfers);
  record[5] = put;
  record[6] = got;
  mora_publish(call, record, 7, MORA_SHAPE_SHMEM_TRANSFER);
  mora_leave();
}

static int own_pe(void) {
  static int known = -1;
  int pe = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (pe < 0) {
    pe = ((int (*)(void))find_real("shmem_my_pe"))();
    __atomic_store_n(&known, pe, __ATOMIC_RELAXED);
  }
  return pe;
}

void mora_shmem_met(struct mora_call* call, int start, int log_stride, int size, int root, uint64_t sent,
                    uint64_t received) {
  if (root >= 0 && own_pe() == start + (root << log_stride)) {
    sent *= (uint64_t)(size - 1); /* not to itself: OpenSHMEM 1.4, 9.8.5 */
    received = 0;
  } else if (root >= 0) {
    sent = 0;
  }
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, 0);
  record[4] = mora_pair(start, log_stride);
  record[5] = mora_pair(size, root);
  record[6] = sent;
  record[7] = received;
  mora_publish(call, record, 8, MORA_SHAPE_SHMEM_COLLECTIVE);
  mora_leave();
}

/* A lock is the same object in all processes: its address in memory that was allocated together; of a variable, whose
 * address differs where code is position-independent, its place in its module. */
static uint64_t number_of_lock(const void* lock) {
  Dl_info module;
  if (!dladdr(lock, &module) || !module.dli_fname) return (uint64_t)(uintptr_t)lock;
  const char* name = strrchr(module.dli_fname, '/');
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (name = name ? name + 1 : module.dli_fname; *name; name++)
    hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
  const uint64_t offset = (uint64_t)((const char*)lock - (const char*)module.dli_fbase);
  return UINT64_C(1) << 63 | (hash >> 33) << 32 | (uint32_t)offset;
}

void mora_shmem_locked(struct mora_call* call, volatile long* lock, int is_taken) {
  if (!is_taken) call->flags |= MORA_FLAG_UNSUCCESSFUL;
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, 0);
  record[4] = number_of_lock((const void*)lock);
  mora_publish(call, record, 5, MORA_SHAPE_SHMEM_LOCK);
  mora_leave();
}

/* 1: this call starts the recorder. In pattern mode none does. */
static int starts(struct mora_call* call, unsigned function, void* site) {
  if (mora_self.gate != MORA_GATE_FOREIGN) return 0;
  mora_find_mpi();
  const char* pattern = getenv("MORA_PATTERN");
  if (!mora_mpi_found || mora_mpi_is_foreign || (pattern && strcmp(pattern, "1") == 0)) return 0;
  return mora_begin_always(call, number_of(function), site);
}

/* Around a call that initialises OpenSHMEM, and MPI if the program has not done so. */
#define INITIALISE(function, real_call)                                     \
  struct mora_call call;                                                    \
  const int is_start = starts(&call, MORA_SHMEM_##function, SITE);          \
  if (!is_start && !mora_shmem_begin(&call, MORA_SHMEM_##function, SITE)) { \
    real_call;                                                              \
  } else {                                                                  \
    if (is_start) mora_recorder_before_init(&call);                         \
    real_call;                                                              \
    mora_returned(&call, MPI_SUCCESS);                                      \
    if (is_start)                                                           \
      mora_recorder_start(&call, &functions[MORA_SHMEM_##function]);        \
    else {                                                                  \
      mora_core_read_behind();                                              \
      mora_finish_plain(&call);                                             \
    }                                                                       \
  }

MORA_EXPORT void shmem_init(void);
void shmem_init(void){INITIALISE(shmem_init, REAL(shmem_init)())}

MORA_EXPORT void start_pes(int npes);
void start_pes(int npes){INITIALISE(start_pes, REAL(start_pes)(npes))}

MORA_EXPORT int shmem_init_thread(int requested, int* provided);
int shmem_init_thread(int requested, int* provided) {
  int failure;
  INITIALISE(shmem_init_thread, failure = REAL(shmem_init_thread)(requested, provided))
  return failure;
}

static int mpi_is_finalised(void) {
  int flag = 0;
  return PMPI_Finalized(&flag) == MPI_SUCCESS && flag;
}

/* It finalises MPI: what MPI_Finalize does for the recorder happens here, also where recording is off or has ended, as
 * the processes compare their clocks. */
MORA_EXPORT void shmem_finalize(void);
void shmem_finalize(void) {
  struct mora_call call;
  const unsigned function = MORA_SHMEM_shmem_finalize;
  if (!mora_mpi_found || mora_mpi_is_foreign || mpi_is_finalised() || !mora_begin(&call, MORA_FN_MPI_Finalize, SITE)) {
    REAL(shmem_finalize)();
    return;
  }
  if (!mora_pattern) {
    if (!call.silent) mora_library_define(&functions[function], number_of(function));
    mora_name(&call, number_of(function), call.silent);
  }
  mora_recorder_before_finalize(&call);
  REAL(shmem_finalize)();
  mora_returned(&call, MPI_SUCCESS);
  mora_recorder_after_finalize(&call);
}

/* It does not return: all records are written to the file, and then its Enter. */
MORA_EXPORT void shmem_global_exit(int status);
void shmem_global_exit(int status) {
  struct mora_call call;
  if (mora_shmem_begin(&call, MORA_SHMEM_shmem_global_exit, SITE)) {
    mora_threads_lock();
    mora_recorder_flush();
    call.begin = call.end = mora_self.journal->state->begin = mora_ticks();
    uint64_t* record = mora_journal_small(mora_self.journal);
    mora_fill(record, &call, 0);
    mora_journal_publish(mora_self.journal, record, 4, call.function, MORA_SHAPE_CALL, MORA_FLAG_OPEN);
    mora_threads_unlock();
  }
  REAL(shmem_global_exit)(status);
}
