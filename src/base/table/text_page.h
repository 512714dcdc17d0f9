/// A report for a terminal: sections with banners that grep well, paragraphs, tables, and the line that says that a
/// list was cut. Not thread-safe.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "base/table/wrapped.h"

namespace mora {

/// Width in columns; `top` rows of each list, 0 = all.
struct TextOptions {
  unsigned width = 100;
  unsigned top = 10;
  bool colour = false;
};

/// Collects lines. Width is clamped to 80 … 120 columns.
class TextPage {
 public:
  explicit TextPage(const TextOptions& options)
      : width_(std::clamp(options.width, 80u, 120u)), top_(options.top), colour_(options.colour) {}

  unsigned width() const { return width_; }
  /// How many rows of a list of `all` are printed.
  std::size_t shown(std::size_t all) const { return top_ == 0 ? all : std::min<std::size_t>(all, top_); }
  /// `code`: the number of an SGR sequence; empty = none.
  std::string styled(const char* code, const std::string& text) const;

  /// Begins a section.
  void banner(const std::string& title);
  void line(const std::string& text = "") { out_ += text + "\n"; }
  /// Lines after the first begin with `indent` blanks.
  void paragraph(const std::string& text, std::size_t indent = 0) { line(wrapped(text, width_, indent)); }
  /// `text` behind `head` (hanging()).
  void item(const std::string& head, const std::string& text) { line(hanging(head, text, width_)); }
  /// The same in narrower lines: `head` behind `indent` blanks counts twice.
  void detail(std::size_t indent, const std::string& head, const std::string& text);
  void table(const Table& table, TextStyle style = {});
  /// The rows that are shown, each described by `cells`, and a line about the others: "… 10 of 12 `what` shown".
  template <class Rows, class Describe>
  void table(std::vector<Column> columns, const Rows& rows, const char* what, const Describe& cells) {
    Table described(std::move(columns));
    each(rows, [&](const auto& row) { described.add(cells(row)); });
    table(described);
    truncation(rows.size(), what);
  }
  /// Calls `act` for the rows that are shown.
  template <class Rows, class Act>
  void each(const Rows& rows, const Act& act) const {
    for (std::size_t i = 0; i < shown(rows.size()); ++i) act(rows[i]);
  }
  /// "… 10 of 12 WHAT shown; --top 0 shows all", if some were left out.
  void truncation(std::size_t all, const char* what);
  std::string take() { return std::move(out_); }  ///< all that was written; the page is empty afterwards

 private:
  unsigned width_, top_;
  bool colour_;
  std::string out_;
};

}  // namespace mora
