/// What a heat map is drawn on. Coordinates in pixels, y downwards; (x, y) of a text is the middle of its baseline side
/// given by the anchor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::predict {

enum class Anchor : std::uint8_t { start, middle, end };

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// Filled; colour 0xRRGGBB. `tip`: shown by viewers that can.
  virtual void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip = {}) = 0;
  /// `upwards`: turned by 90 degrees to the left; `scale`: pixels per dot of the built-in font.
  virtual void text(int x, int y, Anchor anchor, const std::string& words, bool upwards = false, int scale = 2) = 0;
};

/// Pixels, and their PNG. Texts in a built-in 5x7 font (capitals).
class RasterCanvas : public Canvas {
 public:
  RasterCanvas(int width, int height);
  void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip = {}) override;
  void text(int x, int y, Anchor anchor, const std::string& words, bool upwards = false, int scale = 2) override;
  std::uint32_t pixel(int x, int y) const {
    return pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
  }
  Result<std::string> png() const;

 private:
  int width_, height_;
  std::vector<std::uint32_t> pixels_;
};

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(int width, int height, const std::string& title);
  void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip = {}) override;
  void text(int x, int y, Anchor anchor, const std::string& words, bool upwards = false, int scale = 2) override;
  /// Embeds a PNG, scaled to the size without smoothing.
  void picture(int x, int y, int width, int height, const std::string& png);
  /// The SVG document.
  std::string finish();

 private:
  std::string out_;
};

/// 5 columns by 7 rows, bit 4 is the leftmost column; 0s for characters without a shape.
const std::uint8_t* glyph(char c);

}  // namespace mora::predict
