/// A hostfile line by line; attributes are KEY=NUMBER, the comment may hold the cores of a slot.
#include "predict/placement/hostfile.h"

#include <fmt/format.h>

#include <unordered_map>

#include "predict/placement/line_words.h"

namespace mora::predict {

namespace {

constexpr std::string_view expected_attribute = "expected slots=N, max-slots=N or #cores=N";

/// "#cores=3", "#cores{3}": N; nullopt if the comment has no such text.
std::optional<std::string_view> cores_of_comment(std::string_view comment) {
  if (comment.starts_with("#cores=")) return comment.substr(7);
  if (comment.starts_with("#cores{") && comment.ends_with('}')) return comment.substr(7, comment.size() - 8);
  return std::nullopt;
}

}  // namespace

Result<std::vector<HostEntry>> parse_hostfile(std::string_view text, const std::string& name) {
  std::vector<HostEntry> entries;
  std::unordered_map<std::string, std::size_t> position;  // of a name in entries
  MORA_CHECK_OK(for_each_line(text, [&](std::string_view line, std::uint32_t number) -> Result<void> {
    const std::vector<Word> words = words_of(line);
    if (words.empty() || words.front().text.starts_with('#')) return {};
    HostEntry entry;
    const Word* slots_word = nullptr;
    const Word* limit_word = nullptr;
    entry.name = words.front().text;
    entry.line = number;
    if (entry.name.find('=') != std::string::npos)
      return bad_word(name, number, words.front(), "expected the name of a node");
    for (std::size_t w = 1; w < words.size(); ++w) {
      std::string_view word = words[w].text;
      std::optional<std::uint32_t>* place = nullptr;
      std::string_view value;
      if (word.starts_with('#')) {
        const auto cores = cores_of_comment(word);
        if (!cores) break;
        place = &entry.cores_per_slot;
        value = *cores;
      } else {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) return bad_word(name, number, words[w], std::string(expected_attribute));
        const std::string_view key = word.substr(0, equals);
        value = word.substr(equals + 1);
        if (key == "slots") {
          place = &entry.slots;
          slots_word = &words[w];
        } else if (key == "max-slots" || key == "max_slots" || key == "maxSlots") {
          place = &entry.max_slots;
          limit_word = &words[w];
        } else {
          return bad_word(name, number, words[w], std::string(expected_attribute));
        }
      }
      *place = whole_number(value);
      if (!*place || **place == 0) return bad_word(name, number, words[w], "expected a whole number of at least 1");
    }
    const auto [known, is_new] = position.emplace(entry.name, entries.size());
    if (is_new) {
      entries.push_back(std::move(entry));
    } else {
      HostEntry& node = entries[known->second];
      if (slots_word != nullptr) {
        return fail(ErrorKind::unreadable, fmt::format("the slots of {} are given twice", node.name),
                    fmt::format("{}:{}:{}", name, number, slots_word->column),
                    fmt::format("line {} names it too", node.line),
                    "name a node once for each slot, or once with slots=N");
      }
      if (entry.cores_per_slot && entry.cores_per_slot != node.cores_per_slot) {
        return fail(ErrorKind::unreadable, fmt::format("the cores of {} are given twice", node.name),
                    fmt::format("{}:{}:{}", name, number, words.front().column),
                    fmt::format("line {} names it too", node.line));
      }
      const std::uint32_t slots = node.slots.value_or(node.max_slots.value_or(1));
      node.slots = slots + (slots == UINT32_MAX ? 0 : 1);
      if (entry.max_slots) node.max_slots = entry.max_slots;
    }
    const HostEntry& node = entries[known->second];
    if (node.slots && node.max_slots && *node.max_slots < *node.slots) {
      return fail(ErrorKind::unreadable, "max-slots is less than slots",
                  fmt::format("{}:{}:{}", name, number, (limit_word == nullptr ? words.front() : *limit_word).column),
                  fmt::format("{} has {} slots", node.name, *node.slots));
    }
    return {};
  }));
  return entries;
}

}  // namespace mora::predict
