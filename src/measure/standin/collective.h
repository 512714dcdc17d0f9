/* What the files of collective operations share. */
#ifndef MORA_MEASURE_STANDIN_COLLECTIVE_H
#define MORA_MEASURE_STANDIN_COLLECTIVE_H

#include "measure/standin/standin.h"

/* MPI_SUCCESS, or what is wrong (not raised yet). */
int standin_check_collective(const struct standin_comm* comm, int count, MPI_Datatype type);

#endif
