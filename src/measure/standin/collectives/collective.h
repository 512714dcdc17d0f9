/* What the files of collective operations share. */
#ifndef MORA_MEASURE_STANDIN_COLLECTIVES_COLLECTIVE_H
#define MORA_MEASURE_STANDIN_COLLECTIVES_COLLECTIVE_H

#include "measure/standin/core/standin.h"

/* MPI_SUCCESS, or what is wrong (not raised yet). */
int standin_check_collective(int count, MPI_Datatype type);

#endif
