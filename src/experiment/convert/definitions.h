/// One numbering for the whole job: communicators, windows and groups that the processes numbered by themselves.
///
/// Two processes mean the same communicator iff its parents are the same instance, it is the same creation on the
/// parent (ordinal) and has the same members in the same order. Kinds without a common parent (MPI_Comm_create_group,
/// inter-communicators) are the same iff members and key agree and both processes saw equally many such before it.
/// Windows: same communicator instance and same ordinal of creation on it. Global numbers are given in order of first
/// appearance, rank by rank: they do not depend on timing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "experiment/journals/recorded_counters.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Processes of OpenSHMEM that call something together: start + i * 2^log_stride, i < size.
struct ActiveSet {
  std::int32_t start = 0, log_stride = 0, size = 0;
  auto operator<=>(const ActiveSet&) const = default;
  /// Ranks in MPI_COMM_WORLD.
  std::vector<std::int32_t> members() const;
};

/// A call of shmem_collect: when it began, in ticks, and its bytes.
struct CollectCall {
  std::uint64_t begin = 0, bytes = 0;
};

/// What one journal defines, in its own numbering and in order of appearance.
struct LocalDefinitions {
  struct Communicator {
    std::uint32_t id, parent, ordinal, kind, key;
    std::vector<std::int32_t> local, remote;  ///< world ranks; -1 = outside MPI_COMM_WORLD
  };
  struct Window {
    std::uint32_t id, communicator, ordinal, function;
    std::uint64_t unit;               ///< of this process's displacements, in bytes
    std::uint64_t base = 0, end = 0;  ///< of this process's memory; equal: none, or not recorded
    bool shares_memory = false;       ///< with another window that this process had at the same time
  };
  struct File {
    std::uint32_t id, communicator;
    std::string name;
  };
  struct Grid {
    std::uint32_t communicator;
    std::vector<CartesianGrid::Dimension> dimensions;
    std::vector<std::uint32_t> coordinates;  ///< of this process
  };
  struct Group {
    std::uint32_t id;
    std::vector<std::int32_t> members;
  };
  struct Name {
    bool window;
    std::uint32_t id;
    std::string text;
  };
  std::vector<Communicator> communicators;
  std::vector<Window> windows;
  std::vector<Grid> grids;
  std::vector<Group> groups;
  std::vector<File> files;
  bool has_core_readings = false;
  std::set<CounterDefinition> counters;
  bool has_shmem = false;  ///< transfers or locks of OpenSHMEM
  std::set<ActiveSet> sets;
  std::map<ActiveSet, std::vector<CollectCall>> collects;  ///< in the order in which they returned
  std::vector<Name> names;

  /// The rank in MPI_COMM_WORLD of a communicator's (of an inter-communicator: the other group's) rank; -1: none.
  /// `self`: the process's own.
  std::int32_t world(std::uint32_t communicator, std::int32_t rank, std::int32_t self) const;
  /// Takes the record if it is a definition; false for all others.
  bool take(const journal::Record& record);
  /// Of a call: notes that a window is freed, and who calls functions of OpenSHMEM together.
  void take_call(const journal::Record& record);

 private:
  void add_window(const journal::Record& record);
  std::vector<std::size_t> alive_;  ///< windows that are not freed
};

/// Maps one process's numbers to the global ones.
struct IdMap {
  struct WindowIds {
    std::uint32_t global = archive::no_id;
    std::uint32_t function = 0;  ///< that made it
  };
  std::unordered_map<std::uint32_t, std::uint32_t> communicators;
  std::unordered_map<std::uint32_t, WindowIds> windows;
  std::unordered_map<std::uint32_t, std::uint32_t> groups;
  std::unordered_map<std::uint32_t, std::uint32_t> files;
  std::map<ActiveSet, std::uint32_t> sets;                  ///< windows
  std::map<ActiveSet, std::vector<CollectCall>> collected;  ///< by begin; bytes received; calls that are not known lack
  std::uint32_t everyone = archive::no_id;                  ///< the window of OpenSHMEM's transfers and locks

  /// A process's own number as the archive's.
  std::uint32_t communicator(std::uint32_t local) const { return find(communicators, local); }
  std::uint32_t group(std::uint32_t local) const { return find(groups, local); }
  std::uint32_t file(std::uint32_t local) const { return find(files, local); }
  /// What the process received in the shmem_collect that began then; 0: not known.
  std::uint64_t received(const ActiveSet& set, std::uint64_t begin) const;
  WindowIds window(std::uint32_t local) const {
    const auto it = windows.find(local);
    return it == windows.end() ? WindowIds{} : it->second;
  }

 private:
  static std::uint32_t find(const std::unordered_map<std::uint32_t, std::uint32_t>& map, std::uint32_t local) {
    const auto it = map.find(local);
    return it == map.end() ? archive::no_id : it->second;
  }
};

/// What processes receive in shmem_collect is what all of the set give; which of their calls belong together says their
/// order. Fills IdMap::collected of each process, in order of ranks (nullptr: without a journal), and returns how many
/// calls are not known, as another one's call is missing.
std::uint64_t find_collected(const std::vector<const LocalDefinitions*>& local, const std::vector<IdMap*>& ids);

/// The displacement unit of each member of each window, in bytes; only the target itself records its unit.
class WindowUnits {
 public:
  /// `unit` of `window` on the process with this world rank.
  void set(std::uint32_t window, std::uint32_t rank, std::uint64_t unit);
  /// Bytes; 0 = not known. `target`: rank in the window's communicator; `own`: world rank of the asking process.
  std::uint64_t of(const archive::Definitions& definitions, std::uint32_t window, std::uint32_t target,
                   std::uint32_t own) const;

 private:
  struct Units {
    std::uint64_t usual = 0;
    std::map<std::uint32_t, std::uint64_t> others;  ///< by world rank
  };
  std::vector<Units> units_;
  std::vector<bool> present_;  ///< ranks whose journal was read
};

/// Gathers the definitions of all ranks into those of the archive, each once, with numbers that all ranks share.
class GlobalDefinitions {
 public:
  explicit GlobalDefinitions(std::uint32_t world_size) : world_size_(world_size) {}

  /// Ranks must come in increasing order. Definitions that refer to unknown ones are counted and left out.
  IdMap add(std::uint32_t rank, const LocalDefinitions& local, DataQuality& quality);

  /// Puts groups, communicators and windows into `out`.
  void finish(archive::Definitions& out);

  const WindowUnits& window_units() const { return units_; }

 private:
  std::uint32_t intern_group(const std::vector<std::int32_t>& members);
  /// The window of a set; OpenSHMEM has none, but OTF2's records name their members by one.
  std::uint32_t window_of(const ActiveSet& set);

  std::uint32_t world_size_;
  std::vector<archive::Communicator> communicators_;
  std::vector<archive::Window> windows_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::map<std::uint32_t, CartesianGrid> grids_;  ///< by communicator
  std::vector<archive::File> files_;
  WindowUnits units_;
  std::map<std::vector<std::int32_t>, std::uint32_t> group_ids_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> communicator_ids_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> window_ids_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> file_ids_;
  std::map<ActiveSet, std::uint32_t> set_ids_;
};

}  // namespace mora::experiment
