/* Clock offsets by ping-pong with rank 0, one process per clock (Cristian 1989). Of many round trips the shortest is
 * used: then rank 0's answer lies at most half a round trip off the middle, which is the error of the offset. Offsets
 * are in ns of the monotonic readings: rank 0's time = own time + offset.
 *
 * MPI libraries wait by spinning. Where there are more processes than cores, a round trip would last as long as the
 * time slices of the processes that spin: so processes that are not being measured sleep, and the two that are yield.
 * If the shortest round trip is still long, more are tried for at most 0.1 s per clock. Cost: clocks are measured one
 * after the other; nothing is done if all processes read one clock. Limit: drift between the two measurements (after
 * MPI_Init, before MPI_Finalize) is taken to be linear. */
#include "measure/recorder/recorder.h"

#include <sched.h>
#include <time.h>

enum { least_samples = 64, most_samples = 4096, tag_ping = 1, tag_pong = 2 };
enum { good_round_trip_ns = 50000, longest_trial_ns = 100000000 }; /* 50 us, 0.1 s per clock */
enum { ping_more = 0, ping_last = 1 };

struct offset {
  uint64_t ticks;
  int64_t offset_ns;
  uint64_t round_trip_ns;
  int samples;
};

static int is_first_of_its_clock(const uint64_t* ids, int r) {
  for (int i = 0; i < r; i++)
    if (ids[i] == ids[r]) return 0;
  return 1;
}

static void wait_yielding(MPI_Request* request) {
  for (int done = 0; !done;) {
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
}

static void wait_sleeping(MPI_Request* request) {
  const struct timespec nap = {0, 100000};
  for (int done = 0; !done;) {
    PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&nap, NULL);
  }
}

static void receive(void* buffer, int bytes, int peer, int tag, MPI_Comm comm) {
  MPI_Request request;
  PMPI_Irecv(buffer, bytes, MPI_BYTE, peer, tag, comm, &request);
  wait_yielding(&request);
}

static void answer(MPI_Comm comm, int peer) {
  char ping = ping_more;
  while (ping != ping_last) {
    struct mora_clock_triple now;
    receive(&ping, 1, peer, tag_ping, comm);
    mora_clock_read(&now);
    PMPI_Send(&now.monotonic_ns, 8, MPI_BYTE, peer, tag_pong, comm);
  }
}

static struct offset measure(MPI_Comm comm) {
  struct offset best = {0, 0, UINT64_MAX, 0};
  char ping = ping_more;
  uint64_t first_ns = 0;
  while (ping != ping_last) {
    uint64_t remote_ns;
    struct mora_clock_triple before, after;
    mora_clock_read(&before);
    if (first_ns == 0) first_ns = before.monotonic_ns;
    best.samples++;
    if (best.samples == most_samples ||
        (best.samples >= least_samples &&
         (best.round_trip_ns <= good_round_trip_ns || before.monotonic_ns - first_ns > longest_trial_ns)))
      ping = ping_last;
    PMPI_Send(&ping, 1, MPI_BYTE, 0, tag_ping, comm);
    receive(&remote_ns, 8, 0, tag_pong, comm);
    mora_clock_read(&after);
    const uint64_t round_trip = after.monotonic_ns - before.monotonic_ns;
    if (round_trip >= best.round_trip_ns) continue;
    best.round_trip_ns = round_trip;
    best.offset_ns = (int64_t)(remote_ns - (before.monotonic_ns + round_trip / 2));
    best.ticks = before.ticks + (after.ticks - before.ticks) / 2;
  }
  return best;
}

void mora_clock_offsets(MPI_Comm comm, int rank, int size, const uint64_t* ids, int phase) {
  int clocks = 1, place = 0; /* number of this process's clock */
  for (int r = 1; r < size; r++) {
    if (ids[r] == ids[0] || !is_first_of_its_clock(ids, r)) continue;
    if (ids[r] == ids[rank]) place = clocks;
    clocks++;
  }
  if (clocks == 1) return;
  struct offset mine = {0, 0, 0, 0};
  for (int r = 1, n = 0; r < size; r++) {
    if (ids[r] == ids[0] || !is_first_of_its_clock(ids, r)) continue;
    n++;
    if (rank == 0) answer(comm, r);
    if (rank == r) mine = measure(comm);
    MPI_Request told;
    PMPI_Ibcast(&mine, sizeof mine, MPI_BYTE, r, comm, &told);
    wait_sleeping(&told);
    if (n != place) continue;
    uint64_t* record = mora_journal_small(mora_self.journal);
    if (mora_self.journal->file >= 0) {
      mora_fill_fact(record, 0);
      record[4] = mine.ticks;
      record[5] = (uint64_t)mine.offset_ns;
      record[6] = mine.round_trip_ns;
      record[7] = mora_pair(phase, mine.samples);
      mora_publish_fact(record, 8, MORA_SHAPE_CLOCK_OFFSET);
    }
  }
}
