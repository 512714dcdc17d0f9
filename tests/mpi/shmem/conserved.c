/* Three rounds of each family of collective calls; four PEs. shmem_collect has PE + 1 elements of each. */
#include <shmem.h>

enum { WORDS = 64, SYNCS = 8 };

static long sync[SYNCS]
                [SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE];
static long source[4 * WORDS], target[16 * WORDS], sums[WORDS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static short bits[WORDS], all_bits[WORDS], work_bits[WORDS + SHMEM_REDUCE_MIN_WRKDATA_SIZE];

int main(void) {
  for (int i = 0; i < SYNCS; i++)
    for (size_t k = 0; k < sizeof sync[i] / sizeof *sync[i]; k++) sync[i][k] = SHMEM_SYNC_VALUE;
  shmem_init();
  const int me = shmem_my_pe();
  const size_t own = (size_t)me + 1;
  shmem_barrier_all();
  for (int i = 0; i < 3; i++) {
    shmem_collect32(target, source, own, 0, 0, 4, sync[0]);
    if (me % 2 == 0) shmem_collect64(target, source, own, 0, 1, 2, sync[1]);
    shmem_fcollect32(target, source, 5, 0, 0, 4, sync[2]);
    shmem_alltoall64(target, source, 2, 0, 0, 4, sync[3]);
    shmem_alltoalls32(target, source, 2, 2, 2, 0, 0, 4, sync[4]);
    shmem_broadcast64(target, source, 7, 1, 0, 0, 4, sync[5]);
    shmem_long_sum_to_all(target, source, 6, 0, 0, 4, sums, sync[6]);
    if (me % 2 == 0) shmem_short_xor_to_all(all_bits, bits, 6, 0, 1, 2, work_bits, sync[7]);
    shmem_barrier_all();
  }
  shmem_finalize();
  return 0;
}
