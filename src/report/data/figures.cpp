#include "report/data/figures.h"

#include <cstdlib>

#include <fmt/format.h>

namespace mora::report {

std::string seconds_column(Nanoseconds value) {
  if (value != 0 && value > -1000 && value < 1000) return value > 0 ? "<0.000001" : ">-0.000001";
  const auto magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const std::uint64_t micro = magnitude / 1000 + (magnitude % 1000 >= 500 ? 1 : 0);
  return fmt::format("{}{}.{:06}", value < 0 ? "-" : "", micro / 1'000'000, micro % 1'000'000);
}

std::string amount_with_unit(std::int64_t value, cube::Unit unit) {
  switch (unit) {
    case cube::Unit::seconds:
      return seconds_column(value) + " s";
    case cube::Unit::occurrences:
      return std::to_string(value);
    case cube::Unit::bytes:
      return value < 0 ? fmt::format("{} B", value) : bytes_for_people(static_cast<std::uint64_t>(value));
  }
  return "";
}

Cell exact_amount(std::int64_t value, cube::Unit unit) {
  return unit == cube::Unit::seconds ? Cell(Seconds{value}) : Cell(value);
}

Cell amount_cell(std::int64_t value, cube::Unit unit) {
  return unit == cube::Unit::seconds ? Cell(Seconds{value}, amount_with_unit(value, unit))
                                     : Cell(value, amount_with_unit(value, unit));
}

double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

std::string share(Nanoseconds part, Nanoseconds whole) { return whole == 0 ? "" : percent_for_people(part, whole); }

}  // namespace mora::report
