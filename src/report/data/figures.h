/// Figures for people, in columns of stable width. "0.0" never stands for something that is not zero.
#pragma once

#include <cstdint>
#include <string>

#include "base/table/cell.h"
#include "base/table/wrapped.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::report {

/// Seconds with six decimals, "<0.000001" for less: "12.345678".
std::string seconds_column(Nanoseconds value);

/// Seconds, a count or bytes with its unit: "12.345678 s", "42", "3.4 MiB".
std::string amount_with_unit(std::int64_t value, cube::Unit unit);

/// For programs: exact seconds, a count or bytes.
Cell exact_amount(std::int64_t value, cube::Unit unit);
/// The same, for people as amount_with_unit().
Cell amount_cell(std::int64_t value, cube::Unit unit);

/// Six significant digits: enough for a share, the same on every machine.
double six_digits(double value);

/// Like percent_for_people, empty for an unknown whole.
std::string share(Nanoseconds part, Nanoseconds whole);

}  // namespace mora::report
