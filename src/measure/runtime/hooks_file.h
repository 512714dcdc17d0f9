/* The part of hooks.h that is about files. Included by hooks.h. */
#ifndef MORA_MEASURE_RUNTIME_HOOKS_FILE_H
#define MORA_MEASURE_RUNTIME_HOOKS_FILE_H

#include "measure/runtime/call.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* MPI_File_close */
void mora_pre_file_close(struct mora_call* call, MPI_File* fh);
void mora_post_file_close(struct mora_call* call, MPI_File* fh);
/* MPI_File_iread, MPI_File_iread_all, MPI_File_iread_shared, MPI_File_iwrite, MPI_File_iwrite_all,
 * MPI_File_iwrite_shared */
static inline void mora_pre_file_start(struct mora_call* call, MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Request* request) {}
void mora_post_file_start(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                          MPI_Request* request);
/* MPI_File_iread_at, MPI_File_iread_at_all, MPI_File_iwrite_at, MPI_File_iwrite_at_all */
static inline void mora_pre_file_start_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf,
                                          int count, MPI_Datatype datatype, MPI_Request* request) {}
void mora_post_file_start_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                             MPI_Datatype datatype, MPI_Request* request);
/* MPI_File_open */
static inline void mora_pre_file_open(struct mora_call* call, MPI_Comm comm, const char* filename, int amode,
                                      MPI_Info info, MPI_File* fh) {}
void mora_post_file_open(struct mora_call* call, MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                         MPI_File* fh);
/* MPI_File_read, MPI_File_read_all, MPI_File_read_ordered, MPI_File_read_shared, MPI_File_write, MPI_File_write_all,
 * MPI_File_write_ordered, MPI_File_write_shared */
static inline void mora_pre_file_transfer(struct mora_call* call, MPI_File fh, const void* buf, int count,
                                          MPI_Datatype datatype, MPI_Status* status) {}
void mora_post_file_transfer(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                             MPI_Status* status);
/* MPI_File_read_all_begin, MPI_File_read_ordered_begin, MPI_File_write_all_begin, MPI_File_write_ordered_begin */
static inline void mora_pre_file_begin(struct mora_call* call, MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype) {}
void mora_post_file_begin(struct mora_call* call, MPI_File fh, const void* buf, int count, MPI_Datatype datatype);
/* MPI_File_read_all_end, MPI_File_read_at_all_end, MPI_File_read_ordered_end, MPI_File_write_all_end,
 * MPI_File_write_at_all_end, MPI_File_write_ordered_end */
static inline void mora_pre_file_end(struct mora_call* call, MPI_File fh, const void* buf, MPI_Status* status) {}
void mora_post_file_end(struct mora_call* call, MPI_File fh, const void* buf, MPI_Status* status);
/* MPI_File_read_at, MPI_File_read_at_all, MPI_File_write_at, MPI_File_write_at_all */
static inline void mora_pre_file_transfer_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf,
                                             int count, MPI_Datatype datatype, MPI_Status* status) {}
void mora_post_file_transfer_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                MPI_Datatype datatype, MPI_Status* status);
/* MPI_File_read_at_all_begin, MPI_File_write_at_all_begin */
static inline void mora_pre_file_begin_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf,
                                          int count, MPI_Datatype datatype) {}
void mora_post_file_begin_at(struct mora_call* call, MPI_File fh, MPI_Offset offset, const void* buf, int count,
                             MPI_Datatype datatype);

#pragma GCC diagnostic pop

#endif
