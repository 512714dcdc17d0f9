/// One function per group of events. What a record needs besides the event (ranks in communicators, references of
/// definitions) comes from the plan. Records that OTF2 cannot express are counted in not_written(), never dropped
/// silently.
#include "export/otf2/event_records.h"

#include <algorithm>
#include <utility>

#include "archive/attributes.h"
#include "archive/mpi_meaning.h"

namespace mora::exports {

using trace::Collective;
using trace::Event;
using trace::EventKind;
using trace::no_id;
using trace::RmaOperation;

namespace {

OTF2_CollectiveOp window_operation(const Event& e) {
  if (e.collective != Collective::none && e.collective != Collective::other)
    return archive::collective_operation(e.collective);
  if (e.rma_operation == RmaOperation::win_create) return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
  if (e.rma_operation == RmaOperation::win_free) return OTF2_COLLECTIVE_OP_DESTROY_HANDLE;
  return OTF2_COLLECTIVE_OP_BARRIER;
}

}  // namespace

EventRecords::EventRecords(const ArchivePlan& plan, OTF2_EvtWriter* writer, trace::LocationId location)
    : plan_(plan), writer_(writer), list_(OTF2_AttributeList_New()), rank_(plan.definitions.locations[location].rank) {}

EventRecords::~EventRecords() { OTF2_AttributeList_Delete(list_); }

void EventRecords::program_begin(std::uint64_t stamp) {
  note(OTF2_EvtWriter_ProgramBegin(writer_, nullptr, stamp, ArchivePlan::program_string, 0, nullptr));
}

void EventRecords::program_end(std::uint64_t stamp) {
  note(OTF2_EvtWriter_ProgramEnd(writer_, nullptr, stamp, OTF2_UNDEFINED_INT64));
}

OTF2_AttributeList* EventRecords::assertion(const Event& e) {
  if (e.assertion == 0) return nullptr;
  note(OTF2_AttributeList_AddUint32(list_, archive::attribute_assert, e.assertion));
  return list_;
}

void EventRecords::transfer_message(bool send, std::uint64_t stamp, TransferRole role, std::uint32_t peer,
                                    trace::WindowId window, std::uint64_t bytes) {
  const std::uint32_t other = plan_.ranks.in_window(window, rank_, peer);
  if (other == no_id) return;
  last_ = std::max(last_, stamp);
  note(OTF2_AttributeList_AddUint32(list_, attribute_transfer, static_cast<std::uint32_t>(role)));
  const auto tag = static_cast<std::uint32_t>(role);
  const auto comm = plan_.transfers_on(window);
  note(send ? OTF2_EvtWriter_MpiSend(writer_, list_, stamp, other, comm, tag, bytes)
            : OTF2_EvtWriter_MpiRecv(writer_, list_, stamp, other, comm, tag, bytes));
}

void EventRecords::write(const Event& e, std::uint64_t t, Nanoseconds shift) {
  const std::uint64_t before = std::exchange(last_, std::max(last_, t));
  if (e.kind == EventKind::overhead_end)  // what lies between begin and end is rare: the recorder was busy
    return note(OTF2_EvtWriter_BufferFlush(writer_, nullptr, std::max(overhead_since_, before), t));
  switch (e.kind) {
    case EventKind::enter:
      if (e.tag != 0) note(OTF2_AttributeList_AddInt32(list_, archive::attribute_argument, e.tag));
      return note(OTF2_EvtWriter_Enter(writer_, e.tag != 0 ? list_ : nullptr, t, plan_.region(e.region)));
    case EventKind::team_collective_end:
      team_ = true;  // OTF2 says it with the region's role
      return;
    case EventKind::leave:
      if (std::exchange(team_, false) && plan_.region(e.region) < plan_.team_regions.size())
        plan_.team_regions[plan_.region(e.region)] = true;
      if (e.mended) return;  // not in the source: the reader of this archive mends it again
      return note(OTF2_EvtWriter_Leave(writer_, nullptr, t, plan_.region(e.region)));
    case EventKind::send:
    case EventKind::receive:
    case EventKind::send_request:
    case EventKind::receive_complete:
      return message(e, t);
    case EventKind::send_complete:
      return note(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, t, e.request));
    case EventKind::receive_request:
      return note(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, t, e.request));
    case EventKind::cancelled:
      return note(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, t, e.request));
    case EventKind::collective_begin:
    case EventKind::collective_end:
    case EventKind::collective_request:
    case EventKind::collective_complete:
      return collective(e, t);
    case EventKind::rma_collective_begin:
    case EventKind::rma_collective_end:
    case EventKind::window_create:
    case EventKind::window_free:
    case EventKind::group_sync:
    case EventKind::lock_request:
    case EventKind::lock_release:
    case EventKind::flush:
      return synchronisation(e, t);
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
    case EventKind::rma_complete:
      return transfer(e, t, shift);
    default:
      return other(e, t);
  }
}

void EventRecords::message(const Event& e, std::uint64_t t) {
  const bool none = e.comm == no_id && e.peer < plan_.world_size;
  const std::uint32_t peer = none ? e.peer : plan_.ranks.peer(e.comm, rank_, e.peer);
  if (peer == no_id) {
    ++not_written_;
    return;
  }
  plan_.needs_world = plan_.needs_world || none;
  const OTF2_CommRef comm = none ? plan_.world_instead() : e.comm;
  const auto tag = static_cast<std::uint32_t>(e.tag);
  switch (e.kind) {
    case EventKind::send:
      return note(OTF2_EvtWriter_MpiSend(writer_, nullptr, t, peer, comm, tag, e.bytes));
    case EventKind::receive:
      return note(OTF2_EvtWriter_MpiRecv(writer_, nullptr, t, peer, comm, tag, e.bytes));
    case EventKind::send_request:
      return note(OTF2_EvtWriter_MpiIsend(writer_, nullptr, t, peer, comm, tag, e.bytes, e.request));
    default:
      return note(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, t, peer, comm, tag, e.bytes, e.request));
  }
}

void EventRecords::collective(const Event& e, std::uint64_t t) {
  if (e.kind == EventKind::collective_begin) return note(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, t));
  if (e.kind == EventKind::collective_request)
    return note(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, t, e.request));
  if (e.comm >= plan_.definitions.communicators.size()) {
    ++not_written_;
    return;
  }
  std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
  if (e.root != no_id) {
    root = plan_.ranks.peer(e.comm, rank_, e.root);
    // Inter-communicators: whoever is no member of the other group is on the root's side.
    if (root == no_id) root = e.root == rank_ ? OTF2_COLLECTIVE_ROOT_SELF : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  }
  OTF2_AttributeList* list = nullptr;
  if (vector_ != no_id) {
    note(OTF2_AttributeList_AddUint32(list_, archive::attribute_vector, vector_));
    list = list_;
    vector_ = no_id;
  }
  if (is_neighborhood(e.collective)) {
    note(OTF2_AttributeList_AddUint32(list_, archive::attribute_neighborhood, 1));
    list = list_;
  }
  const OTF2_CollectiveOp op = archive::collective_operation(e.collective);
  note(e.kind == EventKind::collective_end
           ? OTF2_EvtWriter_MpiCollectiveEnd(writer_, list, t, op, e.comm, root, e.bytes, e.received)
           : OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, list, t, op, e.comm, root, e.bytes, e.received,
                                                          e.request));
}

void EventRecords::synchronisation(const Event& e, std::uint64_t t) {
  if (e.kind == EventKind::rma_collective_begin) return note(OTF2_EvtWriter_RmaCollectiveBegin(writer_, nullptr, t));
  if (e.window >= plan_.definitions.windows.size()) {
    ++not_written_;
    return;
  }
  switch (e.kind) {
    case EventKind::rma_collective_end: {
      const auto op = window_operation(e);
      const OTF2_RmaSyncLevel level = op == OTF2_COLLECTIVE_OP_BARRIER
                                          ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                                          : OTF2_RMA_SYNC_LEVEL_PROCESS;
      return note(
          OTF2_EvtWriter_RmaCollectiveEnd(writer_, assertion(e), t, op, level, e.window, OTF2_UNDEFINED_UINT32, 0, 0));
    }
    case EventKind::window_create:
      return note(OTF2_EvtWriter_RmaWinCreate(writer_, nullptr, t, e.window));
    case EventKind::window_free:
      return note(OTF2_EvtWriter_RmaWinDestroy(writer_, nullptr, t, e.window));
    case EventKind::group_sync: {
      const bool opens = e.rma_operation == RmaOperation::post || e.rma_operation == RmaOperation::start;
      const OTF2_RmaSyncLevel level = e.epoch_closed ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                                      : opens        ? OTF2_RMA_SYNC_LEVEL_PROCESS
                                                     : OTF2_RMA_SYNC_LEVEL_NONE;
      return note(OTF2_EvtWriter_RmaGroupSync(writer_, assertion(e), t, level, e.window, plan_.group(e.group)));
    }
    default:
      break;
  }
  // MPI_Win_lock_all and MPI_Win_flush_all have no one target (docs/formats/otf2.md).
  const std::uint32_t target = e.peer == no_id ? OTF2_UNDEFINED_UINT32 : plan_.ranks.in_window(e.window, rank_, e.peer);
  if (e.kind == EventKind::flush)
    note(OTF2_EvtWriter_RmaSync(writer_, nullptr, t, e.window, target, OTF2_RMA_SYNC_TYPE_MEMORY));
  else if (e.kind == EventKind::lock_request)
    note(OTF2_EvtWriter_RmaRequestLock(writer_, assertion(e), t, e.window, target, 0,
                                       e.lock_exclusive ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED));
  else
    note(OTF2_EvtWriter_RmaReleaseLock(writer_, nullptr, t, e.window, target, 0));
}

void EventRecords::transfer(const Event& e, std::uint64_t t, Nanoseconds shift) {
  if (e.window >= plan_.definitions.windows.size()) {
    ++not_written_;
    return;
  }
  if (e.kind == EventKind::rma_complete)
    return note(OTF2_EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, t, e.window, e.request));
  const std::uint32_t target = plan_.ranks.in_window(e.window, rank_, e.peer);
  if (target == no_id) {
    ++not_written_;
    return;
  }
  OTF2_AttributeList* list = nullptr;
  if (e.end_time != trace::at_leave) {
    const auto end = static_cast<std::uint64_t>(std::max<Nanoseconds>(e.end_time + shift, 0));
    note(OTF2_AttributeList_AddUint64(list_, archive::attribute_rma_end, end));
    list = list_;
  }
  if (e.target_offset != trace::no_offset) {
    note(OTF2_AttributeList_AddUint64(list_, archive::attribute_target_offset, e.target_offset));
    note(OTF2_AttributeList_AddUint64(list_, archive::attribute_target_extent, e.target_extent));
    list = list_;
  }
  if (e.kind == EventKind::atomic)
    return note(OTF2_EvtWriter_RmaAtomic(writer_, list, t, e.window, target,
                                         e.rma_operation == RmaOperation::compare_and_swap
                                             ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                             : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                                         e.bytes, e.received, e.request));
  if (e.received != e.bytes) {
    note(OTF2_AttributeList_AddUint64(list_, archive::attribute_received, e.received));
    list = list_;
  }
  note(e.kind == EventKind::put ? OTF2_EvtWriter_RmaPut(writer_, list, t, e.window, target, e.bytes, e.request)
                                : OTF2_EvtWriter_RmaGet(writer_, list, t, e.window, target, e.bytes, e.request));
}

void EventRecords::other(const Event& e, std::uint64_t t) {
  const trace::Definitions& d = plan_.definitions;
  switch (e.kind) {
    case EventKind::program_begin:
      return program_begin(t);
    case EventKind::program_end:
      return program_end(t);
    case EventKind::recording_off:
    case EventKind::recording_on:
      return note(OTF2_EvtWriter_MeasurementOnOff(
          writer_, nullptr, t, e.kind == EventKind::recording_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
    case EventKind::overhead_begin:
      overhead_since_ = t;
      return;
    case EventKind::fork:
      return note(OTF2_EvtWriter_ThreadFork(writer_, nullptr, t, OTF2_PARADIGM_OPENMP, e.peer == no_id ? 0 : e.peer));
    case EventKind::join:
      return note(OTF2_EvtWriter_ThreadJoin(writer_, nullptr, t, OTF2_PARADIGM_OPENMP));
    case EventKind::acquire:
      return note(OTF2_EvtWriter_ThreadAcquireLock(writer_, nullptr, t, OTF2_PARADIGM_OPENMP,
                                                   static_cast<std::uint32_t>(e.request), 0));
    case EventKind::release:
      return note(OTF2_EvtWriter_ThreadReleaseLock(writer_, nullptr, t, OTF2_PARADIGM_OPENMP,
                                                   static_cast<std::uint32_t>(e.request), 0));
    case EventKind::io_begin:
    case EventKind::io_end:
      if (e.file >= d.files.size()) break;
      return note(e.kind == EventKind::io_begin
                      ? OTF2_EvtWriter_IoOperationBegin(
                            writer_, nullptr, t, e.file, OTF2_IO_OPERATION_MODE_READ,
                            e.collective_io ? OTF2_IO_OPERATION_FLAG_COLLECTIVE : OTF2_IO_OPERATION_FLAG_NONE, e.bytes,
                            e.request)
                      : OTF2_EvtWriter_IoOperationComplete(writer_, nullptr, t, e.file, e.bytes, e.request));
    case EventKind::metric: {
      if (e.vector >= d.metrics.size()) break;
      const OTF2_Type type = OTF2_TYPE_DOUBLE;
      OTF2_MetricValue value;
      value.unsigned_int = e.bytes;
      return note(OTF2_EvtWriter_Metric(writer_, nullptr, t, e.vector, 1, &type, &value));
    }
    case EventKind::user: {
      if (e.vector >= d.user_types.size()) break;
      const bool has_text = e.request < d.strings.size();
      return note(OTF2_EvtWriter_ParameterString(
          writer_, nullptr, t, e.vector,
          has_text ? ArchivePlan::first_string + static_cast<OTF2_StringRef>(e.request) : ArchivePlan::empty_string));
    }
    default:
      break;
  }
  ++not_written_;
}

}  // namespace mora::exports
