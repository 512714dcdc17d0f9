/// A report as Markdown, for tickets and comments in CI: headings, paragraphs, lists and tables, with blank lines
/// between them. Texts of paragraphs and items are Markdown; markdown_cell() makes it of other texts. Not thread-safe.
#pragma once

#include <string>

#include "base/table/cell_text.h"
#include "base/table/table.h"

namespace mora {

class MarkdownPage {
 public:
  void heading(unsigned level, const std::string& text) { block(Kind::other, std::string(level, '#') + " " + text); }
  void paragraph(const std::string& text) { block(Kind::other, text); }
  void item(const std::string& text, unsigned depth = 0) {
    block(Kind::list, std::string(std::size_t{2} * depth, ' ') + "* " + text);
  }
  void table(const Table& table) {
    block(Kind::other, markdown_of(table));
    out_.pop_back();
  }
  std::string take() { return std::move(out_); }  ///< all that was written; the page is empty afterwards

 private:
  enum class Kind : std::uint8_t { none, list, other };
  void block(Kind kind, const std::string& text) {
    if (last_ != Kind::none && (kind != Kind::list || last_ != Kind::list)) out_ += '\n';
    out_ += text + '\n';
    last_ = kind;
  }
  std::string out_;
  Kind last_ = Kind::none;
};

}  // namespace mora
