#include "predict/pattern/heat_map/heat_map.h"

#include <gtest/gtest.h>
// Options are written with the fields that matter.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <cairo/cairo.h>

#include <cstring>

#include "predict/pattern/matrix/rows.h"

namespace mora::predict {
namespace {

TrafficMatrix ring(std::uint32_t n) {
  TrafficRows rows(n);
  for (std::uint32_t r = 0; r < n; ++r) rows.add(r, (r + 1) % n, 2, 100 + r);
  return rows.finish();
}

TEST(HeatMap, BinsKeepEveryByte) {
  const auto matrix = ring(1000);
  const auto map = heat_map(matrix, {.title = "t", .unit = "rank", .most_cells = 64});
  EXPECT_EQ(map.per_row, 16u);
  EXPECT_EQ(map.rows, 63u);
  std::uint64_t bytes = 0, messages = 0;
  for (const auto b : map.bytes) bytes += b;
  for (const auto m : map.messages) messages += m;
  EXPECT_EQ(bytes, matrix.total().bytes);
  EXPECT_EQ(messages, 2000u);
  EXPECT_EQ(map.bytes[0], 15u * 100 + 105) << "0→1 … 14→15";
  EXPECT_EQ(map.bytes[1], 115u) << "15→16";
}

TEST(HeatMap, ScaleGoesFromLeastToMost) {
  const auto map = heat_map(ring(5), {.title = "t"});
  EXPECT_EQ(map.least, 100u);
  EXPECT_EQ(map.most, 104u);
  const auto svg = heat_map_svg(map);
  EXPECT_NE(svg.find("rank 3 to 4: 103 bytes, 2 messages"), std::string::npos);
  EXPECT_NE(svg.find(">104 B<"), std::string::npos);
  EXPECT_NE(svg.find(">100 B<"), std::string::npos);
  EXPECT_EQ(heat_colour(0), 0x440154u);
  EXPECT_EQ(heat_colour(1), 0xfde725u);
}

TEST(HeatMap, EscapesTitles) {
  const auto svg = heat_map_svg(heat_map(ring(2), {.title = "a<b & \"c\""}));
  EXPECT_NE(svg.find("a&lt;b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("a<b"), std::string::npos);
}

/// What cairo reads from the PNG.
struct Pixels {
  explicit Pixels(const std::string& png) : rest(png) {
    surface = cairo_image_surface_create_from_png_stream(
        [](void* from, unsigned char* bytes, unsigned length) {
          auto& text = *static_cast<std::string*>(from);
          if (text.size() < length) return CAIRO_STATUS_READ_ERROR;
          std::memcpy(bytes, text.data(), length);
          text.erase(0, length);
          return CAIRO_STATUS_SUCCESS;
        },
        &rest);
  }
  ~Pixels() { cairo_surface_destroy(surface); }
  std::uint64_t count(std::uint32_t colour) const {
    std::uint64_t found = 0;
    for (int y = 0; y < cairo_image_surface_get_height(surface); ++y) {
      for (int x = 0; x < cairo_image_surface_get_width(surface); ++x) {
        std::uint32_t pixel;
        std::memcpy(&pixel, cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface) + 4 * x,
                    4);
        found += (pixel & 0xffffff) == colour;
      }
    }
    return found;
  }
  std::string rest;
  cairo_surface_t* surface;
};

TEST(HeatMap, PngIsWholeAndShowsTheCells) {
  const auto png = heat_map_png(heat_map(ring(4), {.title = "t"}));
  ASSERT_TRUE(png.has_value()) << png.error().text();
  const Pixels pixels(*png);
  ASSERT_EQ(cairo_surface_status(pixels.surface), CAIRO_STATUS_SUCCESS);
  // One cell each of 160 x 160 pixels, and a line of the legend.
  EXPECT_EQ(pixels.count(heat_colour(1)), 160u * 160 + 18);
  EXPECT_EQ(pixels.count(heat_colour(0)), 160u * 160 + 18);
}

TEST(HeatMap, LargeMatricesAreDrawnInRuns) {
  const auto svg = heat_map_svg(heat_map(ring(97), {.title = "t"}));
  EXPECT_EQ(svg.find("<title>rank"), std::string::npos);
  EXPECT_NE(svg.find("<rect x=\"122\" y=\"60\" width=\"6\" height=\"6\" fill=\"#440154\"/>"), std::string::npos);
}

TEST(HeatMap, EmptyMatricesAreDrawnToo) {
  TrafficRows none(3);
  const auto map = heat_map(none.finish(), {.title = "t"});
  EXPECT_EQ(map.most, 0u);
  EXPECT_NE(heat_map_svg(map).find(">none<"), std::string::npos);
  EXPECT_TRUE(heat_map_png(map).has_value());
}

}  // namespace
}  // namespace mora::predict
