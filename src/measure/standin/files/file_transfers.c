/* Reading and writing: pointers move as they would, data of files that may be written do not (files.h). Collective and
 * independent calls are the same, as no other rank takes part; in ordered writes all ranks are assumed to write as much
 * as this one. */
#include <stdlib.h>
#include <string.h>

#include "measure/standin/files/files.h"
#include "measure/standin/messages/messages.h"

enum pointer { AT, OWN, SHARED, ORDERED };

static void set_count(MPI_Status* status, size_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
  PMPI_Status_set_cancelled(status, 0);
}

static size_t count_of(const MPI_Status* status) {
  MPI_Count n = 0;
  PMPI_Get_elements_x(status, MPI_BYTE, &n);
  return n == MPI_UNDEFINED || n < 0 ? 0 : (size_t)n;
}

/* Moves a pointer over `bytes` bytes of the view. */
static void advance(const struct standin_file* file, enum pointer pointer, size_t bytes) {
  MPI_Offset place;
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING + 1];
  if (pointer == AT || bytes == 0 ||
      PMPI_File_get_view(file->handle, &place, &etype, &filetype, representation) != MPI_SUCCESS)
    return;
  const size_t unit = standin_bytes(1, etype);
  const MPI_Offset steps = unit > 0 ? (MPI_Offset)(bytes / unit) : 0;
  if (pointer == OWN)
    PMPI_File_seek(file->handle, steps, MPI_SEEK_CUR);
  else
    PMPI_File_seek_shared(file->handle, pointer == ORDERED ? steps * file->comm.size : steps, MPI_SEEK_CUR);
  int integers, addresses, types, combiner;
  const MPI_Datatype both[] = {etype, filetype};
  for (int i = 0; i < 2; i++)
    if (PMPI_Type_get_envelope(both[i], &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
        combiner != MPI_COMBINER_NAMED) {
      MPI_Datatype own = both[i];
      PMPI_Type_free(&own);
    }
}

static MPI_Offset offset_of(const struct standin_file* file, enum pointer pointer, MPI_Offset offset) {
  if (pointer == OWN) PMPI_File_get_position(file->handle, &offset);
  if (pointer == SHARED || pointer == ORDERED) PMPI_File_get_position_shared(file->handle, &offset);
  return offset;
}

static int write_nowhere(struct standin_file* file, enum pointer pointer, MPI_Offset offset, int count,
                         MPI_Datatype type, MPI_Status* status) {
  const size_t bytes = standin_bytes(count, type);
  MPI_Offset first = 0;
  if (count < 0) return MPI_ERR_COUNT;
  if (PMPI_File_get_byte_offset(file->handle, offset_of(file, pointer, offset), &first) == MPI_SUCCESS &&
      file->size < first + (MPI_Offset)bytes)
    file->size = first + (MPI_Offset)bytes;
  advance(file, pointer, bytes);
  set_count(status, bytes);
  return MPI_SUCCESS;
}

/* What is not there is zero: others, or this rank, would have written it. */
static int read_dry(struct standin_file* file, enum pointer pointer, MPI_Offset offset, void* buffer, int count,
                    MPI_Datatype type, MPI_Status* status) {
  const size_t bytes = standin_bytes(count, type);
  MPI_Status mine;
  if (count < 0) return MPI_ERR_COUNT;
  const MPI_Offset from = offset_of(file, pointer, offset);
  memset(&mine, 0, sizeof mine);
  if (!(file->amode & MPI_MODE_WRONLY)) PMPI_File_read_at(file->handle, from, buffer, count, type, &mine);
  const size_t got = count_of(&mine);
  if (got < bytes) {
    char* all = standin_alloc(bytes);
    memset(all, 0, bytes);
    if (got > 0) standin_pack(buffer, count, type, all);
    memset(all + got, 0, bytes - got);
    standin_unpack(buffer, count, type, all, bytes);
    free(all);
    standin_note("reading of files that were opened for writing: what the job itself would have written is zero");
  }
  advance(file, pointer, bytes);
  set_count(status, bytes);
  return MPI_SUCCESS;
}

static int raise_if(const struct standin_file* file, int rc) {
  if (rc != MPI_SUCCESS) PMPI_File_call_errhandler(file->handle, rc);
  return rc;
}

static int started(int rc, struct standin_request* request) {
  request->status.MPI_ERROR = rc;
  return MPI_SUCCESS;
}

#define OFFSET_AT MPI_Offset offset,
#define OFFSET_OWN
#define OFFSET_SHARED
#define OFFSET_ORDERED
#define PASS_AT offset,
#define PASS_OWN
#define PASS_SHARED
#define PASS_ORDERED
#define VALUE_AT offset
#define VALUE_OWN 0
#define VALUE_SHARED 0
#define VALUE_ORDERED 0

#define READ(X, P)                                                                                              \
  int standin_##X(MPI_File handle, OFFSET_##P void* buffer, int count, MPI_Datatype type, MPI_Status* status) { \
    struct standin_file* file = standin_file_of(handle);                                                        \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type, status);                     \
    return raise_if(file, read_dry(file, P, VALUE_##P, buffer, count, type, status));                           \
  }
#define WRITE(X, P)                                                                                                   \
  int standin_##X(MPI_File handle, OFFSET_##P const void* buffer, int count, MPI_Datatype type, MPI_Status* status) { \
    struct standin_file* file = standin_file_of(handle);                                                              \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type, status);                           \
    return raise_if(file, write_nowhere(file, P, VALUE_##P, count, type, status));                                    \
  }
#define IREAD(X, P)                                                                                               \
  int standin_##X(MPI_File handle, OFFSET_##P void* buffer, int count, MPI_Datatype type, MPI_Request* request) { \
    struct standin_file* file = standin_file_of(handle);                                                          \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type, request);                      \
    struct standin_request* mine = standin_done_request(STANDIN_FILE, request);                                   \
    return started(read_dry(file, P, VALUE_##P, buffer, count, type, &mine->status), mine);                       \
  }
#define IWRITE(X, P)                                                                            \
  int standin_##X(MPI_File handle, OFFSET_##P const void* buffer, int count, MPI_Datatype type, \
                  MPI_Request* request) {                                                       \
    struct standin_file* file = standin_file_of(handle);                                        \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type, request);    \
    struct standin_request* mine = standin_done_request(STANDIN_FILE, request);                 \
    return started(write_nowhere(file, P, VALUE_##P, count, type, &mine->status), mine);        \
  }
#define BEGIN_READ(X, P)                                                                         \
  int standin_##X(MPI_File handle, OFFSET_##P void* buffer, int count, MPI_Datatype type) {      \
    struct standin_file* file = standin_file_of(handle);                                         \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type);              \
    file->begun = standin_bytes(count, type);                                                    \
    return raise_if(file, read_dry(file, P, VALUE_##P, buffer, count, type, MPI_STATUS_IGNORE)); \
  }
#define BEGIN_WRITE(X, P)                                                                         \
  int standin_##X(MPI_File handle, OFFSET_##P const void* buffer, int count, MPI_Datatype type) { \
    struct standin_file* file = standin_file_of(handle);                                          \
    if (!file || !file->dry) return PMPI_##X(handle, PASS_##P buffer, count, type);               \
    file->begun = standin_bytes(count, type);                                                     \
    return raise_if(file, write_nowhere(file, P, VALUE_##P, count, type, MPI_STATUS_IGNORE));     \
  }
#define END(X, QUALIFIER)                                                        \
  int standin_##X(MPI_File handle, QUALIFIER void* buffer, MPI_Status* status) { \
    struct standin_file* file = standin_file_of(handle);                         \
    if (!file || !file->dry) return PMPI_##X(handle, buffer, status);            \
    set_count(status, file->begun);                                              \
    return MPI_SUCCESS;                                                          \
  }

READ(File_read, OWN)
READ(File_read_all, OWN)
READ(File_read_at, AT)
READ(File_read_at_all, AT)
READ(File_read_shared, SHARED)
READ(File_read_ordered, ORDERED)
WRITE(File_write, OWN)
WRITE(File_write_all, OWN)
WRITE(File_write_at, AT)
WRITE(File_write_at_all, AT)
WRITE(File_write_shared, SHARED)
WRITE(File_write_ordered, ORDERED)
IREAD(File_iread, OWN)
IREAD(File_iread_all, OWN)
IREAD(File_iread_at, AT)
IREAD(File_iread_at_all, AT)
IREAD(File_iread_shared, SHARED)
IWRITE(File_iwrite, OWN)
IWRITE(File_iwrite_all, OWN)
IWRITE(File_iwrite_at, AT)
IWRITE(File_iwrite_at_all, AT)
IWRITE(File_iwrite_shared, SHARED)
BEGIN_READ(File_read_all_begin, OWN)
BEGIN_READ(File_read_at_all_begin, AT)
BEGIN_READ(File_read_ordered_begin, ORDERED)
BEGIN_WRITE(File_write_all_begin, OWN)
BEGIN_WRITE(File_write_at_all_begin, AT)
BEGIN_WRITE(File_write_ordered_begin, ORDERED)
END(File_read_all_end, )
END(File_read_at_all_end, )
END(File_read_ordered_end, )
END(File_write_all_end, const)
END(File_write_at_all_end, const)
END(File_write_ordered_end, const)
