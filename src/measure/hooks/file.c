/* Input and output. The function's name says whether it reads or writes and whether all processes take part. */
#include "hooks.h"
#include "measure/call/status.h"
#include "measure/call/threads.h"
#include "measure/handles/communicators.h"
#include "measure/handles/files.h"
#include "measure/handles/request_table.h"
#include "measure/pattern/data.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* hooks take the C prototype's arguments */

static uint32_t id_of(const struct mora_file* file) { return file ? file->id : MORA_NO_FILE; }

void mora_post_file_open(struct mora_call* call, MPI_Comm comm, const char* filename, MPI_File* fh) {
  const struct mora_file* file = NULL;
  if (call->rc == MPI_SUCCESS) file = mora_file_opened(mora_comm_id(call, comm), *fh, filename);
  mora_finish_object(call, id_of(file));
}

void mora_post_file_change(struct mora_call* call, MPI_File fh) { mora_finish_object(call, id_of(mora_file_of(fh))); }

/* A large-count form: which file, but not how much. */
void mora_post_file_partial(struct mora_call* call, MPI_File fh) {
  mora_note_partial(call);
  mora_finish_object(call, id_of(mora_file_of(fh)));
}

void mora_pre_file_close(struct mora_call* call, MPI_File* fh) {
  mora_threads_lock();
  const struct mora_file* file = mora_file_of(*fh);
  call->key = MORA_FILE_KEY(*fh); /* MPI resets the handle */
  call->object = id_of(file);
  mora_threads_unlock();
}

void mora_post_file_close(struct mora_call* call, MPI_File* fh) {
  if (call->rc == MPI_SUCCESS) mora_file_forget(call->key);
  mora_finish_object(call, call->object);
}

static void finish(struct mora_call* call, const struct mora_file* file, int count, MPI_Datatype type, uint64_t done,
                   uint64_t request) {
  mora_data_both(call, count, type, count, type);
  uint64_t* record = mora_journal_small(mora_self.journal);
  mora_fill(record, call, id_of(file));
  record[4] = call->rc == MPI_SUCCESS && count > 0 ? mora_type_bytes(type, (uint64_t)count) : 0;
  record[5] = done;
  record[6] = request;
  mora_publish(call, record, 7, MORA_SHAPE_IO);
  mora_leave();
}

void mora_post_file_transfer(struct mora_call* call, MPI_File fh, int count, MPI_Datatype datatype,
                             MPI_Status* status) {
  finish(call, mora_file_of(fh), count, datatype, call->rc == MPI_SUCCESS ? mora_status_bytes(status) : 0,
         mora_request_next());
}

void mora_post_file_start(struct mora_call* call, MPI_File fh, int count, MPI_Datatype datatype, MPI_Request* request) {
  const uint64_t number = mora_request_next();
  mora_request_made(call, *request, MORA_REQUEST_IO, 0, number, MORA_NO_COMM);
  mora_requests_release();
  finish(call, mora_file_of(fh), count, datatype, 0, number);
}

/* A split collective: at most one per handle at a time (MPI-3.1, 13.4.5). */
void mora_post_file_begin(struct mora_call* call, MPI_File fh, int count, MPI_Datatype datatype) {
  struct mora_file* file = mora_file_of(fh);
  const uint64_t number = mora_request_next();
  if (file && call->rc == MPI_SUCCESS) file->split = number;
  finish(call, file, count, datatype, 0, number);
}

void mora_post_file_end(struct mora_call* call, MPI_File fh, MPI_Status* status) {
  struct mora_file* file = mora_file_of(fh);
  const int completed = file && file->split != 0 && call->rc == MPI_SUCCESS;
  uint64_t* record = mora_journal_small(mora_self.journal);
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
