#include "trace/clock/amortisation.h"

#include <algorithm>

namespace mora::trace {

namespace {

__extension__ using Wide = __int128;

/// b lies on or above the line from a to c.
bool is_above(const Knot& a, const Knot& b, const Knot& c) {
  const auto along = [](const Knot& from, const Knot& to) { return Wide{to.at} - from.at; };
  return (Wide{b.raise} - a.raise) * along(a, c) >= (Wide{c.raise} - a.raise) * along(a, b);
}

void add_corner(std::vector<Knot>& hull, const Knot& knot) {
  if (!hull.empty() && hull.back().at == knot.at) {
    if (hull.back().raise <= knot.raise) return;
    hull.pop_back();
  }
  while (hull.size() >= 2 && is_above(hull[hull.size() - 2], hull.back(), knot)) hull.pop_back();
  hull.push_back(knot);
}

/// The least reading of a junction's sinks less the latency, kept negated: the earliest is the largest.
Result<void> find_caps(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                       std::size_t locations, const Spool<Jump>& jumps) {
  junctions.forget_values();
  for (std::uint32_t l = 0; l < locations; ++l) {
    Replay replay(options, jumps, l);
    auto cursor = links.cursor(l);
    std::uint64_t ordinal = UINT64_MAX;
    Nanoseconds reading = 0;
    while (const Link* link = cursor.next()) {
      if (link->ordinal != ordinal) reading = replay.advance(link->ordinal, link->time, link->gap);
      ordinal = link->ordinal;
      const EdgeEnd end = junctions.end(l, *link);
      if (end.junction == no_id || !end.sink) continue;
      Junction& j = junctions.at(end.junction);
      // No trace has times below -2^62; above, the sum cannot overflow.
      j.offer(junctions.latency(j) - std::max(reading, -latest_time), l);
    }
    if (cursor.failed() || replay.failed()) return unreadable_spool();
  }
  for (std::uint32_t j = junctions.size(); j-- > 1;) {
    const Junction& later_one = junctions.at(j);
    if (later_one.follows && later_one.first != Junction::nothing)
      junctions.at(j - 1).offer(later_one.first, later_one.location);
  }
  return {};
}

}  // namespace

std::vector<Knot> amortisation_curve(Nanoseconds start, const std::vector<Knot>& caps, Nanoseconds end,
                                     Nanoseconds height) {
  std::vector<Knot> hull;
  if (start >= end || height <= 0) return hull;
  hull.push_back({start, 0, 0});
  for (const Knot& cap : caps) {
    if (cap.at > start && cap.at <= end) add_corner(hull, cap);
  }
  add_corner(hull, {end, height, 0});
  if (hull.back().raise == 0) hull.clear();  // nothing before may move
  return hull;
}

Nanoseconds raise_at(const std::vector<Knot>& curve, Nanoseconds at) {
  if (curve.empty() || at <= curve.front().at) return 0;
  if (at >= curve.back().at) return curve.back().raise;
  const auto right =
      std::upper_bound(curve.begin(), curve.end(), at, [](Nanoseconds t, const Knot& k) { return t < k.at; });
  const Knot& b = *right;
  const Knot& a = *(right - 1);
  const Wide rise = (Wide{b.raise} - a.raise) * (Wide{at} - a.at);
  return a.raise + static_cast<Nanoseconds>(rise / (Wide{b.at} - a.at));
}

Result<void> amortise(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                      std::size_t locations, const Spool<Jump>& jumps, Spool<Knot>& knots) {
  MORA_CHECK_OK(find_caps(options, links, junctions, locations, jumps));
  std::vector<Knot> caps;
  for (std::uint32_t l = 0; l < locations; ++l) {
    if (jumps.count(l) == 0) continue;
    Replay replay(options, jumps, l);
    auto cursor = links.cursor(l);
    std::uint64_t ordinal = UINT64_MAX;
    Nanoseconds reading = 0, bound = 0;
    caps.clear();
    while (const Link* link = cursor.next()) {
      if (link->ordinal != ordinal) {
        reading = replay.advance(link->ordinal, link->time, link->gap);
        if (ordinal == UINT64_MAX) bound = reading;
        if (replay.jumped()) {
          const Nanoseconds height = reading - replay.free();
          const Wide start = std::max<Wide>(bound, Wide{replay.free()} - Wide{height} * options.window);
          for (Knot knot : amortisation_curve(static_cast<Nanoseconds>(start), caps, replay.free(), height)) {
            knot.before = link->ordinal;
            MORA_CHECK_OK(knots.append(l, knot));
          }
          caps.clear();
          bound = reading;
        }
        ordinal = link->ordinal;
      }
      const EdgeEnd end = junctions.end(l, *link);
      if (end.junction == no_id || end.sink) continue;
      const Nanoseconds earliest = junctions.at(end.junction).value_for(l);
      if (earliest == Junction::nothing) continue;
      const Wide room = std::clamp<Wide>(-Wide{earliest} - reading, 0, latest_time);
      caps.push_back({reading, static_cast<Nanoseconds>(room), 0});
    }
    if (cursor.failed() || replay.failed()) return unreadable_spool();
  }
  return {};
}

void CorrectedClock::next_curve(std::uint64_t ordinal) {
  if (!curve_.empty() && curve_.front().before > ordinal) return;
  curve_.clear();
  while (next_ != nullptr && next_->before <= ordinal) next_ = knots_.next();
  if (next_ == nullptr) return;
  const std::uint64_t before = next_->before;
  for (; next_ != nullptr && next_->before == before; next_ = knots_.next()) curve_.push_back(*next_);
}

Nanoseconds CorrectedClock::advance(std::uint64_t ordinal, Nanoseconds time, std::uint32_t gap) {
  if (ordinal == 0) next_curve(0);
  const Nanoseconds reading = replay_.advance(ordinal, time, gap);
  before_ = later(replay_.before(), raise_at(curve_, replay_.before()));
  next_curve(ordinal);
  if (replay_.jumped()) return reading;
  return later(reading, raise_at(curve_, reading));
}

}  // namespace mora::trace
