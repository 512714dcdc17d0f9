/// One function per group of events. What a record needs besides the event (ranks in communicators, references of
/// definitions) comes from the plan. Records that OTF2 cannot express are counted in not_written(), never dropped
/// silently.
#include "export/otf2/event_records.h"

#include <algorithm>
#include <utility>

#include "archive/mpi_meaning.h"
#include "trace/metrics/metric_value.h"

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

OTF2_Type otf2_type(trace::ValueType type) {
  return type == trace::ValueType::real    ? OTF2_TYPE_DOUBLE
         : type == trace::ValueType::whole ? OTF2_TYPE_INT64
                                           : OTF2_TYPE_UINT64;
}

}  // namespace

EventRecords::EventRecords(const ArchivePlan& plan, archive::LocationWriter writer, trace::LocationId location)
    : plan_(plan), writer_(std::move(writer)), rank_(plan.definitions.locations[location].rank) {}

void EventRecords::program_begin(std::uint64_t stamp) { writer_.program_begin(stamp); }

void EventRecords::program_end(std::uint64_t stamp) { writer_.program_end(stamp, OTF2_UNDEFINED_INT64); }

void EventRecords::transfer_message(bool send, std::uint64_t stamp, archive::TransferRole role, std::uint32_t peer,
                                    trace::WindowId window, std::uint64_t bytes) {
  const std::uint32_t other = plan_.ranks.in_window(window, rank_, peer);
  if (other == no_id) return;
  last_ = std::max(last_, stamp);
  archive::Attributes attributes;
  attributes.transfer = role;
  const auto tag = static_cast<std::uint32_t>(role);
  if (send)
    writer_.send(stamp, other, plan_.transfers_on(window), tag, bytes, attributes);
  else
    writer_.receive(stamp, other, plan_.transfers_on(window), tag, bytes, attributes);
}

void EventRecords::write(const Event& e, std::uint64_t t, Nanoseconds shift) {
  const std::uint64_t before = std::exchange(last_, std::max(last_, t));
  if (e.kind == EventKind::overhead_end)  // what lies between begin and end is rare: the recorder was busy
    return writer_.buffer_flush(std::max(overhead_since_, before), t);
  switch (e.kind) {
    case EventKind::enter:
      if (e.tag != 0) return writer_.enter(t, plan_.region(e.region), e.tag);
      return writer_.enter(t, plan_.region(e.region));
    case EventKind::team_collective_end:
      team_ = true;  // OTF2 says it with the region's role
      return;
    case EventKind::leave:
      if (std::exchange(team_, false) && plan_.region(e.region) < plan_.team_regions.size())
        plan_.team_regions[plan_.region(e.region)] = true;
      if (e.mended) return;  // not in the source: the reader of this archive mends it again
      return writer_.leave(t, plan_.region(e.region));
    case EventKind::send:
    case EventKind::receive:
    case EventKind::send_request:
    case EventKind::receive_complete:
      return message(e, t);
    case EventKind::send_complete:
      return writer_.send_complete(t, e.request);
    case EventKind::receive_request:
      return writer_.receive_request(t, e.request);
    case EventKind::cancelled:
      return writer_.cancelled(t, e.request);
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
  const std::uint32_t comm = none ? plan_.world_instead() : e.comm;
  const auto tag = static_cast<std::uint32_t>(e.tag);
  switch (e.kind) {
    case EventKind::send:
      return writer_.send(t, peer, comm, tag, e.bytes);
    case EventKind::receive:
      return writer_.receive(t, peer, comm, tag, e.bytes);
    case EventKind::send_request:
      return writer_.send_request(t, peer, comm, tag, e.bytes, e.request);
    default:
      return writer_.receive_complete(t, peer, comm, tag, e.bytes, e.request);
  }
}

void EventRecords::collective(const Event& e, std::uint64_t t) {
  if (e.kind == EventKind::collective_begin) return writer_.collective_begin(t);
  if (e.kind == EventKind::collective_request) return writer_.collective_request(t, e.request);
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
  archive::Attributes attributes;
  attributes.vector_plus_1 = std::exchange(vector_, no_id) + 1;
  attributes.neighborhood = is_neighborhood(e.collective);
  const OTF2_CollectiveOp op = archive::collective_operation(e.collective);
  if (e.kind == EventKind::collective_end)
    writer_.collective_end(t, op, e.comm, root, e.bytes, e.received, attributes);
  else
    writer_.collective_complete(t, op, e.comm, root, e.bytes, e.received, e.request, attributes);
}

void EventRecords::synchronisation(const Event& e, std::uint64_t t) {
  if (e.kind == EventKind::rma_collective_begin) return writer_.rma_collective_begin(t);
  if (e.window >= plan_.definitions.windows.size()) {
    ++not_written_;
    return;
  }
  archive::Attributes attributes;
  attributes.assertion = e.assertion;
  switch (e.kind) {
    case EventKind::rma_collective_end: {
      const auto op = window_operation(e);
      const OTF2_RmaSyncLevel level = op == OTF2_COLLECTIVE_OP_BARRIER
                                          ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                                          : OTF2_RMA_SYNC_LEVEL_PROCESS;
      return writer_.rma_collective_end(t, op, level, e.window, attributes);
    }
    case EventKind::window_create:
      return writer_.window_create(t, e.window);
    case EventKind::window_free:
      return writer_.window_free(t, e.window);
    case EventKind::group_sync: {
      const bool opens = e.rma_operation == RmaOperation::post || e.rma_operation == RmaOperation::start;
      const OTF2_RmaSyncLevel level = e.epoch_closed ? OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY
                                      : opens        ? OTF2_RMA_SYNC_LEVEL_PROCESS
                                                     : OTF2_RMA_SYNC_LEVEL_NONE;
      return writer_.group_sync(t, level, e.window, plan_.group(e.group), attributes);
    }
    default:
      break;
  }
  // MPI_Win_lock_all and MPI_Win_flush_all have no one target (docs/formats/otf2.md).
  const std::uint32_t target = e.peer == no_id ? OTF2_UNDEFINED_UINT32 : plan_.ranks.in_window(e.window, rank_, e.peer);
  if (e.kind == EventKind::flush)
    writer_.flush(t, e.window, target);
  else if (e.kind == EventKind::lock_request)
    writer_.lock_request(t, e.window, target, e.lock_exclusive, attributes);
  else
    writer_.lock_release(t, e.window, target);
}

void EventRecords::transfer(const Event& e, std::uint64_t t, Nanoseconds shift) {
  if (e.window >= plan_.definitions.windows.size()) {
    ++not_written_;
    return;
  }
  if (e.kind == EventKind::rma_complete) return writer_.rma_complete(t, e.window, e.request, false);
  const std::uint32_t target = plan_.ranks.in_window(e.window, rank_, e.peer);
  if (target == no_id) {
    ++not_written_;
    return;
  }
  archive::Attributes attributes;
  attributes.has_rma_end = e.end_time != trace::at_leave;
  if (attributes.has_rma_end)
    attributes.rma_end = static_cast<std::uint64_t>(std::max<Nanoseconds>(e.end_time + shift, 0));
  attributes.has_range = e.target_offset != trace::no_offset;
  attributes.offset = e.target_offset;
  attributes.extent = e.target_extent;
  attributes.reduction = static_cast<std::uint8_t>(e.reduction);
  if (e.kind == EventKind::atomic)
    return writer_.atomic(t, e.window, target,
                          e.rma_operation == RmaOperation::compare_and_swap ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                                                            : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE,
                          e.bytes, e.received, e.request, attributes);
  attributes.has_received = e.received != e.bytes;
  attributes.received = e.received;
  if (e.kind == EventKind::put)
    writer_.put(t, e.window, target, e.bytes, e.request, attributes);
  else
    writer_.get(t, e.window, target, e.bytes, e.request, attributes);
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
      return writer_.measurement(t, e.kind == EventKind::recording_on);
    case EventKind::overhead_begin:
      overhead_since_ = t;
      return;
    case EventKind::fork:
      return writer_.thread_fork(t, e.peer == no_id ? 0 : e.peer);
    case EventKind::join:
      return writer_.thread_join(t);
    case EventKind::acquire:
      return writer_.thread_acquire(t, static_cast<std::uint32_t>(e.request));
    case EventKind::release:
      return writer_.thread_release(t, static_cast<std::uint32_t>(e.request));
    case EventKind::io_begin:
      if (e.file >= d.files.size()) break;
      return writer_.io_begin(t, e.file, false, e.collective_io, false, e.bytes, e.request);
    case EventKind::io_end:
      if (e.file >= d.files.size()) break;
      return writer_.io_complete(t, e.file, e.bytes, e.request);
    case EventKind::metric:
      if (e.vector >= d.metrics.size()) break;
      return writer_.metric(t, e.vector, otf2_type(trace::metric_value_of(e).type), e.bytes);
    case EventKind::sample:
      if (plan_.plain) return;
      if (e.vector >= d.callers.size()) break;
      return writer_.sample(t, e.vector);
    case EventKind::user:
      if (e.vector >= d.user_types.size()) break;
      return writer_.user_value(t, e.vector,
                                e.request < d.strings.size() ? static_cast<std::uint32_t>(e.request) : archive::no_id);
    default:
      break;
  }
  ++not_written_;
}

}  // namespace mora::exports
