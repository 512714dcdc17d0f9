/// Which synchronisations of different processes correspond: fences by number, access and exposure epochs by number.
///
/// The counting of epoch_counter.h, but over the events of a view and in both directions, for pictures of dependencies
/// and for the other side of a Get. Calls are never matched by overlap in time, because epochs of different processes
/// may run ahead of each other.
/// Cost: one pass over the view. Memory: some 16 bytes per fence, and per member of each epoch's group.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "trace/view.h"

namespace mora::trace {

/// Immutable once made; thread-safe.
class Synchronisations {
 public:
  explicit Synchronisations(const View& view);

  struct Epoch {
    Position open = 0;   ///< exit of MPI_Win_start or MPI_Win_post
    Position close = 0;  ///< exit of MPI_Win_complete, MPI_Win_wait or the successful MPI_Win_test; 0 = never closed
  };

  /// For the exit of a fence or MPI_Win_complete on `origin`: the exit of the call that corresponds to it on `target`
  /// (the fence of the same number; the wait that closes the exposure epoch of the same number). 0 = none, or passive
  /// target.
  Position partner_exit(Position exit, std::uint32_t origin, std::uint32_t target) const;

  /// All fences of a window, by number: the exits of its members, ascending.
  std::vector<std::vector<Position>> fences(WindowId window) const;

  /// Calls act(window, origin, target, access, exposure) for every pair of epochs with the same number.
  template <class Act>
  void each_pair(const Act& act) const {
    for (const auto& [key, access] : access_) {
      const auto [window, origin, target] = key;
      const auto found = exposure_.find({window, target, origin});
      if (found == exposure_.end()) continue;
      for (std::size_t k = 0; k < access.size() && k < found->second.size(); ++k)
        act(window, origin, target, access[k], found->second[k]);
    }
  }

 private:
  using Key = std::tuple<WindowId, std::uint32_t, std::uint32_t>;  ///< window, whose epoch, partner (ranks)
  std::map<std::pair<WindowId, std::uint32_t>, std::vector<Position>> fence_exits_;
  std::map<Key, std::vector<Epoch>> access_, exposure_;
  const View& view_;
};

}  // namespace mora::trace
