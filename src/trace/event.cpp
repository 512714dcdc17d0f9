#include "trace/event.h"

#include "base/names.h"

namespace mora::trace {

constexpr const char* event_kinds[] = {"enter",
                                       "leave",
                                       "send",
                                       "receive",
                                       "send_request",
                                       "send_complete",
                                       "receive_request",
                                       "receive_complete",
                                       "cancelled",
                                       "collective_begin",
                                       "collective_end",
                                       "rma_collective_begin",
                                       "rma_collective_end",
                                       "window_create",
                                       "window_free",
                                       "group_sync",
                                       "lock_request",
                                       "lock_release",
                                       "put",
                                       "get",
                                       "rma_complete",
                                       "collective_request",
                                       "collective_complete",
                                       "atomic",
                                       "flush",
                                       "fork",
                                       "join",
                                       "acquire",
                                       "release",
                                       "team_collective_end",
                                       "io_begin",
                                       "io_end",
                                       "metric",
                                       "user",
                                       "program_begin",
                                       "program_end",
                                       "recording_off",
                                       "recording_on",
                                       "overhead_begin",
                                       "overhead_end",
                                       "other"};

const char* to_string(EventKind kind) { return name_in(event_kinds, kind); }

const char* to_string(Collective collective) {
  switch (collective) {
    case Collective::none:
      return "none";
    case Collective::barrier:
      return "barrier";
    case Collective::bcast:
      return "bcast";
    case Collective::gather:
      return "gather";
    case Collective::gatherv:
      return "gatherv";
    case Collective::scatter:
      return "scatter";
    case Collective::scatterv:
      return "scatterv";
    case Collective::allgather:
      return "allgather";
    case Collective::allgatherv:
      return "allgatherv";
    case Collective::alltoall:
      return "alltoall";
    case Collective::alltoallv:
      return "alltoallv";
    case Collective::alltoallw:
      return "alltoallw";
    case Collective::allreduce:
      return "allreduce";
    case Collective::reduce:
      return "reduce";
    case Collective::reduce_scatter:
      return "reduce_scatter";
    case Collective::reduce_scatter_block:
      return "reduce_scatter_block";
    case Collective::scan:
      return "scan";
    case Collective::exscan:
      return "exscan";
    case Collective::create_handle:
      return "create_handle";
    case Collective::destroy_handle:
      return "destroy_handle";
    case Collective::allocate:
      return "allocate";
    case Collective::deallocate:
      return "deallocate";
    case Collective::init:
      return "init";
    case Collective::finalize:
      return "finalize";
    case Collective::other:
      return "other";
    case Collective::neighbor_allgather:
      return "neighbor_allgather";
    case Collective::neighbor_allgatherv:
      return "neighbor_allgatherv";
    case Collective::neighbor_alltoall:
      return "neighbor_alltoall";
    case Collective::neighbor_alltoallv:
      return "neighbor_alltoallv";
    case Collective::neighbor_alltoallw:
      return "neighbor_alltoallw";
  }
  return "other";
}

}  // namespace mora::trace
