/// Ranks as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mora {

/// "rank 3", "ranks 0-3", "ranks 0, 2 and 7-9"; of many stretches the first ones: "ranks 0, 2, 4, 6 and 124 more".
/// `ranks` ascend.
std::string ranks_in_words(const std::vector<std::uint32_t>& ranks);

}  // namespace mora
