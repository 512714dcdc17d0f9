/// Options whose argument is a number of bytes.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// "4194304", "4194304B", "4M", "4MiB", "4 MB": K, M, G and T are powers of 1024, with a B alone behind them powers of
/// 1000 (IEC 80000-13); in any case. Nothing for anything else, and for more than 64 bits.
inline std::optional<std::uint64_t> bytes_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  std::string unit(end, text.data() + text.size());
  unit.erase(0, unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  const bool has_b = !unit.empty() && unit.back() == 'B';
  if (has_b) unit.pop_back();
  const bool has_i = unit.size() == 2 && unit.back() == 'I';
  if (has_i) unit.pop_back();
  const std::size_t power = unit.empty() ? 0 : std::string_view("KMGT").find(unit) + 1;
  if (unit.size() > 1 || (!unit.empty() && power == 0)) return std::nullopt;
  const std::uint64_t base = has_b && !has_i ? 1000 : 1024;
  for (std::size_t i = 0; i < power; ++i) {
    if (value > UINT64_MAX / base) return std::nullopt;
    value *= base;
  }
  return value;
}

/// The option's number of bytes; 0 without it. Error (usage) for what is no size, and for less than `least`.
inline Result<std::uint64_t> bytes_option(const Arguments& arguments, const std::string& name,
                                          std::uint64_t least = std::uint64_t{1} << 20) {
  if (!arguments.has(name)) return 0;
  const std::optional<std::uint64_t> bytes = bytes_of(arguments.get(name));
  if (bytes && *bytes >= least) return *bytes;
  return fail(ErrorKind::usage, "'" + arguments.get(name) + "' is not a size", "--" + name,
              std::string("it must be a whole number of bytes") + (least > 1 ? ", at least 1M" : "") +
                  ", for example 500M or 2G");
}

}  // namespace mora::cli
