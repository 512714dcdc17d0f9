#include "base/time.h"

#include <fmt/format.h>

namespace mora {

std::string seconds_exact(Nanoseconds t) {
  const bool negative = t < 0;
  const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(t) : static_cast<std::uint64_t>(t);
  std::string out = fmt::format("{}{}", negative ? "-" : "", magnitude / 1'000'000'000);
  if (const auto fraction = magnitude % 1'000'000'000; fraction != 0) {
    std::string digits = fmt::format("{:09}", fraction);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "." + digits;
  }
  return out;
}

std::string time_for_people(Nanoseconds t) {
  const double v = static_cast<double>(t);
  const double a = v < 0 ? -v : v;
  if (t == 0) return "0 s";
  if (a < 1e3) return fmt::format("{} ns", t);
  if (a < 1e6) return fmt::format("{:.3g} us", v / 1e3);
  if (a < 999.5e6) return fmt::format("{:.3g} ms", v / 1e6);
  return fmt::format("{:.3f} s", v / 1e9);
}

std::string percent_for_people(Nanoseconds part, Nanoseconds whole) {
  if (whole == 0) return "-";
  const double p = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != 0 && p < 0.01 && p > -0.01) return "<0.01 %";
  return fmt::format("{:.2f} %", p);
}

std::string bytes_for_people(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double v = static_cast<double>(bytes) / 1024;
  int unit = 0;
  while (v >= 1024 && unit < 5) v /= 1024, ++unit;
  return fmt::format("{:.1f} {}", v, units[unit]);
}

}  // namespace mora
