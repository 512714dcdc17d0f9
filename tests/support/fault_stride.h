/// How thoroughly tests of damaged and hostile input go: 1 is whole. Under the address sanitizer, where each case costs
/// ten to thirty times as much and another thousand of the same kind show nothing new, tools/gates sets
/// MORA_FAULT_STRIDE to 8: every eighth byte is changed, sizes that show how time grows are an eighth.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace mora {

inline std::size_t fault_stride() {
  const char* text = std::getenv("MORA_FAULT_STRIDE");
  return text == nullptr ? 1 : std::max(1UL, std::strtoul(text, nullptr, 10));
}

}  // namespace mora
