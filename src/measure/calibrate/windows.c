/* One-sided calls between the two ranks of a pair, on a window that MPI_Win_create made. `from` is the origin; while it
 * works alone `to` is in MPI, waiting for a message. */
#include "measure/calibrate/calibrate.h"

enum { most_sizes = 24, word_tag = 6, unused = 1, pause = 20000, other = 1 };

static void say(const struct mora_pair* pair) {
  MPI_Send(NULL, 0, MPI_BYTE, mora_is_first(pair), word_tag, pair->comm);
}
static void hear(const struct mora_pair* pair) {
  MPI_Recv(NULL, 0, MPI_BYTE, mora_is_first(pair), word_tag, pair->comm, MPI_STATUS_IGNORE);
}

/* ---- transfers: how long the call lasts, and until it is complete at the target */

enum operation { put, get, accumulate, fetch };
static void start(const struct mora_pair* pair, enum operation operation, int bytes) {
  const int words = bytes / 8;
  switch (operation) {
    case put:
      MPI_Put(pair->buffer, bytes, MPI_BYTE, other, 0, bytes, MPI_BYTE, pair->window);
      break;
    case get:
      MPI_Get(pair->buffer, bytes, MPI_BYTE, other, 0, bytes, MPI_BYTE, pair->window);
      break;
    case accumulate:
      MPI_Accumulate(pair->buffer, words, MPI_INT64_T, other, 0, words, MPI_INT64_T, MPI_SUM, pair->window);
      break;
    case fetch:
      MPI_Get_accumulate(pair->buffer, words, MPI_INT64_T, pair->results, words, MPI_INT64_T, other, 0, words,
                         MPI_INT64_T, MPI_SUM, pair->window);
      break;
  }
}

/* `size`: rounded up to whole numbers of 8 bytes. */
static void transfers(const struct mora_pair* pair, int pass, int64_t size) {
  static const char* const calls[] = {"put_call", "get_call", "accumulate_call", "fetch_call"};
  static const char* const ends[] = {"put_complete", "get_complete", "accumulate_complete", "fetch_complete"};
  if (!mora_is_first(pair)) return hear(pair);
  const int bytes = size < 8 ? 8 : (int)((size + 7) / 8 * 8);
  MPI_Win_lock_all(0, pair->window);
  for (int operation = put; operation <= fetch; ++operation) {
    for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
      const int64_t begin = mora_now();
      start(pair, (enum operation)operation, bytes);
      const int64_t called = mora_now();
      MPI_Win_flush(other, pair->window);
      const int64_t end = mora_now();
      if (i < 0) continue;
      mora_sample(pair, pass, calls[operation], bytes, called - begin);
      mora_sample(pair, pass, ends[operation], bytes, end - begin);
    }
  }
  MPI_Win_unlock_all(pair->window);
  say(pair);
}

/* ---- synchronisation */

static void fences(const struct mora_pair* pair, int pass) {
  for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
    const int64_t begin = mora_now();
    MPI_Win_fence(0, pair->window);
    if (i >= 0 && mora_is_first(pair)) mora_sample(pair, pass, "fence", 0, mora_now() - begin);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, pair->window);
}

/* A window of its own, made and freed at both ranks. */
static void creations(const struct mora_pair* pair, int pass, int64_t bytes) {
  enum { samples = 2 };
  for (int i = -unused; i < samples; ++i) {
    MPI_Win window;
    const int64_t begin = mora_now();
    MPI_Win_create(pair->results, (MPI_Aint)bytes, 1, MPI_INFO_NULL, pair->comm, &window);
    const int64_t created = mora_now();
    MPI_Win_free(&window);
    const int64_t freed = mora_now();
    if (i < 0 || !mora_is_first(pair)) continue;
    mora_sample(pair, pass, "create", 0, created - begin);
    mora_sample(pair, pass, "free", 0, freed - created);
  }
}

/* Epochs in which nobody has to wait: each call comes long after what it needs. */
static void calm_epochs(const struct mora_pair* pair, int pass, MPI_Group group) {
  for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
    int64_t times[2]; /* post, wait */
    if (mora_is_first(pair)) {
      hear(pair);
      mora_spin_in_mpi(pair->comm, other, pause);
      const int64_t begin = mora_now();
      MPI_Win_start(group, 0, pair->window);
      const int64_t started = mora_now();
      MPI_Win_complete(pair->window);
      const int64_t completed = mora_now();
      say(pair);
      MPI_Recv(times, sizeof times, MPI_BYTE, other, word_tag, pair->comm, MPI_STATUS_IGNORE);
      if (i < 0) continue;
      mora_sample(pair, pass, "post", 0, times[0]);
      mora_sample(pair, pass, "start", 0, started - begin);
      mora_sample(pair, pass, "complete", 0, completed - started);
      mora_sample(pair, pass, "wait", 0, times[1]);
    } else {
      int64_t begin = mora_now();
      MPI_Win_post(group, 0, pair->window);
      times[0] = mora_now() - begin;
      say(pair);
      hear(pair);
      mora_spin_in_mpi(pair->comm, 0, pause);
      begin = mora_now();
      MPI_Win_wait(pair->window);
      times[1] = mora_now() - begin;
      MPI_Send(times, sizeof times, MPI_BYTE, 0, word_tag, pair->comm);
    }
  }
}

/* Epochs one after another: from the post to the end of the wait. */
static void epochs(const struct mora_pair* pair, int pass, MPI_Group group) {
  int64_t times[MORA_FEW_SAMPLES];
  for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
    if (mora_is_first(pair)) {
      MPI_Win_start(group, 0, pair->window);
      MPI_Win_complete(pair->window);
    } else {
      const int64_t begin = mora_now();
      MPI_Win_post(group, 0, pair->window);
      MPI_Win_wait(pair->window);
      if (i >= 0) times[i] = mora_now() - begin;
    }
  }
  if (!mora_is_first(pair)) {
    MPI_Send(times, sizeof times, MPI_BYTE, 0, word_tag, pair->comm);
    return;
  }
  MPI_Recv(times, sizeof times, MPI_BYTE, other, word_tag, pair->comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < MORA_FEW_SAMPLES; ++i) mora_sample(pair, pass, "epoch", 0, times[i]);
}

/* A lock may be asked for only when the first transfer is, so there is one. */
static void locks(const struct mora_pair* pair, int pass) {
  if (!mora_is_first(pair)) return hear(pair);
  for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
    int64_t at[7];
    at[0] = mora_now();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, pair->window);
    at[1] = mora_now();
    start(pair, put, 8);
    at[2] = mora_now();
    MPI_Win_unlock(other, pair->window);
    at[3] = mora_now();
    MPI_Win_lock_all(0, pair->window);
    at[4] = mora_now();
    MPI_Win_flush(other, pair->window);
    at[5] = mora_now();
    MPI_Win_unlock_all(pair->window);
    at[6] = mora_now();
    if (i < 0) continue;
    mora_sample(pair, pass, "lock", 0, at[1] - at[0]);
    mora_sample(pair, pass, "unlock", 8, at[3] - at[2]);
    mora_sample(pair, pass, "lock_all", 0, at[4] - at[3]);
    mora_sample(pair, pass, "flush", 0, at[5] - at[4]);
    mora_sample(pair, pass, "unlock_all", 0, at[6] - at[5]);
  }
  say(pair);
}

void mora_measure_windows(const struct mora_pair* pair, int64_t duration, int64_t largest) {
  int64_t sizes[most_sizes];
  MPI_Group both, group;
  const int partner = mora_is_first(pair);
  MPI_Comm_group(pair->comm, &both);
  MPI_Group_incl(both, 1, &partner, &group);
  const int64_t until = mora_now() + duration / 4;
  for (int pass = 0; pass < MORA_FEWEST_PASSES || mora_has_time(pair, until); ++pass) {
    fences(pair, pass);
    calm_epochs(pair, pass, group);
    epochs(pair, pass, group);
    locks(pair, pass);
    creations(pair, pass, largest);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&both);
  mora_measure_sizes(pair, duration * 3 / 4, sizes, mora_draw_sizes(sizes, most_sizes, 8, largest), transfers);
}
