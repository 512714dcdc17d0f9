/// One line of an ALOG file: `type process task data cycle timestamp [comment]`.
///
/// Source: Nupshot (the description in alog.h, MPICH 1.2.0); Wolf 1998, appendix A. Pure functions, thread-safe;
/// O(line).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace mora::trace::alog {

struct Record {
  std::int64_t type = 0, process = 0, task = 0, data = 0, cycle = 0;
  Nanoseconds timestamp = 0;  ///< the file's microseconds, at most 2^61 ns
  std::string_view comment;   ///< without blanks around it
};

/// Record types that Mora interprets.
inline constexpr std::int64_t event_count = -2, process_count = -3, event_type = -9, rollover = -11, state = -13,
                              process_name = -15, send = -101, receive = -102;

/// A record is six numbers, perhaps with a comment; any other line gives nothing. Views into `line`.
std::optional<Record> parse(std::string_view line);

/// Empty lines and those that begin with '#' (after blanks) are no records.
bool is_comment(std::string_view line);

/// Two or more whole numbers at the beginning of the text (comments of messages: tag and size).
bool two_numbers(std::string_view text, std::int64_t& first, std::int64_t& second);

/// Name of the region in a state's comment: a first word with a colon is colour and pattern and is left out, unless it
/// is the only word (a name such as "ns::f").
std::string_view region_name(std::string_view comment);

}  // namespace mora::trace::alog
