/// Options whose argument is a count.
#pragma once

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

}  // namespace mora::cli
