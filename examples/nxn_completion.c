/* N x N Completion: a rank leaves an all-to-all operation long after the first one has left it.
 *
 * The ranks meet in pairs. The odd rank enters first, has sent its part, and is then interrupted for a while
 * (here by a signal; in practice by the system, a daemon, a page fault). The even rank comes ARRIVAL_MS after
 * it, finds everything there and goes on. The odd rank leaves only when its interruption is over, DELAY_MS
 * after its partner.
 *
 * Remedy: keep other programs off the processors; bind ranks to cores and leave one core to the system.
 *
 * Mora must find, with 4 ranks:
 *   metric:  nxn-completion
 *   call:    MPI_Allgather
 *   ranks:   1 3
 *   seconds: 0.20 to 2.0 on each of these ranks
 *   also:    wait-at-nxn
 */
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

enum { DELAY_MS = 400, ALARM_MS = 150, ARRIVAL_MS = 200 };

/* Stands for computation; sleeping leaves the processor to the other ranks. */
static void compute(int milliseconds) {
  struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

/* Runs while the rank is inside the collective call: an interruption from outside, as the system's noise is. */
static void interruption(int signal_number) {
  (void)signal_number;
  compute(DELAY_MS + ARRIVAL_MS);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Comm pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_Barrier(MPI_COMM_WORLD); /* start together */

  int both[2];
  if (rank % 2 == 1) {
    signal(SIGALRM, interruption);
    struct itimerval soon = {.it_value = {0, ALARM_MS * 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
  } else {
    compute(ARRIVAL_MS + ALARM_MS);
  }
  MPI_Allgather(&rank, 1, MPI_INT, both, 1, MPI_INT, pair); /* waits here */
  if (rank % 2 == 0) {
    compute(DELAY_MS); /* so that all end together */
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
