/// How often a rank made each of its calls in each phase, from the folded order: a loop counts without being unfolded,
/// so the cost follows the length of the trace and not the number of calls. Also which receive each completion belongs
/// to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "predict/pattern/trace.h"

namespace mora::predict {

/// Phases by the names they are nested in. Path 0 is what is in no phase.
class PhasePaths {
 public:
  std::uint32_t inside(std::uint32_t path, std::uint32_t phase);
  std::uint32_t size() const { return static_cast<std::uint32_t>(paths_.size()); }
  /// "outer/inner"; of path 0 "global".
  std::string name(std::uint32_t path, const Definitions& definitions) const;

 private:
  struct Path {
    std::uint32_t parent = no_id, phase = no_id;
  };
  std::vector<Path> paths_{Path{}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> ids_;
};

/// How often a call (index in the trace) is made in the phases of a path (PhasePaths).
struct CallCount {
  std::uint32_t path = 0, call = 0;
  std::uint64_t times = 0;
  bool operator==(const CallCount&) const = default;
};

/// Receives that were started (`call`) and completed.
struct ReceiveCount {
  std::uint32_t call = 0;
  std::int32_t source = peer_none;  ///< in the communicator of `call`
  std::uint64_t bytes = 0;
  std::uint64_t times = 0;
  bool operator==(const ReceiveCount&) const = default;
};

struct RankCounts {
  std::vector<CallCount> calls;                   ///< by (path, call)
  std::vector<ReceiveCount> receives;             ///< by (call, source, bytes)
  std::map<std::uint32_t, std::uint64_t> visits;  ///< path → how often it was begun
  std::uint64_t unknown_completions = 0;          ///< requests whose begin is not known
  std::uint64_t cancelled_sends = 0;
  std::uint64_t ends_without_begin = 0, crossings = 0, open_phases = 0;
};

/// Adds the phases it meets to `paths`. A phase that ends while others inside it are open ends them too (crossings).
RankCounts count_calls(const RankTrace& rank, PhasePaths& paths);

}  // namespace mora::predict
