#include "trace/readers/otf2/definitions/clock.h"

#include <algorithm>
#include <limits>

namespace mora::trace::otf2 {
namespace {

__extension__ using Wide = __int128;

/// Nearest integer, halves away from zero; divisor > 0.
Wide divide_rounded(Wide value, Wide divisor) {
  return value >= 0 ? (value + divisor / 2) / divisor : -((-value + divisor / 2) / divisor);
}

Nanoseconds saturate(Wide value) {
  constexpr Wide low = std::numeric_limits<Nanoseconds>::min() / 4;
  constexpr Wide high = std::numeric_limits<Nanoseconds>::max() / 4;
  return static_cast<Nanoseconds>(std::clamp(value, low, high));
}

}  // namespace

Clock::Clock(std::uint64_t resolution, std::uint64_t origin, std::vector<ClockOffset> offsets)
    : resolution_(std::max<std::uint64_t>(resolution, 1)), origin_(origin) {
  std::stable_sort(offsets.begin(), offsets.end(), [](const auto& a, const auto& b) { return a.stamp < b.stamp; });
  for (const ClockOffset& o : offsets) {
    if (!offsets_.empty() && offsets_.back().stamp == o.stamp)
      offsets_.back() = o;
    else
      offsets_.push_back(o);
  }
  const std::int64_t first = offsets_.empty() ? 0 : offsets_.front().offset;
  const bool same = std::all_of(offsets_.begin(), offsets_.end(), [&](const auto& o) { return o.offset == first; });
  shift_ = origin_ - static_cast<std::uint64_t>(first);
  constexpr Wide reach = std::numeric_limits<Nanoseconds>::max() / 4;
  const Wide zero = static_cast<Wide>(origin_) - first;
  const Wide low = std::max<Wide>(zero - reach, 0);
  const Wide high = std::min<Wide>(zero + reach, std::numeric_limits<std::uint64_t>::max());
  constant_ = same && resolution_ == 1000000000 && high >= low;
  if (!constant_) return;
  low_ = static_cast<std::uint64_t>(low);
  width_ = static_cast<std::uint64_t>(high - low);
}

Nanoseconds Clock::slow(std::uint64_t stamp) const {
  Wide ticks = static_cast<Wide>(stamp) - static_cast<Wide>(origin_);
  if (offsets_.size() == 1) ticks += offsets_[0].offset;
  if (offsets_.size() > 1) {
    auto right = std::upper_bound(offsets_.begin(), offsets_.end(), stamp,
                                  [](std::uint64_t s, const auto& o) { return s < o.stamp; });
    if (right == offsets_.begin()) ++right;
    if (right == offsets_.end()) --right;
    const ClockOffset& a = *(right - 1);
    const ClockOffset& b = *right;
    // 64-bit stamp distances times offset differences below 2^62 fit into 128 bits.
    const Wide slope = static_cast<Wide>(b.offset) - a.offset;
    const Wide away = static_cast<Wide>(stamp) - static_cast<Wide>(a.stamp);
    const Wide width = static_cast<Wide>(b.stamp) - static_cast<Wide>(a.stamp);
    constexpr Wide limit = Wide{1} << 62;
    Wide change = 0;
    if (slope < limit && slope > -limit && away < limit && away > -limit) change = divide_rounded(slope * away, width);
    ticks += a.offset + change;
  }
  // Beyond 2^96 ticks every resolution saturates, and the product below still fits.
  constexpr Wide most = Wide{1} << 96;
  ticks = std::clamp(ticks, -most, most);
  if (resolution_ != 1000000000) ticks = divide_rounded(ticks * 1000000000, static_cast<Wide>(resolution_));
  return saturate(ticks);
}

}  // namespace mora::trace::otf2
