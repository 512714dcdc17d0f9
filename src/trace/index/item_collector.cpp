#include "trace/index/item_collector.h"

#include <algorithm>

namespace mora::trace {

// ---- PostingOrder

void PostingOrder::posted(std::uint64_t request) {
  requests_[request] = first_ + open_.size();
  open_.emplace_back();
}

void PostingOrder::cancelled(std::uint64_t request) {
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  open_[at->second - first_].resolved = true;
  requests_.erase(at);
  settle();
}

void PostingOrder::received(std::uint32_t channel, std::optional<std::uint64_t> request) {
  const auto receive = static_cast<std::uint32_t>(serials_.size());
  serials_.push_back(0);
  const auto at = request ? requests_.find(*request) : requests_.end();
  if (at == requests_.end()) {
    if (open_.empty()) {
      serials_.back() = next_[channel]++;
      return;
    }
    open_.push_back({channel, receive, true});
    return;
  }
  open_[at->second - first_] = {channel, receive, true};
  requests_.erase(at);
  settle();
}

void PostingOrder::settle() {
  for (; !open_.empty() && open_.front().resolved; open_.pop_front(), ++first_) {
    const Posted& p = open_.front();
    if (p.receive != no_id) serials_[p.receive] = next_[p.channel]++;
  }
}

void PostingOrder::finish() {
  for (Posted& p : open_) p.resolved = true;  // what never completed takes no message
  settle();
  requests_.clear();
}

// ---- ItemCollector

std::size_t ItemCollector::ChannelHash::operator()(const Channel& c) const {
  std::uint64_t h = (std::uint64_t{c.comm} << 32) ^ static_cast<std::uint32_t>(c.tag);
  h ^= (std::uint64_t{c.source} << 20) ^ (std::uint64_t{c.destination} << 40) ^ c.destination;
  h *= 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(h ^ (h >> 29));
}

ItemCollector::ItemCollector(const Definitions& definitions, LocationId location, Items& items, DataQuality& quality)
    : definitions_(definitions),
      location_(location),
      rank_(definitions.locations[location].rank),
      items_(items),
      quality_(quality),
      epochs_(definitions, rank_),
      posting_(items.receive_serials[location]),
      counts_(definitions.locations.size(), 0) {
  stack_.reserve(64);
}

void ItemCollector::put(const Item& item) {
  if (error_) return;
  if (auto done = items_.items.append(location_, item); !done) error_ = done.error();
  ++counts_[item.location];
}

void ItemCollector::put(Item item, const ItemDetail& detail) {
  put(item);
  if (error_) return;
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

void ItemCollector::on_event(const Event& e) {
  last_ = e.time;
  if (!timed_ends_.empty() && e.kind != EventKind::leave) flush_ends(e.time);
  switch (e.kind) {
    case EventKind::enter: {
      Item i = item(e, EarlType::enter);
      i.code = e.region;
      i.argued = e.tag != 0;
      put(i);
      if (i.argued && !error_)
        if (auto done = items_.arguments.append(location_, e.tag); !done) error_ = done.error();
      stack_.emplace_back();
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
      posting_.posted(e.request);
      break;
    case EventKind::cancelled:
      posting_.cancelled(e.request);
      break;
    case EventKind::collective_end:
    case EventKind::rma_collective_end:
    case EventKind::group_sync:
    case EventKind::team_collective_end:
      if (!stack_.empty()) stack_.back() = {e, true};
      break;
    case EventKind::lock_request:
    case EventKind::lock_release: {
      const bool request = e.kind == EventKind::lock_request;
      Item i = item(e, request ? EarlType::wlock : EarlType::wunlock);
      close(i, e);
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
      if (start) ++instances_[e.comm];
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
    case EventKind::user: {
      ItemDetail d = common(e);
      d.detail.kind = e.vector;
      if (e.kind == EventKind::metric) d.detail.id = e.bytes;
      simple(e, e.kind == EventKind::metric ? EarlType::metric : EarlType::user, d);
      break;
    }
    default:
      break;  // no events of the model: they serve links and analyses
  }
  ++ordinal_;
}

std::uint32_t ItemCollector::channel_number(const Channel& channel, bool receive) {
  const auto at = channels_.find(channel);
  if (at != channels_.end()) return at->second;
  const std::uint32_t number = items_.tables.channel(channel, receive ? location_ : no_id);
  channels_.emplace(channel, number);
  return number;
}

void ItemCollector::message(const Event& e, bool send) {
  const Channel channel = send ? Channel{e.comm, rank_, e.peer, e.tag} : Channel{e.comm, e.peer, rank_, e.tag};
  ItemDetail d = common(e);
  d.detail.kind = static_cast<std::uint32_t>(e.tag);
  d.channel = channel_number(channel, !send);
  if (send) {
    if (e.peer == rank_) items_.tables.channel(channel, no_id);
  } else {
    // A channel to oneself is known from its sending side.
    if (e.peer == rank_) items_.tables.channel(channel, location_);
    posting_.received(d.channel, e.kind == EventKind::receive_complete ? std::optional(e.request) : std::nullopt);
  }
  simple(e, send ? EarlType::send : EarlType::recv, d);
}

void ItemCollector::close(Item& item, const Event& e) {
  const auto& closed = epochs_.synchronise(e);
  item.closes = !closed.empty();
  for (std::size_t i = 0; i < closed.size() && !error_; ++i) {
    Closing closing;
    closing.gate = items_.tables.gate(closed[i].gate);
    closing.number = closed[i].number;
    closing.last = i + 1 == closed.size() ? 1 : 0;
    items_.tables.closes(closing.gate, closing.number);
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
  if (!open.has_exit) return put(i);
  const Event& x = open.exit;
  ItemDetail d = common(x);
  switch (x.kind) {
    case EventKind::collective_end:
      i.type = EarlType::mpicexit;
      i.code = instances_[x.comm]++;
      d.detail.peer = x.root;
      break;
    case EventKind::rma_collective_end:
      i.type = EarlType::mpiwcexit;
      i.code = instances_[(std::uint64_t{1} << 32) | x.window]++;
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
  if (x.kind == EventKind::rma_collective_end || x.kind == EventKind::group_sync) close(i, x);
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
  const EpochTicket ticket = epochs_.transfer(e);
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
  posting_.finish();
  for (std::size_t l = 0; l < counts_.size(); ++l) {
    if (counts_[l] != 0) items_.counts[l].fetch_add(counts_[l]);
  }
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::trace
