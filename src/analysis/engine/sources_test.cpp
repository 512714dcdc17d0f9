/// Every source that Mora names is public: a key of docs/sources.md, or a rule of docs/rules.md.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analysis/checks/rma_rule_texts.h"
#include "analysis/efficiency/interval_table.h"
#include "analysis/metrics/aliases.h"
#include "base/file.h"

namespace mora::analysis {
namespace {

std::string page(const std::string& name) {
  const auto text = read_file(std::string(MORA_SOURCE_DIR) + "/docs/" + name);
  EXPECT_TRUE(text.has_value()) << name;
  return text.value_or("");
}

/// What stands between `open` and `close`, wherever both are in one line.
std::set<std::string> between(const std::string& text, const std::string& open, const std::string& close) {
  std::set<std::string> found;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + open.size())) {
    const std::size_t begin = at + open.size();
    const std::size_t end = text.find(close, begin);
    if (end != std::string::npos && text.find('\n', begin) > end) found.insert(text.substr(begin, end - begin));
  }
  return found;
}

struct PublicSources {
  std::set<std::string> keys = between(page("sources.md"), "**", "**");
  std::set<std::string> rules = between(page("rules.md"), "<a id=\"", "\"");

  /// Empty, or what is wrong with a text of the form "Key, chapter; Mora's rule name".
  std::string check(std::string_view source) const {
    constexpr std::string_view rule = "Mora's rule ";
    while (!source.empty()) {
      const std::size_t end = std::min(source.find("; "), source.size());
      const std::string_view part = source.substr(0, end);
      source.remove_prefix(std::min(end + 2, source.size()));
      const std::string key(part.substr(0, part.find(", ")));
      if (part.starts_with(rule) ? !rules.contains(std::string(part.substr(rule.size()))) : !keys.contains(key)) {
        return "unknown: " + std::string(part);
      }
    }
    return {};
  }
};

TEST(Sources, AreKeysOfTheBibliographyOrNamesOfRules) {
  const PublicSources sources;
  ASSERT_FALSE(sources.keys.empty());
  ASSERT_FALSE(sources.rules.empty());
  for (const MetricInfo& info : all_metrics()) EXPECT_EQ(sources.check(info.source), "") << info.id;
  for (const CharacteristicInfo& info : characteristic_infos()) EXPECT_EQ(sources.check(info.source), "") << info.key;
  for (const RmaRuleInfo& info : rma_rule_texts) EXPECT_EQ(sources.check(info.source), "") << info.id;
  for (const MetricAlias& alias : metric_aliases()) EXPECT_EQ(sources.check(alias.source), "") << alias.name;
  EXPECT_EQ(sources.check("Hermanns 2004, 6.1; a note"), "unknown: a note");
}

TEST(Names, OfTheLiteratureLeadToMorasMetrics) {
  const auto id = [](std::string_view name) {
    const MetricInfo* info = find_metric_by_any_name(name);
    return info == nullptr ? std::string_view() : info->id;
  };
  EXPECT_EQ(id("late-sender"), "late-sender");
  EXPECT_EQ(id("Late Sender"), "late-sender");
  EXPECT_EQ(id("MPI Late Sender Time"), "late-sender");
  EXPECT_EQ(id("late all complete"), "early-wait");
  EXPECT_EQ(id("MPI Wait at N x N Time"), "wait-at-nxn");
  EXPECT_EQ(id("time"), "time");
  EXPECT_EQ(id("late mail"), "");
  for (const MetricAlias& alias : metric_aliases()) EXPECT_EQ(id(alias.name), alias.id) << alias.name;
  EXPECT_EQ(other_names(*find_metric_info("early-wait")), "Late All Complete (Hermanns 2004)");
  EXPECT_EQ(other_names(*find_metric_info("visits")), "");
}

TEST(Names, OfCharacteristicsToo) {
  for (const char* name : {"system_insufficient_parallelism", "Sys Insufficient Parallelism",
                           "system insufficient parallelism", "other MPI"}) {
    const CharacteristicInfo* info = find_characteristic_by_any_name(name);
    ASSERT_NE(info, nullptr) << name;
    EXPECT_EQ(info->id, Characteristic::system_insufficient_parallelism) << name;
  }
  EXPECT_EQ(find_characteristic_by_any_name("idle mail"), nullptr);
}

}  // namespace
}  // namespace mora::analysis
