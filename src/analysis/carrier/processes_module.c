/* The operations of processes_module.h in terms of MPI. Compiled once per MPI library. */
#include "analysis/carrier/processes_module.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static MPI_Comm job = MPI_COMM_NULL;

/* Both MPIs spin while they wait: harmful when there are more processes than cores. */
static int wait_for(int count, MPI_Request* requests) {
  long pause_ns = 0;
  int result = MPI_SUCCESS;
  MPI_Status* statuses = malloc(((size_t)count + 1) * sizeof *statuses); /* gcc warns of MPICH's MPI_STATUSES_IGNORE */
  if (statuses == NULL) return MPI_ERR_NO_MEM;
  for (int looks = 0;; ++looks) {
    int done = 0;
    result = MPI_Testall(count, requests, &done, statuses);
    if (result != MPI_SUCCESS || done) break;
    if (looks < 200) continue;
    pause_ns = pause_ns < 1000000 ? pause_ns + 20000 : pause_ns;
    const struct timespec pause = {0, pause_ns};
    nanosleep(&pause, NULL);
  }
  free(statuses);
  return result;
}

static int start(int* rank, int* size) {
  int running = 0;
  int code = MPI_Initialized(&running);
  if (code == MPI_SUCCESS && !running) {
    int provided = 0;
    code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  }
  if (code == MPI_SUCCESS) code = MPI_Comm_dup(MPI_COMM_WORLD, &job);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(job, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(job, rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(job, size);
  return code;
}

static int all_gather(const void* own, uint64_t bytes, void* all) {
  MPI_Request request;
  const int code = MPI_Iallgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, job, &request);
  return code == MPI_SUCCESS ? wait_for(1, &request) : code;
}

static int transfer(const struct mora_piece* sends, uint64_t send_count, const struct mora_piece* receives,
                    uint64_t receive_count) {
  MPI_Request* requests = malloc((send_count + receive_count + 1) * sizeof *requests);
  if (requests == NULL) return MPI_ERR_NO_MEM;
  int count = 0;
  int code = MPI_SUCCESS;
  for (uint64_t i = 0; i < receive_count && code == MPI_SUCCESS; ++i)
    code = MPI_Irecv(receives[i].data, (int)receives[i].bytes, MPI_BYTE, receives[i].peer, 1, job, &requests[count++]);
  for (uint64_t i = 0; i < send_count && code == MPI_SUCCESS; ++i)
    code = MPI_Isend(sends[i].data, (int)sends[i].bytes, MPI_BYTE, sends[i].peer, 1, job, &requests[count++]);
  if (code == MPI_SUCCESS) code = wait_for(count, requests);
  free(requests);
  return code;
}

static int finish(void) {
  MPI_Comm_free(&job);
  return MPI_Finalize();
}

static void abandon(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static void explain(int code, char* text) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, words, &length);
  strncpy(text, words, 511);
  text[511] = 0;
}

__attribute__((visibility("default"))) const struct mora_processes* mora_processes_module(void) {
  static const struct mora_processes module = {
      MORA_PROCESSES_VERSION, start, all_gather, transfer, finish, abandon, explain};
  return &module;
}
