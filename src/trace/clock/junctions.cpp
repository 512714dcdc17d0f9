#include "trace/clock/junctions.h"

#include <algorithm>
#include <utility>

namespace mora::trace {

namespace {

/// Its ends are calls with a begin and an end.
bool has_instances(SequenceKind kind) { return is_collective(kind) || kind == SequenceKind::team; }

EdgeKind edge_kind(SequenceKind kind) {
  switch (kind) {
    case SequenceKind::message:
      return EdgeKind::message;
    case SequenceKind::collective:
    case SequenceKind::nonblocking:
      return EdgeKind::collective;
    case SequenceKind::window:
    case SequenceKind::epoch:
      return EdgeKind::rma;
    default:
      return EdgeKind::threads;
  }
}

bool is_of_communicator(SequenceKind kind) {
  return kind == SequenceKind::collective || kind == SequenceKind::nonblocking;
}

}  // namespace

CollectiveShape shape_of(const SequenceKey& key, std::uint8_t operation) {
  if (!is_of_communicator(key.kind)) return CollectiveShape::all_to_all;
  const auto collective = static_cast<Collective>(operation);
  if (has_partners(collective)) return CollectiveShape::none;  // a member's sum does not tell who sends to whom
  const CollectiveShape own = shape(collective);
  return own == CollectiveShape::barrier ? CollectiveShape::all_to_all : own;
}

Result<Junctions> Junctions::make(const Definitions& definitions, const ClockOptions& options, const Spool<Link>& links,
                                  std::vector<LocationLinks>& locations) {
  Junctions j(definitions, options, locations);
  j.first_thread_.assign(definitions.world_size, no_id);
  for (std::uint32_t r = 0; r < definitions.world_size; ++r) j.first_thread_[r] = definitions.location_of_rank(r);
  std::vector<std::vector<LocalSequence>> locals;
  for (LocationLinks& location : locations) locals.push_back(std::move(location.sequences));
  j.joined_ = JoinedSequences(definitions, std::move(locals));
  j.sequences_.resize(j.joined_.all().size());
  for (std::uint32_t s = 0; s < j.sequences_.size(); ++s) j.settle(s);
  MORA_CHECK_OK(j.look_at_instances(links));
  j.make_instance_junctions();
  MORA_CHECK_OK(j.count_sources(links));
  return j;
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

/// How many pairs of a sequence are certain enough to correct a clock by: those of links/, but several threads of a
/// rank that take part in one sequence have an order that no trace tells for sure.
void Junctions::settle(std::uint32_t number) {
  const JoinedSequence& joined = joined_.all()[number];
  Sequence& s = sequences_[number];
  const SequenceKind kind = joined.key.kind;
  if (has_instances(kind)) {
    if (kind == SequenceKind::team) {
      s.members.assign(1, joined.key.a);
      s.count = joined.count;
    } else {
      s.members = members_of(joined.key, *definitions_);
      const CommId comm = kind == SequenceKind::window ? definitions_->windows[joined.key.a].comm : joined.key.a;
      const bool is_inter = comm < definitions_->communicators.size() && definitions_->communicators[comm].inter();
      // As many locations as members: no rank has several.
      if (!is_inter && joined.source_locations == joined.members) s.count = joined.count;
    }
    if (s.count == 0) {
      unused_ += joined.sources + joined.sinks;
      return;
    }
    s.first = static_cast<std::uint32_t>(instances_.size());
    instances_.resize(instances_.size() + s.count);
    return;
  }
  const bool is_of_threads = kind == SequenceKind::fork || kind == SequenceKind::join;
  if (is_of_threads || (joined.source_locations == 1 && joined.sink_locations == 1)) s.count = joined.count;
  const std::uint32_t edges = kind == SequenceKind::epoch ? 2 : 1;  // of one pair
  if (s.count > 0)
    s.first = add_junctions(s.count * edges, edge_kind(kind),
                            is_of_threads ? Distance::threads : distance(joined.source, joined.sink));
  if (s.first == no_id) s.count = 0;
  if (!is_of_threads) unused_ += joined.sources + joined.sinks - 2 * std::uint64_t{s.count};
}

// Who names no root in his own record learns it from the others.
Result<void> Junctions::look_at_instances(const Spool<Link>& links) {
  if (instances_.empty()) return {};
  for (std::uint32_t l = 0; l < locations_->size(); ++l) {
    auto cursor = links.cursor(l);
    while (const Link* link = cursor.next()) {
      if (link->role != LinkRole::begin) continue;
      const std::uint32_t number = instance_of(l, *link);
      if (number == no_id) continue;
      Instance& instance = instances_[number];
      ++instance.seen;
      instance.operation = link->operation;
      if (instance.root == no_id) instance.root = link->root;
    }
    if (cursor.failed()) return unreadable_spool();
  }
  return {};
}

std::uint32_t Junctions::instance_of(std::uint32_t location, const Link& link) const {
  const std::uint32_t number = joined_.sequence(location, link.key);
  const Sequence& s = sequences_[number];
  // Teams agree on nothing else but that all are there.
  const std::uint32_t serial =
      key_of(number).kind == SequenceKind::team ? link.serial : joined_.source(location, link.key, link.serial);
  return serial < s.count ? s.first + serial : no_id;
}

// The latency of a collective is that of its farthest members, measured from the first one.
void Junctions::make_instance_junctions() {
  for (std::uint32_t number = 0; number < sequences_.size(); ++number) {
    const Sequence& s = sequences_[number];
    const SequenceKey& key = key_of(number);
    if (!has_instances(key.kind)) continue;
    Distance far = key.kind == SequenceKind::team ? Distance::threads : Distance::inside;
    for (const std::uint32_t rank : s.members) {
      const std::uint32_t here = rank < first_thread_.size() ? first_thread_[rank] : no_id;
      const std::uint32_t there = s.members.front() < first_thread_.size() ? first_thread_[s.members.front()] : no_id;
      if (here != no_id && there != no_id && here != there) far = std::max(far, distance(here, there));
    }
    for (std::uint32_t n = 0; n < s.count; ++n) {
      Instance& i = instances_[s.first + n];
      const std::size_t members =
          key.kind == SequenceKind::team ? joined_.all()[number].source_locations : s.members.size();
      if (i.seen != members) {
        unused_ += 2 * std::uint64_t{i.seen};
        continue;
      }
      const CollectiveShape shape = shape_of(key, i.operation);
      const auto chain = static_cast<std::uint32_t>(shape == CollectiveShape::prefix ? members - 1 : 1);
      if (shape == CollectiveShape::none || chain == 0) continue;
      i.junction = add_junctions(chain, edge_kind(key.kind), far);
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
  const std::uint32_t number = joined_.sequence(location, link.key);
  if (link.role == LinkRole::begin || link.role == LinkRole::end) return collective_end(location, link, number);
  const Sequence& s = sequences_[number];
  const SequenceKind kind = key_of(number).kind;
  std::uint32_t serial = link.serial;
  const bool sink = link.role == LinkRole::sink;
  const EdgeEnd unknown{no_id, sink, sink};
  if (s.count == 0) return unknown;
  if (kind == SequenceKind::message) {
    serial = sink ? joined_.sink(location, link.key, (*locations_)[location].serials[serial])
                  : joined_.source(location, link.key, serial);
  } else if (kind == SequenceKind::fork && sink) {
    const auto& times = (*locations_)[joined_.all()[number].source].forks;
    const auto after = std::upper_bound(times.begin(), times.end(), link.time) - times.begin();
    if (after == 0) return {};
    serial = static_cast<std::uint32_t>(after - 1);
  } else if (kind == SequenceKind::join && !sink) {
    const auto& times = (*locations_)[joined_.all()[number].sink].joins;
    serial = static_cast<std::uint32_t>(std::lower_bound(times.begin(), times.end(), link.time) - times.begin());
  }
  if (serial >= s.count) return unknown;
  if (kind == SequenceKind::epoch) serial = 2 * serial + ((link.flags & link_completes) != 0 ? 1 : 0);
  return {s.first + serial, sink, false};
}

EdgeEnd Junctions::collective_end(std::uint32_t location, const Link& link, std::uint32_t number) const {
  const Sequence& s = sequences_[number];
  const SequenceKey& key = key_of(number);
  const std::uint32_t instance = instance_of(location, link);
  const bool is_end = link.role == LinkRole::end;
  if (instance == no_id || instances_[instance].junction == no_id) return {no_id, is_end, is_end};
  const Instance& i = instances_[instance];
  const std::uint32_t rank = definitions_->locations[location].rank;
  const bool barrier = is_of_communicator(key.kind) && static_cast<Collective>(i.operation) == Collective::barrier;
  const bool takes_part = barrier || (link.flags & (is_end ? link_receives : link_sends)) != 0;
  const bool is_root = rank == i.root;
  switch (shape_of(key, i.operation)) {
    case CollectiveShape::one_to_all:
      if (i.root == no_id || is_root == is_end || !takes_part) return {};
      return {i.junction, is_end, false};
    case CollectiveShape::all_to_one:
      if (i.root == no_id || is_root != is_end || !takes_part) return {};
      return {i.junction, is_end, false};
    case CollectiveShape::all_to_all:
      if (!takes_part) return {};
      return {i.junction, is_end, false};
    case CollectiveShape::prefix: {
      const auto at =
          static_cast<std::uint32_t>(std::find(s.members.begin(), s.members.end(), rank) - s.members.begin());
      if (!takes_part || at >= s.members.size() || (is_end ? at == 0 : at + 1 == s.members.size())) return {};
      return {i.junction + at - (is_end ? 1 : 0), is_end, false};
    }
    default:
      return {};
  }
}

void Junctions::forget_values() {
  for (Junction& j : junctions_) j.forget();
}

}  // namespace mora::trace
