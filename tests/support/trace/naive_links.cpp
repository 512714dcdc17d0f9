#include "support/trace/naive_links.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace mora::trace::naive {
namespace {

/// The request of the send is cancelled before it is used again.
bool is_cancelled(const std::vector<Event>& stream, std::uint64_t send) {
  for (std::uint64_t i = send + 1; stream[send].kind == EventKind::send_request && i < stream.size(); ++i) {
    if (stream[i].request != stream[send].request) continue;
    if (stream[i].kind == EventKind::cancelled) return true;
    if (stream[i].kind == EventKind::send_request || stream[i].kind == EventKind::receive_request ||
        stream[i].kind == EventKind::send_complete || stream[i].kind == EventKind::receive_complete)
      return false;
  }
  return false;
}

std::uint64_t posting(const std::vector<Event>& stream, std::uint64_t complete) {
  for (std::uint64_t i = complete; stream[complete].kind == EventKind::receive_complete && i-- > 0;) {
    if (stream[i].kind == EventKind::receive_request && stream[i].request == stream[complete].request) return i;
  }
  return complete;
}

/// Enter of the innermost region around a record; of the program, if there is none.
Nanoseconds enter_of(const std::vector<Event>& stream, std::uint64_t record) {
  std::vector<Nanoseconds> open;
  for (std::uint64_t i = 0; i < record; ++i) {
    if (stream[i].kind == EventKind::enter) open.push_back(stream[i].time);
    if (stream[i].kind == EventKind::leave && !open.empty()) open.pop_back();
  }
  return open.empty() ? stream.front().time : open.back();
}

/// One side's end: enter of its call; location; where it stands in the stream (receives: where posted); the record.
struct End {
  Nanoseconds enter = 0;
  LocationId location = 0;
  std::uint64_t at = 0, record = 0;
};
using Ends = std::vector<End>;

/// By location and stream; of several threads by the enters of calls, without changing the order of one thread's.
void order(Ends& ends) {
  std::sort(ends.begin(), ends.end(),
            [](const End& a, const End& b) { return std::tie(a.location, a.at) < std::tie(b.location, b.at); });
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i].location == ends[i - 1].location) ends[i].enter = std::max(ends[i].enter, ends[i - 1].enter);
  }
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.enter < b.enter; });
}

struct Channel {
  Ends sends, receives;
  std::uint64_t sent = 0, received = 0;  ///< bytes
  bool cancelled = false;
};

}  // namespace

std::uint32_t stretch(const std::vector<Event>& stream, std::uint64_t record) {
  std::uint32_t gaps = 0;
  bool on = true;
  for (std::uint64_t i = 0; i < record; ++i) {
    if (stream[i].kind == EventKind::recording_off && std::exchange(on, false)) ++gaps;
    if (stream[i].kind == EventKind::recording_on) on = true;
  }
  return gaps;
}

bool is_end_of_epoch(const Event& e) {
  if (e.kind != EventKind::group_sync) return false;
  if (e.rma_operation == RmaOperation::complete) return true;
  return e.epoch_closed && (e.rma_operation == RmaOperation::wait || e.rma_operation == RmaOperation::test);
}

bool has_no_beginning(const std::vector<Event>& stream, std::uint64_t record) {
  const Event& e = stream[record];
  const bool access = e.rma_operation == RmaOperation::complete;
  if (!is_end_of_epoch(e)) return false;
  for (std::uint64_t i = record; i-- > 0;) {
    const Event& x = stream[i];
    if (x.kind != EventKind::group_sync || x.window != e.window) continue;
    if (x.rma_operation == (access ? RmaOperation::start : RmaOperation::post)) return false;
    if (is_end_of_epoch(x) && access == (x.rma_operation == RmaOperation::complete)) return true;
  }
  return true;
}

// The k-th access epoch of (origin, target, window) belongs to the k-th exposure epoch, counted where they open, or
// where they end if their beginning was not recorded, and anew behind each gap; there only if both sides have as many.
std::vector<EpochPair> epochs(const MemorySource& trace) {
  struct Epoch {
    std::optional<Record> open, end;
  };
  using Key = std::tuple<WindowId, std::uint32_t, std::uint32_t, std::uint32_t>;  ///< window, origin, target, stretch
  std::map<Key, std::pair<std::vector<Epoch>, std::vector<Epoch>>> sides;         ///< accesses, exposures
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    const std::vector<Event>& stream = trace.events[l];
    const std::uint32_t rank = trace.defs.locations[l].rank;
    for (std::uint64_t i = 0; i < stream.size(); ++i) {
      const Event& e = stream[i];
      const bool access = e.rma_operation == RmaOperation::start || e.rma_operation == RmaOperation::complete;
      const bool begins = e.rma_operation == RmaOperation::start || e.rma_operation == RmaOperation::post;
      if (e.kind != EventKind::group_sync || (!begins && !has_no_beginning(stream, i))) continue;
      Epoch epoch;
      if (begins) epoch.open = Record{l, i};
      for (std::uint64_t k = i + 1; k < stream.size() && epoch.open && !epoch.end; ++k) {
        const Event& x = stream[k];
        if (x.kind != EventKind::group_sync || x.window != e.window) continue;
        if (x.rma_operation == e.rma_operation) break;
        if (!is_end_of_epoch(x) || access != (x.rma_operation == RmaOperation::complete)) continue;
        if (stretch(stream, k) == stretch(stream, i)) epoch.end = Record{l, k};
        break;
      }
      std::vector<std::uint32_t> group = trace.defs.groups[e.group].members;
      std::sort(group.begin(), group.end());
      group.erase(std::unique(group.begin(), group.end()), group.end());
      for (const std::uint32_t partner : group) {
        auto& [accesses, exposures] =
            sides[{e.window, access ? rank : partner, access ? partner : rank, stretch(stream, i)}];
        (access ? accesses : exposures).push_back(epoch);
      }
    }
  }
  std::vector<EpochPair> pairs;
  for (const auto& [key, side] : sides) {
    const auto& [accesses, exposures] = side;
    if (std::get<3>(key) != 0 && accesses.size() != exposures.size()) continue;
    for (std::size_t k = 0; k < std::min(accesses.size(), exposures.size()); ++k) {
      if (accesses[k].open && exposures[k].open)
        pairs.push_back({*accesses[k].open, *exposures[k].open, accesses[k].end, exposures[k].end});
    }
  }
  return pairs;
}

// The last call on the window, before any gap, is MPI_Win_free: on one location of each member at least.
bool is_freed_by_all(const MemorySource& trace, WindowId window) {
  std::set<std::uint32_t> freed;
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    RmaOperation last = RmaOperation::none;
    for (std::uint64_t i = 0; i < trace.events[l].size(); ++i) {
      const Event& e = trace.events[l][i];
      if (e.kind == EventKind::rma_collective_end && e.window == window && stretch(trace.events[l], i) == 0)
        last = e.rma_operation;
    }
    if (last == RmaOperation::win_free) freed.insert(trace.defs.locations[l].rank);
  }
  const std::vector<std::uint32_t>& members = trace.defs.communicators[trace.defs.windows[window].comm].members;
  return std::all_of(members.begin(), members.end(), [&](std::uint32_t rank) { return freed.contains(rank); });
}

// Behind a gap; and where all members freed the window, since one of them then lacks a record.
bool is_torn(const MemorySource& trace, WindowId window, std::uint32_t gaps) {
  if (gaps == 0 && !is_freed_by_all(trace, window)) return false;
  std::map<std::uint32_t, std::size_t> calls;  // by rank
  for (const std::uint32_t rank : trace.defs.communicators[trace.defs.windows[window].comm].members) calls[rank] = 0;
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    for (std::uint64_t i = 0; i < trace.events[l].size(); ++i) {
      const Event& e = trace.events[l][i];
      const auto rank = calls.find(trace.defs.locations[l].rank);
      if (e.kind == EventKind::rma_collective_end && e.window == window && rank != calls.end() &&
          stretch(trace.events[l], i) == gaps)
        ++rank->second;
    }
  }
  return std::any_of(calls.begin(), calls.end(), [&](const auto& c) { return c.second != calls.begin()->second; });
}

std::uint64_t leave_around(const std::vector<Event>& stream, std::uint64_t record) {
  int depth = 0;
  for (std::uint64_t i = record + 1; i < stream.size(); ++i) {
    if (stream[i].kind == EventKind::enter) ++depth;
    if (stream[i].kind == EventKind::leave && depth-- == 0) return i;
  }
  return no_leave;
}

// The k-th send of a channel belongs to the k-th posted receive that ended there, counted anew behind each gap in the
// recording; there only if nothing is missing on either side.
Messages messages(const MemorySource& trace) {
  Messages result;
  std::map<std::tuple<CommId, std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t>, Channel> channels;
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    const std::uint32_t rank = trace.defs.locations[l].rank;
    const std::vector<Event>& stream = trace.events[l];
    for (std::uint64_t i = 0; i < stream.size(); ++i) {
      const Event& e = stream[i];
      if (e.kind == EventKind::send || e.kind == EventKind::send_request) {
        Channel& c = channels[{e.comm, rank, e.peer, e.tag, stretch(stream, i)}];
        c.sent += e.bytes;
        if (is_cancelled(stream, i)) {
          c.cancelled = true;
          ++result.damage["unmatched-send"];
        } else {
          c.sends.push_back({enter_of(stream, i), l, i, i});
        }
      }
      if (e.kind != EventKind::receive && e.kind != EventKind::receive_complete) continue;
      Channel& c = channels[{e.comm, e.peer, rank, e.tag, stretch(stream, i)}];
      const std::uint64_t posted = posting(stream, i);
      c.receives.push_back({enter_of(stream, posted), l, posted, i});
      c.received += e.bytes;
    }
  }
  for (auto& [key, c] : channels) {
    const std::size_t sends = c.sends.size(), receives = c.receives.size();
    const bool both = (sends > 0 || c.cancelled) && receives > 0;
    const bool torn = std::get<4>(key) != 0 && both && (sends != receives || c.sent != c.received || c.cancelled);
    const std::size_t paired = torn ? 0 : std::min(sends, receives);
    if (sends > paired) result.damage["unmatched-send"] += sends - paired;
    if (receives > paired) result.damage[torn ? "message-across-gap" : "unmatched-receive"] += receives - paired;
    const auto several = [](const Ends& ends) {
      return std::any_of(ends.begin(), ends.end(), [&](const End& e) { return e.location != ends[0].location; });
    };
    const bool threads = several(c.sends) || several(c.receives);
    order(c.sends);
    order(c.receives);
    for (std::size_t k = 0; k < paired; ++k) {
      const End &send = c.sends[k], &receive = c.receives[k];
      result.pairs.push_back({{send.location, send.record}, {receive.location, receive.record}, threads});
    }
  }
  return result;
}

// The n-th call of every member is one instance, if all members have it and agree; behind a gap in the recording only
// if all have the same number of calls up to the next gap. Operations of one process are none.
std::vector<Instance> instances(const MemorySource& trace) {
  std::map<std::tuple<EventKind, std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::vector<Record>>> sequences;
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    for (std::uint64_t i = 0; i < trace.events[l].size(); ++i) {
      const Event& e = trace.events[l][i];
      const bool window = e.kind == EventKind::rma_collective_end;
      if (!window && e.kind != EventKind::collective_end && e.kind != EventKind::collective_request) continue;
      sequences[{e.kind, window ? e.window : e.comm, stretch(trace.events[l], i)}][trace.defs.locations[l].rank]
          .push_back({l, i});
    }
  }
  std::vector<Instance> all;
  for (const auto& [key, calls] : sequences) {
    const auto& [kind, id, gaps] = key;
    const bool window = kind == EventKind::rma_collective_end;
    const Communicator& comm = trace.defs.communicators[window ? trace.defs.windows[id].comm : id];
    std::size_t least = SIZE_MAX, most = 0;
    for (const std::uint32_t rank : comm.members) {
      const std::size_t count = calls.contains(rank) ? calls.at(rank).size() : 0;
      least = std::min(least, count);
      most = std::max(most, count);
    }
    const bool counts_must_agree = gaps != 0 || (window && is_freed_by_all(trace, id));
    if (comm.self || comm.members.size() < 2 || (counts_must_agree && least != most)) continue;
    for (std::size_t n = 0; n < least; ++n) {
      Instance instance;
      std::uint32_t root = no_id;
      bool agree = true;
      for (const std::uint32_t rank : comm.members) {
        instance.members.push_back(calls.at(rank)[n]);
        const auto record = [&](const Record& r) -> const Event& { return trace.events[r.location][r.ordinal]; };
        const Event &first = record(instance.members.front()), &e = record(instance.members.back());
        agree = agree && e.collective == first.collective && e.rma_operation == first.rma_operation &&
                (window || e.root == no_id || root == no_id || e.root == root);
        if (e.root != no_id) root = e.root;
      }
      if (agree) all.push_back(instance);
    }
  }
  return all;
}

}  // namespace mora::trace::naive
