#include "trace/clock/junctions.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mora::trace {

namespace {

bool is_collective(LinkKind kind) {
  return kind == LinkKind::collective || kind == LinkKind::window_collective || kind == LinkKind::team;
}

EdgeKind edge_kind(LinkKind kind) {
  switch (kind) {
    case LinkKind::message:
      return EdgeKind::message;
    case LinkKind::collective:
      return EdgeKind::collective;
    case LinkKind::window_collective:
    case LinkKind::post:
    case LinkKind::complete:
      return EdgeKind::rma;
    default:
      return EdgeKind::threads;
  }
}

}  // namespace

Shape shape_of(const LinkKey& key, std::uint8_t operation) {
  if (key.kind != LinkKind::collective) return Shape::all_to_all;
  switch (static_cast<Collective>(operation)) {
    case Collective::bcast:
    case Collective::scatter:
    case Collective::scatterv:
      return Shape::one_to_all;
    case Collective::reduce:
    case Collective::gather:
    case Collective::gatherv:
      return Shape::all_to_one;
    case Collective::barrier:
    case Collective::allgather:
    case Collective::allgatherv:
    case Collective::allreduce:
    case Collective::alltoall:
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return Shape::all_to_all;
    case Collective::scan:
    case Collective::exscan:
      return Shape::prefix;
    default:
      // Of calls with counts per partner a member's sum does not tell who sends to whom.
      return Shape::none;
  }
}

Result<Junctions> Junctions::make(const Definitions& definitions, const ClockOptions& options, const Spool<Link>& links,
                                  const std::vector<LocationLinks>& locations) {
  Junctions j(definitions, options, locations);
  j.first_thread_.assign(definitions.world_size, no_id);
  for (std::uint32_t r = 0; r < definitions.world_size; ++r) j.first_thread_[r] = definitions.location_of_rank(r);
  j.collect_sequences();
  MORA_CHECK_OK(j.look_at_instances(links));
  j.make_instance_junctions();
  MORA_CHECK_OK(j.count_sources(links));
  return j;
}

void Junctions::collect_sequences() {
  std::map<LinkKey, std::uint32_t> numbers;
  sequence_of_.resize(locations_->size());
  for (std::uint32_t l = 0; l < locations_->size(); ++l) {
    for (const LocalSequence& local : (*locations_)[l].sequences) {
      const auto [at, is_new] = numbers.try_emplace(local.key, static_cast<std::uint32_t>(sequences_.size()));
      if (is_new) {
        sequences_.emplace_back();
        sequences_.back().key = local.key;
      }
      sequence_of_[l].push_back(at->second);
      Sequence& s = sequences_[at->second];
      s.ends += local.sources + local.sinks;
      if (local.sources > 0) {
        s.source = l;
        ++s.source_locations;
        s.sources = std::max(s.sources, local.sources);
        s.least = std::min(s.least, local.sources);
        if (is_collective(local.key.kind)) s.contributors.push_back(definitions_->locations[l].rank);
      }
      if (local.sinks > 0) {
        s.sink = l;
        ++s.sink_locations;
        s.sinks = std::max(s.sinks, local.sinks);
      }
    }
  }
  for (Sequence& s : sequences_) settle(s);
}

Distance Junctions::distance(std::uint32_t one, std::uint32_t other) const {
  const Location& a = definitions_->locations[one];
  const Location& b = definitions_->locations[other];
  if (a.rank == b.rank) return Distance::threads;
  return a.node == b.node ? Distance::inside : Distance::between;
}

std::uint32_t Junctions::add_junctions(std::uint32_t count, EdgeKind kind, Distance distance) {
  const std::uint32_t first = size();
  if (count >= no_id - first) return no_id;  // more than can be numbered: left out
  Junction junction;
  junction.kind = kind;
  junction.distance = distance;
  junctions_.resize(first + count, junction);
  return first;
}

/// How many entries of a sequence can be matched: a common prefix; behind a gap in the recording all or none. Several
/// threads of a rank that take part in one sequence have an order that no trace tells.
void Junctions::settle(Sequence& s) {
  const bool gap = s.key.stretch != 0;
  switch (s.key.kind) {
    case LinkKind::message:
    case LinkKind::post:
    case LinkKind::complete:
      if (s.source_locations == 1 && s.sink_locations == 1 && (!gap || s.sources == s.sinks))
        s.count = std::min(s.sources, s.sinks);
      if (s.count > 0) s.first = add_junctions(s.count, edge_kind(s.key.kind), distance(s.source, s.sink));
      break;
    case LinkKind::fork:
    case LinkKind::join:
      if (s.key.kind == LinkKind::fork && s.source_locations == 1) s.count = s.sources;
      if (s.key.kind == LinkKind::join && s.sink_locations == 1) s.count = s.sinks;
      if (s.count > 0) s.first = add_junctions(s.count, EdgeKind::threads, Distance::threads);
      if (s.first == no_id) s.count = 0;
      return;
    case LinkKind::collective:
    case LinkKind::window_collective: {
      std::uint32_t comm = s.key.a;
      if (s.key.kind == LinkKind::window_collective)
        comm = s.key.a < definitions_->windows.size() ? definitions_->windows[s.key.a].comm : no_id;
      if (comm >= definitions_->communicators.size()) break;
      const Communicator& c = definitions_->communicators[comm];
      s.members = c.members;
      std::sort(s.members.begin(), s.members.end());
      if (c.inter() || c.self || s.members.empty() || s.members != s.contributors) break;
      s.members = c.members;
      if (!gap || s.least == s.sources) s.count = s.least;
      break;
    }
    case LinkKind::team:
      s.members.assign(1, s.key.a);
      if (s.least == s.sources && s.source_locations > 1) s.count = s.least;
      break;
  }
  if (s.first == no_id) s.count = 0;
  if (!is_collective(s.key.kind)) {
    unused_ += s.ends - 2 * std::uint64_t{s.count};
    return;
  }
  if (s.count == 0) {
    unused_ += s.ends;
    return;
  }
  s.first = static_cast<std::uint32_t>(instances_.size());
  instances_.resize(instances_.size() + s.count);
}

// Members of one instance must agree on operation and root; otherwise the instance orders nothing.
Result<void> Junctions::look_at_instances(const Spool<Link>& links) {
  if (instances_.empty()) return {};
  for (std::uint32_t l = 0; l < locations_->size(); ++l) {
    auto cursor = links.cursor(l);
    while (const Link* link = cursor.next()) {
      if (link->role != LinkRole::begin) continue;
      const Sequence& s = sequences_[sequence_of_[l][link->key]];
      if (link->serial >= s.count) continue;
      Instance& i = instances_[s.first + link->serial];
      if (i.seen++ == 0) {
        i.operation = link->operation;
        i.root = link->root;
      }
      if (i.root == no_id) i.root = link->root;
      if (i.operation != link->operation || (link->root != no_id && link->root != i.root)) i.bad = true;
    }
    if (cursor.failed()) return unreadable_spool();
  }
  return {};
}

// The latency of a collective is that of its farthest members, measured from the first one.
void Junctions::make_instance_junctions() {
  for (Sequence& s : sequences_) {
    if (!is_collective(s.key.kind)) continue;
    Distance far = s.key.kind == LinkKind::team ? Distance::threads : Distance::inside;
    for (const std::uint32_t rank : s.members) {
      const std::uint32_t here = rank < first_thread_.size() ? first_thread_[rank] : no_id;
      const std::uint32_t there = s.members.front() < first_thread_.size() ? first_thread_[s.members.front()] : no_id;
      if (here != no_id && there != no_id && here != there) far = std::max(far, distance(here, there));
    }
    for (std::uint32_t n = 0; n < s.count; ++n) {
      Instance& i = instances_[s.first + n];
      const std::size_t members = s.key.kind == LinkKind::team ? s.source_locations : s.members.size();
      if (i.bad || i.seen != members) {
        unused_ += 2 * std::uint64_t{i.seen};
        continue;
      }
      const Shape shape = shape_of(s.key, i.operation);
      const auto chain = static_cast<std::uint32_t>(shape == Shape::prefix ? members - 1 : 1);
      if (shape == Shape::none || chain == 0) continue;
      i.junction = add_junctions(chain, edge_kind(s.key.kind), far);
      for (std::uint32_t k = 1; k < chain && i.junction != no_id; ++k) junctions_[i.junction + k].follows = true;
    }
  }
}

Result<void> Junctions::count_sources(const Spool<Link>& links) {
  for (std::uint32_t l = 0; l < locations_->size(); ++l) {
    auto cursor = links.cursor(l);
    while (const Link* link = cursor.next()) {
      const EdgeEnd e = end(l, *link);
      if (e.junction != no_id && !e.sink) ++junctions_[e.junction].pending;
    }
    if (cursor.failed()) return unreadable_spool();
  }
  for (Junction& j : junctions_) j.pending += j.follows ? 1 : 0;
  return {};
}

EdgeEnd Junctions::end(std::uint32_t location, const Link& link) const {
  if (link.role == LinkRole::none) return {};
  const Sequence& s = sequences_[sequence_of_[location][link.key]];
  if (link.role == LinkRole::begin || link.role == LinkRole::end) return collective_end(location, link, s);
  std::uint32_t serial = link.serial;
  const bool sink = link.role == LinkRole::sink;
  if (s.count == 0) return {};
  if (s.key.kind == LinkKind::message && sink) serial = (*locations_)[location].serials[serial];
  if (s.key.kind == LinkKind::fork && sink) {
    const auto& times = (*locations_)[s.source].forks;
    const auto after = std::upper_bound(times.begin(), times.end(), link.time) - times.begin();
    if (after == 0) return {};
    serial = static_cast<std::uint32_t>(after - 1);
  }
  if (s.key.kind == LinkKind::join && !sink) {
    const auto& times = (*locations_)[s.sink].joins;
    serial = static_cast<std::uint32_t>(std::lower_bound(times.begin(), times.end(), link.time) - times.begin());
  }
  if (serial >= s.count) return {};
  return {s.first + serial, sink};
}

EdgeEnd Junctions::collective_end(std::uint32_t location, const Link& link, const Sequence& s) const {
  if (link.serial >= s.count) return {};
  const Instance& i = instances_[s.first + link.serial];
  if (i.junction == no_id) return {};
  const bool is_end = link.role == LinkRole::end;
  const std::uint32_t rank = definitions_->locations[location].rank;
  const bool barrier =
      s.key.kind == LinkKind::collective && static_cast<Collective>(i.operation) == Collective::barrier;
  const bool takes_part = barrier || (link.flags & (is_end ? link_receives : link_sends)) != 0;
  const bool is_root = rank == i.root;
  switch (shape_of(s.key, i.operation)) {
    case Shape::none:
      return {};
    case Shape::one_to_all:
      if (i.root == no_id || is_root == is_end || !takes_part) return {};
      return {i.junction, is_end};
    case Shape::all_to_one:
      if (i.root == no_id || is_root != is_end || !takes_part) return {};
      return {i.junction, is_end};
    case Shape::all_to_all:
      if (!takes_part) return {};
      return {i.junction, is_end};
    case Shape::prefix: {
      const auto at =
          static_cast<std::uint32_t>(std::find(s.members.begin(), s.members.end(), rank) - s.members.begin());
      if (!takes_part || at >= s.members.size() || (is_end ? at == 0 : at + 1 == s.members.size())) return {};
      return {i.junction + at - (is_end ? 1 : 0), is_end};
    }
  }
  return {};
}

void Junctions::forget_values() {
  for (Junction& j : junctions_) j.forget();
}

}  // namespace mora::trace
