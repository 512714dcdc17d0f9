#include "trace/clock/naive_clock.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace mora::trace::naive {

namespace {

using Channel = std::tuple<CommId, std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t>;

struct End {
  std::uint32_t location = 0;
  std::size_t at = 0;
  std::size_t posted = 0;
};
struct Ends {
  std::vector<End> sends, receives;
  std::uint64_t sent = 0, received = 0;  ///< bytes
  bool cancelled = false;
};

struct Member {
  std::uint32_t location = 0;
  std::size_t begin = 0, end = 0;
  bool has_end = false;
  Event what;
};

std::size_t posting(const std::vector<Event>& stream, std::size_t complete) {
  for (std::size_t i = complete; i-- > 0;) {
    if (stream[i].kind == EventKind::receive_request && stream[i].request == stream[complete].request) return i;
  }
  return complete;
}

std::size_t begin_of(const std::vector<Event>& stream, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (stream[i].kind == EventKind::leave) ++depth;
    if (stream[i].kind == EventKind::collective_begin && depth == 0) return i;
    if (stream[i].kind == EventKind::enter && depth-- == 0) return i;
  }
  return end;
}

/// The request of the send is cancelled before it is used again.
bool is_cancelled(const std::vector<Event>& stream, std::size_t send) {
  for (std::size_t i = send + 1; stream[send].kind == EventKind::send_request && i < stream.size(); ++i) {
    if (stream[i].request != stream[send].request) continue;
    if (stream[i].kind == EventKind::cancelled) return true;
    if (stream[i].kind == EventKind::send_request || stream[i].kind == EventKind::receive_request ||
        stream[i].kind == EventKind::send_complete || stream[i].kind == EventKind::receive_complete)
      return false;
  }
  return false;
}

/// Gaps in the recording before the event.
std::uint32_t stretch_of(const std::vector<Event>& stream, std::size_t event) {
  std::uint32_t gaps = 0;
  bool on = true;
  for (std::size_t i = 0; i < event; ++i) {
    if (stream[i].kind == EventKind::recording_off && std::exchange(on, false)) ++gaps;
    if (stream[i].kind == EventKind::recording_on) on = true;
  }
  return gaps;
}

Nanoseconds latency(const Definitions& d, std::uint32_t a, std::uint32_t b, const ClockOptions& o) {
  if (d.locations[a].rank == d.locations[b].rank) return o.between_threads;
  return d.locations[a].node == d.locations[b].node ? o.inside_node : o.between_nodes;
}

void messages(const MemorySource& t, const ClockOptions& options, std::vector<NaiveEdge>& edges) {
  std::map<Channel, Ends> channels;
  for (std::uint32_t l = 0; l < t.events.size(); ++l) {
    const std::uint32_t rank = t.defs.locations[l].rank;
    const std::vector<Event>& stream = t.events[l];
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const Event& e = stream[i];
      if (e.peer == no_id) continue;
      if (e.kind == EventKind::send || e.kind == EventKind::send_request) {
        Ends& ends = channels[{e.comm, rank, e.peer, e.tag, stretch_of(stream, i)}];
        ends.sent += e.bytes;
        if (is_cancelled(stream, i))
          ends.cancelled = true;
        else
          ends.sends.push_back({l, i, i});
      }
      if (e.kind == EventKind::receive || e.kind == EventKind::receive_complete) {
        Ends& ends = channels[{e.comm, e.peer, rank, e.tag, stretch_of(stream, i)}];
        ends.received += e.bytes;
        ends.receives.push_back({l, i, e.kind == EventKind::receive ? i : posting(stream, i)});
      }
    }
  }
  for (auto& [channel, ends] : channels) {
    auto& [sends, receives, sent, received, cancelled] = ends;
    const auto several = [](const std::vector<End>& v) {
      return std::any_of(v.begin(), v.end(), [&](const End& e) { return e.location != v.front().location; });
    };
    if (several(sends) || several(receives)) continue;
    if (std::get<4>(channel) != 0 && (sends.size() != receives.size() || sent != received || cancelled)) continue;
    std::stable_sort(receives.begin(), receives.end(), [](const End& a, const End& b) { return a.posted < b.posted; });
    for (std::size_t k = 0; k < std::min(sends.size(), receives.size()); ++k) {
      const End &s = sends[k], &r = receives[k];
      if (s.location != r.location)
        edges.push_back({s.location, r.location, s.at, r.at, latency(t.defs, s.location, r.location, options)});
    }
  }
}

bool orders(const Event& from, const Event& to, std::size_t i, std::size_t j, std::uint32_t rank_i,
            std::uint32_t rank_j, std::uint32_t root) {
  const bool sends = from.bytes != 0, receives = to.received != 0;
  switch (to.collective) {
    case Collective::barrier:
      return true;
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return rank_i == root && sends && receives;
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return rank_j == root && sends && receives;
    case Collective::scan:
    case Collective::exscan:
      return i < j && sends && receives;
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return sends && receives;
    default:
      return false;
  }
}

void collectives(const MemorySource& t, const ClockOptions& options, std::vector<NaiveEdge>& edges) {
  /// By communicator, stretch of recording, blocking or not; then by location.
  std::map<std::tuple<CommId, std::uint32_t, bool>, std::map<std::uint32_t, std::vector<Member>>> calls;
  for (std::uint32_t l = 0; l < t.events.size(); ++l) {
    for (std::size_t i = 0; i < t.events[l].size(); ++i) {
      const Event& e = t.events[l][i];
      if (e.comm == no_id || t.defs.communicators[e.comm].self) continue;
      if (e.collective == Collective::init || e.collective == Collective::finalize) continue;
      const bool starts = e.kind == EventKind::collective_request;
      if (!starts && e.kind != EventKind::collective_end) continue;
      auto& mine = calls[{e.comm, stretch_of(t.events[l], i), starts}];
      if (e.kind == EventKind::collective_end) mine[l].push_back({l, begin_of(t.events[l], i), i, true, e});
      if (e.kind != EventKind::collective_request) continue;
      Member m{l, i, i, false, e};
      for (std::size_t k = i + 1; k < t.events[l].size() && !m.has_end; ++k) {
        const Event& later = t.events[l][k];
        if (later.kind == EventKind::collective_request && later.request == e.request) break;
        if (later.kind != EventKind::collective_complete || later.request != e.request) continue;
        m.end = k;
        m.has_end = true;
        if (later.received != 0) m.what.received = later.received;
      }
      mine[l].push_back(m);
    }
  }
  for (const auto& [key, by_location] : calls) {
    const Communicator& comm = t.defs.communicators[std::get<0>(key)];
    std::vector<std::uint32_t> there, members = comm.members;
    for (const auto& [l, list] : by_location) there.push_back(t.defs.locations[l].rank);
    std::sort(members.begin(), members.end());
    if (comm.inter() || members != there) continue;
    std::size_t least = SIZE_MAX, most = 0;
    for (const auto& [l, list] : by_location) {
      least = std::min(least, list.size());
      most = std::max(most, list.size());
    }
    if (std::get<1>(key) != 0 && least != most) continue;
    bool two_nodes = false;
    for (const auto& [l, list] : by_location)
      two_nodes = two_nodes || t.defs.locations[l].node != t.defs.locations[by_location.begin()->first].node;
    const Nanoseconds far = two_nodes ? options.between_nodes : options.inside_node;
    for (std::size_t n = 0; n < least; ++n) {
      std::uint32_t root = no_id;
      bool bad = false;
      const Collective what = by_location.begin()->second[n].what.collective;
      for (const auto& [l, list] : by_location) {
        if (root == no_id) root = list[n].what.root;
        bad = bad || list[n].what.collective != what || (list[n].what.root != no_id && list[n].what.root != root);
      }
      if (bad) continue;
      const auto place = [&](std::uint32_t l) {
        return static_cast<std::size_t>(std::find(comm.members.begin(), comm.members.end(), t.defs.locations[l].rank) -
                                        comm.members.begin());
      };
      for (const auto& [l, from] : by_location) {
        for (const auto& [m, to] : by_location) {
          if (l == m || !to[n].has_end) continue;
          if (!orders(from[n].what, to[n].what, place(l), place(m), t.defs.locations[l].rank, t.defs.locations[m].rank,
                      root))
            continue;
          edges.push_back({l, m, from[n].begin, to[n].end, far});
        }
      }
    }
  }
}

}  // namespace

std::vector<NaiveEdge> naive_edges(const MemorySource& trace, const ClockOptions& options) {
  std::vector<NaiveEdge> edges;
  messages(trace, options, edges);
  collectives(trace, options, edges);
  return edges;
}

Times naive_forward(const MemorySource& trace, const std::vector<NaiveEdge>& edges, const ClockOptions& options) {
  __extension__ using Wide = __int128;
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<const NaiveEdge*>> into;
  for (const NaiveEdge& e : edges) into[{e.to, e.sink}].push_back(&e);
  Times lc;
  for (const auto& stream : trace.events) {
    lc.emplace_back();
    for (const Event& e : stream) lc.back().push_back(e.time);
  }
  for (std::size_t round = 0; round <= edges.size() + 1; ++round) {
    const Times before = lc;
    for (std::uint32_t l = 0; l < lc.size(); ++l) {
      Wide shift = 0;  // in 1/denominator ns
      const Wide unit = options.loss_denominator;
      for (std::size_t i = 0; i < lc[l].size(); ++i) {
        const Nanoseconds t = trace.events[l][i].time;
        const Nanoseconds apart = i == 0 ? 0 : t - trace.events[l][i - 1].time;
        shift = std::max<Wide>(0, shift - Wide{apart} * options.loss_numerator);
        Nanoseconds reading = t + static_cast<Nanoseconds>((shift + unit - 1) / unit);
        if (apart > 0 && reading < lc[l][i - 1] + 1) {
          reading = lc[l][i - 1] + 1;
          shift = Wide{reading - t} * unit;
        }
        const auto found = into.find({l, i});
        if (found != into.end()) {
          for (const NaiveEdge* e : found->second) {
            const Nanoseconds least = lc[e->from][e->source] + e->latency;
            if (least <= reading) continue;
            reading = least;
            shift = Wide{reading - t} * unit;
          }
        }
        lc[l][i] = reading;
      }
    }
    if (lc == before) return lc;
  }
  return {};
}

}  // namespace mora::trace::naive
