#include "trace/index/index_linker.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mora::trace {
namespace {

constexpr std::uint64_t snapshot_distance = 1024;
constexpr std::uint32_t not_sent = 0, taken = no_id;  // no event has these numbers

std::uint64_t transfer_key(const MergedItem& m) { return (std::uint64_t{m.stream} << 32) | m.detail.serial; }

}  // namespace

IndexLinker::IndexLinker(const Items& items, const Definitions& definitions, IndexWriter& writer, DataQuality& quality)
    : items_(items),
      definitions_(definitions),
      writer_(writer),
      quality_(quality),
      stacks_(definitions.locations.size()),
      channels_(items.joined.all().size()),
      collectives_(definitions.locations.size()),
      io_(definitions.locations.size()),
      forks_(definitions.locations.size()) {}

void IndexLinker::opened(std::uint32_t position) { recent_.push_back(position); }

void IndexLinker::closed(std::uint32_t position, std::uint32_t by) {
  writer_.set_forward(position, by);
  if (position <= last_snapshot_) open_.erase(position);
}

// `recent_` holds what was opened since the last snapshot: most of it is closed again by now, so that only what lives
// longer is ever put into the set of open events.
void IndexLinker::snapshot() {
  for (const std::uint32_t position : recent_) {
    if (!writer_.has_forward(position)) open_.insert(position);
  }
  recent_.clear();
  std::vector<std::uint32_t> list(open_.begin(), open_.end());
  std::sort(list.begin(), list.end());
  writer_.snapshot(list);
  last_snapshot_ = writer_.size();
}

// A receive that was merged before its send (clocks that disagree) waits in early_. The pair is counted; the receive
// has no backward pointer, because that would lead to a later event, but each is the other's `forward`. That marks the
// pair, and the message is under way at no time.
void IndexLinker::sent(const MergedItem& m, std::uint32_t here) {
  const std::uint32_t channel = m.detail.channel, message = m.detail.serial;
  if (message == no_id) {
    ++unreceived_[definitions_.locations[m.item.location].rank];
    return;
  }
  if (!early_.empty()) {
    const auto early = early_.find({channel, message});
    if (early != early_.end()) {
      quality_.add("receive-before-send", Severity::warning, definitions_.locations[early->second.location].name, 1,
                   "messages arrive before they are sent; the pair is not linked",
                   "the clocks of the processes differ: let mora correct them (--correct-clocks auto), or check how "
                   "the hosts' clocks are synchronised");
      writer_.set_forward(here, early->second.position);
      writer_.set_forward(early->second.position, here);
      early_.erase(early);
      here = taken;
    }
  }
  ChannelQueue& q = channels_[channel];
  const std::size_t at = q.head + (message - q.first);
  if (at > q.sends.size()) q.sends.resize(at, not_sent);
  if (at == q.sends.size())
    q.sends.push_back(here);
  else
    q.sends[at] = here;
  if (here == taken) shorten(q);
}

/// The SEND of a RECV; 0 if it has none or has not gone out.
std::uint32_t IndexLinker::take_send(const MergedItem& m, std::uint32_t here) {
  const std::uint32_t channel = m.detail.channel, message = m.detail.serial;
  if (message == no_id) {
    const bool is_torn = channel != no_id && items_.joined.all()[channel].is_torn;
    ++(is_torn ? across_gap_ : unsent_)[definitions_.locations[m.item.location].rank];
    return 0;
  }
  ChannelQueue& q = channels_[channel];
  const std::size_t at = q.head + (message - q.first);
  if (at >= q.sends.size() || q.sends[at] == not_sent) {
    early_[{channel, message}] = {m.item.location, here};
    return 0;
  }
  const std::uint32_t send = std::exchange(q.sends[at], taken);
  shorten(q);
  return send;
}

/// What was taken leaves the front of the queue.
void IndexLinker::shorten(ChannelQueue& q) {
  while (q.head < q.sends.size() && q.sends[q.head] == taken) {
    ++q.head;
    ++q.first;
  }
  if (q.head == q.sends.size()) {
    q.sends.clear();
    q.head = 0;
  } else if (q.head > 64 && q.head * 2 > q.sends.size()) {
    q.sends.erase(q.sends.begin(), q.sends.begin() + static_cast<std::ptrdiff_t>(q.head));
    q.head = 0;
  }
}

/// The previous exit of the same collective instance. Operations of one process have no chains.
std::uint32_t IndexLinker::chain(const MergedItem& m, std::uint32_t here) {
  if (m.detail.serial == no_id) return 0;
  const std::uint32_t members = items_.joined.all()[m.detail.channel].members;
  if (members <= 1) return 0;
  const std::uint64_t key = std::uint64_t{m.detail.channel} << 32 | m.detail.serial;
  Chain& chain = instances_[key];
  const std::uint32_t previous = chain.last;
  if (previous != 0) writer_.set_forward(previous, here);
  chain.last = here;
  if (++chain.count >= members) instances_.erase(key);
  return previous;
}

/// The previous event of the same lock; a release also closes its own process's last acquisition.
std::uint32_t IndexLinker::lock(const MergedItem& m, std::uint32_t here) {
  const EventDetail& d = m.detail.detail;
  const bool window = m.item.type == EarlType::wlock || m.item.type == EarlType::wunlock;
  const bool take = m.item.type == EarlType::wlock || m.item.type == EarlType::alock;
  const std::uint32_t rank = definitions_.locations[m.item.location].rank;
  std::uint32_t& last = window ? window_chains_[{d.window, d.peer}] : lock_chains_[{rank, d.id}];
  const std::uint32_t previous = last;
  last = here;
  if (take) opened(here);
  if (window) {
    std::uint32_t& held = held_[{m.item.location, d.window, d.peer}];
    if (!take && held != 0) closed(held, here);
    held = take ? here : 0;
  } else {
    auto& held = held_locks_[{m.item.location, d.id}];
    if (take) {
      held.push_back(here);
    } else if (!held.empty()) {
      closed(held.back(), here);
      held.pop_back();
    }
  }
  return previous;
}

std::uint32_t IndexLinker::link(const MergedItem& m, std::uint32_t here) {
  const auto transfer = [&](auto& starts) -> std::uint32_t {
    const auto at = starts.find(transfer_key(m));
    if (at == starts.end()) return 0;
    const std::uint32_t start = at->second;
    starts.erase(at);
    closed(start, here);
    return start;
  };
  const auto begin = [&](std::vector<RequestMap>& requests) -> std::uint32_t {
    requests[m.item.location].set(m.detail.detail.id, here);
    opened(here);
    return 0;
  };
  const auto end = [&](std::vector<RequestMap>& requests) -> std::uint32_t {
    const std::uint32_t start = requests[m.item.location].take(m.detail.detail.id);
    if (start == RequestMap::none) return 0;
    closed(start, here);
    return start;
  };
  switch (m.item.type) {
    case EarlType::send:
      opened(here);
      sent(m, here);
      return 0;
    case EarlType::recv: {
      const std::uint32_t send = take_send(m, here);
      if (send != 0) closed(send, here);
      return send;
    }
    case EarlType::put_1ts:
    case EarlType::atomic_1ts:
      starts_[transfer_key(m)] = here;
      opened(here);
      return 0;
    case EarlType::get_1to:
      origins_[transfer_key(m)] = here;
      opened(here);
      return 0;
    case EarlType::get_1ts:
      starts_[transfer_key(m)] = here;
      opened(here);
      return transfer(origins_);
    case EarlType::put_1te:
    case EarlType::get_1te:
    case EarlType::atomic_1te:
      return transfer(starts_);
    case EarlType::nbc_start:
      return begin(collectives_);
    case EarlType::nbc_end:
      return end(collectives_);
    case EarlType::io_start:
      return begin(io_);
    case EarlType::io_end:
      return end(io_);
    case EarlType::fork:
      forks_[m.item.location].emplace_back(m.detail.detail.id, here);
      return 0;
    case EarlType::join: {
      // A thread that was created is waited for by its number; teams have none (0): the last forked is joined.
      auto& forks = forks_[m.item.location];
      const std::uint64_t id = m.detail.detail.id;
      const auto fork = std::find_if(forks.rbegin(), forks.rend(), [&](const auto& f) { return f.first == id; });
      if (fork == forks.rend()) return 0;
      const std::uint32_t position = fork->second;
      forks.erase(std::next(fork).base());
      writer_.set_forward(position, here);
      return position;
    }
    case EarlType::mpicexit:
    case EarlType::mpiwcexit:
      return chain(m, here);
    case EarlType::wlock:
    case EarlType::wunlock:
    case EarlType::alock:
    case EarlType::rlock:
      return lock(m, here);
    default:
      return 0;
  }
}

void IndexLinker::add(const MergedItem& m) {
  const auto here = static_cast<std::uint32_t>(writer_.size() + 1);
  auto& stack = stacks_[m.item.location];
  const std::uint32_t enter = stack.empty() ? 0 : stack.back();
  const EarlType type = m.item.type;
  if (type == EarlType::enter || type == EarlType::exit) {
    writer_.append(m.item.time, type, m.item.location, m.item.ordinal, enter, m.item.code);
    if (m.item.argued) writer_.append(EnterArgument{here, static_cast<std::int32_t>(m.detail.detail.kind)});
  } else {
    writer_.append(m.item.time, type, m.item.location, m.item.ordinal, enter,
                   static_cast<std::uint32_t>(writer_.details()));
    EventDetail detail = m.detail.detail;
    detail.link = link(m, here);
    const bool ranged = m.detail.ticket != no_offset &&
                        (type == EarlType::put_1ts || type == EarlType::get_1ts || type == EarlType::atomic_1ts);
    if (ranged) {  // item_collector.cpp put it where starts have nothing else
      writer_.append(TransferRange{static_cast<std::uint32_t>(writer_.details()), 0, m.detail.ticket, detail.received});
      detail.received = 0;
    }
    writer_.append(detail);
  }
  if (type == EarlType::enter) {
    stack.push_back(here);
  } else if (is_exit(type) && !stack.empty()) {
    writer_.set_forward(enter, here);
    stack.pop_back();
  }
  if (here - last_snapshot_ >= std::max<std::uint64_t>(snapshot_distance, open_.size())) snapshot();
}

void IndexLinker::finish() {
  for (const auto& [rank, count] : unreceived_)
    quality_.add("unmatched-send", Severity::warning, "rank " + std::to_string(rank), count,
                 "messages were sent but their reception is not in the trace",
                 "expected if the program was stopped early or not all ranks were recorded; else record again");
  for (const auto& [rank, count] : unsent_)
    quality_.add("unmatched-receive", Severity::warning, "rank " + std::to_string(rank), count,
                 "messages were received but their sending is not in the trace",
                 "expected if recording was switched off or not all ranks were recorded; else record again");
  for (const auto& [rank, count] : across_gap_)
    quality_.add("message-across-gap", Severity::warning, "rank " + std::to_string(rank), count,
                 "messages after a stretch without recording could not be paired safely; they are not linked",
                 "switch recording off and on where no message is under way, on all ranks");
}

}  // namespace mora::trace
