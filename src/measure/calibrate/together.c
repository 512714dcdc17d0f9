/* What several ranks do at once: pairs that exchange messages (what they share slows them down: max-rate, Gropp 2016),
 * and the same computation on each rank. */
#include <stdlib.h>
#include <string.h>

#include "measure/calibrate/calibrate.h"

enum { most_sizes = 6, smallest = 65536, tag = 7 };

/* Ranks of the node of `place`, in order, into `found`; returns how many. */
static int ranks_on_node(const struct mora_place* places, int ranks, const struct mora_place* place, int* found) {
  int n = 0;
  for (int r = 0; r < ranks; ++r) {
    if (strcmp(places[r].host, place->host) == 0) found[n++] = r;
  }
  return n;
}

/* All pairs are as far apart as the first; returns how many. First ranks are in `firsts`, the others in `seconds`. */
static int find_pairs(const struct mora_place* places, int ranks, int across, int* firsts, int* seconds) {
  int* own = malloc(2 * (size_t)ranks * sizeof *own);
  int* far = own + ranks;
  const int n = ranks_on_node(places, ranks, &places[0], own);
  int pairs = 0, away = 0;
  for (int r = 0; across && r < ranks && away == 0; ++r) {
    if (strcmp(places[r].host, places[0].host) != 0) away = ranks_on_node(places, ranks, &places[r], far);
  }
  const int most = across ? (n < away ? n : away) : n / 2;
  for (int p = 0; p < most; ++p) {
    firsts[pairs] = across ? own[p] : own[2 * p];
    seconds[pairs] = across ? far[p] : own[2 * p + 1];
    if (strcmp(mora_class_of(&places[firsts[0]], &places[seconds[0]]),
               mora_class_of(&places[firsts[pairs]], &places[seconds[pairs]])) == 0)
      ++pairs;
  }
  free(own);
  return pairs;
}

/* Half round trips of one pair while the others of `comm` do the same: before and behind the measured ones there are as
 * many again, so that nobody is alone. */
static void exchange(MPI_Comm comm, int is_first, int partner, char* buffer, int bytes, int64_t* times) {
  enum { more = 2 };
  MPI_Barrier(comm);
  for (int i = -more; i < MORA_FEW_SAMPLES + more; ++i) {
    const int64_t begin = mora_now();
    if (is_first) MPI_Send(buffer, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD);
    MPI_Recv(buffer, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_first) MPI_Send(buffer, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD);
    if (i >= 0 && i < MORA_FEW_SAMPLES) times[i] = (mora_now() - begin) / 2;
  }
}

/* Rank 0, which is the first of the first pair, writes what the firsts of all pairs measured. */
static void write_samples(FILE* raw, const char* class_name, int pairs, const int* firsts, const int* seconds, int pass,
                          int64_t bytes, int64_t* times) {
  char test[32];
  snprintf(test, sizeof test, "pairs_%d", pairs);
  for (int p = 0; p < pairs; ++p) {
    if (p > 0)
      MPI_Recv(times, MORA_FEW_SAMPLES * (int)sizeof *times, MPI_BYTE, firsts[p], tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    for (int i = 0; i < MORA_FEW_SAMPLES; ++i)
      fprintf(raw, "%s,%d,%d,%d,%s,%lld,%lld\n", class_name, firsts[p], seconds[p], pass, test, (long long)bytes,
              (long long)times[i]);
  }
}

/* One number of pairs over all sizes. `mine`: the pair of this rank; the others sleep. */
static void some_pairs(int rank, int pairs, int mine, const int* firsts, const int* seconds, MPI_Comm comm,
                       const int64_t* sizes, int n, int pass, char* buffer, const char* class_name, FILE* raw) {
  int64_t times[MORA_FEW_SAMPLES];
  for (int i = 0; i < n && mine < pairs; ++i) {
    const int is_first = rank == firsts[mine];
    exchange(comm, is_first, is_first ? seconds[mine] : firsts[mine], buffer, (int)sizes[i], times);
    if (rank == 0)
      write_samples(raw, class_name, pairs, firsts, seconds, pass, sizes[i], times);
    else if (is_first)
      MPI_Send(times, sizeof times, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
  }
  mora_wait_for_all();
}

void mora_measure_together(const struct mora_place* places, int ranks, int across, int64_t duration, int64_t largest,
                           char* buffer, FILE* raw) {
  enum { most_counts = 20 };
  int rank = 0, counts[most_counts], steps = 0;
  MPI_Comm comms[most_counts];
  int64_t sizes[most_sizes];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* firsts = malloc(2 * (size_t)ranks * sizeof *firsts);
  int* seconds = firsts + ranks;
  const int all = find_pairs(places, ranks, across, firsts, seconds);
  const char* class_name = all > 0 ? mora_class_of(&places[firsts[0]], &places[seconds[0]]) : "";
  int mine = ranks;
  for (int p = 0; p < all; ++p) {
    if (rank == firsts[p] || rank == seconds[p]) mine = p;
  }
  /* 1, 2, 4 … and all of them. */
  for (int k = 1; all > 1 && steps < most_counts && (steps == 0 || counts[steps - 1] < all); k *= 2) {
    counts[steps] = k < all ? k : all;
    MPI_Comm_split(MPI_COMM_WORLD, mine < counts[steps] ? 0 : MPI_UNDEFINED, rank, &comms[steps]);
    ++steps;
  }
  int64_t until = mora_now() + duration;
  const int n = mora_draw_sizes(sizes, most_sizes, largest < smallest ? largest / 2 : smallest, largest);
  for (int pass = 0, goes_on = steps > 0; goes_on; ++pass) {
    mora_shuffle(sizes, n);
    for (int i = 0; i < steps; ++i) {
      const int s = (i + pass) % steps;
      some_pairs(rank, counts[s], mine, firsts, seconds, comms[s], sizes, n, pass, buffer, class_name, raw);
    }
    goes_on = pass + 1 < MORA_FEWEST_PASSES || mora_now() < until;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (int s = 0; s < steps; ++s) {
    if (comms[s] != MPI_COMM_NULL) MPI_Comm_free(&comms[s]);
  }
  free(firsts);
}

/* ---- computation */

/* Some 100 us of a chain of multiplications. */
static uint64_t compute(uint64_t value) {
  enum { steps = 100000 };
  for (int i = 0; i < steps; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

void mora_measure_computation(int64_t duration, FILE* raw) {
  enum { fewest = 50, most = 5000, about = 100000, not_used = 5 };
  const int64_t wanted = duration / about;
  const int n = (int)(wanted < fewest ? fewest : wanted > most ? most : wanted);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int64_t* times = malloc((size_t)n * sizeof *times);
  volatile uint64_t value = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = -not_used; i < n; ++i) {
    const int64_t begin = mora_now();
    value = compute(value);
    if (i >= 0) times[i] = mora_now() - begin;
  }
  for (int r = 0; r < ranks; ++r) {
    if (rank == 0 && r > 0)
      MPI_Recv(times, n * (int)sizeof *times, MPI_BYTE, r, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == r && r > 0) MPI_Send(times, n * (int)sizeof *times, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n; ++i)
      fprintf(raw, "one_rank,%d,%d,1,computation,0,%lld\n", r, r, (long long)times[i]);
  }
  free(times);
  mora_wait_for_all();
}
