/// The part of a trace that an export shows: a span of time and some ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/numbers/rank_list.h"

#include "trace/view/view.h"

namespace mora::exports {

/// Times are nanoseconds of the view. Without bounds and ranks it shows everything.
struct EventWindow {
  std::optional<Nanoseconds> from, until;  ///< both inclusive
  std::optional<RankList> ranks;           ///< nullopt = all

  bool whole() const { return !from && !until && !ranks; }
  bool shows(const trace::View& view, trace::LocationId location) const {
    return !ranks || ranks->holds(view.definitions().locations[location].rank);
  }
  bool shows_time(Nanoseconds t) const { return (!from || t >= *from) && (!until || t <= *until); }
  /// Numbers of the first event and of the last, of all ranks; empty if first > last.
  trace::Position first(const trace::View& view) const {
    return !from || *from == INT64_MIN ? 1 : view.at_time(*from - 1) + 1;
  }
  trace::Position last(const trace::View& view) const { return until ? view.at_time(*until) : view.size(); }
  /// For loops from first to last: what lies before need not stay in memory.
  static void passed(const trace::View& view, trace::Position p) {
    if (p % (1 << 19) == 0) view.forget_before(p);
  }
  Nanoseconds begin(const trace::View& view) const { return from.value_or(view.measured().begin()); }
  Nanoseconds end(const trace::View& view) const { return std::min(until.value_or(INT64_MAX), view.measured().end()); }
};

}  // namespace mora::exports
