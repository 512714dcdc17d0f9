/* Typed data as bytes: copied from one buffer to another, kept, or put into a buffer that is filled later. MPI's own
 * packing does the work; the functions are called with the stand-in's lock held and stop the process without memory.
 *
 * Bytes stand packed, in the order of the type map, so that sender's and receiver's types may differ. */
#ifndef MORA_MEASURE_STANDIN_CORE_DATA_H
#define MORA_MEASURE_STANDIN_CORE_DATA_H

#include <stddef.h>

#include "measure/standin/core/standin.h"

/* Bytes. Messages of at most this size are remembered with their data, and buffers of at most this size are zeroed
 * where the data are not known; larger buffers stay as they are. */
enum { STANDIN_SMALL = 65536 };

/* Bytes of data in `count` elements. */
size_t standin_bytes(int count, MPI_Datatype type);
/* From one element to the next, in bytes. */
MPI_Aint standin_extent(MPI_Datatype type);
/* 1: the data are one contiguous piece at buffer + *offset, in the order of the type map. */
int standin_is_plain(int count, MPI_Datatype type, MPI_Aint* offset);

/* Packs into `bytes`, which has room for standin_bytes(count, type). */
void standin_pack(const void* buffer, int count, MPI_Datatype type, void* bytes);
/* Unpacks as many whole elements as `n` bytes hold, at most `count`. */
void standin_unpack(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n);
/* Copies what fits in both. */
void standin_move(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type);
/* Fills `count` elements with `n` bytes again and again; n = 0: zeroes. */
void standin_fill(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n);

/* The status of a message of `bytes` bytes; MPI_ERROR stays. `status` may be MPI_STATUS_IGNORE. */
void standin_set_status(MPI_Status* status, int source, int tag, size_t bytes, int cancelled);
void standin_set_empty_status(MPI_Status* status);

/* Where a receive puts its data when it completes. It keeps a duplicate of the type if it needs one later, as the
 * program may free its own. */
struct standin_receive_buffer {
  char* buffer;
  size_t capacity;
  int plain, count;
  MPI_Datatype type;
};
/* What a receive was given, kept until data come (`for_later`: the call returns before). fill: `n` packed bytes;
 * free: releases the type that set has kept. */
void standin_receive_buffer_set(struct standin_receive_buffer* into, void* buffer, int count, MPI_Datatype type,
                                int for_later);
void standin_receive_buffer_fill(const struct standin_receive_buffer* into, const void* bytes, size_t n);
void standin_receive_buffer_zero(const struct standin_receive_buffer* into); /* if it has at most STANDIN_SMALL bytes */
void standin_receive_buffer_free(struct standin_receive_buffer* into);

#endif
