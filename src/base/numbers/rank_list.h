/// Ranks as a user lists them. Its memory grows with the text, not with the ranks: "0-4000000000" is one stretch.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mora {

class RankList {
 public:
  /// "3", "0-3,7", "all". Errors (usage): anything else, at "option text".
  static Result<RankList> parse(std::string_view text, std::string_view option);

  bool holds(std::uint32_t rank) const;
  std::uint32_t highest() const;  ///< of "all" the highest number that a rank can have
  bool is_all() const { return is_all_; }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stretches_;  ///< first and last; ascending, apart, at least one
  bool is_all_ = false;
};

}  // namespace mora
