/* Puts, gets and atomic operations of all forms; each PE says how many bytes it has written to and read from each other
 * one, by its own account:
 *
 *   moved pe=0 target=1 calls=12 put=1234 got=567
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 32 };

static long longs[4 * WORDS], counter, compared;
static double reals[WORDS];
static int ints[WORDS];
static char bytes[4096], own_bytes[4096];
static float single;

static long put[8], got[8], calls[8];

static void account(int pe, long written, long read) {
  put[pe] += written;
  got[pe] += read;
  calls[pe]++;
}

static void single_values(int pe) {
  shmem_long_p(&longs[0], 5, pe);
  account(pe, sizeof(long), 0);
  shmem_float_p(&single, 2.5f, pe);
  account(pe, sizeof(float), 0);
  if (shmem_double_g(&reals[0], pe) < 0) abort();
  account(pe, 0, sizeof(double));
  if (shmem_char_g(&bytes[1], pe) == 77) abort();
  account(pe, 0, 1);
}

static void arrays(int pe, int n) {
  long local[WORDS] = {0};
  double local_reals[WORDS] = {0};
  shmem_long_put(longs + WORDS, local, (size_t)n, pe); /* site:shmem_long_put */
  account(pe, n * (long)sizeof(long), 0);
  shmem_double_get(local_reals, reals, (size_t)n, pe);
  account(pe, 0, n * (long)sizeof(double));
  shmem_putmem(bytes, own_bytes, 1000, pe);
  account(pe, 1000, 0);
  shmem_getmem(own_bytes, bytes, 77, pe);
  account(pe, 0, 77);
  shmem_put32(ints, local, 3, pe);
  account(pe, 12, 0);
  shmem_get128(own_bytes, bytes, 2, pe);
  account(pe, 0, 32);
}

static void strided(int pe) {
  int local[WORDS] = {0};
  shmem_int_iput(ints, local, 2, 3, 5, pe);
  account(pe, 5 * (long)sizeof(int), 0);
  shmem_int_iget(local, ints, 1, 2, 7, pe);
  account(pe, 0, 7 * (long)sizeof(int));
  shmem_iput64(longs, local, 1, 1, 4, pe);
  account(pe, 32, 0);
}

static void non_blocking(int pe) {
  long local[WORDS] = {0};
  shmem_long_put_nbi(longs + 2 * WORDS, local, WORDS, pe);
  account(pe, WORDS * (long)sizeof(long), 0);
  shmem_getmem_nbi(own_bytes, bytes, 500, pe);
  account(pe, 0, 500);
  shmem_fence();
  shmem_quiet();
}

static void atomics(int pe) {
  shmem_long_atomic_add(&counter, 1, pe);
  account(pe, sizeof(long), 0);
  if (shmem_long_atomic_fetch_add(&counter, 1, pe) < 0) abort();
  account(pe, sizeof(long), sizeof(long));
  shmem_long_atomic_compare_swap(&compared, 0, 1, pe);
  account(pe, sizeof(long), sizeof(long));
  shmem_int_atomic_swap(ints, 3, pe);
  account(pe, sizeof(int), sizeof(int));
  if (shmem_long_atomic_fetch(&counter, pe) < 0) abort();
  account(pe, 0, sizeof(long));
  shmem_long_inc(&counter, pe);
  account(pe, sizeof(long), 0);
  shmem_ulong_atomic_or((unsigned long*)&compared, 4, pe);
  account(pe, sizeof(long), 0);
}

static void with_context(int pe) {
  shmem_ctx_t context;
  if (shmem_ctx_create(0, &context)) return; /* none is left: nothing to account for */
  shmem_ctx_long_p(context, longs, 1, pe);
  account(pe, sizeof(long), 0);
  shmem_ctx_quiet(context);
  shmem_ctx_destroy(context);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_barrier_all();
  for (int pe = 0; pe < n; pe++) {
    single_values(pe);
    arrays(pe, me + 1);
    strided(pe);
    non_blocking(pe);
    atomics(pe);
    with_context(pe);
  }
  shmem_barrier_all();
  if (counter != 3 * n) abort();
  for (int pe = 0; pe < n; pe++)
    printf("moved pe=%d target=%d calls=%ld put=%ld got=%ld\n", me, pe, calls[pe], put[pe], got[pe]);
  fflush(stdout);
  shmem_finalize();
  return 0;
}
