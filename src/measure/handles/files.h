/* The files of this process: handle → entry. A file is defined in the journal when it is opened. Thread-safe as
 * communicators.h. */
#ifndef MORA_MEASURE_HANDLES_FILES_H
#define MORA_MEASURE_HANDLES_FILES_H

#include "measure/call/call.h"

struct mora_file {
  uint64_t key;
  uint32_t id;
  uint64_t split; /* request number of the split collective that has begun; 0 none */
};

#define MORA_NO_FILE UINT32_MAX

/* A pointer in both libraries. */
#define MORA_FILE_KEY(file) ((uint64_t)(uintptr_t)(file))

/* Always a new id; NULL without memory. */
struct mora_file* mora_file_opened(uint32_t comm, MPI_File file, const char* name);

/* NULL for one we do not know. */
struct mora_file* mora_file_of(MPI_File file);

/// Removes a closed file from the table.
void mora_file_forget(uint64_t key);

#endif
