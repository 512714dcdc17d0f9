#include "trace/index/item_merge.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace mora::trace {
namespace {

bool is_transfer_start(EarlType type) {
  return type == EarlType::put_1ts || type == EarlType::get_1ts || type == EarlType::atomic_1ts;
}
using TransferName = std::pair<std::uint32_t, std::uint32_t>;  ///< origin location, number there
TransferName name_of(const MergedItem& m) { return {m.stream, m.detail.serial}; }
bool is_numbered(EarlType type) {
  return type == EarlType::send || type == EarlType::recv || type == EarlType::mpicexit || type == EarlType::mpiwcexit;
}
std::uint64_t message_of(const MergedItem& m) { return std::uint64_t{m.detail.channel} << 32 | m.detail.serial; }
bool has_detail(EarlType type) { return type != EarlType::enter && type != EarlType::exit; }

}  // namespace

ItemMerge::ItemMerge(const Items& items, const Definitions& definitions, RmaModel model, DataQuality& quality)
    : items_(items),
      definitions_(definitions),
      extended_(model == RmaModel::extended),
      quality_(quality),
      gates_(items.tables.gates.size()) {
  const std::size_t locations = definitions.locations.size();
  cursors_.reserve(locations);
  for (std::uint32_t l = 0; l < locations; ++l) {
    cursors_.emplace_back(items, l);
    cursors_[l].head = cursors_[l].items.next();
    failed_ = failed_ || cursors_[l].items.failed();
    if (cursors_[l].head != nullptr) heap_.push_back({cursors_[l].head->time, l});
  }
  std::sort(heap_.begin(), heap_.end());  // a sorted vector is a heap
}

void ItemMerge::sift_down() {
  const std::size_t n = heap_.size();
  const Head moving = heap_[0];
  std::size_t at = 0;
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= n) break;
    if (child + 1 < n && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < moving)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = moving;
}

/// Time of the earliest location but the first.
Nanoseconds ItemMerge::second_time() const {
  Nanoseconds t = INT64_MAX;
  if (heap_.size() > 1) t = heap_[1].time;
  if (heap_.size() > 2) t = std::min(t, heap_[2].time);
  return t;
}

/// The heap's top location has moved on.
void ItemMerge::advance(std::uint32_t location) {
  const Item* head = cursors_[location].head;
  if (head != nullptr) {
    heap_[0].time = head->time;
  } else {
    failed_ = failed_ || cursors_[location].items.failed();
    heap_[0] = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
  }
  sift_down();
}

/// Removes the location's first item and reads what belongs to it from the other spools, which are in the same order.
void ItemMerge::take(std::uint32_t location, MergedItem& out) {
  Cursor& c = cursors_[location];
  out.item = *c.head;
  out.stream = location;
  if (has_detail(out.item.type)) {
    if (const ItemDetail* detail = c.details.next(); detail != nullptr)
      out.detail = *detail;
    else
      failed_ = true;
    if (is_numbered(out.item.type)) number(location, out);
  }
  if (out.item.argued) {  // stands where messages have their tag
    if (const std::int32_t* argument = c.arguments.next(); argument != nullptr)
      out.detail.detail.kind = static_cast<std::uint32_t>(*argument);
    else
      failed_ = true;
  }
  c.head = c.items.next();
}

/// The message or instance that an event belongs to, from the location's own numbers.
void ItemMerge::number(std::uint32_t location, MergedItem& out) {
  ItemDetail& d = out.detail;
  if (out.item.type != EarlType::recv) {
    d.serial = items_.joined.source(location, d.channel, d.serial);
  } else {
    const bool is_known = d.channel != no_id;
    const std::uint32_t* serial = is_known ? cursors_[location].receive_serials.next() : nullptr;
    failed_ = failed_ || (is_known && serial == nullptr);
    d.serial = serial == nullptr ? no_id : items_.joined.sink(location, d.channel, *serial);
  }
  d.channel = items_.joined.sequence(location, d.channel);
}

void ItemMerge::take_closings(std::uint32_t location, std::vector<Closing>& closings) {
  for (;;) {
    const Closing* closing = cursors_[location].closings.next();
    if (closing == nullptr) {
      failed_ = true;
      return;
    }
    closings.push_back(*closing);
    if (closing->last != 0) return;
  }
}

void ItemMerge::unreleased(const MergedItem& item, bool late) {
  const EventDetail& d = item.detail.detail;
  if (late) {
    // By the clocks the closing call returned before the transfer was recorded as complete. Waiting at the gate now
    // would release it with a later epoch, or never.
    quality_.add("release-before-transfer", Severity::warning,
                 "rank " + std::to_string(definitions_.locations[item.stream].rank), 1,
                 "one-sided transfers end after the call that completes them returned; they keep their recorded end",
                 "the clocks of the processes differ: let mora correct them (--correct-clocks auto), or check how the "
                 "hosts' clocks are synchronised");
    return;
  }
  const std::uint32_t origin = definitions_.locations[item.stream].rank;
  const std::uint32_t target =
      item.item.type == EarlType::put_1te ? definitions_.locations[item.item.location].rank : d.peer;
  quality_.add("unreleased-transfer", Severity::warning,
               "rank " + std::to_string(origin) + " to rank " + std::to_string(target) + ", " +
                   (d.window < definitions_.windows.size() && !definitions_.windows[d.window].name.empty()
                        ? definitions_.windows[d.window].name
                    : d.window == no_id ? std::string("window unknown")
                                        : "window " + std::to_string(d.window)),
               1, "one-sided transfers are never completed by a synchronisation; they keep their recorded end",
               "close every epoch before the program ends; if it does, events are missing: record again");
}

/// True: the end of a transfer waits at its gate.
bool ItemMerge::held_back(MergedItem& merged) {
  if (!is_transfer_end(merged.item.type)) return false;
  const std::uint32_t gate = merged.detail.channel;
  const std::uint64_t number = merged.detail.ticket;
  if (gate == no_id || !items_.tables.gates[gate].closes(number) ||
      (items_.tables.gates[gate].is_torn &&
       items_.tables.gates[gate].gate.rank != definitions_.locations[merged.stream].rank)) {
    unreleased(merged, false);
    return false;
  }
  if (!extended_) return false;
  if (gates_[gate].closed >= number) {
    unreleased(merged, true);
    return false;
  }
  gates_[gate].waiting.push_back({number, order_++, merged});
  return true;
}

/// Passes an item on, and before it the ends that its closings release, at its time.
void ItemMerge::emit(MergedItem& merged, std::vector<Closing>& closings) {
  std::vector<Waiting> released;
  for (const Closing& closing : closings) {
    Gate& gate = gates_[closing.gate];
    gate.closed = std::max(gate.closed, closing.number);
    for (auto w = gate.waiting.begin(); w != gate.waiting.end();) {
      if (w->number == closing.number) {
        released.push_back(*w);
        w = gate.waiting.erase(w);
      } else {
        ++w;
      }
    }
  }
  closings.clear();
  std::sort(released.begin(), released.end(), [](const Waiting& a, const Waiting& b) { return a.order < b.order; });
  for (Waiting& w : released) {
    w.end.item.time = merged.item.time;
    ready_.push_back(w.end);
  }
  ready_.push_back(merged);
}

/// Several locations have items at the earliest time.
void ItemMerge::instant() {
  const Nanoseconds now = heap_[0].time;
  in_instant_ = 0;
  bool sends = false, receives = false, transfers = false;
  while (!heap_.empty() && heap_[0].time == now) {
    const std::uint32_t location = heap_[0].location;
    while (cursors_[location].head != nullptr && cursors_[location].head->time == now && !failed_) {
      if (in_instant_ == instant_.size()) instant_.emplace_back();
      Entry& entry = instant_[in_instant_++];
      take(location, entry.merged);
      entry.closings.clear();
      if (entry.merged.item.closes) take_closings(location, entry.closings);
      const EarlType type = entry.merged.item.type;
      sends = sends || type == EarlType::send;
      receives = receives || type == EarlType::recv;
      transfers = transfers || entry.merged.item.closes || is_transfer_end(type);
      entry.held = held_back(entry.merged);
    }
    advance(location);
    if (failed_) return;
  }
  if (transfers || (sends && receives)) return entangled_instant();
  for (std::size_t i = 0; i < in_instant_; ++i) emit(instant_[i].merged, instant_[i].closings);
}

/// Items of the instant may have to wait for others of it: a receive for its send, a closing call for the starts of the
/// transfers that it ends. A location whose next item has to wait is parked until that item has gone out. If all are
/// parked (the trace contradicts itself), the smallest location goes on nevertheless.
void ItemMerge::entangled_instant() {
  std::map<std::uint32_t, std::deque<Entry*>> queues;
  std::unordered_set<std::uint64_t> sends;  // messages whose SEND is in this instant and not out yet
  // Starts of this instant that are not out yet, and the closings that wait for them because they release their ends.
  std::set<TransferName> starts;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<TransferName>> releases;
  for (std::size_t i = 0; i < in_instant_; ++i) {
    Entry& entry = instant_[i];
    const MergedItem& merged = entry.merged;
    if (merged.item.type == EarlType::send && merged.detail.serial != no_id) sends.insert(message_of(merged));
    if (is_transfer_start(merged.item.type)) starts.insert(name_of(merged));
    if (!entry.held)
      queues[merged.stream].push_back(&entry);
    else if (starts.count(name_of(merged)) != 0)
      releases[{merged.detail.channel, merged.detail.ticket}].push_back(name_of(merged));
  }
  const auto waits_for_start = [&](const std::vector<Closing>& closings) {
    for (const Closing& closing : closings) {
      const auto released = releases.find({closing.gate, closing.number});
      if (released == releases.end()) continue;
      for (const TransferName& name : released->second) {
        if (starts.count(name) != 0) return true;
      }
    }
    return false;
  };
  // Heads that wait for a send or a start of this instant are parked until it has gone out.
  std::set<std::uint32_t> ready, parked;
  std::unordered_map<std::uint64_t, std::uint32_t> parked_on;  // message -> location
  std::vector<std::uint32_t> parked_on_start;
  for (const auto& [location, queue] : queues) {
    if (!queue.empty()) ready.insert(location);
  }
  while (!ready.empty() || !parked.empty()) {
    const bool forced = ready.empty();
    const std::uint32_t location = forced ? *parked.begin() : *ready.begin();
    (forced ? parked : ready).erase(location);
    auto& queue = queues[location];
    MergedItem& merged = queue.front()->merged;
    if (!forced && merged.item.type == EarlType::recv && sends.count(message_of(merged)) != 0) {
      parked.insert(location);
      parked_on[message_of(merged)] = location;
      continue;
    }
    if (!forced && !releases.empty() && waits_for_start(queue.front()->closings)) {
      parked.insert(location);
      parked_on_start.push_back(location);
      continue;
    }
    if (!starts.empty() && is_transfer_start(merged.item.type)) {
      starts.erase(name_of(merged));
      for (const std::uint32_t other : parked_on_start) {
        if (parked.erase(other) != 0) ready.insert(other);
      }
      parked_on_start.clear();
    }
    if (merged.item.type == EarlType::send && sends.erase(message_of(merged)) != 0) {
      if (const auto waiting = parked_on.find(message_of(merged)); waiting != parked_on.end()) {
        if (parked.erase(waiting->second) != 0) ready.insert(waiting->second);
        parked_on.erase(waiting);
      }
    }
    emit(merged, queue.front()->closings);
    queue.pop_front();
    if (!queue.empty()) ready.insert(location);
  }
}

/// The end of a beginning: the calls that would have released these ends lie behind it.
void ItemMerge::give_up_waiting() {
  for (Gate& gate : gates_) {
    for (const Waiting& waiting : gate.waiting) ready_.push_back(waiting.end);
    gate.waiting.clear();
  }
}

bool ItemMerge::next(MergedItem& out) {
  while (ready_.empty()) {
    if (failed_) return false;
    if (heap_.empty()) {
      give_up_waiting();
      if (ready_.empty()) return false;
      continue;
    }
    const std::uint32_t location = heap_[0].location;
    if (heap_[0].time == second_time()) {
      instant();
      continue;
    }
    const bool closes = cursors_[location].head->closes;
    take(location, out);
    advance(location);
    if (failed_) return false;
    if (closes) {
      take_closings(location, closings_);
      emit(out, closings_);
      continue;
    }
    if (held_back(out)) continue;
    return true;
  }
  out = ready_.front();
  ready_.pop_front();
  return true;
}

}  // namespace mora::trace
