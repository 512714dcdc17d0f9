#include "report/compare/comparison/comparison.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text/did_you_mean.h"
#include "report/compare/compare_report.h"
#include "report/compare/history.h"
#include "support/report/compare_sample.h"

namespace mora::compare {
namespace {

Spread spread(std::initializer_list<std::int64_t> amounts) {
  Spread all;
  for (const std::int64_t amount : amounts) all.add({amount, 0});
  return all;
}

Spread ratios(std::initializer_list<double> values) {
  Spread all;
  all.unit = FigureUnit::ratio;
  for (const double value : values) all.add({0, value});
  return all;
}

TEST(Spread, MeansAreExactUntilTheEnd) {
  EXPECT_EQ(spread({1, 2}).mean().amount, 2);  // 1.5, halves away from zero
  EXPECT_EQ(spread({-1, -2}).mean().amount, -2);
  const auto change = change_between(spread({1, 2}), spread({1, 2, 2}));
  EXPECT_EQ(change->difference.amount, 0);  // 1.667 - 1.5 = 0.167
  EXPECT_EQ(change_between(spread({10}), spread({13}))->difference.amount, 3);
  EXPECT_DOUBLE_EQ(*change_between(spread({10}), spread({13}))->ratio, 1.3);
  EXPECT_FALSE(change_between(spread({0}), spread({13}))->ratio);
  EXPECT_EQ(spread({INT64_MAX, INT64_MAX}).sum.amount, INT64_MAX);
}

TEST(Spread, SignificanceIsTheCriterion) {
  const auto significance = [](const Spread& a, const Spread& b) { return change_between(a, b)->significance; };
  EXPECT_EQ(significance(spread({10}), spread({10})), Significance::equal);
  EXPECT_EQ(significance(spread({10}), spread({20})), Significance::unknown);
  EXPECT_EQ(significance(spread({10, 14}), spread({14, 20})), Significance::insignificant);  // the ranges touch
  EXPECT_EQ(significance(spread({10, 14}), spread({19, 20})), Significance::significant);    // 7.5 > 4
}

TEST(Spread, ADifferenceOfTheWiderRangeIsInsignificant) {
  // Means 15 and 21.5: 6.5 <= 10, although the ranges do not overlap.
  EXPECT_EQ(change_between(spread({10, 20}), spread({21, 22}))->significance, Significance::insignificant);
  // Means 15 and 25.5: 10.5 > 10.
  EXPECT_EQ(change_between(spread({10, 20}), spread({25, 26}))->significance, Significance::significant);
  // Exactly the range: 10 <= 10.
  EXPECT_EQ(change_between(spread({10, 20}), spread({25, 25}))->significance, Significance::insignificant);
  // One run has no spread of its own; that of the others counts.
  EXPECT_EQ(change_between(spread({10, 12}), spread({13}))->significance, Significance::insignificant);
  EXPECT_EQ(change_between(spread({10, 12}), spread({14}))->significance, Significance::significant);
  EXPECT_EQ(change_between(ratios({0.5, 0.6}), ratios({0.9}))->significance, Significance::significant);
  EXPECT_FALSE(change_between(ratios({}), ratios({0.9})));
}

TEST(Company, NotesOfBadCompany) {
  std::vector<compare::Run> runs{sample_run("a", 60, 20, 40), sample_run("b", 40, 20, 20), sample_run("c", 40, 20, 20)};
  add_notes(runs, {{"A", {0, 1}}, {"B", {2}}});
  for (const compare::Run& run : runs) EXPECT_TRUE(run.notes.empty());
  runs[1].processes = 3;
  runs[2].cube.call_paths[0].name = "other";
  runs[2].cube.call_paths[2].file = "elsewhere.c";
  add_notes(runs, {{"A", {0, 1}}, {"B", {2}}});
  EXPECT_TRUE(runs[0].notes.empty());
  EXPECT_EQ(runs[1].notes,
            std::vector<std::string>{
                "warning: 2 and 3 processes in one configuration: means and spread of A have no meaning"});
  EXPECT_EQ(runs[2].notes,
            std::vector<std::string>{"warning: different programs: program and other have no source file in common"});
}

TEST(Company, NegativeTimesAreADifference) {
  EXPECT_TRUE(sample_run("a", 60, 20, 40).notes.empty());
  const compare::Run run = sample_run("diff", -5, 20, 40);
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_NE(run.notes[0].find("negative times"), std::string::npos);
}

TEST(Comparison, SumsOfDifferencesAddUp) {
  const Comparison comparison = sample_comparison();
  const Figure* time = metric_figure(comparison, "time");
  ASSERT_NE(time, nullptr);
  const auto shares = shares_of(comparison, *time, 0);
  ASSERT_EQ(shares.size(), 3u);  // program, its interval, the rest
  EXPECT_EQ(shares[0].row.change()->difference.amount, -20);
  EXPECT_EQ(shares[1].row.change()->difference.amount, -20);  // 40 -> 20
  EXPECT_EQ(shares[2].row.change()->difference.amount, 0);    // 80 -> 80
  EXPECT_EQ(comparison.interval_label(shares[1].interval), "~ 0.1 solve.c:20 (now solve.c:25)");
}

TEST(Comparison, WhatOneRunLacksIsZeroAndListed) {
  compare::Run without = sample_run("without", 60, 20, 40);
  cube::Cube cut;  // the same without the interval
  cut.metrics = without.cube.metrics;
  cut.locations = without.cube.locations;
  cut.call_paths.assign(without.cube.call_paths.begin(), without.cube.call_paths.begin() + 2);
  for (cube::MetricId m = 0; m < 3; ++m) cut.add(m, 1, 0, 50), cut.add(m, 1, 1, 50);
  std::vector<compare::Run> runs{sample_run("a", 60, 20, 40), make_run("b", "", std::move(cut))};
  const Comparison comparison(std::move(runs), {{"A", {0}}, {"B", {1}}});
  const auto shares = shares_of(comparison, *metric_figure(comparison, "time"), 0);
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].row.change()->difference.amount, -20);  // 120 -> 100
  std::int64_t sum = 0;
  for (std::size_t i = 1; i < shares.size(); ++i) sum += shares[i].row.change()->difference.amount;
  EXPECT_EQ(sum, -20);  // interval -40, rest +20
  const auto lacking = unmatched(comparison, comparison.intervals());
  ASSERT_EQ(lacking.size(), 1u);
  EXPECT_EQ(comparison.interval_label(lacking[0]), "0.1 solve.c:20");
  EXPECT_FALSE(comparison.has(comparison.intervals().nodes()[lacking[0]], 1));
  EXPECT_EQ(unmatched(comparison, comparison.call_paths()).size(), 1u);
}

TEST(Comparison, SmallerChangesAreAddedUpInOneRow) {
  // Five intervals below the program; two shown, the rest in one row: all rows together are the program.
  const auto run = [](std::int64_t factor) {
    cube::Cube cube;
    cube.metrics.push_back({"time", "Time", "time", cube::no_id, cube::Unit::seconds, ""});
    cube.locations = {{"rank 0", 0, 0, "node0"}};
    cube.call_paths.push_back({cube::no_id, "program", cube::CallPathKind::program, "", 0, 0, 1});
    cube.add(0, 0, 0, 7);
    for (std::uint32_t i = 0; i < 5; ++i) {
      cube.call_paths.push_back({0, "interval", cube::CallPathKind::interval, "a.c", 10 + i, 0, 1});
      cube.add(0, i + 1, 0, factor * (i + 1));
    }
    return make_run("r", "", std::move(cube));
  };
  const Comparison comparison({run(1), run(10)}, {{"A", {0}}, {"B", {1}}});
  const auto shares = shares_of(comparison, *metric_figure(comparison, "time"), 2);
  ASSERT_EQ(shares.size(), 5u);
  EXPECT_EQ(shares[0].row.change()->difference.amount, 135);
  EXPECT_EQ(shares[1].row.change()->difference.amount, 45);
  EXPECT_EQ(shares[2].row.change()->difference.amount, 36);
  EXPECT_EQ(shares[3].kind, Share::Kind::others);
  EXPECT_EQ(shares[3].count, 3u);
  EXPECT_EQ(shares[3].row.change()->difference.amount, 54);
  EXPECT_EQ(shares[4].kind, Share::Kind::rest);
  EXPECT_EQ(shares[4].row.change()->difference.amount, 0);
}

/// A random tree of `size` call paths, a third of them intervals, with two additive metrics on two ranks.
compare::Run random_run(std::mt19937& random, std::uint32_t size) {
  cube::Cube cube;
  cube.metrics.push_back({"time", "Time", "time", cube::no_id, cube::Unit::seconds, ""});
  cube.metrics.push_back({"late-sender", "Late Sender", "late-sender", 0, cube::Unit::seconds, ""});
  cube.locations = {{"rank 0", 0, 0, "node0"}, {"rank 1", 1, 0, "node0"}};
  cube.call_paths.push_back({cube::no_id, "program", cube::CallPathKind::program, "", 0, 0, 1});
  for (std::uint32_t c = 1; c < size; ++c) {
    const auto kind = random() % 3 == 0 ? cube::CallPathKind::interval : cube::CallPathKind::user;
    const std::uint32_t name = random() % 4;
    cube.call_paths.push_back({static_cast<cube::CallPathId>(random() % c), std::string("f") + char('a' + name), kind,
                               "a.c", 10 + static_cast<std::uint32_t>(random() % 3), name % 2, 1});
  }
  for (cube::CallPathId c = 0; c < size; ++c) {
    for (cube::LocationId l = 0; l < 2; ++l) {
      cube.add(0, c, l, static_cast<std::int64_t>(random() % 1000));
      cube.add(1, c, l, static_cast<std::int64_t>(random() % 10));
    }
  }
  return make_run("random", "", std::move(cube));
}

TEST(Comparison, RandomTreesAddUpOnEveryLevel) {
  std::mt19937 random(2026);
  for (int round = 0; round < 60; ++round) {
    const Comparison comparison({random_run(random, 1 + random() % 40), random_run(random, 1 + random() % 40)},
                                {{"A", {0}}, {"B", {1}}});
    for (const char* key : {"time", "late-sender"}) {
      const Figure* metric = metric_figure(comparison, key);
      const auto shares = shares_of(comparison, *metric, static_cast<unsigned>(random() % 3));
      ASSERT_FALSE(shares.empty());
      for (std::size_t c = 0; c < 2; ++c)
        ASSERT_EQ(shares[0].row.values[c].sum.amount,
                  comparison.runs()[c].cube.total(comparison.runs()[c].cube.find_metric(key)));
      // Each row of an interval that is taken apart is the sum of the rows one level below it.
      for (std::size_t i = 0; i < shares.size(); ++i) {
        std::int64_t sum = 0;
        bool any = false;
        for (std::size_t k = i + 1; k < shares.size() && shares[k].depth > shares[i].depth; ++k) {
          if (shares[k].depth != shares[i].depth + 1) continue;
          any = true;
          sum += shares[k].row.change()->difference.amount;
        }
        if (any) {
          ASSERT_EQ(sum, shares[i].row.change()->difference.amount) << round << " " << key << " " << i;
        }
      }
      // And the call paths' own amounts are the program's.
      std::int64_t of_paths = 0;
      for (const CallPathChange& change : call_path_changes(comparison, *metric))
        of_paths += change.row.change()->difference.amount;
      ASSERT_EQ(of_paths, shares[0].row.change()->difference.amount);
    }
  }
}

TEST(Comparison, OtherNumbersOfProcessesCompareMeansOfAProcess) {
  compare::Run two = sample_run("two", 60, 20, 40);
  cube::Cube cube = two.cube;
  cube.locations.push_back({"rank 2", 2, 0, "node0"});
  cube::Cube wider;
  wider.metrics = cube.metrics;
  wider.call_paths = cube.call_paths;
  wider.locations = cube.locations;
  for (cube::MetricId m = 0; m < 3; ++m) {
    for (cube::LocationId l = 0; l < 3; ++l) wider.add(m, 1, l, 30 + 10 * l);
  }
  const Comparison comparison({std::move(two), make_run("three", "", std::move(wider))}, {{"A", {0}}, {"B", {1}}});
  EXPECT_FALSE(comparison.has_equal_processes());
  const Figure* cpu = comparison.catalogue().find("time_outside_mpi");
  const auto per = comparison.per_process(0, *cpu);
  ASSERT_EQ(per.size(), 2u);
  EXPECT_EQ(per[0].processes, 2u);
  EXPECT_EQ(per[0].mean, 60);
  EXPECT_EQ(per[1].processes, 3u);
  EXPECT_EQ(per[1].mean, 40);
  EXPECT_EQ(per[1].least, 30);
  EXPECT_EQ(per[1].most, 50);
  EXPECT_EQ(comparison.mean_of_a_process(0, *cpu).change()->difference.amount, -20);
  EXPECT_TRUE(comparison.by_rank(0, *cpu).empty());
  EXPECT_EQ(sample_comparison().by_rank(0, *sample_comparison().catalogue().find("time_outside_mpi")),
            (std::vector<std::vector<std::int64_t>>{{60, 60}, {40, 60}}));
}

TEST(Comparison, DamagedResultsAreShownNotTrusted) {
  // No call paths; no metrics; amounts at the limits; no processes.
  const auto all_outputs = [](const Comparison& comparison) {
    const auto history = make_history(comparison, {});
    EXPECT_TRUE(history);
    history_picture(*history);
    return compare_text(comparison, {}, {}) + compare_json(comparison, {}) + compare_csv(comparison) +
           compare_markdown(comparison, {}, {}) + history_text(*history, {}, {}) + history_json(*history, {});
  };
  const auto nothing = [] { return make_run("nothing", "", cube::Cube{}); };
  EXPECT_FALSE(all_outputs(Comparison({nothing()}, {{"A", {0}}})).empty());
  EXPECT_FALSE(all_outputs(Comparison({nothing(), sample_run("b", 60, 20, 40)}, {{"A", {0}}, {"B", {1}}})).empty());
  EXPECT_FALSE(all_outputs(Comparison({sample_run("b", 60, 20, 40), nothing()}, {{"A", {0}}, {"B", {1}}})).empty());
  const auto only_paths = [] {
    cube::Cube cube;
    cube.call_paths.push_back({cube::no_id, "program", cube::CallPathKind::program, "", 0, 0, 1});
    return make_run("paths", "", std::move(cube));
  };
  EXPECT_FALSE(all_outputs(Comparison({only_paths(), sample_run("b", 60, 20, 40)}, {{"A", {0}}, {"B", {1}}})).empty());
  const auto limits = [](std::int64_t amount) {
    cube::Cube cube;
    cube.metrics.push_back({"bytes-sent", "Bytes", "bytes", cube::no_id, cube::Unit::bytes, ""});
    cube.call_paths.push_back({cube::no_id, "program", cube::CallPathKind::program, "", 0, 0, 1});
    cube.call_paths.push_back({0, "interval", cube::CallPathKind::interval, "a.c", 1, 0, 1});
    cube.locations = {{"rank 0", 0, 0, "node0"}, {"rank 1", 1, 0, "node0"}};
    for (cube::CallPathId c = 0; c < 2; ++c) cube.add(0, c, 0, amount), cube.add(0, c, 1, amount);
    return make_run("limits", "", std::move(cube));
  };
  const Comparison comparison({limits(INT64_MAX), limits(INT64_MIN), limits(INT64_MIN)}, {{"A", {0, 1}}, {"B", {2}}});
  EXPECT_FALSE(all_outputs(comparison).empty());
  const FigureRow row = comparison.interval_figure(0, *comparison.catalogue().find("bytes-sent"));
  EXPECT_EQ(row.values[0].most.amount, INT64_MAX);
  EXPECT_EQ(row.values[0].range().amount, INT64_MAX);  // held
  EXPECT_EQ(row.change()->significance, Significance::insignificant);
}

TEST(Comparison, NamesOfSeveralKindsAreChosenByPrefix) {
  const Comparison comparison = sample_comparison();
  EXPECT_EQ(comparison.catalogue().find("communication")->kind, FigureKind::characteristic);
  EXPECT_EQ(comparison.catalogue().find("metric:time")->kind, FigureKind::metric);
  EXPECT_EQ(comparison.catalogue().find("pop:load_balance")->kind, FigureKind::pop);
  EXPECT_EQ(comparison.catalogue().find("pop:time"), nullptr);
  EXPECT_EQ(comparison.catalogue().nearest("load_balanse"), "load_balance");
  EXPECT_EQ(comparison.catalogue().nearest("xyzzyplugh"), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Comparison, OutputsHoldWhatTheyShould) {
  const Comparison comparison = sample_comparison();
  const std::string csv = compare_csv(comparison);
  EXPECT_NE(
      csv.find("interval,~ 0.1 solve.c:20 (now solve.c:25),moved,metric,time,s,B,0.00000002,0.00000002,0.00000002,1,"
               "-0.00000002,0.5,unknown\n"),
      std::string::npos)
      << csv;
  const std::string json = compare_json(comparison, {});
  EXPECT_NE(json.find("\"schema\": \"mora-compare\""), std::string::npos);
  const std::string text = compare_text(comparison, {}, {});
  EXPECT_NE(text.find("0.000000120  0.000000100  -0.000000020  x0.833  0 program"), std::string::npos) << text;
  EXPECT_NE(compare_markdown(comparison, {}, {}).find("\\~ 0.1 solve.c:20"), std::string::npos);
}

TEST(History, TableAndPicture) {
  const Comparison comparison = sample_comparison();
  const auto history = make_history(comparison, {"execution_time", "metric:time @ solve.c:25", "efficiency"});
  ASSERT_TRUE(history);
  const std::string csv = history_csv(*history);
  EXPECT_NE(csv.find("B,,2,time @ ~ 0.1 solve.c:20 (now solve.c:25),s,0.00000002,0.00000002,0.00000002,1\n"),
            std::string::npos)
      << csv;
  const std::string picture = history_picture(*history);
  EXPECT_EQ(picture.substr(0, 5), "<svg ");
  EXPECT_NE(picture.find("efficiency, ratio"), std::string::npos);
  EXPECT_EQ(make_history(comparison, {"effciency"}).error().help, "did you mean efficiency?");
  EXPECT_EQ(make_history(comparison, {"efficiency @ nowhere"}).error().what, "there is no such interval");
}

TEST(Outputs, NameRulesWhatWasLeftOutAndNotes) {
  std::vector<compare::Run> runs{sample_run("before", 60, 20, 40), sample_run("after", 40, 20, 20)};
  for (compare::Run& run : runs) {
    run.left_out = {{"a.c:1", 2}};
    run.table.rules.load = analysis::LoadRule::execution;
  }
  runs[1].table.intervals[1].notes = {"not recorded: 3 s, 4"};
  const Comparison comparison(std::move(runs), {{"A", {0}}, {"B", {1}}});
  const std::string csv = compare_csv(comparison);
  for (const char* row : {"rule,load,,,execution,,,,,,,,,\n", "left_out,a.c:1#2,,,,,,,,,,,,\n",
                          "note,0.1 solve.c:20,exact,,\"not recorded: 3 s, 4\",,B,,,,,,,\n"})
    EXPECT_NE(csv.find(row), std::string::npos) << row << csv.substr(0, 600);
  const std::string json = compare_json(comparison, {});
  for (const char* part : {"\"notes\": [\"not recorded: 3 s, 4\"]", "\"without_ids\": [\"a.c:1#2\"]"})
    EXPECT_NE(json.find(part), std::string::npos) << part;
  for (const std::string& text : {compare_text(comparison, {}, {}), compare_markdown(comparison, {}, {})}) {
    EXPECT_NE(text.find("load=execution"), std::string::npos);
    EXPECT_NE(text.find("not recorded: 3 s, 4"), std::string::npos) << text;
    EXPECT_NE(text.find("intervals a.c:1 with id 2"), std::string::npos);
  }
}

TEST(Words, SayWhatChanged) {
  const auto sentences = change_sentences(sample_comparison());
  ASSERT_GE(sentences.size(), 3U);
  EXPECT_EQ(sentences.front(), "The run time is the same in both, 60 ns.");
  const auto says = [&](const std::string& text) {
    return std::find(sentences.begin(), sentences.end(), text) != sentences.end();
  };
  EXPECT_TRUE(
      says("The time of all processes in ~ program > main > interval@solve.c:20 (now interval@solve.c:25) is 40 "
           "ns in A and 20 ns in B: 20 ns (50.00 %) less."))
      << sentences.back();
  std::vector<compare::Run> one{sample_run("before", 60, 20, 40)};
  EXPECT_TRUE(change_sentences(Comparison(std::move(one), {{"A", {0}}})).empty());
  std::vector<compare::Run> noisy{sample_run("a", 60, 20, 40), sample_run("b", 90, 20, 40),
                                  sample_run("c", 70, 20, 40)};
  const auto unsure = change_sentences(Comparison(std::move(noisy), {{"A", {0, 1}}, {"B", {2}}}));
  EXPECT_EQ(unsure.front(), "The run time is 75 ns in A and 70 ns in B; runs of one configuration differ as much.");
}

}  // namespace
}  // namespace mora::compare
