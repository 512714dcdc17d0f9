/// Text that stays text in a cell of a CSV or Markdown table.
#pragma once

#include <string>
#include <string_view>

namespace mora {

/// A field of CSV (RFC 4180): in quotation marks, those inside doubled, only where that is needed.
std::string csv_cell(std::string_view text);

/// Markdown's marks with a backslash before them, line breaks as blanks.
std::string markdown_cell(std::string_view text);

/// A path or an expression in Markdown: between backquotes, those inside made single quotes.
std::string markdown_code(std::string_view text);

}  // namespace mora
