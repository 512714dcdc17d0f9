/// Regions of one job: MPI calls by call site and call path, and functions of the program that were recorded
/// themselves.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "experiment/code/function_filter.h"
#include "experiment/code/stacks.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Bits of a return address in records.
inline constexpr std::uint64_t site_bits = 0xFFFF'FFFF'FFFF;

/// Key of a region on one process: MPI function and return address; 0 and the address of a function of the program.
inline std::uint64_t region_key(unsigned function, std::uint64_t site) {
  return static_cast<std::uint64_t>(function) << 48 | site;
}

/// OpenMP constructs stand behind all functions of MPI: what a team's threads do, and enum mora_sync.
inline constexpr unsigned construct_parallel = 0xFF00, construct_end_of_parallel = 0xFF01, construct_unlock = 0xFF02,
                          construct_sync = 0xFF10, construct_task = construct_sync + MORA_SYNC_TASK;

/// Of a SYNC record.
unsigned construct_of(const journal::Record& sync);

/// A function of another library than MPI.
struct LibraryFunction {
  int library;  ///< enum mora_library
  std::string name;
};

/// The code of one process, as far as one journal tells it. Filled by one thread.
struct CodeOfRank {
  /// Of any record, in their order.
  void take(const journal::Record& record);
  /// What the journal of another thread of the process says of libraries' functions.
  void take_functions(const CodeOfRank& other) { functions.insert(other.functions.begin(), other.functions.end()); }
  /// The threads whose teams of OpenMP the thread was in.
  const std::set<std::uint64_t>& team_makers() const { return team_makers_; }
  /// The call that the process was in when it ended.
  void take(const mora_state& state);

  std::unordered_map<std::uint64_t, std::uint32_t> regions;  ///< region_key() to region: make_regions
  /// Address and path of a sample to its function, an index in Definitions::callers: make_regions.
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> samples;
  std::map<unsigned, LibraryFunction> functions;  ///< by number

 private:
  friend class RegionTable;
  void take(std::uint64_t key);

  StackTable stacks_;
  PythonPlaces places_;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> paths_;  ///< of samples, by number
  std::set<std::uint64_t> keys_;
  std::set<std::uint64_t> team_makers_;
  bool has_teams_ = false;  ///< parallel regions were recorded
  std::uint64_t last_key_ = 0;
};

/// Resolves call sites, call paths, functions and OpenMP constructs, and puts them into `out.regions` and
/// `out.callers`: calls in the order of function, file, line and caller, then constructs, then functions. `code`: with
/// the rank; `maps`: files of ranks (journal_files.h). `start_ns`: CLOCK_REALTIME; modules that changed since are told
/// in `quality`. Functions that `filter` excludes get no region.
void make_regions(const std::vector<std::pair<std::uint32_t, CodeOfRank*>>& code,
                  const std::map<std::uint32_t, std::string>& maps, std::uint64_t start_ns,
                  const FunctionFilter& filter, DataQuality& quality, archive::Definitions& out);

}  // namespace mora::experiment
