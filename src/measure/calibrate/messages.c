/* All that is measured of the messages of one pair: passes over all sizes; the largest size that is sent without
 * waiting for its receive, by bisection; trains of messages, and messages of many blocks, of fewer sizes. */
#include "measure/calibrate/calibrate.h"

enum { fewest_sizes = 12, most_steps = 40, eager_tries = 3, fewer_sizes = 24, train_largest = 65536 };

/* Returns 1 at the first rank if the size is proved to be eager. */
static int one_size(const struct mora_pair* pair, int pass, int64_t bytes) {
  const int64_t half = mora_ping_pong(pair, pass, bytes);
  return mora_late_receiver(pair, pass, bytes, 20000 + 4 * half);
}
static void warm_size(const struct mora_pair* pair, int pass, int64_t bytes) { one_size(pair, pass, bytes); }

/* Between a size that is eager and a larger one that never was: the largest that is, as far as there is time. */
static int64_t last_eager(const struct mora_pair* pair, int pass, int64_t until, int64_t low, int64_t high) {
  low = mora_agreed(pair, low);
  high = mora_agreed(pair, high);
  for (int step = 0; step < most_steps && low + 1 < high && mora_has_time(pair, until); ++step) {
    const int64_t middle = low + (high - low) / 2;
    int64_t is_eager = 0;
    for (int i = 0; i < eager_tries && !is_eager; ++i) is_eager = mora_agreed(pair, one_size(pair, pass, middle));
    if (is_eager)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void measure_protocols(const struct mora_pair* pair, int64_t duration, int64_t largest) {
  const int64_t begin = mora_now(), until = begin + duration;
  int64_t sizes[MORA_MOST_SIZES];
  const int n = mora_warm_up(pair, begin + duration / 4, sizes, mora_draw_sizes(sizes, MORA_MOST_SIZES, 0, largest),
                             fewest_sizes, warm_size);
  int64_t eager = -1; /* the largest that was proved to be */
  for (int pass = 1; pass < MORA_FEWEST_PASSES || mora_has_time(pair, until); ++pass) {
    mora_shuffle(sizes, n);
    int64_t largest_seen = -1;
    for (int i = 0; i < n && (pass < MORA_FEWEST_PASSES || mora_has_time(pair, until)); ++i) {
      if (one_size(pair, pass, sizes[i]) && sizes[i] > largest_seen) largest_seen = sizes[i];
    }
    if (mora_agreed(pair, largest_seen > eager)) {
      int64_t above = largest;
      for (int i = 0; i < n; ++i) {
        if (sizes[i] > largest_seen && sizes[i] < above) above = sizes[i];
      }
      eager = last_eager(pair, pass, until - duration / 4, largest_seen, above);
    }
  }
  /* Without a size that waits there is no line. */
  if (mora_is_first(pair) && eager < largest)
    fprintf(pair->raw, "# eager_up_to,%s,%lld\n", pair->class_name, (long long)eager);
}

void mora_measure_messages(const struct mora_pair* pair, int64_t duration, int64_t largest) {
  int64_t sizes[fewer_sizes];
  measure_protocols(pair, duration * 3 / 4, largest);
  const int64_t of_trains = largest < train_largest ? largest : train_largest;
  mora_measure_sizes(pair, duration / 8, sizes, mora_draw_sizes(sizes, fewer_sizes, 0, of_trains), mora_train);
  mora_measure_sizes(pair, duration / 8, sizes, mora_draw_sizes(sizes, fewer_sizes, 8, largest / 2),
                     mora_strided_ping_pong);
}
