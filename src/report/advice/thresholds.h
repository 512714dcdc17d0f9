/// The thresholds of the advice: each has a name, a default and a meaning, and can be set on the command line.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace mora::report::advice {

/// In the order of threshold_infos(), which says what each means.
enum class Threshold : std::uint8_t {
  efficiency,
  loss,
  descend,
  dominant,
  part,
  overlap,
  single_rank,
  pop,
  first_iteration,
  one_process,
  messages,
  message_bytes,
  collective_calls,
  unneeded_pairs,
};
inline constexpr std::size_t threshold_count = static_cast<std::size_t>(Threshold::unneeded_pairs) + 1;

/// Name, default and meaning of a threshold.
struct ThresholdInfo {
  Threshold id;
  std::string_view name;  ///< "first-iteration"
  double fallback;        ///< what it is unless set
  bool is_share;          ///< between 0 and 1
  std::string_view meaning;
};
/// Index = Threshold.
const std::array<ThresholdInfo, threshold_count>& threshold_infos();
std::string_view name_of(Threshold threshold);

/// The values in force: defaults, unless set.
class Thresholds {
 public:
  Thresholds();
  double operator[](Threshold threshold) const { return values_[static_cast<std::size_t>(threshold)]; }
  /// "loss=0.05". Errors (usage): no such name, not a number, out of range.
  Result<void> set(const std::string& assignment);

 private:
  std::array<double, threshold_count> values_;
};

}  // namespace mora::report::advice
