/// The calls of different processes that correspond, as events of a view: fences of one instance, both ends of access
/// and exposure epochs that belong together; for pictures of dependencies and for the other side of a Get.
///
/// Which of them correspond is decided by links/; this finds their events. Cost: one reading of the trace. Memory: some
/// 40 bytes per fence, and per member of each epoch's group.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/view/view.h"

namespace mora::trace {

/// Immutable once made; thread-safe.
class Synchronisations {
 public:
  explicit Synchronisations(const View& view);

  struct Epoch {
    Position open = 0;   ///< exit of MPI_Win_start or MPI_Win_post
    Position close = 0;  ///< exit of MPI_Win_complete, MPI_Win_wait or the successful MPI_Win_test; 0 = never closed
  };

  /// For the exit of a fence or MPI_Win_complete: the exit of the call that corresponds to it on `target`. 0 = none, or
  /// passive target.
  Position partner_exit(Position exit, std::uint32_t target) const;

  /// All fences of a window: the exits of the members of each, ascending.
  std::vector<std::vector<Position>> fences(WindowId window) const;

  /// Calls act(window, access, exposure) for every pair of epochs.
  template <class Act>
  void each_pair(const Act& act) const {
    for (const auto& [name, pair] : pairs_) {
      if (pair.access.open != 0 && pair.exposure.open != 0) act(pair.window, pair.access, pair.exposure);
    }
  }

 private:
  class Reader;
  /// A sequence of JoinedSequences and a number in it.
  using Name = std::pair<std::uint32_t, std::uint32_t>;
  struct Pair {
    WindowId window = no_id;
    std::uint32_t target = 0;
    Epoch access, exposure;
  };
  struct Fence {
    WindowId window = no_id;
    std::map<std::uint32_t, Position> exits;  ///< by rank
  };
  std::map<Name, Pair> pairs_;
  std::map<Name, Fence> fences_;
  std::map<Position, Name> fence_of_;                   ///< by exit
  std::map<Position, std::vector<Name>> completed_by_;  ///< by exit of MPI_Win_complete
};

}  // namespace mora::trace
