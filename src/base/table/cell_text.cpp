#include "base/table/cell_text.h"

namespace mora {

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|\\`*_<[]~").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out += c == '`' ? '\'' : c == '\n' ? ' ' : c;
  return out + "`";
}

}  // namespace mora
