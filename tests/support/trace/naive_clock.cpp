#include "support/trace/naive_clock.h"

#include <algorithm>
#include <map>

#include "support/trace/naive_links.h"

namespace mora::trace::naive {

namespace {

struct Member {
  std::uint32_t location = 0;
  std::size_t begin = 0, end = 0;
  bool has_end = false;
  Event what;
};

std::size_t begin_of(const std::vector<Event>& stream, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (stream[i].kind == EventKind::leave) ++depth;
    if (stream[i].kind == EventKind::collective_begin && depth == 0) return i;
    if (stream[i].kind == EventKind::enter && depth-- == 0) return i;
  }
  return end;
}

Nanoseconds latency(const Definitions& d, std::uint32_t a, std::uint32_t b, const ClockOptions& o) {
  if (d.locations[a].rank == d.locations[b].rank) return o.between_threads;
  return d.locations[a].node == d.locations[b].node ? o.inside_node : o.between_nodes;
}

void add_messages(const MemorySource& t, const ClockOptions& options, std::vector<NaiveEdge>& edges) {
  for (const Message& m : messages(t).pairs) {
    const std::uint32_t from = m.send.location, to = m.receive.location;
    if (from != to && !m.several_threads)
      edges.push_back({from, to, m.send.ordinal, m.receive.ordinal, latency(t.defs, from, to, options)});
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

/// The end of a non-blocking operation whose start is at `i`.
void find_end(const std::vector<Event>& stream, std::size_t i, Member& m) {
  for (std::size_t k = i + 1; k < stream.size() && !m.has_end; ++k) {
    const Event& later = stream[k];
    if (later.kind == EventKind::collective_request && later.request == stream[i].request) return;
    if (later.kind != EventKind::collective_complete || later.request != stream[i].request) continue;
    m.end = k;
    m.has_end = true;
    if (later.received != 0) m.what.received = later.received;
  }
}

void add_collectives(const MemorySource& t, const ClockOptions& options, std::vector<NaiveEdge>& edges) {
  for (const Instance& instance : instances(t)) {
    std::vector<Member> members;
    std::uint32_t root = no_id;
    bool two_nodes = false;
    for (const Record& r : instance.members) {
      const Event& e = t.events[r.location][r.ordinal];
      Member m{r.location, r.ordinal, r.ordinal, false, e};
      if (e.kind == EventKind::collective_request) {
        find_end(t.events[r.location], r.ordinal, m);
      } else {
        m.begin = begin_of(t.events[r.location], r.ordinal);
        m.has_end = true;
      }
      if (root == no_id) root = e.root;
      two_nodes = two_nodes || t.defs.locations[r.location].node != t.defs.locations[instance.members[0].location].node;
      members.push_back(m);
    }
    if (members[0].what.kind == EventKind::rma_collective_end) continue;
    const Nanoseconds far = two_nodes ? options.between_nodes : options.inside_node;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t k = 0; k < members.size(); ++k) {
        const Member &from = members[i], &to = members[k];
        if (i == k || !to.has_end) continue;
        if (orders(from.what, to.what, i, k, t.defs.locations[from.location].rank, t.defs.locations[to.location].rank,
                   root))
          edges.push_back({from.location, to.location, from.begin, to.end, far});
      }
    }
  }
}

}  // namespace

std::vector<NaiveEdge> naive_edges(const MemorySource& trace, const ClockOptions& options) {
  std::vector<NaiveEdge> edges;
  add_messages(trace, options, edges);
  add_collectives(trace, options, edges);
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
