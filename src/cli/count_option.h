/// Options whose argument is a count.
#pragma once

#include <charconv>
#include <string>

#include "base/error.h"
#include "cli/verb.h"

namespace mora::cli {

/// The option's number, or `fallback` without it. Error (usage) for anything but digits.
inline Result<unsigned> count_option(const Arguments& arguments, const std::string& name, unsigned fallback) {
  if (!arguments.has(name)) return fallback;
  const std::string text = arguments.get(name);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return value;
  return fail(ErrorKind::usage, "\"" + text + "\" is not a count", "--" + name,
              "it must be 0 or a positive whole number");
}

}  // namespace mora::cli
