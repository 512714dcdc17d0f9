/* Typed data as bytes: what is copied from one buffer to another, kept, or put into a buffer that is filled later.
 *
 * Bytes stand packed, in the order of the type map, so that sender's and receiver's types may differ. */
#ifndef MORA_MEASURE_STANDIN_DATA_H
#define MORA_MEASURE_STANDIN_DATA_H

#include <stddef.h>

#include "measure/standin/standin.h"

/* Data of at most this size are made up, kept and zeroed; larger buffers are left as they are where the data are not
 * known. */
enum { STANDIN_SMALL = 65536 };

size_t standin_bytes(int count, MPI_Datatype type);
MPI_Aint standin_extent(MPI_Datatype type);
/* 1: the data stand in one piece at buffer + *offset. */
int standin_is_plain(int count, MPI_Datatype type, MPI_Aint* offset);

/* `bytes` holds standin_bytes(count, type). */
void standin_pack(const void* buffer, int count, MPI_Datatype type, void* bytes);
/* As many whole elements as `n` bytes hold, at most `count`. */
void standin_unpack(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n);
/* Copies what fits in both. */
void standin_move(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
                  MPI_Datatype to_type);
/* Fills `count` elements with `n` bytes again and again; n = 0: zeroes. */
void standin_fill(void* buffer, int count, MPI_Datatype type, const void* bytes, size_t n);

/* The status of a message of `bytes` bytes; MPI_ERROR stays. `status` may be MPI_STATUS_IGNORE. */
void standin_set_status(MPI_Status* status, int source, int tag, size_t bytes, int cancelled);
void standin_set_empty_status(MPI_Status* status);

/* Where a receive puts its data when it completes. Keeps a type of its own if it needs one: the program may free its.
 */
struct standin_landing {
  char* buffer;
  size_t capacity;
  int plain, count;
  MPI_Datatype type;
};
void standin_landing_set(struct standin_landing* landing, void* buffer, int count, MPI_Datatype type, int for_later);
void standin_land(const struct standin_landing* landing, const void* bytes, size_t n);
void standin_land_zeroes(const struct standin_landing* landing); /* if the room is small */
void standin_landing_done(struct standin_landing* landing);

#endif
