#include "measure/runtime/tracked.h"

#include "functions.h"

static const uint16_t always[] = {
    MORA_FN_MPI_Abort, MORA_FN_MPI_Finalize, MORA_FN_MPI_Comm_create, MORA_FN_MPI_Comm_create_from_group,
    MORA_FN_MPI_Comm_create_group, MORA_FN_MPI_Comm_dup, MORA_FN_MPI_Comm_dup_with_info, MORA_FN_MPI_Comm_idup,
    MORA_FN_MPI_Comm_idup_with_info, MORA_FN_MPI_Comm_split, MORA_FN_MPI_Comm_split_type, MORA_FN_MPI_Comm_spawn,
    MORA_FN_MPI_Comm_spawn_multiple, MORA_FN_MPI_Comm_accept, MORA_FN_MPI_Comm_connect, MORA_FN_MPI_Comm_join,
    MORA_FN_MPI_Comm_free, MORA_FN_MPI_Comm_disconnect, MORA_FN_MPI_Comm_set_name, MORA_FN_MPI_Cart_create,
    MORA_FN_MPI_Cart_sub, MORA_FN_MPI_Graph_create, MORA_FN_MPI_Dist_graph_create,
    MORA_FN_MPI_Dist_graph_create_adjacent, MORA_FN_MPI_Intercomm_create, MORA_FN_MPI_Intercomm_create_from_groups,
    MORA_FN_MPI_Intercomm_merge, MORA_FN_MPI_Send_init, MORA_FN_MPI_Bsend_init, MORA_FN_MPI_Rsend_init,
    MORA_FN_MPI_Ssend_init, MORA_FN_MPI_Recv_init, MORA_FN_MPI_Start, MORA_FN_MPI_Startall, MORA_FN_MPI_Request_free,
    MORA_FN_MPI_Cancel, MORA_FN_MPI_Mprobe, MORA_FN_MPI_Improbe, MORA_FN_MPI_Mrecv, MORA_FN_MPI_Imrecv,
    MORA_FN_MPI_Win_create, MORA_FN_MPI_Win_allocate, MORA_FN_MPI_Win_allocate_shared, MORA_FN_MPI_Win_create_dynamic,
    MORA_FN_MPI_Win_free, MORA_FN_MPI_Win_set_name, MORA_FN_MPI_Win_post, MORA_FN_MPI_Win_start,
    MORA_FN_MPI_Win_complete, MORA_FN_MPI_Win_wait, MORA_FN_MPI_Win_test, MORA_FN_MPI_Win_lock, MORA_FN_MPI_Win_unlock,
    MORA_FN_MPI_Win_lock_all, MORA_FN_MPI_Win_unlock_all};

static const uint16_t completing[] = {MORA_FN_MPI_Wait,    MORA_FN_MPI_Waitall, MORA_FN_MPI_Waitany, MORA_FN_MPI_Waitsome,
                                      MORA_FN_MPI_Test,    MORA_FN_MPI_Testall, MORA_FN_MPI_Testany, MORA_FN_MPI_Testsome};

void mora_choose_tracked(uint8_t* tracked) {
  for (unsigned i = 0; i < sizeof always / sizeof *always; i++) tracked[always[i]] = MORA_TRACK_ALWAYS;
  for (unsigned i = 0; i < sizeof completing / sizeof *completing; i++) tracked[completing[i]] = MORA_TRACK_REQUESTS;
}
