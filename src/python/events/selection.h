/// Which events: the arguments kinds, ranks and between that iterators and columns share. Kinds become a set of bits,
/// one for each of EARL's types, and a sorted list of the trace's own; sets of strings and tuples are kept with the
/// trace, since scripts ask for the same ones in loops. Limit: a kind's name must be known to EARL or to the trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "python/events/event_values.h"

namespace mora::python {

/// Of EARL's own types; events of types that the trace defines: is_of().
inline bool has_type(const KindSet& kinds, trace::EarlType type) {
  return (kinds.types >> static_cast<unsigned>(type) & 1) != 0;
}
/// Decodes the event only if it is of a type that the trace defines.
inline bool is_of(const EventAt& event, const KindSet& kinds) {
  const trace::EarlType type = event.type();
  if (has_type(kinds, type)) return true;
  return type == trace::EarlType::user &&
         std::binary_search(kinds.user_types.begin(), kinds.user_types.end(), event.all().index);
}

/// A set of kinds and ranks and a range of events.
struct Selection {
  KindSet kinds;
  std::vector<std::uint8_t> locations;           ///< 1 = wanted; empty = all
  trace::LocationId only = trace::no_id;         ///< if exactly one location is wanted
  trace::Position first = 1, last = 0;           ///< both inclusive; with index only
  Nanoseconds from = INT64_MIN, to = INT64_MAX;  ///< both inclusive
  bool all_types = true;

  bool accepts_type(const trace::View& view, trace::Position p) const {
    if (all_types) return true;
    const trace::EarlType type = view.type(p);
    if (has_type(kinds, type)) return true;
    return type == trace::EarlType::user && !kinds.user_types.empty() && is_wanted_user(view, p);
  }
  bool accepts_type(const EventAt& event) const { return all_types || is_of(event, kinds); }
  bool accepts_location(const trace::View& view, trace::Position p) const {
    return locations.empty() || locations[view.location(p)] != 0;
  }
  bool accepts(const trace::View& view, trace::Position p) const {
    return accepts_type(view, p) && accepts_location(view, p);
  }

 private:
  bool is_wanted_user(const trace::View& view, trace::Position p) const;
};

// Each: false with a Python error (TypeError, mora.UsageError). None selects everything. The trace is open.

/// A name or an iterable of names; case does not matter. Names of types, of the classes of Hermanns 2004, 5.4 (EXIT
/// stands for every way to leave; FLOW, P2P, TEAM, SYNC, RMA, RMA_COMM, RMA_SYNC), of user-defined types; "=EXIT" is
/// that type alone.
bool select_kinds(TraceCore& core, PyObject* kinds, Selection& selection);
/// The same for one event at a time: what was asked before is remembered. Null with a Python error; valid until the
/// next call. `kinds` is not None; an iterable may have closed the trace.
const KindSet* kinds_of(TraceCore& core, PyObject* kinds);
/// A rank or an iterable of ranks.
bool select_ranks(TraceCore& core, PyObject* ranks, Selection& selection);
/// (from, to) in seconds of `event.time`, both inclusive; either may be None.
bool select_between(TraceCore& core, PyObject* between, Selection& selection);

/// All three arguments at once.
bool select(TraceCore& core, PyObject* kinds, PyObject* ranks, PyObject* between, Selection& selection);

}  // namespace mora::python
