/// The MPI functions whose meaning an analysis must know, from the region's name alone.
///
/// Source: MPI-3.1. Large-count forms (`MPI_Send_c`), Fortran spellings (`mpi_send_`, `MPI_SEND`, `mpi_send_f08_`) and
/// profiling names (`PMPI_Send`) are the same function. All functions here are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/event.h"

namespace mora::trace {

/// What a call does, as far as the wait-state patterns and the matching rules tell calls apart.
enum class CallClass : std::uint8_t {
  none,              ///< not an MPI function
  other,             ///< an MPI function without special meaning (management, queries, files, …)
  send,              ///< blocking send in all modes
  receive,           ///< MPI_Recv, MPI_Mrecv
  send_receive,      ///< MPI_Sendrecv, MPI_Sendrecv_replace
  send_start,        ///< MPI_Isend in all modes
  receive_start,     ///< MPI_Irecv, MPI_Imrecv
  request_setup,     ///< MPI_Send_init … MPI_Recv_init
  start,             ///< MPI_Start, MPI_Startall
  probe,             ///< MPI_Probe, MPI_Iprobe
  matched_probe,     ///< MPI_Mprobe, MPI_Improbe
  wait_single,       ///< MPI_Wait
  wait_multiple,     ///< MPI_Waitall, MPI_Waitany, MPI_Waitsome
  test,              ///< MPI_Test, MPI_Testall, MPI_Testany, MPI_Testsome
  cancel,            ///< MPI_Cancel
  request_free,      ///< MPI_Request_free
  collective,        ///< blocking collective (Collective tells which)
  collective_start,  ///< non-blocking and neighbourhood collectives
  init,
  finalize,
  communicator,  ///< creates or frees communicators, groups, topologies
  window_create,
  window_free,
  fence,
  post,
  start_epoch,  ///< MPI_Win_start
  complete,
  wait_epoch,  ///< MPI_Win_wait
  test_epoch,  ///< MPI_Win_test
  lock,
  unlock,
  passive_other,  ///< lock_all, unlock_all, flush…, sync
  put,
  get,
  accumulate,  ///< also the fetching forms
  file,        ///< MPI_File_*
};

enum class MpiFunction : std::uint16_t {
  none = 0,   ///< not MPI
  other = 1,  ///< MPI_…, not in the table
#define MORA_MPI_FUNCTION(enumerator, name, call_class, collective) enumerator,
#include "trace/mpi_functions.inc"
#undef MORA_MPI_FUNCTION
  count
};

struct MpiFunctionInfo {
  std::string_view name;
  CallClass call_class = CallClass::none;
  Collective collective = Collective::none;
};

/// `other` for an unknown MPI_ name, `none` for a name that is not MPI's. O(1).
MpiFunction mpi_function(std::string_view region_name);

/// `function` may come from Region::function; values out of range give `none`'s row.
const MpiFunctionInfo& mpi_function_info(MpiFunction function);
inline const MpiFunctionInfo& mpi_function_info(const Region& region) {
  return mpi_function_info(static_cast<MpiFunction>(region.function));
}
inline CallClass call_class(const Region& region) { return mpi_function_info(region).call_class; }

/// A call that sends and may have to wait for the receiver: blocking sends in all modes, MPI_Sendrecv.
bool blocks_in_send(CallClass c);
bool completes_requests(CallClass c);    ///< wait and test family, MPI_Mrecv does not count
bool is_test(CallClass c);               ///< never blocks: test, test_epoch
bool is_rma(CallClass c);                ///< windows, epochs, transfers
bool is_rma_transfer(CallClass c);       ///< put, get, accumulate
bool is_window_collective(CallClass c);  ///< create, free, fence

/// What a non-blocking collective (MPI_Ibarrier, …) does; `other` for neighbourhood ones, `none` if it is none.
Collective started_collective(const Region& region);

/// get_accumulate, fetch_and_op or compare_and_swap; none for all other functions.
RmaOperation fetching_operation(const Region& region);

/// How the wait-state patterns group collectives (Scalasca 2.6, performance properties: Wait at Barrier, Late
/// Broadcast, Early Reduce, Wait at NxN, Early Scan).
enum class CollectiveShape : std::uint8_t { none, barrier, one_to_all, all_to_one, all_to_all, prefix };
/// Neighbourhood collectives and the management of communicators are `none`.
CollectiveShape shape(Collective collective);

/// fence, post, start, complete, wait, test, win_create, win_free, put, get, accumulate; none for the rest.
RmaOperation rma_operation(CallClass c);

}  // namespace mora::trace
