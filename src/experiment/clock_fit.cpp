#include "experiment/clock_fit.h"

#include <algorithm>

namespace mora::experiment {

ClockFit ClockFit::from(std::vector<mora_clock_triple> readings, mora_clock_kind kind) {
  ClockFit fit;
  const auto [first, last] = std::minmax_element(readings.begin(), readings.end(),
                                                 [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  fit.first_ = *first;
  fit.span_ns_ = last->monotonic_ns > first->monotonic_ns ? last->monotonic_ns - first->monotonic_ns : 0;
  if (kind == MORA_CLOCK_MONOTONIC) return fit;  // ticks are nanoseconds
  if (last->ticks > first->ticks && fit.span_ns_ > 0) {
    fit.delta_ticks_ = last->ticks - first->ticks;
    fit.delta_ns_ = fit.span_ns_;
  }
  return fit;
}

std::uint64_t ClockFit::stamp(std::uint64_t ticks) const {
  using Wide = __int128;
  const Wide distance = static_cast<Wide>(ticks) - static_cast<Wide>(first_.ticks);
  const Wide product = distance * static_cast<Wide>(delta_ns_);
  const Wide half = delta_ticks_ / 2;
  const Wide rounded =
      product >= 0 ? (product + half) / delta_ticks_ : -((-product + half) / static_cast<Wide>(delta_ticks_));
  return static_cast<std::uint64_t>(static_cast<Wide>(first_.realtime_ns) + rounded);
}

std::uint64_t on_common_clock(std::uint64_t stamp, const std::vector<archive::ClockOffset>& offsets) {
  using Wide = __int128;
  std::size_t right = 1;
  while (right + 1 < offsets.size() && offsets[right].time <= stamp) ++right;
  const auto& a = offsets.front().time <= stamp ? offsets[std::min(right, offsets.size()) - 1] : offsets.front();
  Wide change = 0;
  if (right < offsets.size() && offsets[right].time > a.time) {
    const auto& b = offsets[right];
    const Wide product =
        (static_cast<Wide>(stamp) - static_cast<Wide>(a.time)) * (static_cast<Wide>(b.offset_ns) - a.offset_ns);
    const Wide width = static_cast<Wide>(b.time) - static_cast<Wide>(a.time);
    change = product / width - (product % width < 0 ? 1 : 0);
  }
  return static_cast<std::uint64_t>(static_cast<Wide>(stamp) + a.offset_ns + change);
}

}  // namespace mora::experiment
