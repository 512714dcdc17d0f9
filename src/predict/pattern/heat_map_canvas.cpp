#include "predict/pattern/heat_map_canvas.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

#include "base/xml_text.h"

namespace mora::predict {
namespace {

constexpr int advance = 6;  ///< columns from one character to the next

void big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void chunk(std::string& out, const char* type, const std::string& data) {
  big_endian(out, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  out += body;
  big_endian(out, static_cast<std::uint32_t>(
                      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k)
      out += i + static_cast<std::size_t>(k) > bytes.size() ? '=' : digits[word >> (18 - 6 * k) & 63];
  }
  return out;
}

}  // namespace

RasterCanvas::RasterCanvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0xffffff) {}

void RasterCanvas::rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string&) {
  for (int row = std::max(y, 0); row < std::min(y + height, height_); ++row)
    for (int column = std::max(x, 0); column < std::min(x + width, width_); ++column)
      pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(column)] =
          colour;
}

void RasterCanvas::text(int x, int y, Anchor anchor, const std::string& words, bool upwards, int scale) {
  const int length = static_cast<int>(words.size()) * advance * scale - scale;
  const int before = anchor == Anchor::start ? 0 : anchor == Anchor::middle ? length / 2 : length;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto* rows = glyph(words[i]);
    for (int row = 0; row < 7; ++row)
      for (int column = 0; column < 5; ++column) {
        if ((rows[row] >> (4 - column) & 1) == 0) continue;
        const int along = (static_cast<int>(i) * advance + column) * scale - before, across = (row - 7) * scale;
        if (upwards)
          rectangle(x + across, y - along - scale, scale, scale, 0x333333);
        else
          rectangle(x + along, y + across, scale, scale, 0x333333);
      }
  }
}

Result<std::string> RasterCanvas::png() const {
  std::string raw;
  raw.reserve(pixels_.size() * 3 + static_cast<std::size_t>(height_));
  for (int y = 0; y < height_; ++y) {
    raw += '\0';  // no filter
    for (int x = 0; x < width_; ++x) {
      const auto colour = pixel(x, y);
      raw += static_cast<char>(colour >> 16 & 0xff);
      raw += static_cast<char>(colour >> 8 & 0xff);
      raw += static_cast<char>(colour & 0xff);
    }
  }
  auto packed_size = compressBound(raw.size());
  std::string packed(packed_size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &packed_size, reinterpret_cast<const Bytef*>(raw.data()),
                raw.size(), 9) != Z_OK)
    return fail(ErrorKind::system, "cannot pack the picture", "", "out of memory");
  packed.resize(packed_size);
  std::string header;
  big_endian(header, static_cast<std::uint32_t>(width_));
  big_endian(header, static_cast<std::uint32_t>(height_));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue
  std::string out = "\x89PNG\r\n\x1a\n";
  chunk(out, "IHDR", header);
  chunk(out, "IDAT", packed);
  chunk(out, "IEND", "");
  return out;
}

SvgCanvas::SvgCanvas(int width, int height, const std::string& title)
    : out_(fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
                       "font-family=\"sans-serif\" fill=\"#333333\">\n<title>{2}</title>\n<rect width=\"{0}\" "
                       "height=\"{1}\" fill=\"#ffffff\"/>\n",
                       width, height, xml_text(title))) {}

void SvgCanvas::rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip) {
  out_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#{:06x}\"", x, y, width, height, colour);
  out_ += tip.empty() ? "/>\n" : "><title>" + xml_text(tip) + "</title></rect>\n";
}

void SvgCanvas::text(int x, int y, Anchor anchor, const std::string& words, bool upwards, int scale) {
  const char* where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
  out_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x, y, where,
                  3 + 5 * scale, upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", x, y) : "", xml_text(words));
}

void SvgCanvas::picture(int x, int y, int width, int height, const std::string& png) {
  out_ += fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"image-rendering:pixelated\" "
      "href=\"data:image/png;base64,{}\"/>\n",
      x, y, width, height, base64(png));
}

std::string SvgCanvas::finish() { return out_ + "</svg>\n"; }

}  // namespace mora::predict
