#include "trace/event.h"

namespace mora::trace {

const char* to_string(EventKind kind) {
  switch (kind) {
    case EventKind::enter:
      return "enter";
    case EventKind::leave:
      return "leave";
    case EventKind::send:
      return "send";
    case EventKind::receive:
      return "receive";
    case EventKind::send_request:
      return "send_request";
    case EventKind::send_complete:
      return "send_complete";
    case EventKind::receive_request:
      return "receive_request";
    case EventKind::receive_complete:
      return "receive_complete";
    case EventKind::cancelled:
      return "cancelled";
    case EventKind::collective_begin:
      return "collective_begin";
    case EventKind::collective_end:
      return "collective_end";
    case EventKind::rma_collective_begin:
      return "rma_collective_begin";
    case EventKind::rma_collective_end:
      return "rma_collective_end";
    case EventKind::window_create:
      return "window_create";
    case EventKind::window_free:
      return "window_free";
    case EventKind::group_sync:
      return "group_sync";
    case EventKind::lock_request:
      return "lock_request";
    case EventKind::lock_release:
      return "lock_release";
    case EventKind::put:
      return "put";
    case EventKind::get:
      return "get";
    case EventKind::rma_complete:
      return "rma_complete";
    case EventKind::program_begin:
      return "program_begin";
    case EventKind::program_end:
      return "program_end";
    case EventKind::recording_off:
      return "recording_off";
    case EventKind::recording_on:
      return "recording_on";
    case EventKind::overhead_begin:
      return "overhead_begin";
    case EventKind::overhead_end:
      return "overhead_end";
    case EventKind::other:
      return "other";
  }
  return "other";
}

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
  }
  return "other";
}

}  // namespace mora::trace
