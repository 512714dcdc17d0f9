#include "predict/placement/physical_rankfile.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "predict/placement/line_words.h"

namespace mora::predict {

Result<std::vector<PhysicalRank>> parse_physical_rankfile(std::string_view text, const std::string& name) {
  constexpr std::string_view form = "expected: rank N=HOST slot=P";
  std::vector<PhysicalRank> ranks;
  std::unordered_set<std::uint32_t> given;
  MORA_CHECK_OK(for_each_line(text, [&](std::string_view line, std::uint32_t number) -> Result<void> {
    const std::vector<Word> words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) return {};
    if (words[0].text != "rank" || words.size() != 3) return bad_word(name, number, words[0], std::string(form));
    const std::size_t equals = words[1].text.find('=');
    const auto rank = whole_number(words[1].text.substr(0, equals));
    if (equals == std::string_view::npos || !rank || equals + 1 == words[1].text.size()) {
      return bad_word(name, number, words[1], std::string(form));
    }
    if (!words[2].text.starts_with("slot=")) return bad_word(name, number, words[2], std::string(form));
    const auto slot = whole_number(words[2].text.substr(5));
    if (!slot) {
      return bad_word(name, number, words[2],
                      "expected one slot, slot=P; sockets and ranges (slot=1:0-2) need --mode openmpi");
    }
    PhysicalRank entry{*rank, std::string(words[1].text.substr(equals + 1)), *slot};
    if (!given.insert(entry.rank).second) {
      return bad_word(name, number, words[1], fmt::format("rank {} has a place already", entry.rank));
    }
    ranks.push_back(std::move(entry));
    return {};
  }));
  std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return ranks;
}

}  // namespace mora::predict
