/// Efficiencies as text, the same in all tables of this folder.
#pragma once

#include <optional>
#include <string>

#include "report/pop/pop_text.h"

namespace mora::report {

inline constexpr std::size_t efficiency_width = 10;  ///< columns of efficiency_cell()

/// "72.50 %": two decimals, but 0.00 and 100.00 only if it is that.
std::string efficiency_text(double efficiency);

/// Right-aligned in efficiency_width columns and a mark behind: below the threshold red, or "!" without colour. Not
/// known: "-".
std::string efficiency_cell(std::optional<double> efficiency, const PopTextOptions& options);

/// Without blanks at the end.
std::string trimmed(std::string text);

/// "1.25".
std::string ratio_cell(std::optional<double> ratio);

/// Nine significant digits, for JSON: the same on every machine.
double nine_digits(double value);

}  // namespace mora::report
