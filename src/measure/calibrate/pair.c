/* Tests of messages between two ranks. All are symmetric in who decides: `from` tells `to` everything in advance. */
#include "measure/calibrate/calibrate.h"

static int64_t ping_pong(const struct mora_pair* pair, int pass, const char* test, int64_t bytes, int count,
                         MPI_Datatype type, int samples) {
  enum { unused = 2, tag = 1 };
  int64_t times[MORA_SAMPLES];
  for (int i = -unused; i < samples; ++i) {
    if (mora_is_first(pair)) {
      const int64_t begin = mora_now();
      MPI_Send(pair->buffer, count, type, pair->to, tag, MPI_COMM_WORLD);
      MPI_Recv(pair->buffer, count, type, pair->to, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i >= 0) times[i] = (mora_now() - begin) / 2;
    } else {
      MPI_Recv(pair->buffer, count, type, pair->from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(pair->buffer, count, type, pair->from, tag, MPI_COMM_WORLD);
    }
  }
  if (!mora_is_first(pair)) return 0;
  for (int i = 0; i < samples; ++i) mora_sample(pair, pass, test, bytes, times[i]);
  return mora_median(times, samples);
}

int64_t mora_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes) {
  return ping_pong(pair, pass, "half_round_trip", bytes, (int)bytes, MPI_BYTE, MORA_SAMPLES);
}

void mora_strided_ping_pong(const struct mora_pair* pair, int pass, int64_t bytes) {
  enum { block = 8 };
  const int blocks = bytes < block ? 1 : (int)(bytes / block);
  MPI_Datatype type;
  MPI_Type_vector(blocks, block, 2 * block, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  ping_pong(pair, pass, "contiguous", (int64_t)blocks * block, blocks * block, MPI_BYTE, MORA_FEW_SAMPLES);
  ping_pong(pair, pass, "strided", (int64_t)blocks * block, 1, type, MORA_FEW_SAMPLES);
  MPI_Type_free(&type);
}

/* The answer comes when the last one was received. */
static void train(const struct mora_pair* pair, int pass, const char* test, int64_t bytes, int messages) {
  enum { unused = 1, tag = 5 };
  char answer = 0;
  for (int i = -unused; i < MORA_FEW_SAMPLES; ++i) {
    const int64_t begin = mora_now();
    for (int m = 0; m < messages; ++m) {
      if (mora_is_first(pair))
        MPI_Send(pair->buffer, (int)bytes, MPI_BYTE, pair->to, tag, MPI_COMM_WORLD);
      else
        MPI_Recv(pair->buffer, (int)bytes, MPI_BYTE, pair->from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (mora_is_first(pair)) {
      MPI_Recv(&answer, 1, MPI_BYTE, pair->to, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i >= 0) mora_sample(pair, pass, test, bytes, mora_now() - begin);
    } else {
      MPI_Send(&answer, 1, MPI_BYTE, pair->from, tag, MPI_COMM_WORLD);
    }
  }
}

void mora_train(const struct mora_pair* pair, int pass, int64_t bytes) {
  train(pair, pass, "train_1", bytes, 1);
  train(pair, pass, "train_8", bytes, 8);
}

int mora_late_receiver(const struct mora_pair* pair, int pass, int64_t bytes, int64_t delay) {
  int is_eager = 0;
  const int n = (int)bytes;
  for (int i = 0; i < MORA_LATE_SAMPLES; ++i) {
    int64_t word = delay;
    if (mora_is_first(pair)) {
      const int64_t said = mora_now();
      MPI_Send(&word, 8, MPI_BYTE, pair->to, 2, MPI_COMM_WORLD);
      mora_spin(delay / 8);
      const int64_t begin = mora_now();
      MPI_Send(pair->buffer, n, MPI_BYTE, pair->to, 3, MPI_COMM_WORLD);
      const int64_t end = mora_now(), sent = end - begin;
      /* The receive cannot have been posted before `delay` after the word was sent. */
      if (end - said < delay) is_eager = 1;
      MPI_Recv(&word, 8, MPI_BYTE, pair->to, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mora_sample(pair, pass, "send", bytes, sent);
      mora_sample(pair, pass, "late_receive", bytes, word);
    } else {
      MPI_Recv(&word, 8, MPI_BYTE, pair->from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mora_spin_in_mpi(MPI_COMM_WORLD, pair->from, word);
      const int64_t begin = mora_now();
      MPI_Recv(pair->buffer, n, MPI_BYTE, pair->from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      word = mora_now() - begin;
      MPI_Send(&word, 8, MPI_BYTE, pair->from, 4, MPI_COMM_WORLD);
    }
  }
  return is_eager;
}
