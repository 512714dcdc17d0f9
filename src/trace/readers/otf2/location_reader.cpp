#include "trace/readers/otf2/location_reader.h"

#include <algorithm>
#include <limits>

#include "archive/mpi_meaning.h"

namespace mora::trace::otf2 {
namespace {

/// Whether it is worth asking: libotf2 takes a missing attribute for an error, whose text costs more than the record.
bool may_have(const OTF2_AttributeList* list, OTF2_AttributeRef ref) {
  return ref != OTF2_UNDEFINED_ATTRIBUTE && list != nullptr && OTF2_AttributeList_GetNumberOfElements(list) > 0;
}

/// The attribute, if the record has it.
bool attribute(OTF2_AttributeList* list, OTF2_AttributeRef ref, std::uint64_t& value) {
  return may_have(list, ref) && OTF2_AttributeList_GetUint64(list, ref, &value) == OTF2_SUCCESS;
}

std::uint32_t attribute32(OTF2_AttributeList* list, OTF2_AttributeRef ref, std::uint32_t fallback) {
  std::uint32_t value = fallback;
  if (!may_have(list, ref) || OTF2_AttributeList_GetUint32(list, ref, &value) != OTF2_SUCCESS) return fallback;
  return value;
}

}  // namespace

LocationReader::LocationReader(const ArchiveDefinitions& definitions, LocationId location, Clock clock, EventSink& sink,
                               LostLeaves lost)
    : definitions_(definitions),
      location_(location),
      rank_(definitions.trace.locations[location].rank),
      clock_(std::move(clock)),
      sink_(sink),
      wanted_(sink.kinds()),
      last_(std::numeric_limits<Nanoseconds>::min()),
      lost_(std::move(lost)) {
  const auto& comms = definitions.trace.communicators;
  peers_are_remote_.resize(comms.size());
  for (std::size_t i = 0; i < comms.size(); ++i) {
    peers_are_remote_[i] = comms[i].inter() &&
                           std::find(comms[i].members.begin(), comms[i].members.end(), rank_) != comms[i].members.end();
  }
  stack_.reserve(64);
}

std::uint32_t LocationReader::world_rank(CommId comm, std::uint32_t rank) const {
  if (comm >= peers_are_remote_.size()) return no_id;
  const Communicator& c = definitions_.trace.communicators[comm];
  if (c.self) return rank == 0 ? rank_ : no_id;
  const auto& members = peers_are_remote_[comm] ? c.remote_members : c.members;
  return rank < members.size() ? members[rank] : no_id;
}

std::uint32_t LocationReader::window_rank(WindowId window, std::uint32_t rank) const {
  if (window >= definitions_.trace.windows.size()) return no_id;
  const CommId comm = definitions_.trace.windows[window].comm;
  if (comm >= definitions_.trace.communicators.size()) return no_id;
  const Communicator& c = definitions_.trace.communicators[comm];
  if (c.self) return rank == 0 ? rank_ : no_id;
  return rank < c.members.size() ? c.members[rank] : no_id;
}

void LocationReader::enter(std::uint64_t stamp, std::uint64_t ref, OTF2_AttributeList* list) {
  enter_region(stamp, definitions_.regions[ref], list);
}

void LocationReader::enter_region(std::uint64_t stamp, RegionId region, OTF2_AttributeList* list) {
  if (top_is_lost_) end_lost(stamp);
  Event& e = begin(EventKind::enter, stamp);
  e.region = region;
  if (e.region == no_id) {
    e.region = definitions_.unknown_region;
    ++undefined_;
  }
  if (may_have(list, definitions_.argument)) OTF2_AttributeList_GetInt32(list, definitions_.argument, &e.tag);
  top_is_lost_ = next_lost_.next();
  stack_.push_back({{e.region, enters_++}, definitions_.trace.regions[e.region].function});
  deliver();
}

void LocationReader::close_top() {
  event_ = Event{};
  event_.kind = EventKind::leave;
  event_.mended = at_end_;
  event_.time = last_;
  event_.region = stack_.back().region;
  stack_.pop_back();
  deliver();
}

// Moves the time; the record that is read is counted by who calls this.
void LocationReader::end_lost(std::uint64_t stamp) {
  begin(EventKind::leave, stamp);
  --records_;
  close_top();
  top_is_lost_ = false;
}

void LocationReader::leave(std::uint64_t stamp, std::uint64_t ref) { leave_region(stamp, definitions_.regions[ref]); }

// A leave of an outer region closes the inner ones first; records_ counts records of the file, so the events that are
// added here are taken out again.
void LocationReader::leave_region(std::uint64_t stamp, RegionId region) {
  if (region == no_id) region = definitions_.unknown_region;
  if (top_is_lost_) end_lost(stamp);
  const auto wanted =
      std::find_if(stack_.rbegin(), stack_.rend(), [&](const Open& open) { return open.region == region; });
  if (wanted == stack_.rend()) {
    ++records_;
    ++repairs_.stray;
    return;
  }
  const std::size_t inner = static_cast<std::size_t>(wanted - stack_.rbegin());
  if (inner > 0) {
    begin(EventKind::leave, stamp);  // moves the time
    --records_;
    repairs_.missing += inner;
    found_lost_.note(std::span<const Open>(stack_).last(inner));
    for (std::size_t i = 0; i < inner; ++i) close_top();
  }
  if (definitions_.team_collective[region]) {
    begin(EventKind::team_collective_end, stamp);
    --records_;
    deliver();
  }
  Event& e = begin(EventKind::leave, stamp);
  e.region = region;
  stack_.pop_back();
  deliver();
}

void LocationReader::message(EventKind kind, std::uint64_t stamp, std::uint32_t peer, std::uint64_t comm,
                             std::uint32_t tag, std::uint64_t bytes, std::uint64_t id) {
  const CommId known = definitions_.communicators[comm];
  if (known == no_id &&
      definitions_.transfer_comms[comm] != no_id) {  // shown for viewers; the transfer has its own records
    ++records_;
    return;
  }
  Event& e = begin(kind, stamp);
  e.comm = known;
  e.peer = world_rank(e.comm, peer);
  e.tag = static_cast<std::int32_t>(tag);
  e.bytes = bytes;
  e.request = id;
  if (e.peer == no_id) undefined();
  deliver();
}

void LocationReader::request(EventKind kind, std::uint64_t stamp, std::uint64_t id) {
  begin(kind, stamp).request = id;
  deliver();
}

void LocationReader::plain(EventKind kind, std::uint64_t stamp) {
  begin(kind, stamp);
  deliver();
}

void LocationReader::flush_buffer(std::uint64_t stamp, std::uint64_t stop) {
  plain(EventKind::overhead_begin, stamp);
  plain(EventKind::overhead_end, stop);
  --records_;
}

void LocationReader::collective_end(EventKind kind, std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op,
                                    std::uint64_t comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                    std::uint64_t id) {
  Event& e = begin(kind, stamp);
  e.request = id;
  e.comm = definitions_.communicators[comm];
  e.collective = archive::collective_of(op, attribute32(list, definitions_.neighborhood, 0) == 1);
  e.bytes = sent;
  e.received = received;
  if (root == OTF2_COLLECTIVE_ROOT_SELF)
    e.root = rank_;
  else if (root != OTF2_COLLECTIVE_ROOT_NONE && root != OTF2_COLLECTIVE_ROOT_THIS_GROUP)
    e.root = world_rank(e.comm, root);
  e.vector = attribute32(list, definitions_.vector, no_id);
  if (e.comm == no_id) undefined();
  deliver();
}

void LocationReader::collective_request(std::uint64_t stamp, std::uint64_t id) {
  Event& e = begin(EventKind::collective_request, stamp);
  e.request = id;
  e.collective = started_collective(function());
  deliver();
}

void LocationReader::window_event(EventKind kind, std::uint64_t stamp, std::uint64_t window) {
  Event& e = begin(kind, stamp);
  e.window = definitions_.windows[window];
  if (e.window == no_id) undefined();
  deliver();
}

void LocationReader::rma_collective_end(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t op,
                                        std::uint64_t window, std::uint32_t root, std::uint64_t sent,
                                        std::uint64_t received) {
  Event& e = begin(EventKind::rma_collective_end, stamp);
  e.window = definitions_.windows[window];
  if (in_shmem()) {
    e.collective = archive::collective_of(op, false);
    if (root == OTF2_COLLECTIVE_ROOT_SELF)
      e.root = rank_;
    else if (root != OTF2_COLLECTIVE_ROOT_NONE && root != OTF2_COLLECTIVE_ROOT_THIS_GROUP)
      e.root = window_rank(e.window, root);
    e.bytes = sent;
    e.received = received;
    if (e.window == no_id) undefined();
    return deliver();
  }
  e.assertion = attribute32(list, definitions_.assertion, 0);
  e.rma_operation = function().rma;
  e.collective = archive::collective_of(op, false);
  if (e.rma_operation == RmaOperation::none) {  // not inside an MPI region that says it
    e.rma_operation =
        e.collective == Collective::barrier                                                 ? RmaOperation::fence
        : e.collective == Collective::create_handle || e.collective == Collective::allocate ? RmaOperation::win_create
        : e.collective == Collective::destroy_handle || e.collective == Collective::deallocate ? RmaOperation::win_free
                                                                                               : RmaOperation::none;
  }
  if (e.window == no_id) undefined();
  deliver();
}

void LocationReader::group_sync(std::uint64_t stamp, OTF2_AttributeList* list, std::uint32_t level,
                                std::uint64_t window, std::uint64_t group) {
  Event& e = begin(EventKind::group_sync, stamp);
  e.window = definitions_.windows[window];
  e.group = definitions_.groups[group];
  e.assertion = attribute32(list, definitions_.assertion, 0);
  e.rma_operation = function().rma;
  e.epoch_closed = e.rma_operation == RmaOperation::complete || e.rma_operation == RmaOperation::wait ||
                   (e.rma_operation == RmaOperation::test && level != OTF2_RMA_SYNC_LEVEL_NONE);
  if (e.window == no_id || e.group == no_id) {
    ++undefined_;
    if (e.window == no_id) e.kind = EventKind::other;
  }
  deliver();
}

void LocationReader::lock(EventKind kind, std::uint64_t stamp, std::uint64_t window, std::uint32_t remote,
                          bool exclusive, bool acquired, OTF2_AttributeList* list) {
  // Score-P writes request and acquisition of one MPI_Win_lock; the request alone is the event of the model.
  if (!stack_.empty()) {
    Open& region = stack_.back();
    const bool known = region.lock_window == window && region.lock_target == remote;
    const bool request = kind == EventKind::lock_request;
    if (known && (acquired || !request)) region.lock_window = UINT64_MAX;
    if (known && request) {
      ++records_;
      return;
    }
    if (request && !acquired) {
      region.lock_window = window;
      region.lock_target = remote;
    }
  }
  Event& e = begin(kind, stamp);
  e.window = definitions_.windows[window];
  const bool all = remote == OTF2_UNDEFINED_UINT32;  // MPI_Win_lock_all
  if (!all) e.peer = window_rank(e.window, remote);
  e.lock_exclusive = kind == EventKind::lock_request && exclusive;
  e.assertion = attribute32(list, definitions_.assertion, 0);
  if (e.window == no_id || (!all && e.peer == no_id)) undefined();
  deliver();
}

void LocationReader::transfer(EventKind kind, std::uint64_t stamp, OTF2_AttributeList* list, std::uint64_t window,
                              std::uint32_t remote, std::uint64_t bytes, std::uint64_t received, std::uint64_t id,
                              RmaOperation operation) {
  Event& e = begin(kind, stamp);
  e.window = definitions_.windows[window];
  e.peer = window_rank(e.window, remote);
  e.bytes = bytes;
  e.received = received;
  e.request = id;
  e.end_time = at_leave;
  std::uint64_t value = 0;
  if (attribute(list, definitions_.received, value)) e.received = value;
  if (attribute(list, definitions_.rma_end, value)) e.end_time = std::max(clock_(value), e.time);
  if (attribute(list, definitions_.target_offset, value)) e.target_offset = value;
  if (attribute(list, definitions_.target_extent, value)) e.target_extent = value;
  const std::uint32_t reduction = attribute32(list, definitions_.reduction, 0);
  if (reduction < mpi::reduction_count) e.reduction = static_cast<Reduction>(reduction);
  e.rma_operation =
      operation == RmaOperation::put && inside() == CallClass::accumulate ? RmaOperation::accumulate : operation;
  if (e.peer == no_id) undefined();
  deliver();
}

void LocationReader::finish(bool whole, std::uint64_t records_read, DataQuality& quality) {
  const Location& location = definitions_.trace.locations[location_];
  repairs_.unclosed = stack_.size();
  repairs_.lost = lost_.size();
  found_lost_.note(std::span<const Open>(stack_));
  at_end_ = true;
  while (!stack_.empty()) close_top();
  repairs_.report(quality, location.name);
  const auto count = quality.at(location.name);
  count("undefined-reference", Severity::warning, undefined_,
        "references to things that are not defined; what uses them is left out",
        "the archive is damaged or incomplete: use a copy or record again");
  const std::uint64_t declared = definitions_.event_counts[location_];
  if (!whole || records_read < declared)
    count("truncated-location", Severity::loss, declared > records_read ? declared - records_read : 1,
          "events at the end of a location cannot be read",
          "the archive is damaged or incomplete; use a copy or record again");
  if (whole && records_read > records_)
    count("uninterpreted-event", Severity::info, records_read - records_,
          "records of kinds that Mora does not interpret", "");
}

}  // namespace mora::trace::otf2
