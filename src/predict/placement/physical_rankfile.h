/// The simple rankfile: `rank 0=aa slot=1` (Kotomatas 2018, 5.3.4). The full form of mpirun (`slot=1:0-2`, `slot=0,1`)
/// cannot be mapped to a cluster of slots; it is refused here, and `mora map --mode openmpi` reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict {

struct PhysicalRank {
  std::uint32_t rank = 0;
  std::string host;
  std::uint32_t slot = 0;  ///< on its host, from 0
};

/// In order of rank. Errors (unreadable): file:line:column; a rank that stands twice.
Result<std::vector<PhysicalRank>> parse_physical_rankfile(std::string_view text, const std::string& name);

}  // namespace mora::predict
