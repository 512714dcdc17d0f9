/// The processors that the processes of a job could use, and what they used.
///
/// Processes that may use a common processor belong together (directly or through others). Of such a group two things
/// can be wrong: it has more processes, or threads in teams, than processors, or its processes are bound to different
/// numbers of them. What
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
  std::vector<std::uint32_t> processors_;  ///< of all threads
  std::uint32_t limit_ = 0;
  std::optional<ProcessUsage> first_, last_;
};

/// What is wrong with the processors of a job; empty where each process can have one of its own, and where all may use
/// as many.
struct ProcessorSentences {
  /// "6 processes share 4 processors of n1"; "2 processes of n1 may use 1.5 of 8 processors at a time, a limit of their
  /// control group, which stopped it for 3.4 s"
  std::vector<std::string> sharing;
  /// "the processes of n1 are bound to different numbers of processors: ranks 0-2 to 2 each, rank 3 to 1"
  std::vector<std::string> binding;
};

/// Of each rank the host, the processors and their limit count, and for how long that stopped them. Pure function.
ProcessorSentences processor_sentences(const std::vector<RankFacts>& ranks);

}  // namespace mora::experiment
