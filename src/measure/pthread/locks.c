/* What a thread takes and gives up, or passes: mutexes, read-write locks and spin locks; semaphores and barriers.
 *
 * Idea: waits.c. A free one is taken by the function that only tries: what waits is then known before it does. A lock's
 * record is a link in the chain of its holders (src/analysis/patterns/threads/lock_chain.h); who has waited at a
 * semaphore or barrier has nothing afterwards, and the chain's links are those who posted or came last. Which thread
 * came last glibc tells: it is the one that gets PTHREAD_BARRIER_SERIAL_THREAD (its pthread_barrier_wait.c). A timeout
 * leaves a call that took nothing. Waits at semaphores are points of cancellation, also where they need not wait. Cost:
 * one more call of the library and a load; see waits.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "measure/pthread/places.h"

#define SITE MORA_PTHREAD_SITE
#define FRAME MORA_PTHREAD_FRAME
#define REAL MORA_PTHREAD_REAL
#define LOAD MORA_PTHREAD_LOAD
/* The frame that a callee was given must be there while it runs, so nothing is called in the last place. */
#define KEEP_FRAME __asm__ volatile("")

/* ---- locks ---- */

#define TAKE(which, name, tried, PARAMETERS, ARGUMENTS)                                            \
  MORA_EXPORT int name PARAMETERS {                                                                \
    if (!mora_pthread_is_asked()) return REAL(name) ARGUMENTS;                                     \
    const int free_or_not = REAL(tried)(lock);                                                     \
    if (__builtin_expect(free_or_not != EBUSY, 1)) return free_or_not;                             \
    const uint64_t object = (uint64_t)(uintptr_t)lock, begin = mora_ticks();                       \
    struct mora_pthread_place* place = mora_pthread_place_of(mora_pthread_locks, object);          \
    mora_pthread_wait_begins(place, object, 0, begin);                                             \
    const int result = REAL(name) ARGUMENTS;                                                       \
    const uint64_t end = mora_ticks();                                                             \
    mora_pthread_wait_ends(place);                                                                 \
    const uint64_t taken = result == 0 ? object : 0;                                               \
    if (mora_pthread_is_long(begin, end) &&                                                        \
        mora_pthread_record(which, begin, end, taken, MORA_LOCK_TAKEN, SITE, FRAME) && taken != 0) \
      mora_pthread_hold(object);                                                                   \
    KEEP_FRAME;                                                                                    \
    return result;                                                                                 \
  }

TAKE(MORA_PTHREAD_MUTEX_LOCK, pthread_mutex_lock, pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
TAKE(MORA_PTHREAD_MUTEX_TIMEDLOCK, pthread_mutex_timedlock, pthread_mutex_trylock,
     (pthread_mutex_t * lock, const struct timespec* until), (lock, until))
TAKE(MORA_PTHREAD_MUTEX_CLOCKLOCK, pthread_mutex_clocklock, pthread_mutex_trylock,
     (pthread_mutex_t * lock, clockid_t clock, const struct timespec* until), (lock, clock, until))
TAKE(MORA_PTHREAD_RWLOCK_RDLOCK, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
TAKE(MORA_PTHREAD_RWLOCK_TIMEDRDLOCK, pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
     (pthread_rwlock_t * lock, const struct timespec* until), (lock, until))
TAKE(MORA_PTHREAD_RWLOCK_CLOCKRDLOCK, pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec* until), (lock, clock, until))
TAKE(MORA_PTHREAD_RWLOCK_WRLOCK, pthread_rwlock_wrlock, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
TAKE(MORA_PTHREAD_RWLOCK_TIMEDWRLOCK, pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
     (pthread_rwlock_t * lock, const struct timespec* until), (lock, until))
TAKE(MORA_PTHREAD_RWLOCK_CLOCKWRLOCK, pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock,
     (pthread_rwlock_t * lock, clockid_t clock, const struct timespec* until), (lock, clock, until))
TAKE(MORA_PTHREAD_SPIN_LOCK, pthread_spin_lock, pthread_spin_trylock, (pthread_spinlock_t * lock), (lock))

/* Once it is given up, the lock may be gone: only its address is used. */
#define GIVE(which, name, type)                                                                                   \
  MORA_EXPORT int name(type* lock) {                                                                              \
    const uint64_t object = (uint64_t)(uintptr_t)lock;                                                            \
    const struct mora_pthread_place* place = mora_pthread_place_of(mora_pthread_locks, object);                   \
    if (__builtin_expect(LOAD(place->since) == 0 && mora_pthread_held_count == 0, 1) || !mora_pthread_is_asked()) \
      return REAL(name)(lock);                                                                                    \
    const uint64_t now = mora_ticks();                                                                            \
    if (!mora_pthread_is_told(place, object, now)) return REAL(name)(lock);                                       \
    mora_pthread_gives_up(object);                                                                                \
    const int result = REAL(name)(lock);                                                                          \
    if (result == 0) mora_pthread_record(which, now, mora_ticks(), object, MORA_LOCK_GIVEN_UP, SITE, FRAME);      \
    KEEP_FRAME;                                                                                                   \
    return result;                                                                                                \
  }

GIVE(MORA_PTHREAD_MUTEX_UNLOCK, pthread_mutex_unlock, pthread_mutex_t)
GIVE(MORA_PTHREAD_RWLOCK_UNLOCK, pthread_rwlock_unlock, pthread_rwlock_t)
GIVE(MORA_PTHREAD_SPIN_UNLOCK, pthread_spin_unlock, pthread_spinlock_t)

/* ---- what is passed ---- */

static void end_of_wait(void* place) { mora_pthread_wait_ends(place); }

/* A thread that is cancelled here waits no more. */
#define PASS(which, name, PARAMETERS, ARGUMENTS)                                                       \
  MORA_EXPORT int name PARAMETERS {                                                                    \
    if (!mora_pthread_is_asked()) return REAL(name) ARGUMENTS;                                         \
    const int error = errno;                                                                           \
    pthread_testcancel();                                                                              \
    if (__builtin_expect(REAL(sem_trywait)(semaphore) == 0, 1)) return 0;                              \
    errno = error;                                                                                     \
    const uint64_t object = (uint64_t)(uintptr_t)semaphore, begin = mora_ticks();                      \
    struct mora_pthread_place* place = mora_pthread_place_of(mora_pthread_locks, object);              \
    int result;                                                                                        \
    mora_pthread_wait_begins(place, object, 0, begin);                                                 \
    pthread_cleanup_push(end_of_wait, place);                                                          \
    result = REAL(name) ARGUMENTS;                                                                     \
    pthread_cleanup_pop(1);                                                                            \
    const uint64_t end = mora_ticks();                                                                 \
    if (mora_pthread_is_long(begin, end))                                                              \
      mora_pthread_record(which, begin, end, result == 0 ? object : 0, MORA_LOCK_PASSED, SITE, FRAME); \
    KEEP_FRAME;                                                                                        \
    return result;                                                                                     \
  }

PASS(MORA_PTHREAD_SEM_WAIT, sem_wait, (sem_t * semaphore), (semaphore))
PASS(MORA_PTHREAD_SEM_TIMEDWAIT, sem_timedwait, (sem_t * semaphore, const struct timespec* until), (semaphore, until))
PASS(MORA_PTHREAD_SEM_CLOCKWAIT, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec* until),
     (semaphore, clock, until))

MORA_EXPORT int sem_post(sem_t* semaphore) {
  const uint64_t object = (uint64_t)(uintptr_t)semaphore;
  const struct mora_pthread_place* place = mora_pthread_place_of(mora_pthread_locks, object);
  if (__builtin_expect(LOAD(place->since) == 0, 1) || !mora_pthread_is_asked()) return REAL(sem_post)(semaphore);
  const uint64_t now = mora_ticks();
  const int is_long = mora_pthread_has_waited_long(place, object, now);
  const int result = REAL(sem_post)(semaphore);
  if (is_long && result == 0)
    mora_pthread_record(MORA_PTHREAD_SEM_POST, now, mora_ticks(), object, MORA_LOCK_GIVEN_UP, SITE, FRAME);
  KEEP_FRAME;
  return result;
}

MORA_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!mora_pthread_is_asked()) return REAL(pthread_barrier_wait)(barrier);
  const uint64_t object = (uint64_t)(uintptr_t)barrier, begin = mora_ticks();
  struct mora_pthread_place* place = mora_pthread_place_of(mora_pthread_locks, object);
  const int is_awaited = mora_pthread_has_waited_long(place, object, begin);
  mora_pthread_wait_begins(place, object, 0, begin);
  const int result = REAL(pthread_barrier_wait)(barrier);
  const uint64_t end = mora_ticks();
  mora_pthread_wait_ends(place);
  const int is_last = result == PTHREAD_BARRIER_SERIAL_THREAD;
  if (is_last ? is_awaited : mora_pthread_is_long(begin, end))
    mora_pthread_record(MORA_PTHREAD_BARRIER_WAIT, begin, end, object, is_last ? MORA_LOCK_GIVEN_UP : MORA_LOCK_PASSED,
                        SITE, FRAME);
  KEEP_FRAME;
  return result;
}
