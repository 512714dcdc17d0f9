/* A thread that finds a mutex taken says in a small table, by the mutex's address, since when it waits; whoever unlocks
 * a mutex looks there and is recorded only if the wait is long by then, so that it is known whose the mutex was. Who
 * waits on a condition says with which mutex, so that a signal tells who ended the wait. Two objects of one place in a
 * table cost a record too many or too few, never a wrong one. Fast paths take no lock and write nothing. */
#define _GNU_SOURCE
#include "measure/pthread/waits.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/call/sampling.h"
#include "measure/call/threads.h"
#include "measure/pthread/places.h"

enum { LEAST_NS = 10000, HELD = 8 };

static struct mora_library_function functions[] = {{"pthread_create", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_join", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_mutex_lock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_mutex_timedlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_mutex_clocklock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_mutex_unlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_cond_wait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_cond_timedwait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_cond_clockwait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_cond_signal", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_cond_broadcast", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_rdlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_timedrdlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_clockrdlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_wrlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_timedwrlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_clockwrlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_rwlock_unlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_spin_lock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_spin_unlock", MORA_LIBRARY_PTHREAD, 0},
                                                   {"sem_wait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"sem_timedwait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"sem_clockwait", MORA_LIBRARY_PTHREAD, 0},
                                                   {"sem_post", MORA_LIBRARY_PTHREAD, 0},
                                                   {"pthread_barrier_wait", MORA_LIBRARY_PTHREAD, 0}};
_Static_assert(sizeof functions / sizeof *functions == MORA_PTHREAD_BARRIER_WAIT + 1, "one name for each");
enum { FIRST_NUMBER = 0xFE00 }; /* behind those of OpenSHMEM */

struct mora_pthread_place mora_pthread_locks[MORA_PTHREAD_PLACES];
static struct mora_pthread_place conditions[MORA_PTHREAD_PLACES];

int mora_pthreads_accepted;
uint64_t mora_pthreads_least_ticks;
static __thread int is_of_program; /* the thread was made by the program, not by MPI */
static __thread uint64_t held[HELD];
__thread unsigned mora_pthread_held_count;

#define SITE MORA_PTHREAD_SITE
#define FRAME MORA_PTHREAD_FRAME
#define REAL MORA_PTHREAD_REAL
#define LOAD MORA_PTHREAD_LOAD
#define STORE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)

/* The newest version of the symbol is the default one for dlsym, too, but for conditions: those of GLIBC_2.2.5 are
 * other objects. */
void* mora_pthread_find(const char* name) {
  void* real = strncmp(name, "pthread_cond_", 13) == 0 ? dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2") : NULL;
  return real ? real : mora_find_next(name, "libc.so.6");
}

void mora_pthreads_start(void) {
  const char* setting = getenv("MORA_PTHREADS");
  if (mora_pattern || (setting && strcmp(setting, "0") == 0)) return;
  const struct timespec moment = {0, 200000};
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  const uint64_t begin = mora_ticks();
  nanosleep(&moment, NULL);
  const uint64_t ticks = mora_ticks() - begin;
  clock_gettime(CLOCK_MONOTONIC, &to);
  const uint64_t ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000 + (uint64_t)(to.tv_nsec - from.tv_nsec);
  mora_pthreads_least_ticks = ns > 0 ? (uint64_t)((double)ticks / (double)ns * LEAST_NS) : LEAST_NS;
  is_of_program = 1;
  STORE(mora_pthreads_accepted, 1);
}

void mora_pthreads_stop(void) { STORE(mora_pthreads_accepted, 0); }

/* OpenMP's libraries wait for their own threads by these calls, and have records of their own; MPI's do so at exit. */
static int is_of_runtime(const void* site) {
  static const char* const runtimes[] = {"libgomp.",   "libomp.",    "libomp-", "libiomp", "libmpi",  "libopen-",
                                         "liboshmem.", "libucp.",    "libucs.", "libuct.", "libucm.", "libevent",
                                         "libpmix.",   "libfabric.", "mca_",    NULL};
  static uint64_t known[64]; /* site * 2 + answer */
  uint64_t* last = &known[((uintptr_t)site >> 2) % 64];
  const uint64_t there = LOAD(*last);
  if (there >> 1 == (uintptr_t)site) return (int)(there & 1);
  struct dl_find_object module; /* takes no lock of the loader, unlike dladdr */
  const char* name = _dl_find_object((void*)(uintptr_t)site, &module) == 0 ? module.dlfo_link_map->l_name : NULL;
  name = name ? strrchr(name, '/') : NULL;
  int answer = 0;
  for (const char* const* begin = runtimes; name && *begin; begin++)
    answer |= strncmp(name + 1, *begin, strlen(*begin)) == 0;
  STORE(*last, (uint64_t)(uintptr_t)site << 1 | (uint64_t)answer);
  return answer;
}

/* The gate is shut then, until left(). */
static int enter(void) {
  if (!mora_pthread_is_asked() || LOAD(mora_self.gate_resting) == MORA_GATE_OFF)
    return 0; /* as another thread has said */
  if (mora_self.gate != MORA_GATE_OPEN && (!is_of_program || !mora_gate_opens())) return 0;
  mora_self.gate = MORA_GATE_SHUT;
  return 1;
}

static void left(void) { mora_self.gate = mora_self.gate_resting; }

int mora_pthread_record(enum mora_pthread_function which, uint64_t begin, uint64_t end, uint64_t object, unsigned does,
                        void* site, const void* frame) {
  if (is_of_runtime(site) || !enter()) return 0;
  /* The thread may have its journal since now only, and that another one's records of the time in which it waited. */
  if (begin < mora_self.thread->ended) begin = mora_self.thread->ended;
  if (end < begin) end = begin;
  if (mora_has_samples()) mora_samples_write(begin);
  const unsigned number = FIRST_NUMBER + (unsigned)which;
  mora_library_define(&functions[which], number);
  struct mora_call call = {.begin = begin, .end = end, .rc = MPI_SUCCESS};
  mora_name(&call, number, 0);
  call.site = (void*)(uintptr_t)mora_site_of(site, frame);
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, &call, 0);
  record[4] = object;
  record[5] = does;
  mora_publish(&call, record, object ? 6 : 4, object ? MORA_SHAPE_THREAD_LOCK : MORA_SHAPE_CALL);
  if (__builtin_expect(end >= mora_self.core_due, 0)) mora_core_read_here(mora_ticks(), 0);
  left();
  return 1;
}

void mora_pthread_hold(uint64_t object) {
  if (mora_pthread_held_count < HELD) held[mora_pthread_held_count++] = object;
}

int mora_pthread_holds(uint64_t object) {
  int is_held = 0;
  for (unsigned i = 0; i < mora_pthread_held_count; i++) is_held |= held[i] == object;
  return is_held;
}

int mora_pthread_gives_up(uint64_t object) {
  for (unsigned i = mora_pthread_held_count; i-- > 0;)
    if (held[i] == object) {
      held[i] = held[--mora_pthread_held_count];
      return 1;
    }
  return 0;
}

void mora_pthread_wait_begins(struct mora_pthread_place* place, uint64_t object, uint64_t mutex, uint64_t begin) {
  if (__atomic_fetch_add(&place->waiting, 1, __ATOMIC_RELAXED) != 0) return;
  STORE(place->object, object);
  STORE(place->mutex, mutex);
  STORE(place->since, begin);
}

void mora_pthread_wait_ends(struct mora_pthread_place* place) {
  if (__atomic_fetch_sub(&place->waiting, 1, __ATOMIC_RELAXED) == 1) STORE(place->since, 0);
}

/* ---- conditions: the wait is a point of cancellation ---- */

static void end_of_wait(void* place) { mora_pthread_wait_ends(place); }

#define WAIT(which, name, PARAMETERS, ARGUMENTS)                                                           \
  MORA_EXPORT int name PARAMETERS {                                                                        \
    if (!mora_pthread_is_asked()) return REAL(name) ARGUMENTS;                                             \
    const uint64_t object = (uint64_t)(uintptr_t)mutex, begin = mora_ticks();                              \
    struct mora_pthread_place* place = mora_pthread_place_of(conditions, (uint64_t)(uintptr_t)condition);  \
    int result;                                                                                            \
    mora_pthread_gives_up(object);                                                                         \
    mora_pthread_wait_begins(place, (uint64_t)(uintptr_t)condition, object, begin);                        \
    pthread_cleanup_push(end_of_wait, place);                                                              \
    result = REAL(name) ARGUMENTS;                                                                         \
    pthread_cleanup_pop(1);                                                                                \
    const uint64_t end = mora_ticks();                                                                     \
    if (mora_pthread_is_long(begin, end) &&                                                                \
        mora_pthread_record(which, begin, end, object, MORA_LOCK_GIVEN_UP | MORA_LOCK_TAKEN, SITE, FRAME)) \
      mora_pthread_hold(object);                                                                           \
    return result;                                                                                         \
  }

WAIT(MORA_PTHREAD_COND_WAIT, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex),
     (condition, mutex))
WAIT(MORA_PTHREAD_COND_TIMEDWAIT, pthread_cond_timedwait,
     (pthread_cond_t * condition, pthread_mutex_t* mutex, const struct timespec* until), (condition, mutex, until))
WAIT(MORA_PTHREAD_COND_CLOCKWAIT, pthread_cond_clockwait,
     (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until),
     (condition, mutex, clock, until))

#define SIGNAL(which, name)                                                                                     \
  MORA_EXPORT int name(pthread_cond_t* condition) {                                                             \
    const struct mora_pthread_place* place = mora_pthread_place_of(conditions, (uint64_t)(uintptr_t)condition); \
    if (__builtin_expect(LOAD(place->since) == 0, 1) || !mora_pthread_is_asked()) return REAL(name)(condition); \
    const uint64_t now = mora_ticks(), mutex = LOAD(place->mutex);                                              \
    const int is_long = mora_pthread_has_waited_long(place, (uint64_t)(uintptr_t)condition, now);               \
    const int result = REAL(name)(condition);                                                                   \
    if (is_long) mora_pthread_record(which, now, mora_ticks(), mutex, MORA_LOCK_GIVEN_UP, SITE, FRAME);         \
    return result;                                                                                              \
  }

SIGNAL(MORA_PTHREAD_COND_SIGNAL, pthread_cond_signal)
SIGNAL(MORA_PTHREAD_COND_BROADCAST, pthread_cond_broadcast)

/* ---- threads ---- */

struct start {
  void* (*function)(void*);
  void* argument;
};

static void* begin_thread(void* given) {
  const struct start start = *(struct start*)given;
  free(given);
  is_of_program = 1;
  void* result = start.function(start.argument);
  is_of_program = 0; /* it ends: a place in the recorder that it gets behind its destructors would not be given back */
  __asm__ volatile("");
  return result;
}

MORA_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                               void* argument) {
  struct start* start = mora_pthread_is_asked() && !is_of_runtime(SITE) ? malloc(sizeof *start) : NULL;
  if (!start) return REAL(pthread_create)(thread, attributes, function, argument);
  mora_threads_expect(); /* below MPI_THREAD_SERIALIZED nobody else does */
  *start = (struct start){function, argument};
  const uint64_t begin = mora_ticks();
  const int result = REAL(pthread_create)(thread, attributes, begin_thread, start);
  if (result != 0) free(start);
  mora_pthread_record(MORA_PTHREAD_CREATE, begin, mora_ticks(), 0, 0, SITE, FRAME);
  return result;
}

MORA_EXPORT int pthread_join(pthread_t thread, void** value) {
  if (!mora_pthread_is_asked()) return REAL(pthread_join)(thread, value);
  const uint64_t begin = mora_ticks();
  const int result = REAL(pthread_join)(thread, value);
  const uint64_t end = mora_ticks();
  if (mora_pthread_is_long(begin, end)) mora_pthread_record(MORA_PTHREAD_JOIN, begin, end, 0, 0, SITE, FRAME);
  return result;
}
