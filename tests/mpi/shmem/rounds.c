/* rounds N [abort|segv]: in each round each PE puts 200 times 8 bytes into its right neighbour, adds one there, and
 * waits for all; behind the last, PE 1 ends as it is told. */
#include <shmem.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static long to[200], sum;

int main(int argc, char** argv) {
  shmem_init();
  const int right = (shmem_my_pe() + 1) % shmem_n_pes();
  const long rounds = atol(argv[1]);
  for (long i = 0; i < rounds; i++) {
    for (int k = 0; k < 200; k++) shmem_long_p(&to[k], i, right);
    shmem_long_atomic_add(&sum, 1, right);
    shmem_barrier_all();
  }
  const char* how = argc > 2 ? argv[2] : "";
  if (shmem_my_pe() == 1 && strcmp(how, "abort") == 0) abort();
  if (shmem_my_pe() == 1 && strcmp(how, "segv") == 0) raise(SIGSEGV);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
