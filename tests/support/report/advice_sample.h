/// Cases for the tests of the advice: a cube filled by hand (microseconds), its interval table, and what is concluded.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "report/advice/advice.h"
#include "support/analysis/efficiency_sample.h"

namespace mora::report::advice {

class Case {
 public:
  explicit Case(unsigned ranks) : sample(ranks) { data.run.ranks = ranks; }

  void set(const char* assignment) { ASSERT_TRUE(thresholds.set(assignment)); }
  /// Computation of every rank in turn.
  void compute(cube::CallPathId path, std::initializer_list<std::int64_t> by_rank) {
    unsigned rank = 0;
    for (const std::int64_t amount : by_rank) sample.compute(path, rank++, amount);
  }
  /// A metric of every rank in turn, and of all above it; times in microseconds.
  void add(const char* metric, cube::CallPathId path, std::initializer_list<std::int64_t> by_rank) {
    unsigned rank = 0;
    for (const std::int64_t amount : by_rank) {
      if (amount != 0) sample.add(metric, path, rank, amount);
      ++rank;
    }
  }
  /// A metric alone, without those above it.
  void put(const char* metric, cube::CallPathId path, std::initializer_list<std::int64_t> by_rank) {
    const analysis::MetricInfo* info = analysis::find_metric_info(metric);
    ASSERT_NE(info, nullptr) << metric;
    unsigned rank = 0;
    for (const std::int64_t amount : by_rank) {
      sample.cube.add(analysis::metric_index(metric), path, rank++,
                      info->unit == cube::Unit::seconds ? amount * 1000 : amount);
    }
  }
  cube::CallPathId user(cube::CallPathId parent, const char* name) {
    sample.cube.call_paths.push_back({parent, name, cube::CallPathKind::user, "/src/a.c", 88});
    return static_cast<cube::CallPathId>(sample.cube.call_paths.size() - 1);
  }
  /// Who was waited for at a call path.
  void cause(const char* metric, cube::CallPathId path, std::uint32_t rank, std::int64_t microseconds) {
    Finding finding;
    finding.id = "f" + std::to_string(data.findings.size() + 1);
    finding.metric = metric, finding.name = metric;
    finding.severity = microseconds * 1000;
    finding.call_path = labels_of(sample.cube, path);
    finding.causes = {{rank, microseconds * 1000}};
    data.findings.push_back(finding);
  }

  const Advice& conclude() {
    table = analysis::interval_table(sample.cube);
    advice = advise({data, sample.cube, table, comparison ? &*comparison : nullptr, enough_time, ""}, thresholds);
    return advice;
  }
  /// The conclusion of this rule, or nullptr.
  const Conclusion* find(const char* rule) {
    conclude();
    for (const Conclusion& conclusion : advice.conclusions) {
      if (conclusion.rule == rule) return &conclusion;
    }
    return nullptr;
  }
  std::string rules() {
    std::string text;
    for (const Conclusion& conclusion : conclude().conclusions) text += (text.empty() ? "" : " ") + conclusion.rule;
    return text;
  }

  analysis::CubeSample sample;
  ReportData data;
  Thresholds thresholds;
  std::optional<OneProcessComparison> comparison;
  std::optional<Nanoseconds> enough_time;
  analysis::IntervalTable table;
  Advice advice;
};

inline const Fact* fact(const Conclusion& conclusion, const std::string& key) {
  for (const Fact& one : conclusion.evidence) {
    if (one.key == key) return &one;
  }
  return nullptr;
}

/// What a rule must say: how much it explains, how sure, the most to gain; and that it proves what it says.
inline void expect(const Conclusion* c, Nanoseconds explained, double confidence, Nanoseconds gain) {
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->explained, explained);
  EXPECT_NEAR(c->confidence, confidence, 1e-9);
  EXPECT_EQ(c->gain, gain);
  EXPECT_FALSE(c->what.empty());
  EXPECT_FALSE(c->evidence.empty());
  EXPECT_FALSE(c->advice.empty());
  EXPECT_FALSE(c->gain_reason.empty());
  EXPECT_FALSE(c->ranks.empty() && c->places.empty());
}

}  // namespace mora::report::advice
