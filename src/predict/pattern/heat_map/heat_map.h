/// A traffic matrix as a picture: senders downwards, receivers to the right, bytes as colour on a logarithmic scale
/// with a legend. Up to 256 ranks have cells of their own (in SVG with a text each); more are binned, and the axes say
/// so. The same drawing as SVG and as PNG; nothing here prints.
#pragma once

#include <string>

#include "predict/pattern/matrix/matrix.h"

namespace mora::predict {

struct HeatMapOptions {
  std::string title;               ///< above the picture
  std::string unit = "rank";       ///< what rows and columns are: "rank", "node"
  std::uint32_t most_cells = 512;  ///< rows of the picture; more are binned
};

/// What is drawn. `bytes[row * rows + column]` is the sum over the bin's pairs.
struct HeatMap {
  std::uint32_t size = 0, rows = 0, per_row = 1;  ///< ranks; rows of the picture; ranks in each
  std::vector<std::uint64_t> bytes, messages;
  std::uint64_t least = 0, most = 0;  ///< of cells with bytes
  HeatMapOptions options;
};

/// Bins the matrix. O(cells).
HeatMap heat_map(const TrafficMatrix& matrix, const HeatMapOptions& options);
/// An SVG document; cells carry titles up to 96 rows.
std::string heat_map_svg(const HeatMap& map);
/// Errors: as png_of() (canvas.h).
Result<std::string> heat_map_png(const HeatMap& map);

/// Colour of a share of the scale, 0…1 (dark = little, bright = much), 0xRRGGBB. Perceptually even, readable without
/// colour vision.
std::uint32_t heat_colour(double share);

}  // namespace mora::predict
