/// One-sided communication of jobs that did not end by themselves: for whom a call on a window waits.
///
/// Idea. A fence or the free of a window waits for the members that have made fewer such calls on it; MPI_Win_start and
/// MPI_Win_complete for targets that have posted fewer epochs for this process than it has started towards them (where
/// a library waits differs); MPI_Win_wait for
/// origins that have completed fewer than were posted for them; a lock, and what needs it (unlock, flush), for those
/// that hold the same target's lock, if one of the two is exclusive, and are not in such a call on it themselves:
/// libraries grant a lock late, behind the return of MPI_Win_lock. Source: MPI-3.1, 11.5. Cost: O(ranks) per call.
/// Limits: what needs the target's progress gives no edge.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "journal/journal_reader.h"

namespace mora::experiment {

struct Traffic;

/// A window of the job: definition of its communicator, ordinal of its creation there.
using WindowKey = std::pair<std::uint32_t, std::uint32_t>;

/// What one process did to one window, by ranks of MPI_COMM_WORLD.
struct WindowTraffic {
  std::uint64_t collectives = 0;  ///< fences and frees
  std::map<std::int32_t, std::uint64_t> posted, waited, started, completed;
  std::map<std::int32_t, bool> held;  ///< locks, by target (-1 all): is it exclusive?
};

/// Windows and groups of one process by its own numbers, and what it did to them.
struct WindowTable {
  std::map<std::uint32_t, WindowKey> windows;
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  std::map<WindowKey, WindowTraffic> traffic;
};

/// Numbers of one process to those of the job: its communicator to the definition, a rank of one to that in the world.
struct WindowNames {
  std::function<std::uint32_t(std::uint32_t own)> comm;
  std::function<std::int32_t(std::uint32_t comm, std::int32_t rank)> world;
};

/// Takes the process's next record, of whatever kind.
void take_window(const journal::Record& record, const WindowNames& names, WindowTable& table);

/// Who the call that process `rank` is in waits for, and why, for a sentence: "has not called MPI_Win_post". No ranks:
/// nobody, or not known.
struct WindowWait {
  std::vector<std::uint32_t> ranks;
  std::string one, several;  ///< "has …", "have …"
};

/// `traffic`: of all processes. `members`: of the window's communicator, world ranks.
WindowWait window_wait(const std::vector<Traffic>& traffic, const std::vector<std::uint32_t>& members,
                       std::uint32_t rank);

}  // namespace mora::experiment
