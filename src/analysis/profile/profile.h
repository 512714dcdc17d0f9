/// The result of a run of which only the sums of its calls are known.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/result.h"
#include "base/time.h"
#include "trace/definitions.h"

namespace mora::analysis {

/// The calls of one region at one location.
struct ProfiledCalls {
  trace::RegionId region = 0;
  std::int64_t visits = 0;
  Nanoseconds time = 0, shortest = 0, longest = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
  std::int64_t transfers = 0, transfer_bytes = 0;  ///< one-sided
  std::int64_t recorded_polls = 0;
};

struct ProfiledLocation {
  Nanoseconds wall = 0;                        ///< what is no call's time of it, and none of these, is computation
  Nanoseconds recorder = 0, not_recorded = 0;  ///< outside of calls
  std::int64_t core_readings = 0;
  std::vector<ProfiledCalls> calls;
};

/// RunFacts::trace_format of such a run.
inline constexpr const char* profile_format = "profile";

/// Metrics of a profile alone: least and greatest time of a single call, in this order behind all others.
inline constexpr const char* shortest_call = "shortest-call";
inline constexpr const char* longest_call = "longest-call";

/// `locations`: parallel to those of `definitions`. Cost: O(calls x depth of their call paths).
AnalysisResult result_of_profile(const trace::Definitions& definitions, const std::vector<ProfiledLocation>& locations);

}  // namespace mora::analysis
