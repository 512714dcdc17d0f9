/// Draws a Picture: a cell is a column of one row; time goes to columns by one exact scale for axis, bars and marks.
/// Whole columns per nanosecond if the trace is short enough, else nanoseconds per column, rounded down.
#include <algorithm>

#include <fmt/format.h>

#include "report/data/figures.h"
#include "report/teaching/picture.h"

namespace mora::report {
namespace {

enum class Shade : std::uint8_t { nothing, computing, call, waiting };

class Drawing {
 public:
  Drawing(const Picture& picture, const PictureStyle& style) : picture_(picture), style_(style) {
    for (const PictureRow& row : picture.rows) margin_ = std::max(margin_, row.name.size() + 2);
    // The last time may stand in the last column, its label and mark beside it.
    columns_ = std::max<std::size_t>(style.width, margin_ + 20) - margin_;
    const auto space = static_cast<Nanoseconds>(columns_ - 4);
    per_ns_ = picture.last > 0 ? space / picture.last : space;
  }

  std::string draw() {
    axis();
    for (const PictureRow& row : picture_.rows) this->row(row);
    out_ += "\n";
    legend();
    for (const std::string& wait : picture_.waits) out_ += wrapped(wait, style_.width, 4) + "\n";
    return std::move(out_);
  }

 private:
  std::size_t column(Nanoseconds time) const {
    if (per_ns_ > 0) return static_cast<std::size_t>(time * per_ns_);
    return static_cast<std::size_t>(static_cast<__int128>(time) * (columns_ - 4) / picture_.last);
  }

  void finish_line(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (!text.empty()) out_ += text + "\n";
  }

  /// Puts text into a line where it is free, with a blank before and behind; true if it fitted at exactly this column.
  static bool put(std::u32string& line, std::size_t at, const std::u32string& text, std::size_t columns) {
    if (at + text.size() > columns) at = columns - std::min(columns, text.size());
    if (line.size() < columns) line.resize(columns, U' ');
    const std::size_t from = at == 0 ? 0 : at - 1, to = std::min(columns, at + text.size() + 1);
    for (std::size_t i = from; i < to; ++i) {
      if (line[i] != U' ') return false;
    }
    std::copy(text.begin(), text.end(), line.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  static std::u32string wide(const std::string& ascii) { return {ascii.begin(), ascii.end()}; }

  static std::string narrow(const std::u32string& text) {
    std::string out;
    for (const char32_t c : text) {
      if (c < 0x80) {
        out += static_cast<char>(c);
      } else if (c < 0x800) {
        out += {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
      } else {
        out += {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                static_cast<char>(0x80 | (c & 63))};
      }
    }
    return out;
  }

  void axis() {
    Nanoseconds step = 1;
    for (int i = 0; column(step) < 7 && step <= picture_.last; ++i) step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    std::u32string numbers, ruler;
    ruler.resize(column(picture_.last) + 1, style_.ascii ? U'-' : U'─');
    for (Nanoseconds t = 0; t <= picture_.last; t += step) {
      put(numbers, column(t), wide(std::to_string(t)), columns_);
      ruler[column(t)] = style_.ascii ? U'+' : t == 0 ? U'├' : t == picture_.last ? U'┤' : U'┼';
    }
    const std::string unit = "ns";
    finish_line(unit + std::string(margin_ - unit.size(), ' ') + narrow(numbers));
    finish_line(std::string(margin_, ' ') + narrow(ruler));
  }

  /// A name over its bar: in the lower line if it is free there, else in the upper, else cut.
  void names(const PictureRow& row) {
    std::u32string upper, lower;
    lower.resize(columns_, U' ');
    upper.resize(columns_, U' ');
    for (std::size_t i = 0; i < row.calls.size(); ++i) {
      const PictureCall& call = row.calls[i];
      if (call.name.empty()) continue;
      const std::size_t at = column(call.enter);
      const std::u32string name = wide(call.name);
      std::size_t next = columns_;
      for (std::size_t k = i + 1; k < row.calls.size(); ++k) {
        if (column(row.calls[k].enter) > at) {
          next = column(row.calls[k].enter);
          break;
        }
      }
      const bool fits = at + name.size() < next || next == columns_;
      if (fits && put(lower, at, name, columns_)) continue;
      if (put(upper, at, name, columns_)) continue;
      std::u32string cut = name.starts_with(U"MPI_") ? name.substr(4) : name;
      for (; cut.size() > 2; cut.pop_back()) {
        if (put(lower, at, cut, std::min(columns_, next)) || put(upper, at, cut, columns_)) break;
      }
    }
    finish_line(std::string(margin_, ' ') + narrow(upper));
    finish_line(std::string(margin_, ' ') + narrow(lower));
  }

  std::string cell(Shade shade, bool starts) const {
    switch (shade) {
      case Shade::nothing:
        return " ";
      case Shade::computing:
        return style_.ascii ? "-" : "─";
      case Shade::call:
        return style_.ascii ? (starts ? "[" : "#") : (starts ? "▐" : "█");
      case Shade::waiting:
        return style_.ascii ? (starts ? "[" : ":") : "░";
    }
    return " ";
  }

  void row(const PictureRow& row) {
    names(row);
    std::vector<Shade> shades(columns_, Shade::nothing);
    std::vector<bool> starts(columns_, false);  ///< a call begins right behind another
    const auto fill = [&](Nanoseconds begin, Nanoseconds end, Shade shade) {
      const std::size_t from = column(begin), to = std::max(column(end), from + 1);
      for (std::size_t i = from; i < std::min(to, columns_); ++i) shades[i] = shade;
    };
    fill(row.first, row.last, Shade::computing);
    for (const PictureCall& call : row.calls) {
      const std::size_t at = column(call.enter);
      if (call.is_filled && at > 0 && at < columns_ && shades[at - 1] == Shade::call) starts[at] = true;
      fill(call.enter, call.leave, call.is_filled ? Shade::call : Shade::computing);
    }
    for (const auto& [begin, end] : row.waits) fill(begin, end, Shade::waiting);
    std::size_t used = columns_;
    while (used > 0 && shades[used - 1] == Shade::nothing) --used;
    std::string line = row.name + std::string(margin_ - row.name.size(), ' ');
    Shade before = Shade::nothing;
    for (std::size_t i = 0; i < used; ++i) {
      if (style_.colour && shades[i] != before) {
        line += shades[i] == Shade::waiting ? "\033[31m" : shades[i] == Shade::call ? "\033[36m" : "\033[0m";
      }
      before = shades[i];
      line += cell(shades[i], starts[i]);
    }
    if (style_.colour) line += "\033[0m";
    finish_line(line);
    marks(row);
  }

  void marks(const PictureRow& row) {
    std::vector<PictureMark> marks = row.marks;
    std::stable_sort(marks.begin(), marks.end(), [](const PictureMark& a, const PictureMark& b) {
      return std::pair(a.time, a.number) < std::pair(b.time, b.number);
    });
    std::u32string line(columns_, U' ');
    std::size_t last_cause = columns_;
    for (const PictureMark& mark : marks) {
      std::size_t at = column(mark.time);
      std::u32string text;
      if (mark.number == 0) {
        if (at == last_cause) continue;
        last_cause = at;
        text = style_.ascii ? U"^" : U"▲";
      } else {
        text = wide(std::to_string(mark.number));
        const char32_t arrow = style_.ascii ? U'>' : U'→';
        text = mark.is_source ? text + arrow : arrow + text;
      }
      while (at < columns_ && !put(line, at, text, columns_)) ++at;
    }
    finish_line(std::string(margin_, ' ') + narrow(line));
  }

  void legend() {
    std::string text =
        style_.ascii ? ":: waiting   ## in a call   -- computing" : "░░ waiting   ██ in a call   ── computing";
    const bool has_cause = std::any_of(picture_.rows.begin(), picture_.rows.end(), [](const PictureRow& row) {
      return std::any_of(row.marks.begin(), row.marks.end(), [](const PictureMark& m) { return m.number == 0; });
    });
    if (has_cause) text += style_.ascii ? "   ^ waited for until here" : "   ▲ waited for until here";
    out_ += text + "\n";
    const bool has_threads = std::any_of(picture_.rows.begin(), picture_.rows.end(),
                                         [](const PictureRow& row) { return row.name.find('.') != std::string::npos; });
    if (has_threads) out_ += "rank 0.1: thread 1 of rank 0\n";
    std::string arrows;
    for (std::size_t i = 0; i < picture_.arrows.size(); ++i) {
      arrows +=
          fmt::format("{}{}{} {}", arrows.empty() ? "" : "; ", i + 1, style_.ascii ? ">" : "→", picture_.arrows[i]);
    }
    if (!arrows.empty()) out_ += wrapped(arrows, style_.width, 3) + "\n";
  }

  const Picture& picture_;
  const PictureStyle& style_;
  std::size_t margin_ = 0;
  std::size_t columns_ = 0;
  Nanoseconds per_ns_ = 0;  ///< columns; 0: more nanoseconds than columns
  std::string out_;
};

}  // namespace

std::string draw(const Picture& picture, const PictureStyle& style) { return Drawing(picture, style).draw(); }

}  // namespace mora::report
