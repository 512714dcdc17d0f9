/* Programs whose received data decide what they send: keys sorted by counts that are received, a conjugate gradient
 * that ends when a norm says so, tokens that go where their content says, and an answer to whoever asked. */
#include "../dryrun_data/expect.h"

static unsigned next_number(unsigned* state) { return (*state = *state * 1103515245 + 12345) >> 8; }

static void sort_keys(void) {
  enum { N = 2000 };
  unsigned state = 1234 + (unsigned)rank;
  int *counts = calloc((size_t)size * 4 + 4, sizeof(int)), *places = counts + size, *in_counts = places + size,
      *in_places = in_counts + size, keys[N], ordered[N], total = 0, at = 0;
  for (int i = 0; i < N; i++)
    counts[(keys[i] = (int)(next_number(&state) % 1000 * (unsigned)(rank + 1)) % 1000) * size / 1000]++;
  for (int i = 0; i < size; at += counts[i++]) places[i] = at;
  for (int to = 0, n = 0; to < size; to++)
    for (int i = 0; i < N; i++)
      if (keys[i] * size / 1000 == to) ordered[n++] = keys[i];
  MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; total += in_counts[i++]) in_places[i] = total;
  int *mine = malloc(((size_t)total + 1) * sizeof(int)), all;
  MPI_Alltoallv(ordered, counts, places, MPI_INT, mine, in_counts, in_places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < total; i++) EXPECT(mine[i] * size / 1000 == rank);
  MPI_Allreduce(&total, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all == N * size);
  free(mine);
  free(counts);
}

/* A line of points, each coupled to its neighbours. */
static void solve(void) {
  enum { N = 20 };
  double x[N] = {0}, r[N], p[N + 2] = {0}, q[N], rho = 0, first = 0, all;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  int steps = 0;
  for (int i = 0; i < N; i++) r[i] = p[i + 1] = 1 + (rank * N + i) % 7, rho += r[i] * r[i];
  MPI_Allreduce(&rho, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (first = rho = all; rho > 1e-12 * first && steps < 1000; steps++) {
    double pq = 0, next = 0;
    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 1, &p[N + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[N], 1, MPI_DOUBLE, right, 2, &p[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++) q[i] = 3 * p[i + 1] - p[i] - p[i + 2], pq += p[i + 1] * q[i];
    MPI_Allreduce(&pq, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) x[i] += rho / all * p[i + 1], r[i] -= rho / all * q[i], next += r[i] * r[i];
    MPI_Allreduce(&next, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) p[i + 1] = r[i] + all / rho * p[i + 1];
    rho = all;
  }
  EXPECT(steps > 5 && steps < 1000 && x[0] > 0);
}

/* Each token says where it goes next and how long it is; the number of those that come is reduced before. */
static void pass_tokens(void) {
  int token[64] = {rank, 1}, length = 2;
  for (int round = 0; round < 6; round++) {
    const int to = (token[0] * 5 + round) % size;
    int *comes = calloc((size_t)size, sizeof(int)), n, best = 0;
    comes[to] = 1;
    MPI_Reduce_scatter_block(comes, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Isend(token, length, MPI_INT, to, round, MPI_COMM_WORLD, &request);
    int* from = calloc((size_t)size, sizeof(int));
    comes[to] = 0;
    for (int i = 0; i < size; i++) comes[i] = i == to;
    MPI_Alltoall(comes, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    int sum = 0, kept[64] = {rank};
    for (int i = 0; i < size; i++) {
      MPI_Status status;
      if (!from[i]) continue;
      int in[64];
      MPI_Probe(i, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      const int count = count_of(&status, MPI_INT);
      EXPECT(status.MPI_SOURCE == i && status.MPI_TAG == round);
      MPI_Recv(in, count, MPI_INT, i, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (count > best) best = count, memcpy(kept, in, sizeof in);
      sum++;
    }
    EXPECT(sum == n);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memcpy(token, kept, sizeof token);
    token[0] = kept[0] + n;
    length = 2 + (best + n) % 60;
    free(from);
    free(comes);
  }
}

/* Rank 0 serves whoever asks; questions are found by probes of several kinds. */
static void ask(void) {
  if (rank > 0) {
    int question = rank * rank, answer = -1;
    for (int i = 0; i < 3; i++) {
      MPI_Ssend(&question, 1, MPI_INT, 0, 10 + i, MPI_COMM_WORLD);
      MPI_Recv(&answer, 1, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT(answer == question + i);
    }
    return;
  }
  for (int n = 0; n < 3 * (size - 1); n++) {
    MPI_Status status;
    MPI_Message message;
    int question = -1;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    EXPECT(count_of(&status, MPI_INT) == 1);
    MPI_Mrecv(&question, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    EXPECT(question == status.MPI_SOURCE * status.MPI_SOURCE);
    question += status.MPI_TAG - 10;
    MPI_Send(&question, 1, MPI_INT, status.MPI_SOURCE, 20, MPI_COMM_WORLD);
  }
}

/* Persistent requests, Waitany, Testsome, cancelled receives, messages of derived types. */
static void requests(void) {
  double grid[6][6], column[6] = {0};
  MPI_Datatype type;
  MPI_Request request[4];
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) grid[i][k] = 100 * rank + 10 * i + k;
  MPI_Type_vector(6, 1, 6, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Send_init(&grid[0][2], 1, type, next, 5, MPI_COMM_WORLD, &request[0]);
  MPI_Recv_init(column, 6, MPI_DOUBLE, before, 5, MPI_COMM_WORLD, &request[1]);
  MPI_Ssend_init(&rank, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &request[2]);
  int seen = -1, index, flag = 0;
  MPI_Recv_init(&seen, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request[3]);
  for (int round = 0; round < 4; round++) {
    seen = -1;
    MPI_Startall(4, request);
    if (round % 2 == 0)
      for (int i = 0; i < 4; i++) MPI_Waitany(4, request, &index, MPI_STATUS_IGNORE);
    else
      MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    EXPECT(seen == next);
    for (int i = 0; i < 6; i++) EXPECT(column[i] == 100 * before + 10 * i + 2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&request[i]);
  MPI_Type_free(&type);
  MPI_Status status;
  MPI_Irecv(&seen, 1, MPI_INT, next, 99, MPI_COMM_WORLD, &request[0]);
  MPI_Cancel(&request[0]);
  MPI_Wait(&request[0], &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sort_keys();
  solve();
  pass_tokens();
  if (argc == 1) ask(); /* in an order that time decides */
  MPI_Barrier(MPI_COMM_WORLD);
  requests();
  return finish();
}
