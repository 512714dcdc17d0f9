/* What does not depend on other ranks must be exact: messages to oneself, MPI_PROC_NULL, requests, communicators of one
 * process. A real run of this program under Open MPI must pass, too (MPICH 4.0 names rank 0 as source of an MPI_Irecv
 * from MPI_PROC_NULL, and mixes up neighbours on a torus of one process). */
#include "expect.h"

static int out[16], in[16];
static MPI_Status s, both[2];
static MPI_Request q[4];

static void matching(MPI_Comm comm, int me) {
  for (int i = 0; i < 16; i++) out[i] = i + 100 * rank;
  MPI_Isend(out, 3, MPI_INT, me, 5, comm, &q[0]);
  MPI_Isend(out + 3, 2, MPI_INT, me, 6, comm, &q[1]);
  MPI_Isend(out + 5, 1, MPI_INT, me, 5, comm, &q[2]);
  MPI_Probe(me, 6, comm, &s);
  EXPECT(count_of(&s, MPI_INT) == 2 && s.MPI_SOURCE == me && s.MPI_TAG == 6);
  MPI_Recv(in, 16, MPI_INT, me, 6, comm, &s);
  EXPECT(count_of(&s, MPI_INT) == 2 && in[0] == out[3] && in[1] == out[4]);
  MPI_Recv(in, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &s);
  EXPECT(count_of(&s, MPI_INT) == 3 && s.MPI_TAG == 5 && s.MPI_SOURCE == me && in[2] == out[2]);
  MPI_Irecv(in, 16, MPI_INT, me, MPI_ANY_TAG, comm, &q[3]);
  MPI_Wait(&q[3], &s);
  EXPECT(count_of(&s, MPI_INT) == 1 && in[0] == out[5] && q[3] == MPI_REQUEST_NULL);
  MPI_Waitall(3, q, MPI_STATUSES_IGNORE);

  /* posted first, in order of posting */
  int a[2] = {0}, b[2] = {0}, flag;
  MPI_Irecv(a, 2, MPI_INT, me, MPI_ANY_TAG, comm, &q[0]);
  MPI_Irecv(b, 2, MPI_INT, me, 8, comm, &q[1]);
  MPI_Test(&q[0], &flag, &s);
  EXPECT(!flag && q[0] != MPI_REQUEST_NULL);
  MPI_Testall(2, q, &flag, both);
  EXPECT(!flag);
  MPI_Send(out + 1, 1, MPI_INT, me, 8, comm);
  MPI_Send(out + 2, 1, MPI_INT, me, 8, comm);
  MPI_Waitall(2, q, both);
  EXPECT(a[0] == out[1] && b[0] == out[2] && both[0].MPI_TAG == 8 && count_of(&both[1], MPI_INT) == 1);
}

static void types(MPI_Comm comm, int me) {
  MPI_Datatype gaps;
  MPI_Type_vector(3, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  memset(in, 0, sizeof in);
  MPI_Sendrecv(out, 1, gaps, me, 1, in, 3, MPI_INT, me, 1, comm, &s);
  EXPECT(in[0] == out[0] && in[1] == out[2] && in[2] == out[4] && in[3] == 0);
  memset(in, 0, sizeof in);
  MPI_Irecv(in, 1, gaps, me, 1, comm, &q[0]);
  MPI_Type_free(&gaps); /* the receive keeps it */
  MPI_Send(out, 3, MPI_INT, me, 1, comm);
  MPI_Wait(&q[0], &s);
  EXPECT(in[0] == out[0] && in[1] == 0 && in[2] == out[1] && in[4] == out[2] && count_of(&s, MPI_INT) == 3);
  for (int i = 0; i < 16; i++) in[i] = -i;
  MPI_Sendrecv_replace(in, 4, MPI_INT, me, 2, me, 2, comm, &s);
  EXPECT(in[3] == -3 && count_of(&s, MPI_INT) == 4);
}

static void nobody(MPI_Comm comm) {
  in[0] = 77;
  MPI_Send(out, 3, MPI_INT, MPI_PROC_NULL, 1, comm);
  MPI_Recv(in, 16, MPI_INT, MPI_PROC_NULL, 3, comm, &s);
  EXPECT(count_of(&s, MPI_INT) == 0 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && in[0] == 77);
  MPI_Irecv(in, 16, MPI_INT, MPI_PROC_NULL, 3, comm, &q[0]);
  MPI_Wait(&q[0], &s);
  EXPECT(count_of(&s, MPI_INT) == 0 && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && in[0] == 77);
  MPI_Probe(MPI_PROC_NULL, 3, comm, &s);
  EXPECT(s.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Message message;
  MPI_Mprobe(MPI_PROC_NULL, 3, comm, &message, &s);
  EXPECT(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(in, 1, MPI_INT, &message, &s);
  EXPECT(message == MPI_MESSAGE_NULL && s.MPI_SOURCE == MPI_PROC_NULL);
}

static void requests(MPI_Comm comm, int me) {
  int index, n, indices[4], flag;
  /* persistent ones stay; inactive ones have empty statuses */
  MPI_Send_init(out, 2, MPI_INT, me, 9, comm, &q[0]);
  MPI_Recv_init(in, 2, MPI_INT, me, 9, comm, &q[1]);
  for (int i = 0; i < 3; i++) {
    out[0] = i;
    MPI_Startall(2, q);
    MPI_Waitall(2, q, both);
    EXPECT(in[0] == i && q[0] != MPI_REQUEST_NULL && both[1].MPI_SOURCE == me && both[1].MPI_TAG == 9);
  }
  MPI_Waitall(2, q, both);
  EXPECT(both[1].MPI_SOURCE == MPI_ANY_SOURCE && both[1].MPI_TAG == MPI_ANY_TAG && count_of(&both[1], MPI_INT) == 0);
  MPI_Waitany(2, q, &index, &s);
  EXPECT(index == MPI_UNDEFINED);
  MPI_Waitsome(2, q, &n, indices, both);
  EXPECT(n == MPI_UNDEFINED);
  MPI_Request_free(&q[0]);
  MPI_Request_free(&q[1]);
  EXPECT(q[0] == MPI_REQUEST_NULL);
  MPI_Wait(&q[0], &s);
  EXPECT(s.MPI_SOURCE == MPI_ANY_SOURCE && count_of(&s, MPI_INT) == 0);

  /* what is cancelled takes nothing */
  MPI_Irecv(in, 1, MPI_INT, me, 99, comm, &q[0]);
  MPI_Cancel(&q[0]);
  MPI_Wait(&q[0], &s);
  MPI_Test_cancelled(&s, &flag);
  EXPECT(flag);
  MPI_Send(out, 1, MPI_INT, me, 99, comm);
  MPI_Recv(in, 1, MPI_INT, me, 99, comm, &s);
  MPI_Test_cancelled(&s, &flag);
  EXPECT(!flag && s.MPI_TAG == 99);

  /* a generalized request of the program's among ours */
  MPI_Irecv(in, 4, MPI_INT, me, 4, comm, &q[0]);
  q[1] = MPI_REQUEST_NULL;
  MPI_Irecv(in + 4, 4, MPI_INT, me, 3, comm, &q[2]);
  MPI_Send(out, 1, MPI_INT, me, 3, comm);
  MPI_Waitany(3, q, &index, &s);
  EXPECT(index == 2 && s.MPI_TAG == 3 && q[2] == MPI_REQUEST_NULL);
  MPI_Request_get_status(q[0], &flag, &s);
  EXPECT(!flag);
  MPI_Send(out, 2, MPI_INT, me, 4, comm);
  MPI_Request_get_status(q[0], &flag, &s);
  EXPECT(flag && count_of(&s, MPI_INT) == 2 && q[0] != MPI_REQUEST_NULL);
  MPI_Testsome(3, q, &n, indices, both);
  EXPECT(n == 1 && indices[0] == 0 && both[0].MPI_TAG == 4);
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) {
  *(int*)state = -1;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static void generalized(MPI_Comm comm, int me) {
  int state = 5;
  MPI_Grequest_start(query, release, cancel, &state, &q[0]);
  MPI_Irecv(in, 4, MPI_INT, me, 4, comm, &q[1]);
  MPI_Send(out, 2, MPI_INT, me, 4, comm);
  MPI_Grequest_complete(q[0]);
  MPI_Waitall(2, q, both);
  EXPECT(count_of(&both[0], MPI_INT) == 5 && count_of(&both[1], MPI_INT) == 2 && state == -1);
}

static void errors(MPI_Comm comm, int me) {
  MPI_Comm careful;
  int code, class;
  MPI_Comm_dup(comm, &careful);
  MPI_Comm_set_errhandler(careful, MPI_ERRORS_RETURN);
  MPI_Send(out, 4, MPI_INT, me, 1, careful);
  code = MPI_Recv(in, 2, MPI_INT, me, 1, careful, &s);
  MPI_Error_class(code, &class);
  EXPECT(class == MPI_ERR_TRUNCATE);
  code = MPI_Send(out, 1, MPI_INT, size + 5, 1, careful);
  MPI_Error_class(code, &class);
  EXPECT(class == MPI_ERR_RANK);
  code = MPI_Send(out, -1, MPI_INT, me, 1, careful);
  MPI_Error_class(code, &class);
  EXPECT(class == MPI_ERR_COUNT);
  code = MPI_Send(out, 1, MPI_INT, me, -5, careful);
  MPI_Error_class(code, &class);
  EXPECT(class == MPI_ERR_TAG);
  MPI_Comm_free(&careful);
}

static void add_first(void* in_, void* inout_, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; i++) ((int*)inout_)[i] = ((int*)in_)[i] + 2 * ((int*)inout_)[i];
}

/* With one process every collective operation is exact. */
static void alone(void) {
  MPI_Comm self;
  MPI_Op op;
  int x = 7, y = 0, four[4] = {1, 2, 3, 4}, got[4] = {0}, one = 1, two = 2, none = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Op_create(add_first, 0, &op);
  MPI_Bcast(&x, 1, MPI_INT, 0, self);
  EXPECT(x == 7);
  MPI_Reduce(&x, &y, 1, MPI_INT, op, 0, self);
  EXPECT(y == 7);
  MPI_Allreduce(four, got, 4, MPI_INT, MPI_SUM, self);
  EXPECT(memcmp(four, got, sizeof got) == 0);
  y = -3;
  MPI_Exscan(&x, &y, 1, MPI_INT, MPI_SUM, self);
  EXPECT(y == -3);
  MPI_Scan(MPI_IN_PLACE, &y, 1, MPI_INT, MPI_SUM, self);
  EXPECT(y == -3);
  MPI_Gatherv(four + 1, 2, MPI_INT, got, &two, &one, MPI_INT, 0, self);
  EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3 && got[3] == 4);
  MPI_Scatter(four + 2, 1, MPI_INT, &y, 1, MPI_INT, 0, self);
  EXPECT(y == 3);
  MPI_Alltoallv(four, &two, &two, MPI_INT, got, &two, &none, MPI_INT, self);
  EXPECT(got[0] == 3 && got[1] == 4);
  MPI_Reduce_scatter(four, got, &two, MPI_INT, MPI_MAX, self);
  EXPECT(got[0] == 1 && got[1] == 2);
  MPI_Iallgather(&x, 1, MPI_INT, &y, 1, MPI_INT, self, &q[0]);
  MPI_Wait(&q[0], &s);
  EXPECT(y == 7);
  MPI_Op_free(&op);
  MPI_Comm_free(&self);
}

/* A torus of which each dimension but the first is one process wide: neighbours are oneself. */
static void around(void) {
  MPI_Comm torus;
  int dims[2] = {1, 1}, periods[2] = {1, 1}, sent[4] = {10, 11, 12, 13}, got[4] = {0};
  MPI_Cart_create(MPI_COMM_SELF, 2, dims, periods, 0, &torus);
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, torus);
  EXPECT(got[0] == 11 && got[1] == 10 && got[2] == 13 && got[3] == 12);
  MPI_Neighbor_allgather(sent, 1, MPI_INT, got, 1, MPI_INT, torus);
  EXPECT(got[0] == 10 && got[3] == 10);
  MPI_Comm_free(&torus);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  matching(MPI_COMM_WORLD, rank);
  matching(MPI_COMM_SELF, 0);
  types(MPI_COMM_WORLD, rank);
  nobody(MPI_COMM_WORLD);
  requests(MPI_COMM_WORLD, rank);
  generalized(MPI_COMM_WORLD, rank);
  errors(MPI_COMM_WORLD, rank);
  alone();
  around();
  return finish();
}
