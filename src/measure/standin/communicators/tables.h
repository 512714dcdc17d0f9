/* Entries of the table of communicators (core/standin.h looks them up). */
#ifndef MORA_MEASURE_STANDIN_COMMUNICATORS_TABLES_H
#define MORA_MEASURE_STANDIN_COMMUNICATORS_TABLES_H

#include "measure/standin/core/standin.h"

/* MPI_COMM_WORLD and MPI_COMM_SELF; the process's rank is known. */
void standin_comms_start(void);
/* Enters a communicator whose handle is real. `members` and `remote` are taken over (malloc); NULL members: all of the
 * world. */
struct standin_comm* standin_comm_add(MPI_Comm handle, uint64_t identity, int* members, int size, int* remote,
                                      int remote_size);
/* The entry is gone at once, its memory later: requests may still point at it. */
void standin_comm_remove(struct standin_comm* comm);

/* A new real handle with the parent's error handler and no attributes, entered as above. */
struct standin_comm* standin_comm_make(struct standin_comm* parent, uint64_t identity, int* members, int size,
                                       int* remote, int remote_size);
/* The members as an array of one's own. */
int* standin_comm_members(const struct standin_comm* comm);
/* NULL of NULL. */
int* standin_list_copy(const int* list, int n);
/* The topology of `from`, for a duplicate. */
void standin_topology_copy(struct standin_comm* to, const struct standin_comm* from);

#endif
