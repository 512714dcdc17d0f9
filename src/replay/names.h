/// What a message, signal or collective operation is called, at whichever of its ends. O(1), O(log n) for signals.
#pragma once

#include <algorithm>

#include "replay/actions/action.h"

namespace mora::replay {

/// A message: its sequence, its number there.
struct MessageName {
  std::uint32_t sequence = no_id, number = no_id;
  bool exists() const { return number != no_id; }
  std::uint64_t id() const { return std::uint64_t{sequence} << 32 | number; }
};

/// The names of actions. Those that exist have all their ends.
class Names {
 public:
  /// `sequences` outlives it.
  explicit Names(const trace::JoinedSequences& sequences) : sequences_(sequences) {}

  /// Of a send, signal or collective operation.
  MessageName given(trace::LocationId l, const Action& a) const {
    return {sequences_.sequence(l, a.key), sequences_.source(l, a.key, a.serial)};
  }
  MessageName taken(trace::LocationId l, std::uint32_t key, std::uint32_t serial) const {
    return {sequences_.sequence(l, key), sequences_.sink(l, key, serial)};
  }
  /// That an epoch was posted, or is complete. One whose end, or beginning, is missing never says that it is.
  MessageName signal(trace::LocationId l, const Action& a) const {
    MessageName name = taken(l, a.key, a.serial);  // both sides have the same numbers
    if (!name.exists()) return name;
    const bool completes = (a.flags & of_complete) != 0;
    const trace::JoinedSequence& epochs = sequences_.all()[name.sequence];
    const auto& unsaid = completes ? epochs.unclosed : epochs.unopened;
    if (std::binary_search(unsaid.begin(), unsaid.end(), name.number)) return {name.sequence, no_id};
    return {name.sequence, 2 * name.number + (completes ? 1 : 0)};
  }

 private:
  const trace::JoinedSequences& sequences_;
};

}  // namespace mora::replay
