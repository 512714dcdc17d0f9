#include "report/pop/efficiency_figures.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace mora::report {

std::string efficiency_text(double efficiency) {
  if (!std::isfinite(efficiency)) return "-";
  std::string text = fmt::format("{:.2f} %", 100 * efficiency);
  if (efficiency > 0 && text == "0.00 %") return "<0.01 %";
  if (efficiency < 1 && text == "100.00 %") return "99.99 %";
  if (efficiency > 1 && text == "100.00 %") return "100.01 %";
  return text;
}

std::string efficiency_cell(std::optional<double> efficiency, const PopTextOptions& options) {
  const std::string text = fmt::format("{:>{}}", efficiency ? efficiency_text(*efficiency) : "-", efficiency_width);
  const bool needs_attention = efficiency && *efficiency < analysis::attention_threshold;
  if (!options.colour) return text + (needs_attention ? " !" : "  ");
  return needs_attention ? "\033[31m" + text + "\033[0m  " : text + "  ";
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string ratio_cell(std::optional<double> ratio) {
  return ratio && std::isfinite(*ratio) ? fmt::format("{:.2f}", *ratio) : "-";
}

double nine_digits(double value) {
  return std::isfinite(value) ? std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr) : value;
}

}  // namespace mora::report
