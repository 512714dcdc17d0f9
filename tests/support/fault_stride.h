/// How thoroughly tests of damaged, hostile and random input go: 1 is whole. Under sanitizers, where each case costs
/// ten to thirty times as much and another thousand of the same kind show nothing new, tools/gates sets
/// MORA_FAULT_STRIDE to 8: every eighth byte is changed, every eighth program is drawn, sizes that show how time or
/// memory grows are an eighth.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace mora {

inline std::size_t fault_stride() {
  const char* text = std::getenv("MORA_FAULT_STRIDE");
  return text == nullptr ? 1 : std::max(1UL, std::strtoul(text, nullptr, 10));
}

}  // namespace mora
