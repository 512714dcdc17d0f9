/* Datatypes of pattern mode: handle → number, and their definitions in the journal. A type is defined when it is first
 * used; its number ends with MPI_Type_free (MPI gives freed handles to new types). Called by hooks only. */
#ifndef MORA_MEASURE_PATTERN_DATATYPES_H
#define MORA_MEASURE_PATTERN_DATATYPES_H

#include "measure/handles/handle_map.h"

/* The type that was asked for last: most programs use one for many calls. */
struct mora_type_last {
  uint64_t key;
  uint32_t id;
};
extern struct mora_type_last mora_type_last;

/// The slow path of mora_type_id: looks the handle up, defines the type if it is new.
uint32_t mora_type_search(MPI_Datatype type);

/* From 1; 0 for MPI_DATATYPE_NULL or without memory. May write a DEFINE_TYPE record. */
static inline uint32_t mora_type_id(MPI_Datatype type) {
  if (__builtin_expect(mora_type_last.key == MORA_KEY(type), 1)) return mora_type_last.id;
  return mora_type_search(type);
}

/* 0 if it has no number yet. */
uint32_t mora_type_known(MPI_Datatype type);

/* Call before MPI_Type_free: the handle loses its number. */
void mora_type_forget(MPI_Datatype type);

#endif
