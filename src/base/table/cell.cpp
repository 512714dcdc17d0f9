#include "base/table/cell.h"

#include <fmt/format.h>

namespace mora {

std::string Cell::exact() const {
  return std::visit(
      [](const auto& value) -> std::string {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::same_as<Value, std::monostate>) return "";
        if constexpr (std::same_as<Value, Seconds>) return seconds_exact(value.value);
        if constexpr (!std::same_as<Value, std::monostate> && !std::same_as<Value, Seconds>)
          return fmt::format("{}", value);
      },
      value_);
}

void write_json(JsonWriter& json, const Cell& cell) {
  std::visit([&](const auto& value) { json.value(value); }, cell.value_);
}

}  // namespace mora
