/// The processors that the processes of a job could use, and what they used.
///
/// Processes that may use a common processor belong together (directly or through others). Of such a group two things
/// can be wrong: it has more processes than processors, or its processes are bound to different numbers of them. What
/// that cost is not told here but by the scheduler's counters (docs/rules/waits.md#not-running).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/manifest.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Of one process, as its journal tells.
class ProcessorUse {
 public:
  /// Takes a PROCESSORS or USAGE record; false for all others.
  bool take(const journal::Record& record);
  /// Sets the processors, their limit and the usage.
  void tell(RankFacts& facts) const;

 private:
  std::vector<std::uint32_t> processors_;
  std::uint32_t limit_ = 0;
  std::optional<ProcessUsage> first_, last_;
};

/// "6 processes share 4 processors of n1", "the processes of n1 are bound to different numbers of processors: ranks 0-2
/// to 2 each, rank 3 to 1"; empty where each process can have a processor of its own and all may use as many. Of each
/// rank the host, the processors and their limit count. Pure function.
std::vector<std::string> processor_sentences(const std::vector<RankFacts>& ranks);

}  // namespace mora::experiment
