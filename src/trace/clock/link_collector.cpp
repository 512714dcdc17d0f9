#include "trace/clock/link_collector.h"

#include <algorithm>

#include "trace/assertion.h"

namespace mora::trace {

LinkCollector::LinkCollector(const Definitions& definitions, LocationId location, bool threads, Spool<Link>& links,
                             LocationLinks& into, bool starts_wait)
    : definitions_(definitions),
      location_(location),
      rank_(definitions.locations[location].rank),
      threads_(threads),
      first_thread_(definitions.locations[location].thread == 0),
      starts_wait_(starts_wait),
      links_(links),
      into_(into),
      ends_(definitions, location, threads, numbers_of_completions(into.serials)) {}

// ---- the queue

std::uint64_t LinkCollector::wait() {
  queue_.push_back({here_, {}, true});
  return queue_first_ + queue_.size() - 1;
}

void LinkCollector::close(std::uint64_t& number) {
  if (number != none) queue_[number - queue_first_].open = false;
  number = none;
}

void LinkCollector::emit(const Link& link) {
  if (!error_) {
    if (auto done = links_.append(location_, link); !done) error_ = done.error();
  }
}

void LinkCollector::flush() {
  for (; !queue_.empty() && !queue_.front().open; queue_.pop_front(), ++queue_first_) {
    Waiting& w = queue_.front();
    std::stable_partition(w.links.begin(), w.links.end(),
                          [](const Link& l) { return l.role == LinkRole::sink || l.role == LinkRole::end; });
    for (const Link& link : w.links) emit(link);
    if (w.links.empty() && (w.event.gap == 1 || w.event.ordinal == 0)) emit(w.event);
  }
}

Nanoseconds LinkCollector::enter_time() const { return stack_.empty() ? first_ : stack_.back().enter; }

void LinkCollector::add(LinkRole role, const SequenceEnd& end) {
  if (!end.exists()) return;
  Link link = here_;
  link.role = role;
  link.key = end.sequence;
  link.serial = end.serial;
  more_.push_back(link);
}

/// A link of an earlier event, the begin of the call.
void LinkCollector::add_at(std::uint64_t begin, const Link& link) {
  Waiting& w = queue_[begin - queue_first_];
  Link full = link;
  full.time = w.event.time;
  full.ordinal = w.event.ordinal;
  full.gap = w.event.gap;
  w.links.push_back(full);
}

// ---- events

void LinkCollector::on_event(const Event& e) {
  std::uint64_t gap = started_ ? static_cast<std::uint64_t>(e.time) - static_cast<std::uint64_t>(here_.time) : 0;
  here_ = Link{};
  here_.time = e.time;
  here_.ordinal = into_.events++;
  here_.gap = static_cast<std::uint32_t>(std::min<std::uint64_t>(gap, UINT32_MAX));
  if (!started_) first_ = e.time;
  started_ = true;
  more_.clear();
  ends_.recording(e.kind);
  switch (e.kind) {
    case EventKind::enter:
      if (enter(e)) return;
      break;
    case EventKind::leave:
      leave(e);
      break;
    case EventKind::send:
    case EventKind::send_request:
      add(LinkRole::source, ends_.send(e, enter_time()));
      break;
    case EventKind::send_complete:
      ends_.send_complete(e);
      break;
    case EventKind::receive_request:
      ends_.post(e, enter_time());
      break;
    case EventKind::receive:
    case EventKind::receive_complete:
      if (const auto received = ends_.receive(e, enter_time()); received.sequence != no_id)
        add(LinkRole::sink, {received.sequence, receives_++});
      break;
    case EventKind::cancelled:
      ends_.cancel(e);
      break;
    case EventKind::collective_begin:
    case EventKind::rma_collective_begin:
      if (stack_.empty()) break;
      close(stack_.back().begin);
      stack_.back().begin = wait();
      last_emitted_ = false;
      return flush();
    case EventKind::collective_end:
    case EventKind::rma_collective_end:
      if (const SequenceEnd end = ends_.collective(e, enter_time()); end.exists()) {
        const bool window = e.kind == EventKind::rma_collective_end;
        std::uint8_t flags =
            static_cast<std::uint8_t>((e.bytes != 0 ? link_sends : 0) | (e.received != 0 ? link_receives : 0));
        // A fence that ends no epoch need not wait for anybody (MPI-3.1 section 11.5.1).
        if (window) flags = (e.assertion & assertion_noprecede) != 0 ? 0 : link_sends | link_receives;
        collective(
            end, e.root,
            static_cast<std::uint8_t>(window ? static_cast<int>(e.rma_operation) : static_cast<int>(e.collective)),
            flags);
      }
      break;
    case EventKind::team_collective_end:
      if (threads_)
        collective(ends_.member({SequenceKind::team, rank_, no_id, no_id, 0, ends_.gaps().stretch()}, enter_time()),
                   stack_.empty() ? no_id : stack_.back().region, 0, link_sends | link_receives);
      break;
    case EventKind::collective_request:
      if (collective_request(e)) return;
      break;
    case EventKind::collective_complete:
      if (collective_complete(e)) return;
      break;
    case EventKind::group_sync:
      group_sync(e);
      break;
    case EventKind::fork:
      if (!threads_ || !first_thread_) break;
      into_.forks.push_back(e.time);
      add(LinkRole::source, ends_.member({SequenceKind::fork, rank_}, e.time));
      break;
    case EventKind::join:
      if (!threads_ || !first_thread_) break;
      into_.joins.push_back(e.time);
      add(LinkRole::sink, ends_.sink({SequenceKind::join, rank_}));
      break;
    default:
      break;
  }
  last_emitted_ = !more_.empty() || here_.gap == 1 || here_.ordinal == 0;
  if (!last_emitted_) return;
  if (queue_.empty() && more_.size() <= 1) return emit(more_.empty() ? here_ : more_.front());
  queue_.push_back({here_, more_, false});
  flush();
}

bool LinkCollector::enter(const Event& e) {
  Frame frame;
  frame.region = e.region;
  frame.enter = e.time;
  frame.mpi = e.region != no_id && definitions_.regions[e.region].kind == RegionKind::mpi;
  if (threads_ && !first_thread_ && stack_.empty()) add(LinkRole::sink, ends_.sink({SequenceKind::fork, rank_}));
  // Only a call of MPI, or what a team of threads ends at once, can be the begin of an edge.
  if (!stack_.empty() && !stack_.back().mpi) close(stack_.back().begin);
  if (frame.mpi || threads_) {
    frame.begin = wait();
    queue_.back().links = std::move(more_);
    more_.clear();
  }
  stack_.push_back(frame);
  if (frame.begin == none) return false;
  last_emitted_ = false;
  flush();
  return true;
}

void LinkCollector::leave(const Event&) {
  if (stack_.empty()) return;
  close(stack_.back().begin);
  stack_.pop_back();
  if (threads_ && !first_thread_ && stack_.empty())
    add(LinkRole::source, ends_.member({SequenceKind::join, rank_}, here_.time));
  flush();
}

void LinkCollector::collective(const SequenceEnd& end, std::uint32_t root, std::uint8_t operation, std::uint8_t flags) {
  Link link = here_;
  link.key = end.sequence;
  link.serial = end.serial;
  ++ends_[end.sequence].sinks;
  link.operation = operation;
  link.flags = flags;
  link.root = root;
  link.role = LinkRole::end;
  more_.push_back(link);
  link.role = LinkRole::begin;
  if (!stack_.empty() && stack_.back().begin != none)
    add_at(stack_.back().begin, link);
  else
    more_.push_back(link);  // when it began is not known: at its end at the latest
}

/// The begin of a non-blocking collective, at the time and place of `link`.
static Link begin_of(Link link, const SequenceEnd& end, const Event& e) {
  link.key = end.sequence;
  link.serial = end.serial;
  link.operation = static_cast<std::uint8_t>(e.collective);
  link.flags = static_cast<std::uint8_t>((e.bytes != 0 ? link_sends : 0) | (e.received != 0 ? link_receives : 0));
  link.root = e.root;
  link.role = LinkRole::begin;
  return link;
}

bool LinkCollector::collective_request(const Event& e) {
  if (e.comm == no_id) {
    begun_.push_back({e.request, wait(), none, enter_time(), {}});
    last_emitted_ = false;
    return true;
  }
  const SequenceEnd end = ends_.collective(e, enter_time());
  if (!end.exists()) return false;
  const Link link = begin_of(here_, end, e);
  more_.push_back(link);
  requests_[e.request] = link;
  return false;
}

bool LinkCollector::collective_complete(const Event& e) {
  const auto untold = std::find_if(begun_.begin(), begun_.end(),
                                   [&](const Begun& b) { return b.request == e.request && b.end == none; });
  if (untold != begun_.end()) {
    untold->end = wait();
    untold->complete = e;
    last_emitted_ = false;
    while (!begun_.empty() && begun_.front().end != none) number_begun();
    flush();
    return true;
  }
  const auto begun = requests_.find(e.request);
  if (begun == requests_.end()) return false;
  Link link = begun->second;
  requests_.erase(begun);
  link.time = here_.time;
  link.ordinal = here_.ordinal;
  link.gap = here_.gap;
  link.flags |= static_cast<std::uint8_t>(e.received != 0 ? link_receives : 0);
  link.role = LinkRole::end;
  ++ends_[link.key].sinks;
  more_.push_back(link);
  return false;
}

/// The first of begun_, which has ended, gets its number and leaves the queue.
void LinkCollector::number_begun() {
  Begun& b = begun_.front();
  Event& e = b.complete;
  e.kind = EventKind::collective_request;
  if (const SequenceEnd number = ends_.collective(e, b.enter); number.exists()) {
    Link link = begin_of({}, number, e);
    add_at(b.begin, link);
    link.role = LinkRole::end;
    ++ends_[link.key].sinks;
    add_at(b.end, link);
  }
  close(b.begin);
  close(b.end);
  begun_.pop_front();
}

/// A post comes before the complete of the access epoch that belongs to it returns, a complete before the exposure
/// epoch ends.
void LinkCollector::group_sync(const Event& e) {
  if (e.window == no_id) return;
  const WindowEpochs::Result& result = ends_.group_sync(e);
  const EpochChange comes_after_post = starts_wait_ ? EpochChange::opens_access : EpochChange::closes_access;
  if (result.epoch == nullptr) return;
  const bool is_access = result.change == EpochChange::opens_access || result.change == EpochChange::closes_access;
  const auto add_end = [&](LinkRole role, const WindowEpochs::Partner& partner, std::uint8_t flags) {
    Link link = here_;
    link.role = role;
    link.key = ends_.epochs_with(partner.rank, is_access, *result.epoch);
    link.serial = partner.number;
    link.flags = flags;
    if (role == LinkRole::source && !stack_.empty() && stack_.back().begin != none)
      add_at(stack_.back().begin, link);
    else
      more_.push_back(link);
  };
  for (const WindowEpochs::Partner& partner : result.epoch->partners) {
    if (result.change == EpochChange::opens_exposure) add_end(LinkRole::source, partner, 0);
    if (result.change == comes_after_post) add_end(LinkRole::sink, partner, 0);
    if (result.change == EpochChange::closes_access) add_end(LinkRole::source, partner, link_completes);
    if (result.change == EpochChange::closes_exposure) add_end(LinkRole::sink, partner, link_completes);
  }
}

Result<void> LinkCollector::finish() {
  for (; !begun_.empty();) {  // those that never end are none
    if (begun_.front().end != none) {
      number_begun();
      continue;
    }
    close(begun_.front().begin);
    begun_.pop_front();
  }
  into_.sequences = ends_.finish();
  for (Frame& frame : stack_) close(frame.begin);
  flush();
  // The last event says how far the location's clock is off at the end.
  if (started_ && !last_emitted_) emit(here_);
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::trace
