/* Sizes are drawn evenly over their logarithm, so that none is a power of two but by chance, and each pass has a new
 * random order. Source: Mora's rule calibration-practice. */
#include <math.h>
#include <stdlib.h>

#include "measure/calibrate/calibrate.h"

enum { word_tag = 9 };

static uint64_t random_state;
void mora_seed(uint64_t seed) { random_state = seed; }
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

int mora_draw_sizes(int64_t* sizes, int most, int64_t least, int64_t largest) {
  int n = 0;
  if (least == 0) sizes[n++] = 0;
  const double bottom = log2(least == 0 ? 1 : (double)least), top = log2((double)largest);
  sizes[n++] = least == 0 ? 1 : least;
  const int first = n;
  for (int i = first; i < most; ++i) {
    const double part = (i - first + (double)(draw() >> 11) * 0x1p-53) / (most - first);
    sizes[n++] = (int64_t)exp2(bottom + part * (top - bottom));
  }
  sizes[n - 1] = largest;
  qsort(sizes, (size_t)n, sizeof *sizes, compare);
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || sizes[i] != sizes[kept - 1]) sizes[kept++] = sizes[i];
  }
  return kept;
}

void mora_shuffle(int64_t* sizes, int n) {
  for (int i = n - 1; i > 0; --i) {
    const int j = (int)(draw() % (uint64_t)(i + 1));
    const int64_t kept = sizes[i];
    sizes[i] = sizes[j];
    sizes[j] = kept;
  }
}

int64_t mora_agreed(const struct mora_pair* pair, int64_t word) {
  if (mora_is_first(pair))
    MPI_Send(&word, 8, MPI_BYTE, pair->to, word_tag, MPI_COMM_WORLD);
  else
    MPI_Recv(&word, 8, MPI_BYTE, pair->from, word_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return word;
}

int mora_has_time(const struct mora_pair* pair, int64_t until) { return (int)mora_agreed(pair, mora_now() < until); }

int mora_warm_up(const struct mora_pair* pair, int64_t until, int64_t* sizes, int n, int fewest, mora_test test) {
  const int64_t largest = sizes[n - 1];
  sizes[n - 1] = sizes[1];
  sizes[1] = largest;
  mora_shuffle(sizes + 2, n - 2);
  int tried = 0;
  for (; tried < n && (tried < fewest || mora_has_time(pair, until)); ++tried) test(pair, 0, sizes[tried]);
  return tried;
}

void mora_measure_sizes(const struct mora_pair* pair, int64_t duration, int64_t* sizes, int n, mora_test test) {
  enum { fewest = 6 };
  const int64_t begin = mora_now(), until = begin + duration;
  n = mora_warm_up(pair, begin + duration / 4, sizes, n, fewest, test);
  for (int pass = 1; pass < MORA_FEWEST_PASSES || mora_has_time(pair, until); ++pass) {
    mora_shuffle(sizes, n);
    for (int i = 0; i < n && (pass < MORA_FEWEST_PASSES || mora_has_time(pair, until)); ++i) test(pair, pass, sizes[i]);
  }
}
