#include "experiment/journals/clock_fit.h"

#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <cmath>

#include <algorithm>

namespace mora::experiment {
namespace {

using Wide = __int128;

/// Readings that no clock ever gave (a damaged journal) may exceed 128 bits: then the product is some number, as they
/// are.
Wide times(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}

}  // namespace

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
  const Wide product = times(static_cast<Wide>(ticks) - static_cast<Wide>(first_.ticks), static_cast<Wide>(delta_ns_));
  const Wide parts = delta_ticks_;
  const Wide whole = product / parts, rest = product % parts;
  const Wide up = 2 * (rest < 0 ? -rest : rest) >= parts ? 1 : 0;
  return first_.realtime_ns + static_cast<std::uint64_t>(whole) + static_cast<std::uint64_t>(product < 0 ? -up : up);
}

std::uint64_t on_common_clock(std::uint64_t stamp, const std::vector<archive::ClockOffset>& offsets) {
  std::size_t right = 1;
  while (right + 1 < offsets.size() && offsets[right].time <= stamp) ++right;
  const auto& a = offsets.front().time <= stamp ? offsets[std::min(right, offsets.size()) - 1] : offsets.front();
  Wide change = 0;
  if (right < offsets.size() && offsets[right].time > a.time) {
    const auto& b = offsets[right];
    const Wide product =
        times(static_cast<Wide>(stamp) - static_cast<Wide>(a.time), static_cast<Wide>(b.offset_ns) - a.offset_ns);
    const Wide width = static_cast<Wide>(b.time) - static_cast<Wide>(a.time);
    change = product / width - (product % width < 0 ? 1 : 0);
  }
  return stamp + static_cast<std::uint64_t>(a.offset_ns) + static_cast<std::uint64_t>(change);
}

std::optional<mora_clock_triple> clock_reading_now(const std::string& on, std::uint32_t kind,
                                                   const mora_clock_triple& first) {
#if defined(__x86_64__)
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  if (on != host || kind != MORA_CLOCK_TSC) return std::nullopt;
  auto ns = [](clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
  };
  const mora_clock_triple now{__rdtsc(), ns(CLOCK_MONOTONIC_RAW), ns(CLOCK_REALTIME)};
  if (now.ticks <= first.ticks || now.monotonic_ns <= first.monotonic_ns || now.realtime_ns <= first.realtime_ns)
    return std::nullopt;
  // After a reboot the clocks have begun anew: their differences do not agree any more.
  const double passed = static_cast<double>(now.monotonic_ns - first.monotonic_ns);
  const double passed_realtime = static_cast<double>(now.realtime_ns - first.realtime_ns);
  const double per_tick = passed / static_cast<double>(now.ticks - first.ticks);
  if (std::abs(passed - passed_realtime) > passed / 100 + 1e7 || per_tick < 0.05 || per_tick > 5) return std::nullopt;
  return now;
#else
  (void)on, (void)kind, (void)first;
  return std::nullopt;
#endif
}

}  // namespace mora::experiment
