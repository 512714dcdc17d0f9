#include "trace/links/request_map.h"

#include <gtest/gtest.h>

#include <map>

namespace mora::trace {
namespace {

TEST(RequestMap, BehavesLikeAMapUnderInsertionAndRemoval) {
  RequestMap mine;
  std::map<std::uint64_t, std::uint32_t> wanted;
  std::uint64_t seed = 1;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t number = (seed >> 33) % 97 * ((seed >> 20) % 2 == 0 ? 1 : 0x100000000ULL);
    if ((seed >> 50) % 2 == 0) {
      mine.set(number, i);
      wanted[number] = i;
    } else {
      const auto found = wanted.find(number);
      ASSERT_EQ(mine.take(number), found == wanted.end() ? RequestMap::none : found->second);
      if (found != wanted.end()) wanted.erase(found);
    }
    ASSERT_EQ(mine.size(), wanted.size());
  }
}

}  // namespace
}  // namespace mora::trace
