/// What a full trace of a run would take, from how often its call paths were visited: events, bytes, cost; and what to
/// leave out so that it keeps to a bound. Pure functions.
///
/// Model in the field: Score-P's scoring of profiles (Score-P 8, Score-P Score).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "cube/cube.h"
#include "experiment/size/record_sizes.h"

namespace mora::report {

/// What the manifest of the experiment says of the recording; all empty for other traces.
struct RecordedFacts {
  bool is_profile = false;                     ///< --stats
  std::vector<std::string> left_out;           ///< groups of MPI functions that were not recorded
  std::int64_t events = 0, archive_bytes = 0;  ///< of the archive that there is; 0: none
  bool is_cut = false;                         ///< --budget, --ring: it is no archive of the whole run
};

/// Unknown shapes give fewer facts, never an error.
RecordedFacts recorded_facts(const std::string& manifest);

/// A part of the trace: a group of MPI functions (mpi/groups.h), a call path, a function of the program.
struct EstimatedPart {
  std::string name;
  std::string group = {};  ///< of a call path
  std::int64_t visits = 0;
  Nanoseconds time = 0;  ///< its own
  experiment::RecordedSize size = {};
};

/// Names of parts that are no group of MPI functions.
inline constexpr const char* always_recorded = "always recorded";
inline constexpr const char* user_functions = "user functions";
inline constexpr const char* thread_waits = "OpenMP and threads";
inline constexpr const char* computation_samples = "samples";
inline constexpr const char* core_readings = "core readings";

struct Estimate {
  std::uint32_t ranks = 0, locations = 0;
  experiment::RecordedSize total;  ///< archive_bytes: with definitions
  std::int64_t definition_bytes = 0;
  std::uint32_t fullest_rank = 0;  ///< with the largest journals
  experiment::RecordedSize of_fullest_rank;
  Nanoseconds lifetime = 0;               ///< of all locations
  Nanoseconds recorder = 0;               ///< what recording would cost all together
  std::int64_t memory_bytes_of_rank = 0;  ///< recording buffers
  std::vector<EstimatedPart> groups;      ///< largest archive first; those without visits are left out
  std::vector<EstimatedPart> call_paths;  ///< of MPI calls, largest archive first
  std::vector<EstimatedPart> functions;   ///< of the program, likewise
  std::vector<std::string> not_known;     ///< sentences
  /// By location and part, for proposals: sizes of calls of each group, and, of these, polls that found nothing.
  std::vector<std::vector<experiment::RecordedSize>> by_location;
  std::vector<std::uint32_t> rank_of_location;
};

/// Errors (usage): the cube has no visits, or no call of MPI.
Result<Estimate> estimate(const cube::Cube& cube, const RecordedFacts& facts, const std::string& name);

}  // namespace mora::report
