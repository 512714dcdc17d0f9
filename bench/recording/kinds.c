/* One kind of call many times, ten functions below main: argv: kind, how often. For bench/instructions/kinds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sent[4], received[4];

static void send(void) { MPI_Send(sent, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF); }
static void recv(void) { MPI_Recv(received, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE); }
static void sendrecv(void) {
  MPI_Sendrecv(sent, 4, MPI_INT, 0, 1, received, 4, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void irecv_send_wait(void) {
  MPI_Request request;
  MPI_Irecv(received, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(sent, 4, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void isend_recv_wait(void) {
  MPI_Request request;
  MPI_Isend(sent, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Recv(received, 4, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void two_irecv_two_isend_waitall(void) {
  MPI_Request requests[4];
  for (int i = 0; i < 2; i++) MPI_Irecv(received + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, requests + i);
  for (int i = 0; i < 2; i++) MPI_Isend(sent + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, requests + 2 + i);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}
static MPI_Request never[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}; /* of polls: nobody sends */
static void expect_nothing(void) {
  for (int i = 0; i < 2; i++) MPI_Irecv(received + i, 1, MPI_INT, 0, i, MPI_COMM_SELF, never + i);
}
static void forget_nothing(void) {
  for (int i = 0; i < 2; i++) {
    MPI_Cancel(never + i);
    MPI_Wait(never + i, MPI_STATUS_IGNORE);
  }
}
static void poll_test(void) {
  int flag;
  MPI_Test(never, &flag, MPI_STATUS_IGNORE);
}
static void poll_testany(void) {
  int flag, index;
  MPI_Testany(1, never, &index, &flag, MPI_STATUS_IGNORE);
}
static void poll_testany_of_two(void) {
  int flag, index;
  MPI_Testany(2, never, &index, &flag, MPI_STATUS_IGNORE);
}
static void poll_iprobe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void allreduce(void) { MPI_Allreduce(sent, received, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF); }
static void barrier(void) { MPI_Barrier(MPI_COMM_SELF); }

static const struct {
  const char* name;
  void (*call)(void);
} kinds[] = {{"send", send},
             {"recv", recv},
             {"sendrecv", sendrecv},
             {"irecv_send_wait", irecv_send_wait},
             {"isend_recv_wait", isend_recv_wait},
             {"two_irecv_two_isend_waitall", two_irecv_two_isend_waitall},
             {"poll_test", poll_test},
             {"poll_testany", poll_testany},
             {"poll_testany_of_two", poll_testany_of_two},
             {"poll_iprobe", poll_iprobe},
             {"allreduce", allreduce},
             {"barrier", barrier}};

__attribute__((noinline)) static void repeat(int depth, void (*call)(void), long times) {
  if (depth > 1)
    repeat(depth - 1, call, times);
  else
    for (long i = 0; i < times; i++) call();
  __asm__ volatile("" ::: "memory"); /* no sibling call */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  expect_nothing();
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (argc == 3 && strcmp(argv[1], kinds[i].name) == 0) repeat(9, kinds[i].call, atol(argv[2]));
  forget_nothing();
  MPI_Finalize();
  return 0;
}
