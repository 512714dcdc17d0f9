#include "trace/index/item_collector.h"

#include <algorithm>

#include "trace/metrics/metric_value.h"

namespace mora::trace {

constexpr std::uint64_t events_between_looks = 1 << 16;

ItemCollector::ItemCollector(const Definitions& definitions, LocationId location, bool several_threads, Items& items,
                             DataQuality& quality, const ViewOptions& options)
    : definitions_(definitions),
      location_(location),
      rank_(definitions.locations[location].rank),
      items_(items),
      quality_(quality),
      ends_(definitions, location, several_threads, numbers_in_order([this](std::uint32_t serial) {
              if (auto done = items_.receive_serials.append(location_, serial); !done) error_ = done.error();
            })),
      watch_(options.watch),
      beginning_(options.beginning) {
  if (beginning_ != nullptr) until_ = beginning_->events == 0 ? INT64_MIN : beginning_->until;
  stack_.reserve(64);
}

// The first n events of the merged order are among the first n of every stream, but ends of transfers: in the extended
// model they move to later places. What has the time of the n-th belongs to the same instant of the merge.
bool ItemCollector::put(const Item& item) {
  ++all_;
  if (error_ || item.time > until_) return false;
  if (beginning_ != nullptr && !is_transfer_end(item.type) &&
      beginning_->accepts(item.location, item.type, item.time) && ++wanted_ == beginning_->events)
    until_ = item.time;
  if (auto done = items_.items.append(location_, item); !done) error_ = done.error();
  ++(item.location == location_ ? own_count_ : counts_elsewhere_[item.location]);
  return true;
}

void ItemCollector::put(Item item, const ItemDetail& detail) {
  if (!put(item) || error_) return;
  if (auto done = items_.details.append(location_, detail); !done) error_ = done.error();
}

Item ItemCollector::item(const Event& e, EarlType type) const {
  Item i;
  i.time = e.time;
  i.ordinal = static_cast<std::uint32_t>(ordinal_);
  i.location = location_;
  i.type = type;
  return i;
}

ItemDetail ItemCollector::common(const Event& e) const {
  ItemDetail d;
  d.detail.bytes = e.bytes;
  d.detail.received = e.received;
  d.detail.id = e.request;
  d.detail.peer = e.peer;
  d.detail.comm = e.comm;
  d.detail.window = e.window;
  d.detail.assertion = static_cast<std::uint16_t>(e.assertion);
  d.detail.collective = static_cast<std::uint8_t>(e.collective);
  return d;
}

void ItemCollector::simple(const Event& e, EarlType type, const ItemDetail& detail) { put(item(e, type), detail); }

/// Ends that the stream has passed stand before what comes next.
void ItemCollector::flush_ends(Nanoseconds until) {
  for (auto at = timed_ends_.begin(); at != timed_ends_.end() && at->first <= until; at = timed_ends_.erase(at))
    put(at->second.item, at->second.detail);
}

/// The ends of the call that is left, as far as they have no time of their own: directly before its exit, as recorded.
void ItemCollector::ends_of_call(Nanoseconds time) {
  std::size_t first = ends_at_leave_.size();
  while (first > 0 && ends_at_leave_[first - 1].depth > stack_.size()) --first;
  for (std::size_t i = first; i < ends_at_leave_.size(); ++i) {
    ends_at_leave_[i].item.time = time;
    put(ends_at_leave_[i].item, ends_at_leave_[i].detail);
  }
  ends_at_leave_.resize(first);
}

bool ItemCollector::stopped() {
  if (ordinal_ != 0) watch_->advance(events_between_looks);
  return watch_->stop.load(std::memory_order_relaxed);
}

void ItemCollector::on_event(const Event& e) {
  if (ordinal_ % events_between_looks == 0 && watch_ != nullptr && stopped())
    return;  // for good: ordinal_ stands still
  measured_.add(e);
  last_ = e.time;
  if (!timed_ends_.empty() && e.kind != EventKind::leave) flush_ends(e.time);
  switch (e.kind) {
    case EventKind::enter: {
      Item i = item(e, EarlType::enter);
      i.code = e.region;
      i.argued = e.tag != 0;
      if (put(i) && i.argued && !error_)
        if (auto done = items_.arguments.append(location_, e.tag); !done) error_ = done.error();
      stack_.emplace_back().enter = e.time;
      stack_.back().closed = static_cast<std::uint32_t>(closed_.size());
      break;
    }
    case EventKind::leave:
      if (!e.mended) leave(e);
      break;
    case EventKind::send:
    case EventKind::send_request:
      message(e, true);
      break;
    case EventKind::receive:
    case EventKind::receive_complete:
      message(e, false);
      break;
    case EventKind::receive_request:
      ends_.post(e, enter_time());
      break;
    case EventKind::send_complete:
      ends_.send_complete(e);
      break;
    case EventKind::cancelled:
      ends_.cancel(e);
      break;
    case EventKind::recording_off:
    case EventKind::recording_on:
      ends_.recording(e.kind);
      break;
    case EventKind::collective_end:
    case EventKind::rma_collective_end:
    case EventKind::group_sync:
    case EventKind::team_collective_end: {
      const bool is_collective = e.kind == EventKind::collective_end || e.kind == EventKind::rma_collective_end;
      const SequenceEnd end = is_collective ? ends_.collective(e, enter_time()) : SequenceEnd{};
      synchronise(e, rank_, ends_, closed_);
      if (stack_.empty()) {
        closed_.clear();  // there is no exit that closes
        break;
      }
      stack_.back().exit = e;
      stack_.back().end = end;
      stack_.back().has_exit = true;
      break;
    }
    case EventKind::lock_request:
    case EventKind::lock_release: {
      const bool request = e.kind == EventKind::lock_request;
      Item i = item(e, request ? EarlType::wlock : EarlType::wunlock);
      const std::size_t before = closed_.size();
      synchronise(e, rank_, ends_, closed_);
      close(i, std::span(closed_).subspan(before));
      closed_.resize(before);
      ItemDetail d = common(e);
      d.detail.flags = e.lock_exclusive ? 2 : 0;
      put(i, d);
      break;
    }
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
      transfer(e);
      break;
    case EventKind::flush: {
      ItemDetail d = common(e);
      d.detail.flags = e.rma_operation == RmaOperation::flush_local ? 4 : 0;
      simple(e, EarlType::wflush, d);
      break;
    }
    case EventKind::collective_request:
    case EventKind::collective_complete: {
      const bool start = e.kind == EventKind::collective_request;
      ItemDetail d = common(e);
      d.detail.peer = e.root;
      simple(e, start ? EarlType::nbc_start : EarlType::nbc_end, d);
      break;
    }
    case EventKind::fork:
      simple(e, EarlType::fork, common(e));
      break;
    case EventKind::join:
      simple(e, EarlType::join, common(e));
      break;
    case EventKind::acquire:
      simple(e, EarlType::alock, common(e));
      break;
    case EventKind::release:
      simple(e, EarlType::rlock, common(e));
      break;
    case EventKind::io_begin:
    case EventKind::io_end: {
      ItemDetail d = common(e);
      d.detail.kind = e.file;
      simple(e, e.kind == EventKind::io_begin ? EarlType::io_start : EarlType::io_end, d);
      break;
    }
    case EventKind::metric:
    case EventKind::sample:
    case EventKind::user: {
      ItemDetail d = common(e);
      d.detail.kind = e.vector;
      if (e.kind == EventKind::metric) {
        d.detail.id = e.bytes;
        d.detail.flags = flags_of(metric_value_of(e));
      }
      simple(e,
             e.kind == EventKind::metric   ? EarlType::metric
             : e.kind == EventKind::sample ? EarlType::sample
                                           : EarlType::user,
             d);
      break;
    }
    default:
      break;  // no events of the model: they serve links and analyses
  }
  ++ordinal_;
}

void ItemCollector::message(const Event& e, bool send) {
  ItemDetail d = common(e);
  d.detail.kind = static_cast<std::uint32_t>(e.tag);
  if (send) {
    const SequenceEnd end = ends_.send(e, enter_time());
    d.channel = end.sequence;
    d.serial = end.serial;
  } else {
    d.channel = ends_.receive(e, enter_time()).sequence;
  }
  simple(e, send ? EarlType::send : EarlType::recv, d);
}

void ItemCollector::close(Item& item, std::span<const EpochTicket> closed) {
  item.closes = !closed.empty();
  for (std::size_t i = 0; i < closed.size() && !error_; ++i) {
    Closing closing;
    closing.gate = items_.tables.gate(closed[i].gate);
    closing.number = closed[i].number;
    closing.last = i + 1 == closed.size() ? 1 : 0;
    items_.tables.closes(closing.gate, closing.number);
    if (item.time > until_) continue;
    if (auto done = items_.closings.append(location_, closing); !done) error_ = done.error();
  }
}

// What the call recorded as collective or synchronisation (stack_) makes its exit an MPICEXIT, MPIWCEXIT, MPIWEXIT or
// OMPCEXIT; that event has the time of the leave (rule `equal-times`).
void ItemCollector::leave(const Event& e) {
  Open open;
  if (!stack_.empty()) {
    open = stack_.back();
    stack_.pop_back();
  }
  if (!timed_ends_.empty()) flush_ends(e.time);
  if (!ends_at_leave_.empty()) ends_of_call(e.time);
  Item i = item(e, EarlType::exit);
  i.code = e.region;
  if (!open.has_exit) {
    put(i);
    return;
  }
  const Event& x = open.exit;
  ItemDetail d = common(x);
  d.channel = open.end.sequence;
  d.serial = open.end.serial;
  switch (x.kind) {
    case EventKind::collective_end:
      i.type = EarlType::mpicexit;
      d.detail.peer = x.root;
      break;
    case EventKind::rma_collective_end:
      i.type = EarlType::mpiwcexit;
      if (x.window < definitions_.windows.size()) d.detail.comm = definitions_.windows[x.window].comm;
      break;
    case EventKind::team_collective_end:
      i.type = EarlType::ompcexit;
      break;
    default:
      i.type = EarlType::mpiwexit;
      d.detail.kind = x.group;
      d.detail.flags = x.epoch_closed ? 1 : 0;
  }
  close(i, std::span(closed_).subspan(open.closed));
  closed_.resize(open.closed);
  put(i, d);
}

// A transfer's start is an event at once (of a Get two: GET_1TO at the origin, GET_1TS at the target). Its end lies
// later in this stream: at a recorded time, or directly before the exit of its call; until then it waits in timed_ends_
// or ends_at_leave_.
void ItemCollector::transfer(const Event& e) {
  LocationId target = definitions_.location_of_rank(e.peer);
  if (target == no_id) {
    quality_.add(
        "transfer-to-unknown-rank", Severity::warning, "rank " + std::to_string(rank_), 1,
        "one-sided transfers go to ranks that are not in the trace; their remote halves are shown at the origin",
        "record all ranks of the job");
    target = location_;
  }
  const bool put_kind = e.kind == EventKind::put;
  const bool atomic = e.kind == EventKind::atomic;
  ItemDetail d;
  d.detail.window = e.window;
  d.detail.id = e.request;
  d.detail.assertion = static_cast<std::uint16_t>(e.assertion);
  d.serial = transfers_++;
  ItemDetail start = d;
  start.detail.bytes = e.bytes;
  start.detail.peer = e.peer;
  start.ticket = e.target_offset;  // index_linker.cpp takes the range from here
  if (e.target_offset != no_offset) start.detail.received = e.target_extent;
  if (put_kind || atomic) {
    start.detail.collective = static_cast<std::uint8_t>(e.reduction);
    put(item(e, put_kind ? EarlType::put_1ts : EarlType::atomic_1ts), start);
  } else {
    put(item(e, EarlType::get_1to), d);
    Item at_target = item(e, EarlType::get_1ts);
    at_target.location = target;
    start.detail.peer = rank_;
    put(at_target, start);
  }
  PendingEnd end;
  end.item = item(e, put_kind ? EarlType::put_1te : atomic ? EarlType::atomic_1te : EarlType::get_1te);
  end.item.location = put_kind ? target : location_;
  end.detail = d;
  end.detail.detail.received = e.received;
  end.detail.detail.peer = put_kind ? rank_ : e.peer;
  const EpochTicket ticket = ticket_of(e, rank_, ends_);
  if (ticket.gate.kind != EpochKind::none) {
    end.detail.channel = items_.tables.gate(ticket.gate);
    end.detail.ticket = ticket.number;
  }
  end.depth = stack_.size();
  if (e.end_time == at_leave && !stack_.empty()) {
    ends_at_leave_.push_back(end);
  } else {
    if (e.end_time != at_leave) end.item.time = std::max(e.end_time, e.time);
    timed_ends_.emplace(end.item.time, end);
  }
}

Result<void> ItemCollector::finish() {
  // Calls that never returned: the ends of their transfers stand where the stream stops.
  for (PendingEnd& end : ends_at_leave_) {
    end.item.time = last_;
    timed_ends_.emplace(last_, end);
  }
  flush_ends(INT64_MAX);
  items_.sequences[location_] = ends_.finish();
  if (beginning_ != nullptr) beginning_->all += all_;
  items_.counts[location_].fetch_add(own_count_);
  for (const auto& [location, count] : counts_elsewhere_) items_.counts[location].fetch_add(count);
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::trace
