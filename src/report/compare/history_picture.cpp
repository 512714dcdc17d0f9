/// Panels below each other, one per unit; runs are evenly spaced in their order. Names of lines stand at their right
/// ends, pushed apart where they would overlap. Colours are those of Okabe and Ito, told apart with every kind of
/// colour vision; the rest is drawn in the page's text colour where the picture is embedded in one, in a grey that is
/// legible on white and on black where not.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text/xml_text.h"
#include "report/compare/history.h"

namespace mora::compare {
namespace {

constexpr double width = 960, left = 84, right = 250, panel = 260, gap = 56, top = 46, letter = 6.6;
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::array shapes = {"circle", "square", "triangle", "diamond"};
constexpr std::size_t axis_labels_at_most = 24;

/// 1, 2 or 5 times a power of ten, so that about five of them make `range`.
double tick_step(double range) {
  if (!(range > 0)) return 1;
  const double raw = range / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) return factor * power;
  }
  return 10 * power;
}

std::string number_text(double value, double step) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 9);
  return fmt::format("{:.{}f}", value, digits);
}

double plotted(Value value, FigureUnit unit) {
  return unit == FigureUnit::ratio ? value.ratio : static_cast<double>(value.amount);
}

/// What an axis counts in: the largest unit of which `most` is at least one.
struct AxisUnit {
  double size;
  const char* title;
};
AxisUnit axis_unit(FigureUnit unit, double most) {
  if (unit == FigureUnit::ratio) return {1, "efficiency, ratio"};
  if (unit == FigureUnit::occurrences) return {1, "number"};
  if (unit == FigureUnit::bytes) {
    for (const AxisUnit& bytes : {AxisUnit{1 << 30, "GiB"}, AxisUnit{1 << 20, "MiB"}, AxisUnit{1 << 10, "KiB"}}) {
      if (most >= bytes.size) return bytes;
    }
    return {1, "bytes"};
  }
  for (const AxisUnit& time : {AxisUnit{1e9, "time (s)"}, AxisUnit{1e6, "time (ms)"}, AxisUnit{1e3, "time (µs)"}}) {
    if (most >= time.size) return time;
  }
  return {1, "time (ns)"};
}

std::string marker(std::size_t index, double x, double y, const std::string& title) {
  const std::string inside = "<title>" + xml_text(title) + "</title>";
  const std::string_view shape = shapes[index % shapes.size()];
  constexpr double r = 4;
  if (shape == "circle")
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\">{}</circle>\n", x, y, r, inside);
  std::string points;
  if (shape == "square")
    points = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x - r, y - r, x + r, y - r, x + r,
                         y + r, x - r, y + r);
  if (shape == "triangle")
    points = fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x, y - 5, x + 5, y + 4, x - 5, y + 4);
  if (shape == "diamond")
    points =
        fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", x, y - 5, x + 5, y, x, y + 5, x - 5, y);
  return fmt::format("<polygon points=\"{}\">{}</polygon>\n", points, inside);
}

class Picture {
 public:
  explicit Picture(const History& history) : history_(history) {}

  std::string draw() {
    std::vector<std::vector<std::size_t>> panels;
    for (const FigureUnit unit : {FigureUnit::seconds, FigureUnit::ratio, FigureUnit::occurrences, FigureUnit::bytes}) {
      std::vector<std::size_t> columns;
      for (std::size_t c = 0; c < history_.columns.size(); ++c) {
        if (history_.columns[c].unit == unit) columns.push_back(c);
      }
      if (!columns.empty()) panels.push_back(columns);
    }
    double y = top;
    for (const auto& columns : panels) {
      draw_panel(columns, y);
      y += panel + gap;
    }
    run_labels(y - gap);
    const double height = y - gap + label_height_ + 16;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n"
               "<title>Key figures of {2} runs</title>\n"
               "<style>.ink {{ fill: #6e7781; }} .axis {{ stroke: #6e7781; fill: none; }} .grid {{ stroke: #6e7781; "
               "stroke-opacity: .25; fill: none; }} .line {{ fill: none; stroke-width: 2; }}</style>\n",
               width, height, history_.labels.size()) +
           out_ + "</svg>\n";
  }

 private:
  double x_of(std::size_t run) const {
    const double space = width - left - right;
    return history_.labels.size() < 2
               ? left + space / 2
               : left + 14 + (space - 28) * static_cast<double>(run) / static_cast<double>(history_.labels.size() - 1);
  }

  void text(double x, double y, const std::string& anchor, const std::string& content, const std::string& more = "") {
    out_ += fmt::format("<text class=\"ink\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
                        more, xml_text(content));
  }

  void draw_panel(const std::vector<std::size_t>& columns, double y) {
    const FigureUnit unit = history_.columns[columns[0]].unit;
    double least = 0, most = 0;
    for (const std::size_t c : columns) {
      for (const Spread& spread : history_.columns[c].values) {
        if (spread.present == 0) continue;
        least = std::min(least, plotted(spread.least, unit));
        most = std::max(most, plotted(spread.most, unit));
      }
    }
    if (unit == FigureUnit::ratio && most <= 1) most = 1;
    const AxisUnit axis = axis_unit(unit, std::max(most, -least));
    least /= axis.size;
    most /= axis.size;
    const double step = tick_step(most - least);
    const double bottom_value = std::floor(least / step) * step;
    const double top_value = std::max(std::ceil(most / step - 1e-9) * step, bottom_value + step);
    const auto y_of = [&](double value) {
      return y + panel * (1 - (value / axis.size - bottom_value) / (top_value - bottom_value));
    };

    text(left, y - 12, "start", axis.title, " font-weight=\"600\"");
    const auto ticks = static_cast<int>(std::lround((top_value - bottom_value) / step));
    for (int i = 0; i <= ticks; ++i) {
      const double value = bottom_value + i * step;
      out_ += fmt::format("<path class=\"{}\" d=\"M{} {:.1f}H{}\"/>\n", i == 0 ? "axis" : "grid", left,
                          y_of(value * axis.size), width - right);
      text(left - 8, y_of(value * axis.size) + 4, "end", number_text(value, step));
    }
    out_ += fmt::format("<path class=\"axis\" d=\"M{} {:.1f}V{:.1f}\"/>\n", left, y, y + panel);
    for (std::size_t run = 0; run < history_.labels.size(); ++run)
      out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>\n", x_of(run), y + panel);

    std::vector<std::pair<double, std::size_t>> ends;  // where a line's name should stand
    for (std::size_t k = 0; k < columns.size(); ++k) {
      ends.emplace_back(draw_line(history_.columns[columns[k]], k, y_of), k);
    }
    std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    constexpr double line_height = 15;
    for (std::size_t i = 1; i < ends.size(); ++i)
      ends[i].first = std::max(ends[i].first, ends[i - 1].first + line_height);
    double limit = y + panel;
    for (std::size_t i = ends.size(); i-- > 0; limit -= line_height) ends[i].first = std::min(ends[i].first, limit);
    for (const auto& [place, k] : ends) {
      const std::string name =
          cut_middle(history_.columns[columns[k]].label, static_cast<std::size_t>((right - 30) / letter));
      const std::string colour = colours[k % colours.size()];
      out_ += fmt::format("<g fill=\"{}\">{}</g>", colour, marker(k, width - right + 14, place, name));
      text(width - right + 24, place + 4, "start", name);
    }
  }

  /// Returns the height of its last point.
  template <class Y>
  double draw_line(const HistoryColumn& column, std::size_t k, const Y& y_of) {
    const std::string colour = colours[k % colours.size()];
    std::string path, points;
    double last = y_of(0);
    bool pen_down = false;
    for (std::size_t run = 0; run < column.values.size(); ++run) {
      const Spread& spread = column.values[run];
      if (spread.present == 0) {
        pen_down = false;
        continue;
      }
      const double x = x_of(run);
      last = y_of(plotted(spread.mean(), column.unit));
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, last);
      pen_down = true;
      if (spread.runs > 1) {
        points +=
            fmt::format("<path class=\"line\" stroke=\"{}\" stroke-opacity=\".5\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n",
                        colour, x, y_of(plotted(spread.least, column.unit)), y_of(plotted(spread.most, column.unit)));
      }
      points += marker(k, x, last,
                       fmt::format("{}: {} = {} {}", history_.labels[run], column.label,
                                   exact_text(spread.mean(), column.unit), unit_name(column.unit)));
    }
    out_ +=
        fmt::format("<g fill=\"{0}\"><path class=\"line\" stroke=\"{0}\" d=\"{1}\"/>\n{2}</g>\n", colour, path, points);
    return last;
  }

  void run_labels(double y) {
    const std::size_t every = (history_.labels.size() + axis_labels_at_most - 1) / axis_labels_at_most;
    std::size_t longest = 0;
    const auto label_of = [&](std::size_t run) {
      const std::string date = history_.dates[run].substr(0, 10);
      return cut_middle(history_.labels[run], 24) + (date.empty() ? "" : "  " + date);
    };
    for (std::size_t run = 0; run < history_.labels.size(); run += every)
      longest = std::max(longest, display_width(label_of(run)));
    const double space =
        (width - left - right) / static_cast<double>(std::max<std::size_t>(history_.labels.size() / every, 1));
    const bool is_turned = static_cast<double>(longest) * letter > space;
    for (std::size_t run = 0; run < history_.labels.size(); run += every) {
      const double x = x_of(run);
      if (is_turned) {
        text(x + 4, y + 16, "end", label_of(run),
             fmt::format(" transform=\"rotate(-55 {:.1f} {:.1f})\"", x + 4, y + 16));
      } else {
        text(x, y + 20, "middle", label_of(run));
      }
    }
    label_height_ = is_turned ? 18 + static_cast<double>(longest) * letter * std::sin(55 * 3.14159265 / 180) : 26;
  }

  const History& history_;
  std::string out_;
  double label_height_ = 0;
};

}  // namespace

std::string history_picture(const History& history) { return Picture(history).draw(); }

}  // namespace mora::compare
