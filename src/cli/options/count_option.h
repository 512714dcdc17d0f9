/// Options whose argument is a count.
#pragma once

#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/numbers/read_number.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// The option's number, or `fallback` without it. Error (usage) for anything but digits.
inline Result<unsigned> count_option(const Arguments& arguments, const std::string& name, unsigned fallback) {
  if (!arguments.has(name)) return fallback;
  const std::string text = arguments.get(name);
  unsigned value = 0;
  if (read_number(text, value)) return value;
  return fail(ErrorKind::usage, "'" + text + "' is not a count", "--" + name,
              "it must be a whole number, 0 or greater");
}

/// The option's number of bytes: digits and perhaps K, M, G or T (powers of 1024), a B behind them allowed; 0 without
/// it. Error (usage) for anything else, and for less than a mebibyte.
inline Result<std::uint64_t> bytes_option(const Arguments& arguments, const std::string& name) {
  if (!arguments.has(name)) return 0;
  const std::string text = arguments.get(name);
  std::uint64_t value = 0;
  const char* stop = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), stop, value);
  const std::string units = "KMGT";
  unsigned shift = 0;
  if (end != stop) {
    const std::size_t unit = units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      ++end;
      if (end != stop && *end == 'i') ++end;
    }
    if (end != stop && (*end == 'B' || *end == 'b')) ++end;
  }
  constexpr std::uint64_t least = std::uint64_t{1} << 20;
  if (error == std::errc{} && end == stop && end != text.data() && value <= (UINT64_MAX >> shift) &&
      value << shift >= least) {
    return value << shift;
  }
  return fail(ErrorKind::usage, "'" + text + "' is not a size", "--" + name,
              "it must be a whole number of bytes, at least 1M, for example 500M or 2G");
}

}  // namespace mora::cli
