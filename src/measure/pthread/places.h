/* What the calls of POSIX threads have in common: who waits for which object, and the record of a call that is over.
 * Idea: waits.c. Any thread may call all of it; not async-signal-safe but for what its fast paths read. */
#ifndef MORA_MEASURE_PTHREAD_PLACES_H
#define MORA_MEASURE_PTHREAD_PLACES_H

#include "measure/call/library.h"

/* In the order of functions[] in waits.c. */
enum mora_pthread_function {
  MORA_PTHREAD_CREATE,
  MORA_PTHREAD_JOIN,
  MORA_PTHREAD_MUTEX_LOCK,
  MORA_PTHREAD_MUTEX_TIMEDLOCK,
  MORA_PTHREAD_MUTEX_CLOCKLOCK,
  MORA_PTHREAD_MUTEX_UNLOCK,
  MORA_PTHREAD_COND_WAIT,
  MORA_PTHREAD_COND_TIMEDWAIT,
  MORA_PTHREAD_COND_CLOCKWAIT,
  MORA_PTHREAD_COND_SIGNAL,
  MORA_PTHREAD_COND_BROADCAST,
  MORA_PTHREAD_RWLOCK_RDLOCK,
  MORA_PTHREAD_RWLOCK_TIMEDRDLOCK,
  MORA_PTHREAD_RWLOCK_CLOCKRDLOCK,
  MORA_PTHREAD_RWLOCK_WRLOCK,
  MORA_PTHREAD_RWLOCK_TIMEDWRLOCK,
  MORA_PTHREAD_RWLOCK_CLOCKWRLOCK,
  MORA_PTHREAD_RWLOCK_UNLOCK,
  MORA_PTHREAD_SPIN_LOCK,
  MORA_PTHREAD_SPIN_UNLOCK,
  MORA_PTHREAD_SEM_WAIT,
  MORA_PTHREAD_SEM_TIMEDWAIT,
  MORA_PTHREAD_SEM_CLOCKWAIT,
  MORA_PTHREAD_SEM_POST,
  MORA_PTHREAD_BARRIER_WAIT
};

/* Who waits for an object. */
struct mora_pthread_place {
  uint64_t object;
  uint64_t mutex; /* of a condition */
  uint64_t since; /* ticks, of the first of those that wait */
  uint32_t waiting;
};
enum { MORA_PTHREAD_PLACES = 512 };
extern MORA_HIDDEN struct mora_pthread_place mora_pthread_locks[MORA_PTHREAD_PLACES];

extern MORA_HIDDEN int mora_pthreads_accepted;
extern MORA_HIDDEN uint64_t mora_pthreads_least_ticks;
extern MORA_HIDDEN __thread unsigned mora_pthread_held_count; /* objects whose taking was recorded */

#define MORA_PTHREAD_SITE __builtin_return_address(0)
#define MORA_PTHREAD_FRAME __builtin_frame_address(0)
#define MORA_PTHREAD_LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)

/* The program's next function of this name, of the version that new programs have. */
void* mora_pthread_find(const char* name);

#define MORA_PTHREAD_REAL(name)                             \
  ({                                                        \
    static __typeof__(&(name)) known;                       \
    __typeof__(&(name)) real = MORA_PTHREAD_LOAD(known);    \
    if (__builtin_expect(!real, 0)) {                       \
      real = (__typeof__(&(name)))mora_pthread_find(#name); \
      __atomic_store_n(&known, real, __ATOMIC_RELAXED);     \
    }                                                       \
    real;                                                   \
  })

/* Whether the calling thread is in code of the program, as far as the recorder knows. */
static inline int mora_pthread_is_asked(void) {
  return MORA_PTHREAD_LOAD(mora_pthreads_accepted) && mora_self.gate != MORA_GATE_SHUT;
}

static inline struct mora_pthread_place* mora_pthread_place_of(struct mora_pthread_place* table, uint64_t object) {
  return &table[(object * UINT64_C(0x9e3779b97f4a7c15)) >> 55];
}

static inline int mora_pthread_has_waited_long(const struct mora_pthread_place* place, uint64_t object, uint64_t now) {
  const uint64_t since = MORA_PTHREAD_LOAD(place->since);
  return since != 0 && MORA_PTHREAD_LOAD(place->object) == object && now - since >= mora_pthreads_least_ticks;
}

/* Whether a wait took so long that it is recorded. */
static inline int mora_pthread_is_long(uint64_t begin, uint64_t end) {
  return end - begin >= mora_pthreads_least_ticks;
}

/* Around a wait. */
void mora_pthread_wait_begins(struct mora_pthread_place* place, uint64_t object, uint64_t mutex, uint64_t begin);
void mora_pthread_wait_ends(struct mora_pthread_place* place);

/* The objects that the calling thread holds, as far as their taking was recorded. */
void mora_pthread_hold(uint64_t object);
int mora_pthread_holds(uint64_t object);
int mora_pthread_gives_up(uint64_t object);

/* Whether giving up `object` is to be recorded: the thread's taking was, or somebody has waited for long. */
static inline int mora_pthread_is_told(const struct mora_pthread_place* place, uint64_t object, uint64_t now) {
  return mora_pthread_holds(object) || mora_pthread_has_waited_long(place, object, now);
}

/* One call that is over. `object` 0: it took and gave up none; `does`: of enum mora_lock_step. 0: not recorded. */
int mora_pthread_record(enum mora_pthread_function which, uint64_t begin, uint64_t end, uint64_t object, unsigned does,
                        void* site, const void* frame);

#endif
