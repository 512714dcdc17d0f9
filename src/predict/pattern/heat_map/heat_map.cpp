/// A traffic matrix as a picture. Ranks are binned so that at most most_cells rows remain; a cell's colour is the
/// position of its bytes between the least and the greatest cell on a logarithmic scale. Colours: viridis (matplotlib),
/// interpolated. Drawn on a canvas (canvas.h) that becomes SVG or PNG. Cost: linear in cells of the matrix and
/// pixels.
#include "predict/pattern/heat_map/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "predict/pattern/heat_map/canvas.h"

namespace mora::predict {
namespace {

constexpr int left = 116, top = 60, bottom = 62, gap = 28, bar = 18, right = 124;
constexpr int wanted_side = 640;
constexpr std::uint32_t cells_with_tips = 96;
constexpr std::uint32_t frame = 0x999999, empty = 0xf4f4f4;

struct Layout {
  int cell, side, width, height;
  explicit Layout(const HeatMap& map)
      : cell(std::max(1, wanted_side / static_cast<int>(std::max(map.rows, 1u)))),
        side(cell * static_cast<int>(map.rows)),
        width(left + side + gap + bar + right),
        height(top + side + bottom) {}
};

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 6) bytes /= 1000, ++unit;
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

double share_of(const HeatMap& map, double bytes) {
  if (map.most <= map.least) return 1;
  const double low = std::log10(static_cast<double>(map.least)), high = std::log10(static_cast<double>(map.most));
  return std::clamp((std::log10(bytes) - low) / (high - low), 0.0, 1.0);
}

std::uint32_t colour_of(const HeatMap& map, std::size_t cell) {
  if (map.bytes[cell] == 0) return map.messages[cell] == 0 ? empty : 0xd8d8d8;  // messages without bytes are grey
  return heat_colour(share_of(map, static_cast<double>(map.bytes[cell])));
}

/// Distance of the axis marks: 1, 2 or 5 times a power of ten, so that their texts do not overlap on `pixels`.
std::uint32_t step_of(std::uint32_t size, int pixels) {
  const auto room = 12.0 * static_cast<double>(std::to_string(size).size()) + 14;
  for (std::uint32_t power = 1;; power *= 10)
    for (const std::uint32_t digit : {1u, 2u, 5u}) {
      const double distance = static_cast<double>(power) * digit * pixels / std::max(size, 1u);
      if (distance >= std::max(room, 60.0) || power >= 100'000'000) return power * digit;
    }
}

void axes(Canvas& canvas, const HeatMap& map, const Layout& at) {
  const auto step = step_of(map.size, at.side);
  for (std::uint32_t r = 0; r < map.size; r += step) {
    const int middle =
        static_cast<int>((static_cast<double>(r) + (map.per_row == 1 ? 0.5 : 0)) / map.per_row * at.cell);
    canvas.rectangle(left + middle, top + at.side, 1, 6, frame);
    canvas.rectangle(left - 6, top + middle, 6, 1, frame);
    canvas.text(left + middle, top + at.side + 24, Anchor::middle, std::to_string(r));
    canvas.text(left - 10, top + middle + 6, Anchor::end, std::to_string(r));
  }
  const std::string bins = map.per_row > 1 ? fmt::format(" ({} in a row)", map.per_row) : "";
  canvas.text(left + at.side / 2, top + at.side + 50, Anchor::middle, "to " + map.options.unit + bins);
  canvas.text(24, top + at.side / 2, Anchor::middle, "from " + map.options.unit, true);
  canvas.rectangle(left - 1, top - 1, at.side + 2, 1, frame);
  canvas.rectangle(left - 1, top + at.side, at.side + 2, 1, frame);
  canvas.rectangle(left - 1, top - 1, 1, at.side + 2, frame);
  canvas.rectangle(left + at.side, top - 1, 1, at.side + 2, frame);
}

void legend(Canvas& canvas, const HeatMap& map, const Layout& at) {
  const int x = left + at.side + gap;
  canvas.text(x, top - 18, Anchor::start, "bytes");
  if (map.most == 0) {
    canvas.text(x, top + 14, Anchor::start, "none");
    return;
  }
  for (int y = 0; y < at.side; ++y)
    canvas.rectangle(x, top + y, bar, 1, heat_colour(1 - static_cast<double>(y) / std::max(1, at.side - 1)));
  const auto mark = [&](double bytes) {
    const int y = top + static_cast<int>((1 - share_of(map, bytes)) * (at.side - 1));
    canvas.rectangle(x + bar, y, 5, 1, frame);
    canvas.text(x + bar + 9, y + 6, Anchor::start, bytes_text(bytes));
  };
  mark(static_cast<double>(map.most));
  if (map.least == map.most) return;
  mark(static_cast<double>(map.least));
  // Powers of ten in between, not closer than a line of text to the ends or each other.
  int last = top - 100;
  for (double bytes = std::pow(10, std::floor(std::log10(static_cast<double>(map.most))));
       bytes > static_cast<double>(map.least); bytes /= 10) {
    const int y = top + static_cast<int>((1 - share_of(map, bytes)) * (at.side - 1));
    if (y - top < 22 || top + at.side - y < 22 || y - last < 22) continue;
    last = y;
    mark(bytes);
  }
}

}  // namespace

std::uint32_t heat_colour(double share) {
  // From dark blue over green to yellow: lightness rises evenly.
  static constexpr double anchors[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                          {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {109, 205, 89},
                                          {180, 222, 44}, {253, 231, 37}};
  const double at = std::clamp(share, 0.0, 1.0) * 9;
  const int below = std::min(static_cast<int>(at), 8);
  std::uint32_t colour = 0;
  for (int c = 0; c < 3; ++c) {
    const double value = anchors[below][c] + (anchors[below + 1][c] - anchors[below][c]) * (at - below);
    colour = colour << 8 | static_cast<std::uint32_t>(std::lround(value));
  }
  return colour;
}

HeatMap heat_map(const TrafficMatrix& matrix, const HeatMapOptions& options) {
  HeatMap map;
  map.options = options;
  map.size = matrix.size;
  const auto most = std::max(options.most_cells, 1u);
  map.per_row = std::max(1u, (matrix.size + most - 1) / most);
  map.rows = (matrix.size + map.per_row - 1) / map.per_row;
  map.bytes.resize(std::size_t{map.rows} * map.rows);
  map.messages.resize(map.bytes.size());
  for (const TrafficCell& cell : matrix.cells) {
    const auto at = std::size_t{cell.from / map.per_row} * map.rows + cell.to / map.per_row;
    map.bytes[at] += cell.traffic.bytes;
    map.messages[at] += cell.traffic.messages;
  }
  for (const auto bytes : map.bytes) {
    if (bytes == 0) continue;
    map.least = map.least == 0 ? bytes : std::min(map.least, bytes);
    map.most = std::max(map.most, bytes);
  }
  return map;
}

namespace {

void draw(Canvas& canvas, const HeatMap& map, const Layout& at) {
  canvas.text(left, 26, Anchor::start, map.options.title);
  canvas.rectangle(left, top, at.side, at.side, empty);
  const bool has_tips = map.rows <= cells_with_tips;
  for (std::uint32_t row = 0; row < map.rows; ++row) {
    for (std::uint32_t column = 0, next = 0; column < map.rows; column = next) {
      const auto cell = std::size_t{row} * map.rows + column;
      const std::uint32_t colour = colour_of(map, cell);
      for (next = column + 1; !has_tips && next < map.rows && colour_of(map, cell + next - column) == colour;) ++next;
      if (map.messages[cell] == 0) continue;
      canvas.rectangle(left + static_cast<int>(column) * at.cell, top + static_cast<int>(row) * at.cell,
                       static_cast<int>(next - column) * at.cell, at.cell, colour,
                       !has_tips ? ""
                                 : fmt::format("{} {} to {}: {} bytes, {} messages", map.options.unit, row, column,
                                               map.bytes[cell], map.messages[cell]));
    }
  }
  axes(canvas, map, at);
  legend(canvas, map, at);
}

}  // namespace

std::string heat_map_svg(const HeatMap& map) {
  const Layout at(map);
  return svg_of(at.width, at.height, map.options.title, [&](Canvas& canvas) { draw(canvas, map, at); });
}

Result<std::string> heat_map_png(const HeatMap& map) {
  const Layout at(map);
  return png_of(at.width, at.height, [&](Canvas& canvas) { draw(canvas, map, at); });
}

}  // namespace mora::predict
