#include "base/numbers/rank_list.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/numbers/read_number.h"

namespace mora {
namespace {

using Stretch = std::pair<std::uint32_t, std::uint32_t>;

std::optional<Stretch> read_stretch(std::string_view word) {
  const std::size_t dash = std::min(word.find('-'), word.size());
  Stretch stretch;
  if (!read_number(word.substr(0, dash), stretch.first)) return std::nullopt;
  stretch.second = stretch.first;
  if (dash < word.size() && !read_number(word.substr(dash + 1), stretch.second)) return std::nullopt;
  if (stretch.second < stretch.first) return std::nullopt;
  return stretch;
}

}  // namespace

Result<RankList> RankList::parse(std::string_view text, std::string_view option) {
  RankList list;
  list.is_all_ = text == "all";
  if (list.is_all_) {
    list.stretches_ = {{0, UINT32_MAX}};
    return list;
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto stretch = read_stretch(text.substr(at, comma - at));
    if (!stretch)
      return fail(ErrorKind::usage, "this is no list of ranks", fmt::format("{} {}", option, text),
                  fmt::format("'{}' is neither a rank nor a range of ranks", text.substr(at, comma - at)),
                  "write numbers and ranges, for example 0-3,7, or all");
    list.stretches_.push_back(*stretch);
    at = comma + 1;
  }
  auto& stretches = list.stretches_;
  std::sort(stretches.begin(), stretches.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].first <= stretches[kept].second)
      stretches[kept].second = std::max(stretches[kept].second, stretches[i].second);
    else
      stretches[++kept] = stretches[i];
  }
  stretches.resize(kept + 1);
  return list;
}

bool RankList::holds(std::uint32_t rank) const {
  const auto after = std::upper_bound(stretches_.begin(), stretches_.end(), Stretch{rank, UINT32_MAX});
  return after != stretches_.begin() && rank <= std::prev(after)->second;
}

std::uint32_t RankList::highest() const { return stretches_.back().second; }

}  // namespace mora
