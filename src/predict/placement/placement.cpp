/// Reading and writing of placements, line by line (placement.h).
#include "predict/placement/placement.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "predict/placement/line_words.h"

namespace mora::predict {

namespace {

constexpr const char* forms = "expected: RANK CORE:SLOT:NODE, or rank N=HOST slot=P";

/// One line of either form.
struct RankLine {
  std::uint32_t rank = 0;
  std::string_view node, core, slot;
  std::size_t column = 0;  ///< of the rank's number
};

std::string_view known(std::string_view text) { return text == "-" ? std::string_view() : text; }

Result<RankLine> read_output_line(const std::vector<Word>& words, const std::string& name, std::uint32_t line) {
  const auto rank = whole_number(words[0].text);
  if (!rank) return bad_word(name, line, words[0], forms);
  if (words.size() != 2) return bad_word(name, line, words.back(), forms);
  const std::string_view id = words[1].text;
  const std::size_t first = id.find(':');
  const std::size_t second = first == id.npos ? id.npos : id.find(':', first + 1);
  if (second == id.npos || first == 0 || second == first + 1 || second + 1 == id.size()) {
    return bad_word(name, line, words[1], "expected CORE:SLOT:NODE");
  }
  // A name of a node may hold colons; core and slot do not.
  return RankLine{*rank, id.substr(second + 1), known(id.substr(0, first)),
                  known(id.substr(first + 1, second - first - 1)), words[0].column};
}

Result<RankLine> read_rankfile_line(const std::vector<Word>& words, const std::string& name, std::uint32_t line) {
  if (words.size() < 2) return bad_word(name, line, words[0], forms);
  const std::size_t equals = words[1].text.find('=');
  const auto rank = whole_number(words[1].text.substr(0, equals));
  if (equals == std::string_view::npos || !rank || equals + 1 == words[1].text.size())
    return bad_word(name, line, words[1], forms);
  if (words.size() != 3 || !words[2].text.starts_with("slot=")) return bad_word(name, line, words.back(), forms);
  return RankLine{*rank, words[1].text.substr(equals + 1), {}, words[2].text.substr(5), words[1].column};
}

}  // namespace

Result<Placement> parse_placement(std::string_view text, const std::string& name) {
  struct Numbered {
    RankLine entry;
    std::uint32_t line;
  };
  std::vector<Numbered> entries;
  MORA_CHECK_OK(for_each_line(text, [&](std::string_view line, std::uint32_t number) -> Result<void> {
    std::vector<Word> words = words_of(line);
    if (words.empty() || words[0].text.starts_with('#')) return {};
    const bool is_rankfile = words[0].text == "rank";
    if (is_rankfile) words = words_of(line.substr(0, line.find('#')));
    MORA_TRY(const RankLine entry,
             is_rankfile ? read_rankfile_line(words, name, number) : read_output_line(words, name, number));
    entries.push_back({entry, number});
    return {};
  }));
  if (entries.empty()) return fail(ErrorKind::unreadable, "the file places no rank", name, forms);

  Placement placement;
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> line_of(entries.size(), 0);
  placement.node_of.resize(entries.size());
  placement.core.resize(entries.size());
  placement.slot.resize(entries.size());
  for (const Numbered& numbered : entries) {
    const RankLine& entry = numbered.entry;
    const std::string where = fmt::format("{}:{}:{}", name, numbered.line, entry.column);
    if (entry.rank >= entries.size()) {
      // With n ranks given, a number of n or more means that a smaller one is missing.
      std::vector<bool> given(entries.size(), false);
      for (const Numbered& other : entries) {
        if (other.entry.rank < given.size()) given[other.entry.rank] = true;
      }
      const auto missing = std::find(given.begin(), given.end(), false) - given.begin();
      return fail(ErrorKind::unreadable, fmt::format("rank {} has no place", missing), where,
                  fmt::format("{} ranks are given, the line is rank {}'s", entries.size(), entry.rank));
    }
    if (line_of[entry.rank] != 0) {
      return fail(ErrorKind::unreadable, fmt::format("rank {} has a place already", entry.rank), where,
                  fmt::format("it got one in line {}", line_of[entry.rank]));
    }
    line_of[entry.rank] = numbered.line;
    const auto [node, is_new] = numbers.emplace(entry.node, static_cast<std::uint32_t>(placement.nodes.size()));
    if (is_new) placement.nodes.emplace_back(entry.node);
    placement.node_of[entry.rank] = node->second;
    placement.core[entry.rank] = entry.core;
    placement.slot[entry.rank] = entry.slot;
  }
  return placement;
}

std::string placement_text(const Placement& placement) {
  std::string out;
  // The colons of a rankfile's slot=PACKAGE:CPUS would end it too early for who reads it back.
  const auto shown = [](const std::vector<std::string>& texts, std::uint32_t rank) {
    std::string text = rank < texts.size() && !texts[rank].empty() ? texts[rank] : "-";
    std::replace(text.begin(), text.end(), ':', '.');
    return text;
  };
  for (std::uint32_t rank = 0; rank < placement.size(); ++rank) {
    fmt::format_to(std::back_inserter(out), "{} {}:{}:{}\n", rank, shown(placement.core, rank),
                   shown(placement.slot, rank), placement.nodes[placement.node_of[rank]]);
  }
  return out;
}

}  // namespace mora::predict
