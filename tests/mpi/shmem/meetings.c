/* Barriers, collective operations, locks and waiting for values, each with a late PE. Four PEs; argument: milliseconds
 * of a delay. Says when each PE entered and left each call (clock.h). */
#include <shmem.h>
#include <stdlib.h>

#include "clock.h"

enum { WORDS = 64 };

static long sync_a[SHMEM_BARRIER_SYNC_SIZE], sync_b[SHMEM_BARRIER_SYNC_SIZE];
static long sync_c[SHMEM_COLLECT_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE];
static long source[WORDS * 4], target[WORDS * 16], sums[WORDS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static double reals[WORDS], maxima[WORDS], work_reals[WORDS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static int bits[WORDS], all_bits[WORDS], work_bits[WORDS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long lock_of_program, flag;

static int me;
static double delay;

static void late(int pe) {
  if (me == pe) work(delay);
}

static void barriers(void) {
  late(1);
  TIMED(barrier_all, shmem_barrier_all()); /* site:shmem_barrier_all */
  late(3);
  TIMED(sync_all, shmem_sync_all());
  if (me % 2 == 0) { /* PEs 0 and 2 */
    late(2);
    TIMED(barrier, shmem_barrier(0, 1, 2, sync_a));
    late(0);
    TIMED(sync, shmem_sync(0, 1, 2, sync_b));
  }
  shmem_barrier_all();
}

static void collectives(void) {
  late(1); /* the root */
  TIMED(broadcast, shmem_broadcast64(target, source, WORDS, 1, 0, 0, 4, sync_c));
  shmem_barrier_all();
  if (me > 0) { /* PEs 1, 2, 3; the root is the last of them */
    late(3);
    TIMED(broadcast, shmem_broadcast32(target, source, WORDS, 2, 1, 0, 3, sync_c));
  }
  shmem_barrier_all();
  late(0);
  TIMED(collect, shmem_collect32(target, source, (size_t)me + 1, 0, 0, 4, sync_c));
  shmem_barrier_all();
  late(1);
  TIMED(fcollect, shmem_fcollect64(target, source, WORDS, 0, 0, 4, sync_c));
  shmem_barrier_all();
  late(2);
  TIMED(alltoall, shmem_alltoall64(target, source, WORDS / 4, 0, 0, 4, sync_c));
  shmem_barrier_all();
  late(3);
  TIMED(sum, shmem_long_sum_to_all(target, source, WORDS, 0, 0, 4, sums, sync_c)); /* site:shmem_long_sum_to_all */
  shmem_barrier_all();
  late(0);
  TIMED(max, shmem_double_max_to_all(maxima, reals, WORDS, 0, 0, 4, work_reals, sync_c));
  shmem_barrier_all();
  if (me < 2) {
    late(1);
    TIMED(and, shmem_int_and_to_all(all_bits, bits, WORDS, 0, 0, 2, work_bits, sync_c));
  }
  shmem_barrier_all();
}

static void hold(long* lock) {
  TIMED(lock, shmem_set_lock(lock)); /* site:shmem_set_lock */
  work(delay / 2);
  TIMED(unlock, shmem_clear_lock(lock));
}

static void locks(void) {
  long* allocated = shmem_malloc(sizeof *allocated);
  *allocated = 0;
  shmem_barrier_all();
  hold(&lock_of_program);
  shmem_barrier_all();
  hold(allocated);
  shmem_barrier_all();
  if (me == 0) { /* alone: in Open MPI 4.1 those that test for a lock may keep each other from it for ever */
    while (shmem_test_lock(&lock_of_program)) work(1);
    shmem_clear_lock(&lock_of_program);
  }
  shmem_barrier_all();
  shmem_free(allocated);
}

static void values(void) {
  if (me == 0) {
    work(delay);
    for (int pe = 1; pe < 4; pe++) shmem_long_p(&flag, 7, pe);
    shmem_quiet();
  } else {
    TIMED(wait_until, shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 7)); /* site:shmem_long_wait_until */
  }
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  delay = argc > 1 ? atof(argv[1]) : 50;
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++) sync_a[i] = sync_b[i] = SHMEM_SYNC_VALUE;
  for (size_t i = 0; i < sizeof sync_c / sizeof *sync_c; i++) sync_c[i] = SHMEM_SYNC_VALUE;
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank && atoi(rank) == 2) work(delay);
  TIMED(init, shmem_init());
  me = shmem_my_pe();
  for (int i = 0; i < WORDS; i++) source[i] = me + i, reals[i] = me, bits[i] = 1 << me;
  shmem_barrier_all();
  barriers();
  collectives();
  locks();
  values();
  late(1);
  const double enter = now();
  note("finalize", enter, enter); /* a PE may not print afterwards */
  tell(me);
  shmem_finalize();
  return 0;
}
