/// Efficiencies as text, the same in all tables of this folder.
#pragma once

#include <optional>
#include <string>

#include "base/table/table.h"

namespace mora::report {

inline constexpr std::size_t efficiency_width = 10;  ///< of a figure; two columns follow for the mark

/// "72.50 %": two decimals, but 0.00 and 100.00 only if it is that.
std::string efficiency_text(double efficiency);

/// With room for a mark behind it: one below the threshold is red, or has "!" on a page without colours. Not known:
/// "-".
Cell efficiency_cell(std::optional<double> efficiency, bool has_colour);
/// Another figure in a column of efficiencies.
Cell among_efficiencies(const std::string& figure);
/// Over the figures, and over the marks as far as it is longer.
Column efficiency_column(const std::string& heading, std::size_t gap = 0);

/// "1.25".
std::string ratio_cell(std::optional<double> ratio);

/// Nine significant digits, for JSON: the same on every machine.
double nine_digits(double value);

}  // namespace mora::report
