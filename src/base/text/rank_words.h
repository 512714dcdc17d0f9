/// Ranks, and other numbers of things, as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mora {

/// "rank 3", "ranks 0-3", "ranks 0, 2 and 7-9"; of many stretches the first ones: "ranks 0, 2, 4, 6 and 124 more".
/// `ranks` ascend.
std::string ranks_in_words(const std::vector<std::uint32_t>& ranks);

/// The same of other numbered things: "processor 3", "processors 0-3".
std::string numbers_in_words(std::string_view noun, const std::vector<std::uint32_t>& numbers);

/// "0-2,5", all of them, as rankfiles and bindings write them. `numbers` ascend.
std::string ranges_text(const std::vector<std::uint32_t>& numbers);

}  // namespace mora
