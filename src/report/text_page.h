/// What all text outputs share: banners that grep well, styles, and the line that says that a list was cut.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace mora::report {

/// Collects lines. Width is clamped to 80 … 120 columns; `top` 0 shows all rows of lists.
class TextPage {
 public:
  TextPage(unsigned width, unsigned top, bool colour)
      : width_(std::clamp(width, 80u, 120u)), top_(top), colour_(colour) {}

  unsigned width() const { return width_; }
  void line(const std::string& text) { out_ += text + "\n"; }
  /// `code`: the number of an SGR sequence.
  std::string styled(const char* code, const std::string& text) const {
    return colour_ ? fmt::format("\033[{}m{}\033[0m", code, text) : text;
  }
  void banner(const std::string& title) {
    const std::string head = "@--- " + title + " ";
    line((out_.empty() ? "" : "\n") +
         styled("1", head + std::string(head.size() < width_ ? width_ - head.size() : 0, '-')));
  }
  std::size_t shown(std::size_t all) const { return top_ == 0 ? all : std::min<std::size_t>(all, top_); }
  void truncation(std::size_t all, const char* what) {
    if (shown(all) < all) {
      line(styled("33", fmt::format("… {} of {} {} shown; --top 0 shows all", shown(all), all, what)));
    }
  }
  std::string take() { return std::move(out_); }

 private:
  unsigned width_;
  unsigned top_;
  bool colour_;
  std::string out_;
};

}  // namespace mora::report
