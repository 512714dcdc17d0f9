/// From world ranks back to ranks in communicators, which is what OTF2 records hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace/definitions.h"

namespace mora::exports {

/// Immutable once made; O(log members) a look-up, O(1) for communicators like WORLD.
class CommRanks {
 public:
  explicit CommRanks(const trace::Definitions& definitions) : definitions_(definitions) {
    for (const trace::Communicator& c : definitions.communicators) {
      local_.push_back(table(c.members));
      remote_.push_back(table(c.remote_members));
    }
  }

  /// The peer's rank as a record of `self` holds it: of inter-communicators in the *other* group. no_id: no member.
  std::uint32_t peer(trace::CommId comm, std::uint32_t self, std::uint32_t world) const {
    if (comm >= local_.size()) return trace::no_id;
    const trace::Communicator& c = definitions_.communicators[comm];
    if (c.self) return world == self ? 0 : trace::no_id;
    if (c.inter() && find(local_[comm], self) != trace::no_id) return find(remote_[comm], world);
    return find(local_[comm], world);
  }
  /// Rank in the communicator of a window.
  std::uint32_t in_window(trace::WindowId window, std::uint32_t self, std::uint32_t world) const {
    if (window >= definitions_.windows.size()) return trace::no_id;
    const trace::CommId comm = definitions_.windows[window].comm;
    if (comm >= local_.size()) return trace::no_id;
    if (definitions_.communicators[comm].self) return world == self ? 0 : trace::no_id;
    return find(local_[comm], world);
  }

 private:
  struct Table {
    bool identity = true;  ///< rank i is world rank i
    std::size_t size = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;  ///< world rank, rank; empty if identity
  };
  static Table table(const std::vector<std::uint32_t>& members) {
    Table t;
    t.size = members.size();
    for (std::uint32_t i = 0; i < members.size(); ++i) t.identity = t.identity && members[i] == i;
    if (t.identity) return t;
    for (std::uint32_t i = 0; i < members.size(); ++i) t.sorted.emplace_back(members[i], i);
    std::sort(t.sorted.begin(), t.sorted.end());
    return t;
  }
  static std::uint32_t find(const Table& t, std::uint32_t world) {
    if (t.identity) return world < t.size ? world : trace::no_id;
    const auto at =
        std::lower_bound(t.sorted.begin(), t.sorted.end(), std::pair<std::uint32_t, std::uint32_t>(world, 0));
    return at != t.sorted.end() && at->first == world ? at->second : trace::no_id;
  }

  const trace::Definitions& definitions_;
  std::vector<Table> local_, remote_;
};

}  // namespace mora::exports
