#include "cli/options/bytes_option.h"

#include <gtest/gtest.h>

namespace mora::cli {
namespace {

TEST(BytesOption, LettersAreOf1024AndWithABOf1000) {
  for (const auto& [text, bytes] :
       std::initializer_list<std::pair<const char*, std::uint64_t>>{{"0", 0},
                                                                    {"4096", 4096},
                                                                    {"7B", 7},
                                                                    {"64K", 65536},
                                                                    {"64k", 65536},
                                                                    {"64KiB", 65536},
                                                                    {"64KB", 64000},
                                                                    {"500 MB", 500'000'000},
                                                                    {"500M", 524'288'000},
                                                                    {"2GiB", std::uint64_t{2} << 30},
                                                                    {"1TB", 1'000'000'000'000},
                                                                    {"16777215T", std::uint64_t{16777215} << 40}})
    EXPECT_EQ(bytes_of(text), bytes) << text;
}

TEST(BytesOption, AnythingElseIsNone) {
  for (const char* text :
       {"", "M", "much", "-1", "1.5G", "4X", "4MM", "4iB", "4MBs", "16777216T", "99999999999999999999"})
    EXPECT_EQ(bytes_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace mora::cli
