/// Integer time, and numbers as text. All times and severities are int64 nanoseconds relative to the start of the
/// trace; seconds exist only in text. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace mora {

using Nanoseconds = std::int64_t;

/// A time that JSON and CSV write as exact seconds, where its type must tell it from a count.
struct Seconds {
  Nanoseconds value = 0;
};

/// Exact seconds with nanosecond digits, without needless zeros: 1500000000 -> "1.5", 1 -> "0.000000001".
/// Used for JSON and CSV.
std::string seconds_exact(Nanoseconds t);

/// For people: "12.3 ns", "4.56 us", "78.9 ms", "1.234 s"; never "0.0" for a non-zero value.
std::string time_for_people(Nanoseconds t);

/// "0.01 %"-style share; never "0.0" for a non-zero value ("<0.01 %").
std::string percent_for_people(Nanoseconds part, Nanoseconds whole);

/// "12 B", "3.4 KiB", "5.6 MiB".
std::string bytes_for_people(std::uint64_t bytes);

}  // namespace mora
