/// The locations' sequences put together: which ends belong together, known before anything is replayed.
///
/// A receive whose send does not exist, or a collective that a member never reaches, is thus never waited for.
#pragma once

#include <vector>

#include "replay/action.h"

namespace mora::replay {

struct Sequence {
  KeyKind kind = KeyKind::message;
  bool is_usable = true;  ///< no rank takes part with several threads in the same epochs
  bool synchronous = false;
  bool needs_positions = false;
  std::uint32_t given = 0;  ///< messages, signals
  std::uint32_t taken = 0;
  std::uint32_t members = 0;  ///< of collectives
  std::uint32_t least = 0;    ///< … calls of the member with fewest
};

/// Where a location's sequence is.
struct Place {
  std::uint32_t sequence = no_id;
  std::uint32_t position = no_id;  ///< of the location's rank among the members
  /// Sequences::maps: the rank's serial by the location's, where several threads take part; no_id: it is the
  /// location's.
  std::uint32_t given_map = no_id, taken_map = no_id;
};

struct Sequences {
  std::vector<Sequence> all;
  std::vector<std::vector<Place>> places;  ///< per location, per key
  std::vector<std::vector<std::uint32_t>> maps;
  std::uint32_t given(const Place& place, std::uint32_t serial) const {
    return place.given_map == no_id ? serial : maps[place.given_map][serial];
  }
  std::uint32_t taken(const Place& place, std::uint32_t serial) const {
    return place.taken_map == no_id ? serial : maps[place.taken_map][serial];
  }
};

/// O(sequences of all locations). Names of different locations are one sequence if their keys are equal.
Sequences join_sequences(const trace::Definitions& definitions, const std::vector<LocationActions>& locations);

/// Locks of one window at one target in the order of their releases, in groups that follow each other: one exclusive
/// epoch, or shared ones between two exclusive ones.
struct LockGroup {
  std::uint32_t pending = 0;  ///< epochs not yet released
  bool is_first = false;      ///< of its window and target: there is none before it
  Nanoseconds released = 0;
};
struct LockPlace {
  std::uint32_t group = no_id;  ///< no_id: not ordered
  bool at_lock = false;  ///< the trace waited in the call that asks for the lock, else in the one that releases it
};
struct LockOrder {
  std::vector<LockGroup> groups;               ///< the one before a group is the one that it waits for
  std::vector<std::vector<LockPlace>> places;  ///< per location, per epoch
};

/// O(n log n) for n lock epochs. Locks on all targets and with MPI_MODE_NOCHECK are not ordered (Mora's rule
/// ideal-network).
LockOrder order_locks(const std::vector<LocationActions>& locations);

}  // namespace mora::replay
