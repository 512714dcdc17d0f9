/* What docs/user/dryrun.md promises about data that would come from other ranks. Runs dry only, with 4 processes or
 * more. */
#include "expect.h"

static MPI_Status s, both[2];
static MPI_Request q[8];
static int in[64];

static void assumed_equal(int left, int right) {
  int out[4] = {rank, rank + 1, rank + 2, rank + 3}, n;
  MPI_Isend(out, 2, MPI_INT, right, 9, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(in, 8, MPI_INT, left, 9, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, both);
  EXPECT(both[1].MPI_SOURCE == left && both[1].MPI_TAG == 9 && count_of(&both[1], MPI_INT) == 2 && in[0] == rank &&
         in[1] == rank + 1);
  /* a size, then as many: both from the same tag, in order */
  n = 3;
  MPI_Send(&n, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
  MPI_Send(out + 1, n, MPI_INT, right, 4, MPI_COMM_WORLD);
  MPI_Recv(in, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &s);
  EXPECT(in[0] == 3);
  MPI_Recv(in, in[0], MPI_INT, left, 4, MPI_COMM_WORLD, &s);
  EXPECT(in[2] == rank + 3 && count_of(&s, MPI_INT) == 3);
  /* each neighbour sends what was sent to it */
  MPI_Send(out, 1, MPI_INT, left, 6, MPI_COMM_WORLD);
  MPI_Send(out + 1, 1, MPI_INT, right, 6, MPI_COMM_WORLD);
  MPI_Recv(in, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &s);
  EXPECT(in[0] == rank + 1);
  MPI_Recv(in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &s);
  EXPECT(in[0] == rank);
  /* nothing sent with that tag: full and zero */
  in[0] = in[1] = 5;
  MPI_Recv(in, 2, MPI_INT, left, 77, MPI_COMM_WORLD, &s);
  EXPECT(count_of(&s, MPI_INT) == 2 && in[0] == 0 && in[1] == 0);
  /* a large buffer without a model stays */
  char* large = calloc(100000, 1);
  large[0] = large[99999] = 3;
  MPI_Recv(large, 100000, MPI_CHAR, left, 78, MPI_COMM_WORLD, &s);
  EXPECT(count_of(&s, MPI_CHAR) == 100000 && large[0] == 3 && large[99999] == 3);
  free(large);
}

static void wildcards(void) {
  int seen[1024] = {0}, index, count = 0;
  /* whoever got something answers, in order */
  for (int r = size - 1; r >= 0; r--)
    if (r != rank) MPI_Send(&r, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
  for (int r = size - 1; r >= 0; r--) {
    if (r == rank) continue;
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &s);
    EXPECT(s.MPI_SOURCE == r && s.MPI_TAG == 2);
  }
  /* no message is unanswered: all others in turn */
  for (int r = 0; r < 2 * (size - 1); r++) {
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &s);
    seen[s.MPI_SOURCE]++;
  }
  for (int r = 0; r < size; r++) EXPECT(seen[r] == (r == rank ? 0 : 2));
  /* a message to oneself comes first, even if it is sent after the receive was posted */
  MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[0]);
  in[1] = 55;
  MPI_Send(&in[1], 1, MPI_INT, rank, 12, MPI_COMM_WORLD);
  MPI_Wait(&q[0], &s);
  EXPECT(s.MPI_SOURCE == rank && s.MPI_TAG == 12 && in[0] == 55);
  /* Waitany serves those who wait longest */
  int others[3] = {(rank + 1) % size, (rank + 2) % size, (rank + 3) % size}, order[6];
  for (int i = 0; i < 3; i++) MPI_Irecv(&in[i], 1, MPI_INT, others[i], 5, MPI_COMM_WORLD, &q[i]);
  for (int i = 0; i < 6; i++) {
    MPI_Waitany(3, q, &index, &s);
    order[count++] = index;
    EXPECT(s.MPI_SOURCE == others[index]);
    if (i < 3) MPI_Irecv(&in[index], 1, MPI_INT, others[index], 5, MPI_COMM_WORLD, &q[index]);
  }
  for (int i = 0; i < 6; i++) EXPECT(order[i] == i % 3);
}

static void probes(int left, int right) {
  int flag, spins = 0, answered = 0;
  double out[3] = {0};
  do MPI_Iprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &flag, &s), spins++;
  while (!flag);
  EXPECT(spins == 1000 && s.MPI_TAG == 30);
  /* as many as were sent, then none */
  MPI_Send(out, 3, MPI_DOUBLE, right, 31, MPI_COMM_WORLD);
  MPI_Send(out, 2, MPI_DOUBLE, left, 31, MPI_COMM_WORLD);
  for (;;) {
    MPI_Iprobe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &flag, &s);
    if (!flag) break;
    EXPECT(s.MPI_SOURCE == (answered == 0 ? right : left) && count_of(&s, MPI_DOUBLE) == 3 - answered);
    MPI_Recv(out, 3, MPI_DOUBLE, s.MPI_SOURCE, 31, MPI_COMM_WORLD, &s);
    EXPECT(count_of(&s, MPI_DOUBLE) == 3 - answered);
    answered++;
  }
  EXPECT(answered == 2);
  MPI_Message message;
  MPI_Send(&rank, 1, MPI_INT, right, 32, MPI_COMM_WORLD);
  MPI_Mprobe(left, 32, MPI_COMM_WORLD, &message, &s);
  EXPECT(count_of(&s, MPI_INT) == 1 && s.MPI_SOURCE == left);
  MPI_Imrecv(in, 1, MPI_INT, &message, &q[0]);
  MPI_Wait(&q[0], &s);
  EXPECT(message == MPI_MESSAGE_NULL && in[0] == rank && s.MPI_SOURCE == left);
  MPI_Irecv(in, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &q[0]);
  MPI_Cancel(&q[0]);
  MPI_Wait(&q[0], &s);
  MPI_Test_cancelled(&s, &flag);
  EXPECT(flag);
}

static void from_roots(void) {
  int x = rank == 0 ? 42 : 7;
  MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT(x == 42);
  x = rank == 2 ? 43 : 7;
  MPI_Ibcast(&x, 1, MPI_INT, 2, MPI_COMM_WORLD, &q[0]);
  MPI_Wait(&q[0], &s);
  EXPECT(x == 43);
  int* all = malloc(sizeof(int) * (size_t)size * (size_t)size);
  int *counts = malloc(sizeof(int) * (size_t)size), *places = malloc(sizeof(int) * (size_t)size);
  for (int i = 0; i < size * size; i++) all[i] = rank == 1 ? 10 + i : -1;
  MPI_Scatter(all, 2, MPI_INT, in, 2, MPI_INT, 1, MPI_COMM_WORLD);
  EXPECT(in[0] == 10 + 2 * rank && in[1] == 11 + 2 * rank);
  for (int i = 0, at = 0; i < size; at += ++i) counts[i] = i + 1, places[i] = at;
  MPI_Scatterv(all, counts, places, MPI_INT, in, rank + 1, MPI_INT, 1, MPI_COMM_WORLD);
  EXPECT(in[0] == 10 + rank * (rank + 1) / 2 && in[rank] == in[0] + rank);
  MPI_Comm half;
  int inside;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Comm_rank(half, &inside);
  x = rank;
  MPI_Bcast(&x, 1, MPI_INT, 0, half);
  EXPECT(x == rank % 2);
  MPI_Comm_free(&half);
  free(all);
  free(counts);
  free(places);
}

static void equal_shares(void) {
  int one = 1, three = 3, sum, offset = -1, *all = malloc(sizeof(int) * (size_t)size),
      *got = malloc(sizeof(int) * (size_t)size);
  double half = 0.5, product, expected = 1;
  struct {
    double value;
    int at;
  } mine = {rank, rank}, most;
  unsigned char odd = 3, parity;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == size);
  MPI_Exscan(&three, &offset, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(offset == (rank ? 3 * rank : -1));
  MPI_Scan(&three, &offset, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(offset == 3 * (rank + 1));
  MPI_Allreduce(&half, &product, 1, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) expected *= 0.5;
  EXPECT(product == expected);
  MPI_Allreduce(&odd, &parity, 1, MPI_UNSIGNED_CHAR, MPI_BXOR, MPI_COMM_WORLD);
  EXPECT(parity == (size % 2 ? 3 : 0));
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  EXPECT(most.value == rank && most.at == rank);
  sum = -4;
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  EXPECT(sum == (rank == 1 ? size : -4));
  for (int i = 0; i < size; i++) all[i] = i + 1;
  MPI_Reduce_scatter_block(all, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == size * (rank + 1));
  MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) EXPECT(got[i] == i + 1);
  MPI_Allgather(&three, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) EXPECT(got[i] == 3);
  for (int i = 0; i < size; i++) got[i] = i == rank ? 8 : 0;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) EXPECT(got[i] == 8);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT(all[0] == rank + 1);
  free(all);
  free(got);
}

static void neighbours(void) {
  MPI_Comm line;
  int periodic = 0, sent[2] = {1, 2}, got[2] = {-1, -1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, line);
  /* from below comes what goes up; at the upper end nothing goes up */
  EXPECT(got[0] == (rank == 0 ? -1 : rank == size - 1 ? 1 : 2));
  EXPECT(got[1] == (rank == size - 1 ? -1 : rank == 0 ? 2 : 1));
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  assumed_equal((rank + size - 1) % size, (rank + 1) % size);
  wildcards();
  probes((rank + size - 1) % size, (rank + 1) % size);
  from_roots();
  equal_shares();
  neighbours();
  return finish();
}
