/* Measures one pair of ranks of each class of distance, one class after the other, in an even share of the time.
 *
 * In a pair: passes over all sizes, each pass in a new random order; sizes are drawn evenly over their logarithm, so
 * that none is a power of two but by chance. Pass 0 warms up; the sizes that it gets to in a quarter of the time are
 * those of all passes, so that three passes fit. Behind it the largest size that is sent without waiting
 * for its receive is found by bisection. Ranks that are not measured sleep. Source: Mora's rule calibration-practice.
 *
 *     mora_calibrate RAW_FILE SECONDS SEED LARGEST_BYTES */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measure/calibrate/calibrate.h"

enum { most_sizes = 72, fewest_sizes = 12, fewest_passes = 3, word_tag = 9, most_steps = 40, eager_tries = 3 };

static uint64_t random_state;
static uint64_t draw(void) {
  uint64_t z = (random_state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static int compare(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return x < y ? -1 : x > y;
}

/* 0, 1, and one size of each of equal stretches of the logarithm; ascending. */
static int draw_sizes(int64_t* sizes, int64_t largest) {
  int n = 0;
  sizes[n++] = 0;
  sizes[n++] = 1;
  const double top = log2((double)largest);
  for (int i = 2; i < most_sizes; ++i) {
    const double part = (i - 2 + (double)(draw() >> 11) * 0x1p-53) / (most_sizes - 2);
    sizes[n++] = (int64_t)exp2(part * top);
  }
  sizes[n - 1] = largest;
  qsort(sizes, (size_t)n, sizeof *sizes, compare);
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || sizes[i] != sizes[kept - 1]) sizes[kept++] = sizes[i];
  }
  return kept;
}

/* The first rank of the pair says a number to the second. */
static int64_t agreed(const struct mora_pair* pair, int64_t word) {
  if (pair->rank == pair->from)
    MPI_Send(&word, 8, MPI_BYTE, pair->to, word_tag, MPI_COMM_WORLD);
  else
    MPI_Recv(&word, 8, MPI_BYTE, pair->from, word_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return word;
}

/* The first rank's clock says whether there is time left. */
static int has_time(const struct mora_pair* pair, int64_t until) { return (int)agreed(pair, mora_now() < until); }

/* Returns 1 at the first rank if the size is proved to be eager. */
static int one_size(const struct mora_pair* pair, int pass, int64_t bytes) {
  const int64_t half = mora_ping_pong(pair, pass, bytes);
  return mora_late_receiver(pair, pass, bytes, 20000 + 4 * half);
}

/* Between a size that is eager and a larger one that never was: the largest that is, as far as there is time. */
static int64_t last_eager(const struct mora_pair* pair, int pass, int64_t until, int64_t low, int64_t high) {
  low = agreed(pair, low);
  high = agreed(pair, high);
  for (int step = 0; step < most_steps && low + 1 < high && has_time(pair, until); ++step) {
    const int64_t middle = low + (high - low) / 2;
    int64_t is_eager = 0;
    for (int i = 0; i < eager_tries && !is_eager; ++i) is_eager = agreed(pair, one_size(pair, pass, middle));
    if (is_eager)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void shuffle(int64_t* sizes, int n) {
  for (int i = n - 1; i > 0; --i) {
    const int j = (int)(draw() % (uint64_t)(i + 1));
    const int64_t kept = sizes[i];
    sizes[i] = sizes[j];
    sizes[j] = kept;
  }
}

/* Pass 0 over as many sizes as there is time for, the largest and the smallest first; returns how many: those stay. */
static int warm_up(const struct mora_pair* pair, int64_t until, int64_t* sizes, int n) {
  const int64_t largest = sizes[n - 1];
  sizes[n - 1] = sizes[1];
  sizes[1] = largest;
  shuffle(sizes + 2, n - 2);
  int tried = 0;
  for (; tried < n && (tried < fewest_sizes || has_time(pair, until)); ++tried) one_size(pair, 0, sizes[tried]);
  return tried;
}

static void measure(const struct mora_pair* pair, int64_t duration, int64_t largest) {
  const int64_t begin = mora_now(), until = begin + duration;
  int64_t sizes[most_sizes];
  const int n = warm_up(pair, begin + duration / 4, sizes, draw_sizes(sizes, largest));
  int64_t eager = -1; /* the largest that was proved to be */
  for (int pass = 1; pass < fewest_passes || has_time(pair, until); ++pass) {
    shuffle(sizes, n);
    int64_t largest_seen = -1;
    for (int i = 0; i < n && (pass < fewest_passes || has_time(pair, until)); ++i) {
      if (one_size(pair, pass, sizes[i]) && sizes[i] > largest_seen) largest_seen = sizes[i];
    }
    if (agreed(pair, largest_seen > eager)) {
      int64_t above = largest;
      for (int i = 0; i < n; ++i) {
        if (sizes[i] > largest_seen && sizes[i] < above) above = sizes[i];
      }
      eager = last_eager(pair, pass, until - duration / 4, largest_seen, above);
    }
  }
  /* Without a size that waits there is no line. */
  if (pair->rank == pair->from && eager < largest)
    fprintf(pair->raw, "# eager_up_to,%s,%lld\n", pair->class_name, (long long)eager);
}

/* Sleeps until all have come. */
static void wait_for_all(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    const struct timespec pause = {0, 1000000};
    if (!done) nanosleep(&pause, NULL);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 5 || ranks < 2) {
    if (rank == 0) fprintf(stderr, "mora_calibrate: %s\n", ranks < 2 ? "needs at least two ranks" : "four arguments");
    MPI_Finalize();
    return 2;
  }
  const double seconds = atof(argv[2]);
  const int64_t largest = atoll(argv[4]);
  struct mora_place own, *places = malloc((size_t)ranks * sizeof *places);
  mora_own_place(&own);
  MPI_Allgather(&own, sizeof own, MPI_BYTE, places, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  char* buffer = malloc((size_t)largest + 8);
  memset(buffer, 1, (size_t)largest + 8);
  FILE* raw = rank == 0 ? fopen(argv[1], "w") : NULL;
  int is_open = rank != 0 || raw != NULL;
  MPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!is_open) {
    if (rank == 0) fprintf(stderr, "mora_calibrate: cannot write %s\n", argv[1]);
    MPI_Finalize();
    return 3;
  }
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(library, &length);
  library[strcspn(library, "\n,")] = 0;
  for (char* tab = library; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
  if (rank == 0) {
    fprintf(raw, "# mora-calibration 1\n# library,%s\n# ranks,%d\n# host,%s\n# seed,%s\n", library, ranks, own.host,
            argv[3]);
    fprintf(raw, "class,from,to,pass,test,bytes,ns\n");
  }
  /* The pairs are of rank 0, which keeps the raw file. */
  static const char* const classes[] = {"same_core", "same_package", "same_node", "other_node"};
  int partners[4], found = 0;
  for (int c = 0; c < 4; ++c) {
    partners[c] = -1;
    for (int r = ranks - 1; r > 0; --r) {
      if (strcmp(mora_class_of(&places[0], &places[r]), classes[c]) == 0) partners[c] = r;
    }
    if (partners[c] > 0) ++found;
  }
  for (int c = 0; c < 4; ++c) {
    if (partners[c] < 0) continue;
    wait_for_all();
    if (rank == 0 || rank == partners[c]) {
      random_state = strtoull(argv[3], NULL, 10) + (uint64_t)c;
      const struct mora_pair pair = {classes[c], rank, 0, partners[c], buffer, raw};
      measure(&pair, (int64_t)(seconds * 1e9 / found), largest);
    }
    wait_for_all();
  }
  int failed = 0;
  if (raw != NULL) {
    fprintf(raw, "# end\n");
    failed = ferror(raw) != 0;
    failed = fclose(raw) != 0 || failed;
  }
  free(buffer);
  free(places);
  MPI_Finalize();
  return failed ? 3 : 0;
}
