/// What to leave out of a recording so that its archive keeps to a bound, and what is lost by that. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/estimate/estimate.h"

namespace mora::report {

struct Proposal {
  std::int64_t budget = 0;          ///< bytes of the archive
  bool fits = false;                ///< with everything left out that follows
  std::vector<std::string> groups;  ///< of MPI functions, and `polls`: in the order of mpi::group_names()
  bool without_samples = false;
  std::vector<std::string> functions;  ///< of the program, those with the least time a visit first
  experiment::RecordedSize size;       ///< of what is kept; archive_bytes: with definitions
  std::int64_t journal_bytes_of_fullest_rank = 0;
  Nanoseconds lost_time = 0;      ///< in calls of MPI that leave no events
  std::vector<std::string> lost;  ///< sentences
};

/// Functions of the program are left out first, as call paths name them all the same; then the parts whose calls have
/// the least time in MPI together, of all sets that suffice.
Proposal propose(const Estimate& estimate, std::int64_t budget);

/// As options of `mora record`, with the file that has filter_text(); empty if all is kept.
std::string options_of(const Proposal& proposal, const std::string& filter_file);

/// The rules for `mora record --functions`.
std::string filter_text(const Proposal& proposal);

}  // namespace mora::report
