/// Archives as other tools write them, made with libotf2 itself. Test code only.
#pragma once

#include <string>

#include "support/scratch_directory.h"

namespace mora::trace {

enum class Foreign {
  score_p,   ///< two processes with threads, a device stream and counters; every record of OTF2 3.0 once
  openmp,    ///< one process, no MPI; nested teams; a thread without events
  eztrace,   ///< one process per node of unknown class; doubled groups and regions, no paradigms, undefined names
  damaged,   ///< no clock properties; undefined and circular references everywhere
  tasks,     ///< one process; a task runtime that loses leaves and leaves out of order (APEX)
  no_place,  ///< definitions, but not one location
};

class ForeignArchive {
 public:
  explicit ForeignArchive(Foreign kind);  ///< in a fresh directory
  /// Into a directory that exists; not removed.
  static void write(Foreign kind, const std::string& directory);
  const std::string& directory() const { return directory_; }

 private:
  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
};

/// The numbers of the locations in `score_p`: rank 0's threads, its stream, rank 1 (more than 32 bits), its counters.
inline constexpr std::uint64_t foreign_locations[] = {0, 65536, 131072, std::uint64_t{1} << 33,
                                                      (std::uint64_t{1} << 33) + 1};

}  // namespace mora::trace
