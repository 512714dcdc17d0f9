#include "report/pop/efficiency_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/table/cell_text.h"
#include "report/pop/pop_text.h"

namespace mora::report {

std::string efficiency_text(double efficiency) {
  if (!std::isfinite(efficiency)) return "-";
  std::string text = fmt::format("{:.2f} %", 100 * efficiency);
  if (efficiency > 0 && text == "0.00 %") return "<0.01 %";
  if (efficiency < 1 && text == "100.00 %") return "99.99 %";
  if (efficiency > 1 && text == "100.00 %") return "100.01 %";
  return text;
}

Cell efficiency_cell(std::optional<double> efficiency, bool has_colour) {
  if (!efficiency || *efficiency >= analysis::attention_threshold)
    return among_efficiencies(efficiency ? efficiency_text(*efficiency) : "-");
  return Cell(efficiency_text(*efficiency) + (has_colour ? "  " : " !")).styled("31");
}

Cell among_efficiencies(const std::string& figure) { return figure + "  "; }

Column efficiency_column(const std::string& heading, std::size_t gap) {
  const std::size_t width = efficiency_width + 2, used = std::min(display_width(heading), width);
  return {heading + std::string(std::min<std::size_t>(2, width - used), ' '), width, gap};
}

std::string ratio_cell(std::optional<double> ratio) {
  return ratio && std::isfinite(*ratio) ? fmt::format("{:.2f}", *ratio) : "-";
}

double nine_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr) : value;
}

}  // namespace mora::report
