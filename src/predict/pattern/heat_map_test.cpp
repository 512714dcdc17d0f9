#include "predict/pattern/heat_map.h"

#include <gtest/gtest.h>
// Options are written with the fields that matter.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <zlib.h>

#include "predict/pattern/matrix_rows.h"

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

std::uint32_t word(const std::string& s, std::size_t at) {
  std::uint32_t w = 0;
  for (std::size_t i = 0; i < 4; ++i) w = w << 8 | static_cast<unsigned char>(s.at(at + i));
  return w;
}

TEST(HeatMap, PngIsWholeAndShowsTheCells) {
  const auto map = heat_map(ring(4), {.title = "t"});
  const auto png = heat_map_png(map);
  ASSERT_TRUE(png.has_value());
  std::string packed;
  std::uint32_t width = 0, height = 0;
  for (std::size_t at = 8; at < png->size();) {  // every chunk's check sum fits
    const auto length = word(*png, at);
    const auto type = png->substr(at + 4, 4);
    EXPECT_EQ(crc32(0, reinterpret_cast<const Bytef*>(png->data() + at + 4), length + 4), word(*png, at + 8 + length))
        << type;
    if (type == "IHDR") width = word(*png, at + 8), height = word(*png, at + 12);
    if (type == "IDAT") packed = png->substr(at + 8, length);
    at += 12 + length;
  }
  std::string raw((width * 3 + 1) * std::size_t{height}, '\0');
  uLongf size = raw.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(raw.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  ASSERT_EQ(size, raw.size());
  std::uint64_t brightest = 0, darkest = 0;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const auto at = y * (width * 3 + 1) + 1 + x * 3;
      const auto colour = static_cast<std::uint32_t>(static_cast<unsigned char>(raw[at])) << 16 |
                          static_cast<std::uint32_t>(static_cast<unsigned char>(raw[at + 1])) << 8 |
                          static_cast<unsigned char>(raw[at + 2]);
      brightest += colour == heat_colour(1);
      darkest += colour == heat_colour(0);
    }
  // One cell each of 160 x 160 pixels, and a line of the legend.
  EXPECT_EQ(brightest, 160u * 160 + 18);
  EXPECT_EQ(darkest, 160u * 160 + 18);
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
