/* The neighbours of a process in the topology of a communicator, in the order of the arguments of neighbourhood
 * collectives (MPI-3.1, 7.6): Cartesian for each dimension the lower, then the higher one; graphs as they were given.
 */
#ifndef MORA_MEASURE_HANDLES_NEIGHBORS_H
#define MORA_MEASURE_HANDLES_NEIGHBORS_H

#include <stdint.h>

#include "measure/mpi/mpi_binding.h"

struct mora_neighbors {
  const int* destinations; /* ranks of the communicator, MPI_PROC_NULL at an edge that is not periodic */
  const int* sources;
  int n_destinations, n_sources;
};

/* `id`: the communicator's number in the journal. No neighbours without a topology or memory. The arrays stand until
 * the thread's next call. */
const struct mora_neighbors* mora_neighbors_of(MPI_Comm comm, uint32_t id);

/* The length of an all-to-all's argument arrays on this communicator: the ranks (the remote group's of an
 * inter-communicator), or the neighbours of its topology. */
void mora_count_peers(MPI_Comm comm, int* receivers, int* senders);
void mora_count_neighbors(MPI_Comm comm, int* receivers, int* senders);

#endif
