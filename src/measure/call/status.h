/* What both MPI libraries keep in MPI_Status beside the public fields: these are part of their ABI (mpi.h), and reading
 * them saves two calls per received message. Pure functions of their arguments. */
#ifndef MORA_MEASURE_CALL_STATUS_H
#define MORA_MEASURE_CALL_STATUS_H

#include <stdint.h>

#include "journal/format.h"
#include "measure/call/hidden.h"
#include "measure/mpi/mpi_binding.h"

/* Bytes received, whatever the type: what PMPI_Get_elements_x(status, MPI_BYTE, …) returns. */
static inline uint64_t mora_status_bytes(const MPI_Status* status) {
#ifdef OPEN_MPI
  return status->_ucount;
#else
  return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#endif
}
/* As MPI_Test_cancelled, without a call. */
static inline int mora_status_cancelled(const MPI_Status* status) {
#ifdef OPEN_MPI
  return status->_cancelled;
#else
  return status->count_hi_and_cancelled & 1;
#endif
}

#ifdef OPEN_MPI
/* Sizes of basic types, which are never freed, by a hash of their handles. */
enum { MORA_BASIC_TYPES_LOG = 8 };
extern MORA_HIDDEN struct mora_basic_type {
  MPI_Datatype type;
  uint64_t bytes;
} mora_basic_types[1 << MORA_BASIC_TYPES_LOG];

/* The entry that the type has, or would have. */
static inline struct mora_basic_type* mora_basic_type_of(MPI_Datatype type) {
  return &mora_basic_types[(uint64_t)(uintptr_t)type * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MORA_BASIC_TYPES_LOG)];
}
#endif

/* Once, when MPI has started: looks up what mora_basic_type_bytes tells. */
void mora_basic_types_start(void);

/* Size of a basic type; 0 of one that is none, or not known as one. Without a call. */
static inline uint64_t mora_basic_type_bytes(MPI_Datatype type) {
#ifdef OPEN_MPI
  const struct mora_basic_type* entry = mora_basic_type_of(type);
  return __builtin_expect(entry->type == type, 1) ? entry->bytes : 0;
#else
  return ((uint32_t)type & 0xfc000000u) == 0x4c000000u ? ((uint32_t)type >> 8) & 0xff : 0;
#endif
}

/* As mora_type_bytes, of one element, by asking MPI. */
uint64_t mora_type_bytes_asked(MPI_Datatype type);

/* Packed size of `count` elements; 0 for a null type. Never the extent. */
static inline uint64_t mora_type_bytes(MPI_Datatype type, uint64_t count) {
  const uint64_t basic = mora_basic_type_bytes(type);
  return count * (__builtin_expect(basic != 0, 1) ? basic : mora_type_bytes_asked(type));
}

/* The bytes that `count` > 0 elements reach over: out[0] the first one, seen from where the elements stand (int64),
 * out[1] how many there are up to the last one. */
static inline void mora_type_range(MPI_Datatype type, uint64_t count, uint64_t* out) {
#ifdef MPICH_VERSION
  if (((uint32_t)type & 0xfc000000u) == 0x4c000000u) { /* basic type */
    out[0] = 0;
    out[1] = count * (((uint32_t)type >> 8) & 0xff);
    return;
  }
#endif
  MPI_Count low = 0, extent = 0, true_low = 0, true_extent = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_get_extent_x(type, &low, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent_x(type, &true_low, &true_extent) != MPI_SUCCESS)
    return;
  const MPI_Count rest = (MPI_Count)(count - 1) * extent; /* a negative extent goes backwards */
  out[0] = (uint64_t)(rest < 0 ? true_low + rest : true_low);
  out[1] = (uint64_t)(true_extent + (rest < 0 ? -rest : rest));
}
/* Ranks and tags as the journal has them: one spelling of "any" and "none" for both libraries. */
static inline int32_t mora_peer(int rank) {
  return rank == MPI_PROC_NULL ? MORA_PEER_NONE : rank == MPI_ANY_SOURCE ? MORA_PEER_ANY : rank;
}
/* Likewise. */
static inline int32_t mora_tag(int tag) { return tag == MPI_ANY_TAG ? MORA_TAG_ANY : tag; }

#endif
