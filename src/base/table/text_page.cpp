#include "base/table/text_page.h"

#include <fmt/format.h>

namespace mora {

std::string TextPage::styled(const char* code, const std::string& text) const {
  return colour_ && *code != '\0' ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
}

void TextPage::banner(const std::string& title) {
  const std::string head = "@--- " + title + " ";
  line((out_.empty() ? "" : "\n") +
       styled("1", head + std::string(head.size() < width_ ? width_ - head.size() : 0, '-')));
}

void TextPage::detail(std::size_t indent, const std::string& head, const std::string& text) {
  const std::size_t before = indent + head.size();
  line(std::string(indent, ' ') + head + wrapped(text, width_ - before, before));
}

void TextPage::table(const Table& table, TextStyle style) {
  style.width = width_;
  style.has_colour = colour_;
  out_ += text_of(table, style);
}

void TextPage::truncation(std::size_t all, const char* what) {
  if (shown(all) < all) {
    line(styled("33", fmt::format("… {} of {} {} shown; --top 0 shows all", shown(all), all, what)));
  }
}

}  // namespace mora
