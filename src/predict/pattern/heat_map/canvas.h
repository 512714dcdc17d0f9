/// What a heat map is drawn on. Coordinates in pixels, y downwards; (x, y) of a text is the side of its baseline that
/// the anchor names.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"

namespace mora::predict {

enum class Anchor : std::uint8_t { start, middle, end };

inline constexpr int text_height = 13;  ///< size of the letters

class Canvas {
 public:
  virtual ~Canvas() = default;
  /// Filled; colour 0xRRGGBB. `tip`: shown by viewers that can.
  virtual void rectangle(int x, int y, int width, int height, std::uint32_t colour, const std::string& tip = {}) = 0;
  /// `upwards`: turned by 90 degrees to the left.
  virtual void text(int x, int y, Anchor anchor, const std::string& words, bool upwards = false) = 0;
};

using Draw = std::function<void(Canvas&)>;

/// The drawing as an SVG document.
std::string svg_of(int width, int height, const std::string& title, const Draw& draw);

/// The drawing as a PNG. Errors: usage: the library cairo is not installed (it is loaded only here: a program that
/// draws nothing need not have it); system: out of memory.
Result<std::string> png_of(int width, int height, const Draw& draw);

}  // namespace mora::predict
