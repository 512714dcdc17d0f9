/* Input and output. The function's name says whether it reads or writes and whether all processes take part. */
#include "measure/pattern/data.h"
#include "measure/pattern/threads.h"
#include "measure/runtime/communicators.h"
#include "measure/runtime/files.h"
#include "measure/runtime/hooks.h"
#include "measure/runtime/request_table.h"
#include "measure/runtime/status.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

void mora_post_file_open(struct mora_call* call, MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                         MPI_File* fh) {
  const struct mora_file* file = NULL;
  if (call->rc == MPI_SUCCESS) file = mora_file_opened(mora_comm_id(call, comm), *fh, filename);
  mora_finish_object(call, file ? file->id : MORA_NO_FILE);
}

void mora_pre_file_close(struct mora_call* call, MPI_File* fh) {
  mora_threads_lock();
  const struct mora_file* file = mora_file_of(*fh);
  call->key = MORA_FILE_KEY(*fh); /* MPI resets the handle */
  call->object = file ? file->id : MORA_NO_FILE;
  mora_threads_unlock();
}

void mora_post_file_close(struct mora_call* call, MPI_File* fh) {
  if (call->rc == MPI_SUCCESS) mora_file_forget(call->key);
  mora_finish_object(call, call->object);
}

static void finish(struct mora_call* call, const struct mora_file* file, int count, MPI_Datatype type, uint64_t done,
                   uint64_t request) {
  mora_data_both(call, count, type, count, type);
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill(record, call, file ? file->id : MORA_NO_FILE);
  record[4] = call->rc == MPI_SUCCESS && count > 0 ? mora_type_bytes(type, (uint64_t)count) : 0;
  record[5] = done;
  record[6] = request;
  mora_publish(call, record, 7, MORA_SHAPE_IO);
  mora_leave();
}

void mora_post_file_transfer(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                             MPI_Status* status) {
  finish(call, mora_file_of(fh), count, datatype, call->rc == MPI_SUCCESS ? mora_status_bytes(status) : 0,
         ++mora_request_number);
}

void mora_post_file_transfer_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                MPI_Datatype datatype, MPI_Status* status) {
  mora_post_file_transfer(call, fh, buf, count, datatype, status);
}

void mora_post_file_start(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                          MPI_Request* request) {
  const uint64_t number = ++mora_request_number;
  struct mora_request* entry =
      call->rc != MPI_SUCCESS || *request == MPI_REQUEST_NULL ? NULL : mora_request_add(MORA_KEY(*request));
  if (entry) {
    *entry = (struct mora_request){.number = number,
                                   .peer = MORA_PEER_NONE,
                                   .tag = MORA_TAG_ANY,
                                   .comm = MORA_NO_COMM,
                                   .kind = MORA_REQUEST_IO,
                                   .active = 1,
                                   .next = entry->next,
                                   .tail = entry->tail};
    mora_requests_live++;
  }
  finish(call, mora_file_of(fh), count, datatype, 0, number);
}

void mora_post_file_start_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                             MPI_Datatype datatype, MPI_Request* request) {
  mora_post_file_start(call, fh, buf, count, datatype, request);
}

/* A split collective: at most one per handle at a time (MPI-3.1, 13.4.5). */
void mora_post_file_begin(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype) {
  struct mora_file* file = mora_file_of(fh);
  const uint64_t number = ++mora_request_number;
  if (file && call->rc == MPI_SUCCESS) file->split = number;
  finish(call, file, count, datatype, 0, number);
}

void mora_post_file_begin_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                             MPI_Datatype datatype) {
  mora_post_file_begin(call, fh, buf, count, datatype);
}

void mora_post_file_end(struct mora_call* call, MPI_File fh, const void* buf, MPI_Status* status) {
  struct mora_file* file = mora_file_of(fh);
  const int completed = file && file->split != 0 && call->rc == MPI_SUCCESS;
  uint64_t* record = mora_journal_small(&mora_journal);
  mora_fill(record, call, 0);
  if (completed) {
    record[4] = file->split;
    record[5] = mora_pair(MORA_PEER_NONE, MORA_TAG_ANY);
    record[6] = mora_status_bytes(status);
    record[7] = mora_pair(-1, MORA_COMPLETED_OTHER);
    file->split = 0;
  }
  mora_publish(call, record, completed ? 8 : 4, MORA_SHAPE_COMPLETE);
  mora_leave();
}
