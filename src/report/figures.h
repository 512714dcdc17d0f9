/// Figures for people, in columns of stable width. "0.0" never stands for something that is not zero.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "cube/cube.h"

namespace mora::report {

/// Seconds with six decimals, "<0.000001" for less: "12.345678".
std::string seconds_column(Nanoseconds value);

/// Seconds, a count or bytes with its unit: "12.345678 s", "42", "3.4 MiB".
std::string amount_with_unit(std::int64_t value, cube::Unit unit);

/// Like percent_for_people, empty for an unknown whole.
std::string share(Nanoseconds part, Nanoseconds whole);

/// `text` cut to `width` columns, the cut shown as "…" in its middle (both ends of a call path matter). UTF-8 safe.
std::string cut_middle(const std::string& text, std::size_t width);

/// Columns a terminal shows: code points.
std::size_t display_width(const std::string& text);

/// Lines of at most `width` columns, broken at blanks, each after the first begun with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace mora::report
