/// anchor.xml of a .cubex file: the three dimensions, and how rows of data find their call path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cube/cube.h"

namespace mora::cube {

enum class MetricLayout : std::uint8_t {
  exclusive,  ///< rows in depth-first order of the call tree
  inclusive,  ///< rows in CubeLib's "wide" order; cells include descendants
  simple,     ///< rows in order of call path id
  derived,    ///< computed by an expression: no data
};

struct AnchorMetric {
  std::uint64_t file_id = 0;  ///< the number in <id>.index
  MetricLayout layout = MetricLayout::exclusive;
  std::string number_type;  ///< "DOUBLE"
};

/// The content of anchor.xml.
struct Anchor {
  Cube dimensions;                            ///< no cells
  std::vector<AnchorMetric> metrics;          ///< parallel to dimensions.metrics
  std::vector<LocationId> column;             ///< column of the data -> location
  std::vector<CallPathId> deep, wide, by_id;  ///< position -> call path
};

/// How a region says what interval it is: "mora:interval id=3 replication=all". Files of others have no such text.
std::string interval_description(std::uint32_t id, std::uint32_t replication);
void parse_interval_description(std::string_view text, CallPath& path);

/// `xml` is plain text (already inflated). Processes and threads are read in runs of so many bytes of it. Errors:
/// unreadable, with the element at fault.
Result<Anchor> parse_anchor(std::string_view xml, std::size_t run_bytes = std::size_t{1} << 18);

}  // namespace mora::cube
