/* Every collective call with real data, blocking and not: what arrives is checked. Passes in a real run, too. */
#include "../dryrun_data/expect.h"

static int value(int from, int to, int i) { return 1000000 * from + 1000 * to + i; }

static void user_product(void* in, void* inout, int* n, MPI_Datatype* type) {
  /* 2x2 matrices of numbers modulo 10007: associative, not commutative */
  (void)type;
  for (int i = 0; i < *n; i++) {
    const int *a = (int*)in + 4 * i, b[4] = {((int*)inout)[4 * i], ((int*)inout)[4 * i + 1], ((int*)inout)[4 * i + 2],
                                             ((int*)inout)[4 * i + 3]};
    int* c = (int*)inout + 4 * i;
    c[0] = (a[0] * b[0] + a[1] * b[2]) % 10007;
    c[1] = (a[0] * b[1] + a[1] * b[3]) % 10007;
    c[2] = (a[2] * b[0] + a[3] * b[2]) % 10007;
    c[3] = (a[2] * b[1] + a[3] * b[3]) % 10007;
  }
}

static void rooted(MPI_Comm comm) {
  for (int root = 0; root < size; root++) {
    int three[3] = {root == rank ? root : -1, root == rank ? 7 : -1, root == rank ? 8 : -1};
    MPI_Bcast(three, 3, MPI_INT, root, comm);
    EXPECT(three[0] == root && three[1] == 7 && three[2] == 8);
    int *all = malloc((size_t)size * 2 * sizeof(int)), mine[2] = {rank, root}, got[2] = {-1, -1};
    MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, root, comm);
    for (int i = 0; i < size && rank == root; i++) EXPECT(all[2 * i] == i && all[2 * i + 1] == root);
    for (int i = 0; i < size; i++) all[2 * i] = value(rank, i, 0), all[2 * i + 1] = value(rank, i, 1);
    MPI_Scatter(all, 2, MPI_INT, got, 2, MPI_INT, root, comm);
    EXPECT(got[0] == value(root, rank, 0) && got[1] == value(root, rank, 1));
    if (rank == root)
      MPI_Scatter(all, 1, MPI_2INT, MPI_IN_PLACE, 0, MPI_INT, root, comm);
    else
      MPI_Scatter(NULL, 0, MPI_INT, got, 2, MPI_INT, root, comm);
    EXPECT(rank == root || got[1] == value(root, rank, 1));
    if (rank == root) all[2 * rank] = -rank;
    int minus = -rank;
    MPI_Datatype spread;
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &spread);
    MPI_Type_commit(&spread);
    MPI_Gather(rank == root ? MPI_IN_PLACE : &minus, 1, MPI_INT, all, 1, spread, root, comm);
    for (int i = 0; i < size && rank == root; i++) EXPECT(all[2 * i] == -i && all[2 * i + 1] == value(rank, i, 1));
    MPI_Type_free(&spread);
    long sum = rank + 1, total = -1;
    MPI_Reduce(rank == root ? MPI_IN_PLACE : &sum, rank == root ? &sum : NULL, 1, MPI_LONG, MPI_SUM, root, comm);
    EXPECT(rank != root || sum == (long)size * (size + 1) / 2);
    sum = rank + 1;
    MPI_Request request;
    MPI_Ireduce(&sum, &total, 1, MPI_LONG, MPI_MAX, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(total == (rank == root ? size : -1));
    free(all);
  }
}

static void vectors(MPI_Comm comm) {
  int *counts = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int)), total = 0;
  for (int i = 0; i < size; i++) counts[i] = i % 3 + 1, places[i] = total + i, total += counts[i];
  int *all = malloc((size_t)(total + size) * sizeof(int)), mine[3];
  for (int i = 0; i < 3; i++) mine[i] = value(rank, 0, i);
  memset(all, 0xff, (size_t)(total + size) * sizeof(int));
  MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, comm);
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < counts[i]; k++) EXPECT(all[places[i] + k] == value(i, 0, k));
    if (i > 0) EXPECT(all[places[i] - 1] == -1);
  }
  memset(all, 0xff, (size_t)(total + size) * sizeof(int));
  MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, size - 1, comm);
  for (int i = 0; i < size && rank == size - 1; i++) EXPECT(all[places[i]] == value(i, 0, 0));
  for (int i = 0; i < total + size; i++) all[i] = rank * 100 + i;
  int got[3] = {-1, -1, -1};
  MPI_Scatterv(all, counts, places, MPI_INT, got, counts[rank], MPI_INT, 0, comm);
  for (int k = 0; k < 3; k++) EXPECT(got[k] == (k < counts[rank] ? places[rank] + k : -1));
  int *sums = malloc((size_t)total * sizeof(int)), part[3] = {-1, -1, -1}, before = 0;
  for (int i = 0; i < total; i++) sums[i] = rank + i;
  for (int i = 0; i < rank; i++) before += counts[i];
  MPI_Reduce_scatter(sums, part, counts, MPI_INT, MPI_SUM, comm);
  for (int k = 0; k < 3; k++) EXPECT(part[k] == (k < counts[rank] ? size * (size - 1) / 2 + size * (before + k) : -1));
  free(sums);
  free(all);
  free(counts);
  free(places);
}

static void all_to_all(MPI_Comm comm) {
  int *send = malloc((size_t)size * 4 * sizeof(int)), *receive = malloc((size_t)size * 4 * sizeof(int));
  int *send_counts = malloc((size_t)size * sizeof(int)), *counts = malloc((size_t)size * sizeof(int));
  int *send_places = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int));
  MPI_Datatype *types = malloc((size_t)size * sizeof *types), vector;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < 4; k++) send[4 * i + k] = value(rank, i, k), receive[4 * i + k] = -1;
  MPI_Alltoall(send, 4, MPI_INT, receive, 4, MPI_INT, comm);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < 4; k++) EXPECT(receive[4 * i + k] == value(i, rank, k));
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, receive, 4, MPI_INT, comm);
  for (int i = 0; i < 4 * size; i++) EXPECT(receive[i] == send[i]);
  memset(receive, 0xff, (size_t)size * 4 * sizeof(int));
  for (int i = 0; i < size; i++) {
    send_counts[i] = (rank + i) % 4, counts[i] = (rank + i) % 4;
    send_places[i] = 4 * i, places[i] = 4 * (size - 1 - i);
  }
  MPI_Request request;
  MPI_Ialltoallv(send, send_counts, send_places, MPI_INT, receive, counts, places, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < 4; k++) EXPECT(receive[4 * (size - 1 - i) + k] == (k < counts[i] ? value(i, rank, k) : -1));
  MPI_Type_vector(2, 1, 2, MPI_INT, &vector); /* elements 0 and 2 */
  MPI_Type_commit(&vector);
  memset(receive, 0xff, (size_t)size * 4 * sizeof(int));
  for (int i = 0; i < size; i++)
    send_counts[i] = counts[i] = 1, send_places[i] = places[i] = (int)(16 * i), types[i] = vector;
  MPI_Alltoallw(send, send_counts, send_places, types, receive, counts, places, types, comm);
  for (int i = 0; i < size; i++)
    for (int k = 0; k < 4; k++) EXPECT(receive[4 * i + k] == (k % 2 ? -1 : value(i, rank, k)));
  MPI_Type_free(&vector);
  int *all = malloc((size_t)size * sizeof(int)), mine = 3 * rank;
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
  for (int i = 0; i < size; i++) EXPECT(all[i] == 3 * i);
  for (int i = 0; i < size; i++) all[i] = i == rank ? 5 * i : -1;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, all, 1, MPI_INT, comm, &request);
  int flag = 0;
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; i++) EXPECT(all[i] == 5 * i);
  free(all);
  free(types);
  free(places);
  free(send_places);
  free(counts);
  free(send_counts);
  free(receive);
  free(send);
}

static void reductions(MPI_Comm comm) {
  double sum = 0.5 * rank, total;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, comm);
  EXPECT(total == 0.25 * size * (size - 1));
  struct {
    double v;
    int at;
  } in = {(rank * 7) % size, rank}, out;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  int best = 0;
  for (int i = 0; i < size; i++)
    if ((i * 7) % size > (best * 7) % size) best = i;
  EXPECT(out.at == best && out.v == (best * 7) % size);
  int bits = 1 << rank % 31, either;
  MPI_Allreduce(&bits, &either, 1, MPI_INT, MPI_BOR, comm);
  for (int i = 0; i < size; i++) EXPECT(either & 1 << i % 31);
  int matrix[4] = {rank + 1, 1, 2, rank}, product[4] = {0}, expected[4] = {1, 0, 0, 1}, upto[4], given[4];
  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(4, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(user_product, 0, &op);
  for (int i = size - 1; i >= 0; i--) {
    int one[4] = {i + 1, 1, 2, i}, n = 1;
    user_product(one, expected, &n, NULL);
  }
  MPI_Allreduce(matrix, product, 1, type, op, comm);
  EXPECT(memcmp(product, expected, sizeof product) == 0);
  int before[4] = {-1, -1, -1, -1}, none[4] = {-1, -1, -1, -1};
  MPI_Scan(matrix, upto, 1, type, op, comm);
  memcpy(given, matrix, sizeof given);
  MPI_Exscan(matrix, before, 1, type, op, comm);
  if (rank == 0) {
    EXPECT(memcmp(upto, matrix, sizeof upto) == 0 && memcmp(before, none, sizeof before) == 0);
  } else {
    int n = 1;
    user_product(before, given, &n, NULL);
    EXPECT(memcmp(upto, given, sizeof upto) == 0);
  }
  MPI_Type_free(&type);
  MPI_Op_free(&op);
  int *many = malloc((size_t)size * 2 * sizeof(int)), two[2];
  for (int i = 0; i < 2 * size; i++) many[i] = i + rank;
  MPI_Reduce_scatter_block(many, two, 2, MPI_INT, MPI_MIN, comm);
  EXPECT(two[0] == 2 * rank && two[1] == 2 * rank + 1);
  const int n = 100000;
  float *long_in = malloc((size_t)n * sizeof(float)), *long_out = malloc((size_t)n * sizeof(float));
  for (int i = 0; i < n; i++) long_in[i] = (float)(i % 10 + rank);
  MPI_Allreduce(long_in, long_out, n, MPI_FLOAT, MPI_SUM, comm);
  for (int i = 0; i < n; i += 777) EXPECT(long_out[i] == (float)(size * (i % 10) + size * (size - 1) / 2));
  free(long_out);
  free(long_in);
  free(many);
}

/* Many are started in one order and waited for in another; messages are received in between. */
static void overlapped(MPI_Comm comm) {
  enum { N = 20 };
  int in[N], out[N], next = -1, mine = rank;
  MPI_Request requests[N + 2];
  for (int i = 0; i < N; i++) {
    in[i] = rank * i;
    out[i] = in[i];
    if (i % 3 == 0)
      MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
    else if (i % 3 == 1)
      MPI_Ibcast(&out[i], 1, MPI_INT, i % size, comm, &requests[i]);
    else
      MPI_Ibarrier(comm, &requests[i]);
  }
  MPI_Irecv(&next, 1, MPI_INT, (rank + 1) % size, 3, comm, &requests[N]);
  MPI_Issend(&mine, 1, MPI_INT, (rank + size - 1) % size, 3, comm, &requests[N + 1]);
  MPI_Wait(&requests[N], MPI_STATUS_IGNORE);
  EXPECT(next == (rank + 1) % size);
  for (int i = N - 1; i >= 0; i -= 2) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  MPI_Waitall(N + 2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < N; i++)
    EXPECT(out[i] == (i % 3 == 0 ? size * (size - 1) / 2 * i : i % 3 == 1 ? i % size * i : rank * i));
}

static void neighbors(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, source, up, left, right;
  MPI_Comm cart, graph;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_shift(cart, 0, 1, &source, &up);
  MPI_Cart_shift(cart, 1, 1, &left, &right);
  const int from[4] = {source, up, left, right}, opposite[4] = {1, 0, 3, 2};
  int send[4], got[4] = {-1, -1, -1, -1}, all[4] = {-1, -1, -1, -1};
  for (int i = 0; i < 4; i++) send[i] = 10 * rank + i;
  MPI_Neighbor_alltoall(send, 1, MPI_INT, got, 1, MPI_INT, cart);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, cart);
  for (int i = 0; i < 4; i++) {
    const int exists = from[i] != MPI_PROC_NULL;
    EXPECT(all[i] == (exists ? from[i] : -1));
    EXPECT(got[i] == (exists ? 10 * from[i] + opposite[i] : -1));
  }
  MPI_Comm_free(&cart);
  /* each sends to the next two, twice to the first of them */
  int sources[3] = {(rank + size - 2) % size, (rank + size - 1) % size, (rank + size - 1) % size};
  int destinations[3] = {(rank + 1) % size, (rank + 1) % size, (rank + 2) % size};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, sources, MPI_UNWEIGHTED, 3, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3}, values[6], in_counts[3] = {3, 1, 2}, in_places[3] = {0, 3, 4},
      in[6];
  for (int i = 0; i < 6; i++) values[i] = 100 * rank + i, in[i] = -1;
  if (size > 3) {
    MPI_Request request;
    MPI_Ineighbor_alltoallv(values, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) EXPECT(in[i] == 100 * sources[0] + 3 + i);
    for (int i = 3; i < 6; i++) EXPECT(in[i] == 100 * sources[1] + i - 3);
  }
  MPI_Comm_free(&graph);
}

static void intercommunicator(void) {
  MPI_Comm half, inter, merged;
  const int side = rank % 2, there = size / 2 + (side == 1 ? size % 2 : 0), here = size - there;
  if (size < 2) return;
  MPI_Comm_split(MPI_COMM_WORLD, side, -rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, side == 0 ? size - 1 - size % 2 : size - 1 - (size + 1) % 2, 4, &inter);
  int mine = rank, theirs = -1, *all = malloc((size_t)there * sizeof(int)), ours;
  MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_MIN, inter);
  EXPECT(theirs == 1 - side);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, inter);
  for (int i = 0; i < there; i++) EXPECT(all[i] == 2 * (there - 1 - i) + 1 - side);
  int word = side == 0 && rank == 0 ? 77 : -1;
  MPI_Bcast(&word, 1, MPI_INT, side == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : there - 1, inter);
  EXPECT(side == 0 ? 1 : word == 77);
  MPI_Comm_rank(inter, &ours);
  for (int i = 0; i < there; i++) all[i] = value(rank, i, 0);
  int* got = malloc((size_t)there * sizeof(int));
  MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, inter);
  for (int i = 0; i < there; i++) EXPECT(got[i] == value(2 * (there - 1 - i) + 1 - side, ours, 0));
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, side, &merged);
  MPI_Allreduce(&mine, &ours, 1, MPI_INT, MPI_SUM, merged);
  EXPECT(ours == size * (size - 1) / 2);
  free(got);
  free(all);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  MPI_Comm again;
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  rooted(MPI_COMM_WORLD);
  vectors(again);
  all_to_all(MPI_COMM_WORLD);
  reductions(again);
  overlapped(again);
  MPI_Comm_free(&again);
  neighbors();
  intercommunicator();
  return finish();
}
