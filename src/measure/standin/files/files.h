/* Files of a dry run. What is opened for reading only is really read. A file that may be written is never touched: what
 * was there before can be read (MPI_MODE_RDWR), what is written is counted and goes nowhere, reading it back gives
 * zeroes. Thousands of ranks that are run one by one would otherwise overwrite each other's results, and the user's. */
#ifndef MORA_MEASURE_STANDIN_FILES_FILES_H
#define MORA_MEASURE_STANDIN_FILES_FILES_H

#include "measure/standin/core/data.h"

struct standin_file {
  MPI_File handle;          /* the real library's, of this process alone */
  struct standin_comm comm; /* a copy: its members are this file's own */
  int amode;                /* as asked for */
  int dry;                  /* may be written */
  MPI_Offset size;          /* of a dry one: end of what was written or set, at least */
  size_t begun;             /* bytes of the split collective call that is open */
};

/* NULL: the real library's. */
struct standin_file* standin_file_of(MPI_File file);
/* A communicator of this process alone that is in no table of ours: the real library may do with it what it likes. */
MPI_Comm standin_own_self(void);

#endif
