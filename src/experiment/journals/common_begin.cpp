// The cut, and the numbers of messages and collective calls at it.
#include "experiment/journals/common_begin.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/time.h"
#include "base/worker_pool.h"
#include "experiment/journals/at_a_time.h"
#include "experiment/journals/process_records.h"
#include "mpi/function.h"

namespace mora::experiment {
namespace {

using journal::pair_high;
using journal::pair_low;
using journal::Record;

/// What the process had done at some point.
struct Counts {
  std::map<OwnChannel, std::pair<std::uint64_t, std::uint64_t>> channels;  ///< sent, received
  std::map<std::uint32_t, std::uint64_t> collectives, windows;
  std::uint64_t calls = 0, switches = 0, cancelled = 0, unplaced = 0;

  void add(std::uint32_t object, std::int32_t peer, std::int32_t tag, int kind, std::uint64_t first,
           std::uint64_t second) {
    switch (kind) {
      case MORA_RING_CHANNEL: {
        auto& channel = channels[{object, peer, tag}];
        channel.first += first, channel.second += second;
        break;
      }
      case MORA_RING_COLLECTIVES:
        collectives[object] += first;
        break;
      case MORA_RING_WINDOW:
        windows[object] += first;
        break;
      case MORA_RING_CALLS:
        calls += first, switches += second;
        break;
      case MORA_RING_UNSURE:
        cancelled += first, unplaced += second;
        break;
      default:
        break;
    }
  }
  void add_record(const Record& r) {
    if (r.shape == MORA_SHAPE_RECORDING) ++switches;
    if (r.function == 0) return;
    mora_ring_count(
        r.shape, r.flags, r.object, r.payload.data(), static_cast<unsigned>(r.payload.size()),
        [](void* to, std::uint32_t object, std::int32_t peer, std::int32_t tag, mora_ring_kind kind,
           std::uint64_t first,
           std::uint64_t second) { static_cast<Counts*>(to)->add(object, peer, tag, kind, first, second); },
        this);
  }
  static Counts before(const ProcessJournals& process) {
    Counts counts;
    for (const journal::Journal* journal : process.journals)
      for (const mora_ring_entry& e : journal->before_ring())
        counts.add(static_cast<std::uint32_t>(pair_low(e.object_peer)), pair_high(e.object_peer), pair_low(e.tag_kind),
                   pair_high(e.tag_kind), e.first, e.second);
    return counts;
  }
};

/// The first reading of the process's clock at that stamp or later.
std::uint64_t ticks_at(const ClockFit& clock, std::uint64_t stamp) {
  std::uint64_t low = 0, high = std::uint64_t{1} << 63;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const auto at = static_cast<std::int64_t>(clock.stamp(middle) - stamp);
    if (at < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Ticks of a process at a time on the common clock.
std::uint64_t ticks_at_common(const ProcessJournals& process, std::uint64_t stamp) {
  return ticks_at(*process.clock, stamp - (on_common(process, stamp) - stamp));
}

bool is_collective_of_world(const Record& r) {
  return r.shape == MORA_SHAPE_COLLECTIVE && r.object == MORA_COMM_WORLD && (r.flags & MORA_FLAG_FAILED) == 0;
}

/// What one process's rings still have.
struct Held {
  std::uint64_t begin = 0;            ///< ticks from which on all of its threads are there; 0: nothing is missing
  std::uint64_t records = 0;          ///< calls since then
  std::uint64_t first = 0, last = 0;  ///< numbers of collective calls on MPI_COMM_WORLD that wait for all; 0: none
  std::uint64_t before = 0;           ///< the last of them that had returned at the time that was asked for
  std::uint64_t newest = 0;           ///< ticks of the last record
  // Of the call with the number that was asked for:
  std::uint64_t end = 0, records_behind = 0;
  unsigned function = 0;
};

Held held_of(const ProcessJournals& process, std::uint64_t wanted, std::uint64_t until) {
  Held held;
  for (const journal::Journal* journal : process.journals) held.begin = std::max(held.begin, journal->ring_begin());
  std::uint64_t number = Counts::before(process).collectives[MORA_COMM_WORLD];
  ProcessRecords records(process.journals);
  Record r;
  for (std::size_t which = 0; records.next(which, r);) {
    if (r.function != 0 || r.shape == MORA_SHAPE_END || is_at_a_time(r.shape))
      held.newest = std::max(held.newest, r.function != 0 ? r.end() : r.begin);
    const bool is_held = r.function != 0 && r.begin >= held.begin;
    if (is_held) ++held.records;
    if (is_held && held.end != 0) ++held.records_behind;
    if (!is_collective_of_world(r)) continue;
    ++number;
    if (r.end() < held.begin || !waits_for_all(mpi::function(r.function))) continue;
    if (held.first == 0) held.first = number;
    held.last = number;
    if (r.end() <= until) held.before = number;
    if (number != wanted) continue;
    held.end = r.end();
    held.function = r.function;
  }
  return held;
}

/// Of one process at the cut.
struct AtCut {
  Counts counts;  ///< a receive that was posted before the cut counts, if it is complete at the end
  Counts before;  ///< before the rings
  bool has_threads = false;
};

/// Where a request's receive was posted, as far as that was behind the cut.
class Posted {
 public:
  explicit Posted(std::uint64_t cut) : cut_(cut) {}
  void take(const Record& r) {
    ++position_;
    if (r.begin < cut_) return;
    if ((r.shape == MORA_SHAPE_IRECV || r.shape == MORA_SHAPE_ISEND) && r.payload[2] != 0)
      at_[r.payload[2]] = position_;
    if (r.shape == MORA_SHAPE_START)
      for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) at_[r.payload[i]] = position_;
  }
  /// 0: before the cut.
  std::uint64_t of(std::uint64_t request) const {
    const auto it = at_.find(request);
    return it == at_.end() ? 0 : it->second;
  }
  void forget(std::uint64_t request) { at_.erase(request); }
  std::uint64_t here() const { return position_; }

 private:
  std::uint64_t cut_, position_ = 0;
  std::map<std::uint64_t, std::uint64_t> at_;
};

/// Calls `received(channel, position, request, which, ordinal)` for each receive that is complete behind the cut;
/// position 0: it was posted before; request 0: the record is the receive.
template <typename Received>
void receives_behind(const ProcessJournals& process, std::uint64_t cut, Received received) {
  Posted posted(cut);
  ProcessRecords records(process.journals);
  Record r;
  for (std::size_t which = 0; records.next(which, r);) {
    if (r.function == 0) continue;
    posted.take(r);
    if (r.begin < cut) continue;
    const auto tell = [&](std::uint32_t comm, std::uint64_t peer_tag, std::uint64_t position, std::uint64_t request) {
      if (pair_low(peer_tag) >= 0)
        received(OwnChannel{comm, pair_low(peer_tag), pair_high(peer_tag)}, position, request, which, r.ordinal);
    };
    const bool moved = (r.flags & (MORA_FLAG_FAILED | MORA_FLAG_NO_PEER)) == 0;
    if (r.shape == MORA_SHAPE_RECV && moved) {
      const std::uint64_t request = r.payload.size() > 2 ? r.payload[2] : 0;
      tell(r.object, r.payload[0], request != 0 ? posted.of(request) : posted.here(), request);
      posted.forget(request);
    } else if (r.shape == MORA_SHAPE_SENDRECV && moved) {
      tell(r.object, r.payload[2], posted.here(), 0);
    } else if (r.shape == MORA_SHAPE_COMPLETE) {
      for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
        const std::uint64_t request = r.payload[i];
        if (request == 0) continue;
        if (pair_high(r.payload[i + 3]) == MORA_COMPLETED_RECV)
          tell(static_cast<std::uint32_t>(pair_low(r.payload[i + 3])), r.payload[i + 1], posted.of(request), request);
        posted.forget(request);
      }
    }
  }
}

AtCut at_cut(const ProcessJournals& process, std::uint64_t cut) {
  const Counts before = Counts::before(process);
  AtCut at{before, before, process.journals.size() > 1};
  ProcessRecords records(process.journals);
  Record r;
  for (std::size_t which = 0; records.next(which, r);)
    if (r.begin < cut) at.counts.add_record(r);
  receives_behind(process, cut,
                  [&](const OwnChannel& channel, std::uint64_t position, std::uint64_t, std::size_t, std::uint64_t) {
                    if (position == 0) ++at.counts.channels[channel].second;
                  });
  return at;
}

/// One of two ends, at the cut.
struct End {
  std::size_t process = 0;
  OwnChannel channel;
  std::uint64_t number = 0;
};

/// How many of the first receives of each channel behind the cut are left out.
using ToSkip = std::map<OwnChannel, std::uint64_t>;

/// Compares the two ends of each channel.
std::vector<ToSkip> match_channels(const std::vector<ProcessJournals>& processes,
                                   const std::vector<OwnNumbers>& numbers, const std::vector<AtCut>& at,
                                   CommonBegin& begin) {
  using Key = std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::int32_t>;  // communicator, from, to, tag
  struct Ends {
    End sent, received;
    bool is_sent = false, is_received = false;
  };
  std::map<Key, Ends> all;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].journals.empty()) continue;
    for (const auto& [channel, count] : at[i].counts.channels) {
      const auto comm = numbers[i].communicator(channel.comm);
      const auto peer = numbers[i].world(channel.comm, channel.peer), own = static_cast<std::int32_t>(i);
      if (comm == archive::no_id || peer < 0) continue;
      Ends& out = all[{comm, own, peer, channel.tag}];
      out.sent = {i, channel, count.first}, out.is_sent = true;
      Ends& in = all[{comm, peer, own, channel.tag}];
      in.received = {i, channel, count.second}, in.is_received = true;
    }
  }
  std::vector<ToSkip> skip(processes.size());
  for (const auto& [key, ends] : all) {
    const auto is_unsure = [&](std::size_t process, const End& end) {
      const Counts& before = at[process].before;
      return before.unplaced != 0 && !before.channels.contains(end.channel);
    };
    const auto from = static_cast<std::size_t>(std::get<1>(key)), to = static_cast<std::size_t>(std::get<2>(key));
    if (from >= processes.size() || to >= processes.size()) continue;
    const std::uint64_t sent = ends.is_sent ? ends.sent.number : 0;
    const std::uint64_t received = ends.is_received ? ends.received.number : 0;
    bool is_left_out = is_unsure(from, ends.sent) || is_unsure(to, ends.received);
    if (sent != received)
      for (const std::size_t process : {from, to})
        is_left_out = is_left_out || at[process].has_threads || at[process].counts.cancelled != 0 ||
                      at[process].counts.switches != 0;
    if (is_left_out) {
      if (ends.is_sent) begin.processes[from].sends[ends.sent.channel] = BehindCut::all;
      if (ends.is_received) begin.processes[to].receives.insert(ends.received.channel);
    } else if (sent > received && ends.is_received) {
      skip[to][ends.received.channel] = sent - received;
    } else if (received > sent && ends.is_sent) {
      begin.processes[from].sends[ends.sent.channel] = received - sent;
    }
  }
  return skip;
}

/// The receives of one process that are left out: those that were posted first.
void choose_receives(const ProcessJournals& process, const ToSkip& skip, BehindCut& behind) {
  using Receive = std::tuple<std::uint64_t, std::uint64_t, std::size_t, std::uint64_t>;
  std::map<OwnChannel, std::set<Receive>> first;
  receives_behind(process, behind.ticks,
                  [&](const OwnChannel& channel, std::uint64_t position, std::uint64_t request, std::size_t which,
                      std::uint64_t ordinal) {
                    const auto it = skip.find(channel);
                    if (it == skip.end() || position == 0) return;
                    auto& receives = first[channel];
                    receives.emplace(position, request, which, ordinal);
                    if (receives.size() > it->second) receives.erase(std::prev(receives.end()));
                  });
  for (const auto& [channel, receives] : first)
    for (const auto& [position, request, which, ordinal] : receives) {
      if (request != 0)
        behind.requests.insert(request);
      else
        behind.calls.emplace(which, ordinal);
    }
}

/// Numbers of collective calls: of communicators, or of windows.
template <typename Of, typename Global, typename Into>
void match_collectives(const std::vector<AtCut>& at, Of of, Global global, Into into) {
  std::map<std::uint32_t, std::uint64_t> most;
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (const auto& [own, calls] : of(at[i].counts))
      if (const auto id = global(i, own); id != archive::no_id) most[id] = std::max(most[id], calls);
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (const auto& [own, calls] : of(at[i].counts)) {
      const auto id = global(i, own);
      if (id == archive::no_id) continue;
      const bool is_unsure = at[i].before.unplaced != 0 && !of(at[i].before).contains(own);
      if (is_unsure || most[id] > calls) into(i, own, is_unsure ? BehindCut::all : most[id] - calls);
    }
  }
}

}  // namespace

CommonBegin common_begin(const std::vector<ProcessJournals>& processes, const std::vector<OwnNumbers>& numbers,
                         Nanoseconds kept, unsigned workers) {
  CommonBegin begin;
  begin.kept = kept;
  const std::size_t n = processes.size();
  bool is_whole = true;
  for (const ProcessJournals& process : processes)
    for (const journal::Journal* journal : process.journals) is_whole = is_whole && journal->ring_begin() == 0;
  if (is_whole && kept == 0) return begin;

  std::vector<Held> held(n);
  std::vector<std::uint64_t> until(n, 0);
  const auto find = [&](std::uint64_t wanted) {
    run_tasks(n, workers, [&](std::size_t i) {
      if (!processes[i].journals.empty()) held[i] = held_of(processes[i], wanted, until[i]);
    });
  };
  find(0);
  std::uint64_t start = UINT64_MAX, newest = 0, before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (processes[i].journals.empty()) continue;
    const ClockFit& clock = *processes[i].clock;
    start = std::min(start, on_common(processes[i], clock.stamp(processes[i].journals[0]->header().start.ticks)));
    newest = std::max(newest, on_common(processes[i], clock.stamp(held[i].newest)));
  }
  const std::uint64_t wanted_from = newest - std::min(newest, static_cast<std::uint64_t>(kept));
  if (is_whole && wanted_from <= start) return begin;
  if (kept != 0) {
    for (std::size_t i = 0; i < n; ++i)
      if (!processes[i].journals.empty()) until[i] = ticks_at_common(processes[i], wanted_from);
    find(0);
    for (const Held& one : held) before = std::max(before, one.before);
  }
  std::uint64_t first = 0, last = UINT64_MAX, reached = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (processes[i].journals.empty()) continue;
    first = std::max(first, held[i].first);
    last = std::min(last, held[i].last);
    if (held[i].begin == 0) continue;
    const auto stamp = on_common(processes[i], processes[i].clock->stamp(held[i].begin));
    if (stamp >= reached) reached = stamp, begin.last = i;
  }
  begin.is_short = kept != 0 && reached > wanted_from;
  bool is_collective = first != 0 && first <= last;
  const bool is_kept = kept != 0 && !begin.is_short;
  if (is_kept) {
    is_collective = is_collective && before >= first && before <= last;
    first = before;
    reached = std::max(reached, wanted_from);
  }
  if (is_collective) {
    find(first);
    for (std::size_t i = 0; i < n; ++i)
      is_collective = is_collective && (processes[i].journals.empty() || held[i].end != 0);
    is_collective = is_collective && (is_kept || held[begin.last].records_behind >= held[begin.last].records / 2);
  }
  begin.processes.resize(n);
  std::uint64_t earliest = UINT64_MAX;
  for (std::size_t i = 0; i < n; ++i) {
    if (processes[i].journals.empty()) continue;
    const ProcessJournals& process = processes[i];
    if (is_collective) {
      begin.processes[i].ticks = held[i].end;
      begin.collective = first;
      begin.function = held[i].function;
      const std::uint64_t stamp = on_common(process, process.clock->stamp(held[i].end));
      begin.stamp = std::max(begin.stamp, stamp);
      earliest = std::min(earliest, stamp);
    } else {
      begin.processes[i].ticks = std::max(held[i].begin, ticks_at_common(process, reached));
      begin.stamp = reached;
    }
  }
  begin.covered = static_cast<Nanoseconds>(newest - std::min({newest, earliest, begin.stamp}));
  std::vector<AtCut> at(n);
  run_tasks(n, workers, [&](std::size_t i) {
    if (!processes[i].journals.empty()) at[i] = at_cut(processes[i], begin.processes[i].ticks);
  });
  const auto skip = match_channels(processes, numbers, at, begin);
  run_tasks(n, workers, [&](std::size_t i) {
    if (!skip[i].empty()) choose_receives(processes[i], skip[i], begin.processes[i]);
  });
  match_collectives(
      at, [](const Counts& c) -> const auto& { return c.collectives; },
      [&](std::size_t i, std::uint32_t own) { return numbers[i].communicator(own); },
      [&](std::size_t i, std::uint32_t own, std::uint64_t calls) { begin.processes[i].collectives[own] = calls; });
  match_collectives(
      at, [](const Counts& c) -> const auto& { return c.windows; },
      [&](std::size_t i, std::uint32_t own) { return numbers[i].window(own); },
      [&](std::size_t i, std::uint32_t own, std::uint64_t calls) { begin.processes[i].windows[own] = calls; });
  for (std::size_t i = 0; i < n; ++i) {
    begin.calls += at[i].counts.calls;
    begin.processes[i].was_switched = at[i].counts.switches != 0;
    begin.processes[i].unknown_are_left_out = at[i].before.unplaced != 0;
    for (const auto& [own, calls] : at[i].counts.collectives) begin.processes[i].collectives.emplace(own, 0);
    for (const auto& [own, calls] : at[i].counts.windows) begin.processes[i].windows.emplace(own, 0);
    for (const auto& [channel, count] : at[i].counts.channels) begin.processes[i].sends.emplace(channel, 0);
  }
  return begin;
}

QualityRow row_of(const CommonBegin& begin, std::uint64_t start) {
  const auto where = begin.collective == 0 ? std::string("between two calls of each process")
                                           : fmt::format("where {} returns, collective call {} of MPI_COMM_WORLD",
                                                         mpi::function(begin.function).name, begin.collective);
  const auto after = time_for_people(static_cast<Nanoseconds>(begin.stamp - std::min(start, begin.stamp)));
  const auto what = fmt::format(
      "what is told of all processes begins {} after the program, {}; {} ends of messages that crossed this point are "
      "told without partner",
      after, where, begin.messages);
  const auto wanted = time_for_people(begin.kept), covered = time_for_people(begin.covered);
  const bool is_kept = begin.kept != 0 && !begin.is_short;
  return {"ring-begin",
          Severity::warning,
          is_kept ? "" : fmt::format("rank {}", begin.last),
          std::max<std::uint64_t>(begin.calls, 1),
          is_kept ? fmt::format("--ring asked for the last {}, and these are the last {}: {}", wanted, covered, what)
          : begin.is_short
              ? fmt::format("the size of the rings has no room for the {} that --ring asked for, but for {}: {}",
                            wanted, covered, what)
              : "the rings of --ring had no room for calls before that: " + what,
          is_kept ? "ask for a longer time with --ring to see more of the time before"
          : begin.is_short
              ? "give the rings more room, --ring TIME,SIZE, or record fewer groups of calls (--mpi-functions)"
              : "record with a larger --ring to see more of the time before"};
}

}  // namespace mora::experiment
