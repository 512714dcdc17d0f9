/// The raw file of a calibration, and what its samples of one size say.
///
/// Rule calibration-practice (docs/rules.md): pass 0 is warm-up; a sample that is more than three scaled median
/// absolute deviations above the median is an outlier, is left out and counted; what stands for the rest is their
/// median, with an interval of 95 % from the order of the samples (no distribution is assumed). Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict {

/// Of one class, test and size.
struct SizeSamples {
  std::uint64_t bytes = 0;
  double median = 0, low = 0, high = 0;  ///< ns; the ends of the interval
  double quartile_ratio = 1;             ///< third quartile by first
  std::uint64_t count = 0, outliers = 0;
  std::vector<double> passes;  ///< medians by pass
};

struct ClassSamples {
  std::string name;  ///< "same_node"
  /// By test ("half_round_trip", "send" … docs/formats/calibration.md), ascending by size.
  std::map<std::string, std::vector<SizeSamples>> tests;
  std::optional<std::int64_t> eager_up_to;  ///< largest size that does not wait for its receive; nothing: none waits
};

struct CalibrationSamples {
  std::string library, host, seed;
  std::uint32_t ranks = 0;
  std::uint32_t ranks_of_node = 0, processors = 0;  ///< of the first rank's node; 0: not said
  std::vector<std::int64_t> computation;            ///< ns of the same work, of all ranks
  ClassSamples collectives;                         ///< operations of all ranks, by name and bytes
  std::vector<ClassSamples> classes;                ///< as they were measured
};

/// `name` is for messages. Errors (unreadable): a line that is none, a file without its end.
Result<CalibrationSamples> parse_samples(std::string_view text, const std::string& name);

/// At least one value.
SizeSamples summary_of_samples(std::uint64_t bytes, std::vector<std::int64_t> ns);

}  // namespace mora::predict
