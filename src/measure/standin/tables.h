/* The tables of handles: communicators, groups, requests. */
#ifndef MORA_MEASURE_STANDIN_TABLES_H
#define MORA_MEASURE_STANDIN_TABLES_H

#include "measure/standin/standin.h"

/* MPI_COMM_WORLD and MPI_COMM_SELF; the process's rank is known. */
void standin_comms_start(void);
/* Enters a communicator whose handle is real. `members` and `remote` are taken over (malloc). rank: this process's. */
struct standin_comm* standin_comm_add(MPI_Comm handle, uint64_t identity, int* members, int size, int* remote, int remote_size);
void standin_comm_remove(struct standin_comm* comm);

#endif
