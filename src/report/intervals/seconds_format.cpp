#include "report/intervals/seconds_format.h"

#include <fmt/format.h>

namespace mora::report {

std::string SecondsFormat::truncated(Nanoseconds amount) const {
  const std::uint64_t magnitude =
      amount < 0 ? 0 - static_cast<std::uint64_t>(amount) : static_cast<std::uint64_t>(amount);
  const std::uint64_t whole = magnitude / 1'000'000'000, part = magnitude % 1'000'000'000;
  const char* sign = amount < 0 ? "-" : "";
  return unit_ == Unit::microseconds ? fmt::format("{}{}.{:06}", sign, whole, part / 1000)
                                     : fmt::format("{}{}.{:09}", sign, whole, part);
}

std::string ratio_text(Nanoseconds part, Nanoseconds whole) {
  if (whole <= 0) return "1.000000";
  constexpr __int128 unit = 1'000'000;
  const __int128 twice = 2 * unit * part;
  __int128 millionths = (twice + (part < 0 ? -whole : whole)) / (2 * static_cast<__int128>(whole));
  if (millionths >= unit && part < whole) millionths = unit - 1;
  if (millionths == 0 && part != 0) millionths = part > 0 ? 1 : -1;
  const auto magnitude = static_cast<std::uint64_t>(millionths < 0 ? -millionths : millionths);
  return fmt::format("{}{}.{:06}", millionths < 0 ? "-" : "", magnitude / 1'000'000, magnitude % 1'000'000);
}

}  // namespace mora::report
