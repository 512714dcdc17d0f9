/// The walk itself, "nothing to gain", thresholds, and the outputs.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/advice/rule.h"
#include "support/processor_time.h"
#include "support/report/advice_sample.h"

namespace mora::report::advice {
namespace {

// Efficiency 180 / 200.
TEST(Method, NothingToGain) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Send");
  c.compute(0, {90, 90});
  c.add("point-to-point", send, {10, 10});
  c.conclude();
  EXPECT_TRUE(c.advice.nothing_to_gain);
  EXPECT_TRUE(c.advice.walks.empty());
  EXPECT_TRUE(c.advice.conclusions.empty());
  EXPECT_NE(c.advice.verdict.find("Nothing to gain here: the efficiency is 0.9000"), std::string::npos)
      << c.advice.verdict;
  EXPECT_NE(c.advice.verdict.find("at most 10 us shorter"), std::string::npos) << c.advice.verdict;
  c.set("efficiency=0.91");
  c.conclude();
  EXPECT_FALSE(c.advice.nothing_to_gain);
  EXPECT_EQ(c.advice.walks.size(), 1u);
}

// 10 and 30, then 30 and 10, no MPI: the whole is perfect, its parts are not.
TEST(Method, PartsThatTheWholeMakesUpFor) {
  Case c(2);
  const auto a = c.sample.interval(0, 10), b = c.sample.interval(0, 20);
  c.compute(a, {10, 30});
  c.compute(b, {30, 10});
  c.conclude();
  EXPECT_TRUE(c.advice.nothing_to_gain);
  EXPECT_NE(c.advice.verdict.find("interval 0.1 (a.c:10) 0.6667"), std::string::npos) << c.advice.verdict;
}

TEST(Method, NothingRecorded) {
  Case c(0);
  c.sample.cube.call_paths.clear();
  c.conclude();
  EXPECT_TRUE(c.advice.nothing_to_gain);
  EXPECT_EQ(c.advice.processes, 0u);
  EXPECT_FALSE(advice_text(c.advice, {}).empty());
  EXPECT_TRUE(nlohmann::json::parse(advice_json(c.advice, {})).at("conclusions").empty());
}

/// Communication: 60 in the first, 30 in the second interval, on each of 2; the program 10.
struct TwoParts {
  TwoParts() : c(2) {
    const auto a = c.sample.interval(0, 10), b = c.sample.interval(0, 20);
    const auto x = c.sample.call(a, "MPI_Alltoall"), y = c.sample.call(b, "MPI_Send"), z = c.sample.call(0, "MPI_Send");
    c.compute(a, {50, 50});
    c.compute(b, {50, 50});
    c.add("collective", x, {60, 60});
    c.add("point-to-point", y, {30, 30});
    c.add("point-to-point", z, {10, 10});
  }
  Case c;
};

TEST(Method, GoesDownAndThenToTheSibling) {
  TwoParts t;
  const Advice& advice = t.c.conclude();
  ASSERT_EQ(advice.walks.size(), 2u);
  const Walk& first = advice.walks[0];
  ASSERT_GE(first.steps.size(), 3u);
  EXPECT_EQ(first.steps[0].amount, 200'000);  // 100 on each of 2
  EXPECT_EQ(first.steps[0].of, 400'000);
  EXPECT_EQ(first.steps[1].kind, "interval");
  EXPECT_EQ(first.steps[1].interval, 1u);
  EXPECT_EQ(first.steps[1].amount, 120'000);
  EXPECT_EQ(first.steps[2].kind, "rest");
  EXPECT_EQ(first.steps[2].amount, 20'000);  // of the program itself
  EXPECT_EQ(first.steps[3].kind, "split");
  EXPECT_EQ(first.steps[3].of, 120'000);
  EXPECT_EQ(advice.conclusions[first.conclusions.front()].interval, 1u);
  EXPECT_EQ(advice.walks[1].steps[0].interval, 2u);
  EXPECT_EQ(advice.walks[1].steps[0].amount, 60'000);
}

TEST(Method, StopsWhereTheLossIsSpread) {
  TwoParts t;
  t.c.set("descend=0.61");
  const Advice& advice = t.c.conclude();
  ASSERT_EQ(advice.walks.size(), 1u);
  EXPECT_EQ(advice.walks[0].steps[1].kind, "spread");
  EXPECT_EQ(advice.conclusions.front().interval, 0u);
}

// Idle 60, communication 20: idle first. Of 4 percent and less nothing is said with loss=0.2.
TEST(Method, LargestLossFirst) {
  Case c(2);
  const auto send = c.sample.call(0, "MPI_Send");
  c.compute(0, {100, 40});
  c.add("point-to-point", send, {10, 10});
  const Advice& advice = c.conclude();
  ASSERT_EQ(advice.walks.size(), 2u);
  EXPECT_EQ(advice.split.front().first, Loss::idle);
  EXPECT_EQ(advice.split.front().second, 60'000);
  EXPECT_EQ(advice.walks[0].loss, Loss::idle);
  EXPECT_EQ(advice.walks[1].loss, Loss::communication);
  c.set("loss=0.1");
  EXPECT_EQ(c.conclude().walks.size(), 1u);
}

// Idle 40 at the end comes from the second of two intervals: the walk names it.
TEST(Method, IdleGoesWhereTheLastProcessComputes) {
  Case c(2);
  const auto a = c.sample.interval(0, 10), b = c.sample.interval(0, 20);
  c.compute(a, {50, 50});
  c.compute(b, {50, 10});
  const Advice& advice = c.conclude();
  ASSERT_EQ(advice.walks.size(), 1u);
  EXPECT_EQ(advice.walks[0].steps[1].interval, 2u);
  EXPECT_EQ(advice.walks[0].steps[1].amount, 20'000);  // 50 - mean 30
  EXPECT_EQ(advice.conclusions.front().rule, "rule-8");
}

// Rank 0 computes 40 above the mean in a, 30 below it in b: 10 in the program, idle 20. The walk says that parts cancel
// and stays; with b balanced it goes into a.
TEST(Method, ImbalancesThatCancelAreSaid) {
  Case c(2);
  c.set("efficiency=0.95");
  const auto a = c.sample.interval(0, 10), b = c.sample.interval(0, 20);
  c.compute(a, {90, 10});
  c.compute(b, {10, 70});
  const Advice& advice = c.conclude();
  ASSERT_EQ(advice.walks.size(), 1u);
  ASSERT_GE(advice.walks[0].steps.size(), 2u);
  const Step& step = advice.walks[0].steps[1];
  EXPECT_EQ(step.kind, "cancels");
  EXPECT_EQ(step.interval, 1u);
  EXPECT_EQ(step.amount, 40'000);
  EXPECT_EQ(step.of, 10'000);
  EXPECT_EQ(advice.conclusions.front().interval, 0u);

  Case balanced(2);
  const auto first = balanced.sample.interval(0, 10), second = balanced.sample.interval(0, 20);
  balanced.compute(first, {90, 10});
  balanced.compute(second, {10, 10});
  EXPECT_EQ(balanced.conclude().walks.at(0).steps.at(1).kind, "interval");
}

// If the goal is a run time, the analysis ends as soon as it is reached, whatever the efficiency (60 of 120).
TEST(Method, TimeThatIsEnough) {
  Case c(2);
  c.compute(0, {60, 0});
  c.enough_time = 60'000;
  EXPECT_TRUE(c.conclude().is_time_enough);
  EXPECT_TRUE(c.advice.conclusions.empty());
  EXPECT_NE(c.advice.verdict.find("the run takes 60 us, and 60 us is short enough"), std::string::npos)
      << c.advice.verdict;
  c.enough_time = 59'999;
  EXPECT_FALSE(c.conclude().is_time_enough);
  EXPECT_FALSE(c.advice.conclusions.empty());
}

// Only ranks 0 and 1 of 3 execute the interval: said beside its conclusions.
TEST(Method, NotesStandBesideTheFigures) {
  Case c(3);
  const auto part = c.sample.interval(0, 10), send = c.sample.call(part, "MPI_Send");
  c.compute(0, {0, 0, 100});
  c.compute(part, {50, 50});
  c.add("point-to-point", send, {50, 50});
  const Advice& advice = c.conclude();
  ASSERT_FALSE(advice.conclusions.empty());
  EXPECT_EQ(advice.conclusions.front().interval, 1u);
  ASSERT_FALSE(c.table.intervals[1].notes.empty());
  ASSERT_NE(fact(advice.conclusions.front(), "note"), nullptr);
  EXPECT_NE(fact(advice.conclusions.front(), "note")->text.find(c.table.intervals[1].notes.front()), std::string::npos);
}

// 20,000 iterations with ids, each with idle time: no step may look at all of them for each of them.
TEST(Method, ManyIntervals) {
  Case c(2);
  constexpr std::uint32_t iterations = 20'000;
  for (std::uint32_t id = 1; id <= iterations; ++id) {
    const auto iteration = c.sample.interval(0, 10, 1, id);
    c.compute(iteration, {2, id % 2 == 0 ? 2 : 1});
  }
  const double begin = processor_seconds();
  const Advice& advice = c.conclude();
  EXPECT_LT(processor_seconds() - begin, 20);
  EXPECT_EQ(advice.split.front().second, 10'000'000);
  EXPECT_EQ(advice.conclusions.front().rule, "rule-8");
}

TEST(Method, NoGainIsLargerThanTheLoss) {
  TwoParts t;
  for (const Conclusion& conclusion : t.c.conclude().conclusions) {
    const analysis::Interval& interval = t.c.table.intervals[conclusion.interval];
    EXPECT_LE(conclusion.gain, interval.value(analysis::Characteristic::lost_time) / 2) << conclusion.rule;
    EXPECT_LE(conclusion.explained, conclusion.loss_amount) << conclusion.rule;
    EXPECT_GE(conclusion.confidence, 0);
    EXPECT_LE(conclusion.confidence, 1);
    EXPECT_FALSE(conclusion.evidence.empty()) << conclusion.rule;
  }
}

TEST(Method, ThresholdsAreChecked) {
  Thresholds thresholds;
  EXPECT_TRUE(thresholds.set("loss=0.5"));
  EXPECT_EQ(thresholds[Threshold::loss], 0.5);
  for (const char* wrong :
       {"loss", "loss=", "loss=x", "loss=0.5x", "loss=0", "loss=1.1", "loss=-1", "loss=nan", "lost=0.5", ""}) {
    const auto result = thresholds.set(wrong);
    ASSERT_FALSE(result) << wrong;
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
  }
  EXPECT_EQ(thresholds[Threshold::loss], 0.5);
  EXPECT_TRUE(thresholds.set("messages=1e3"));
  EXPECT_EQ(thresholds[Threshold::messages], 1000);
}

TEST(Method, EveryRuleIsDeclared) {
  std::set<std::string_view> ids;
  std::set<unsigned> numbers;
  for (const Rule* rule : all_rules()) {
    EXPECT_TRUE(ids.insert(rule->id).second) << rule->id;
    numbers.insert(rule->number);
    for (const std::string_view text : {rule->title, rule->condition, rule->advice, rule->source})
      EXPECT_FALSE(text.empty()) << rule->id;
    EXPECT_FALSE(rule->losses.empty()) << rule->id;
    EXPECT_FALSE(rule->thresholds.empty()) << rule->id;
    // A condition names the thresholds that it uses.
    for (const Threshold threshold : rule->thresholds) {
      const bool named = rule->condition.find("`" + std::string(name_of(threshold)) + "`") != std::string_view::npos;
      EXPECT_TRUE(named || rule->id == "recording") << rule->id << ' ' << name_of(threshold);
    }
  }
  for (unsigned number = 1; number <= 12; ++number) EXPECT_EQ(numbers.count(number), 1u) << number;
}

TEST(Method, OutputsAgree) {
  TwoParts t;
  const Advice& advice = t.c.conclude();
  const auto json = nlohmann::json::parse(advice_json(advice, {}));
  EXPECT_EQ(json.at("schema"), "mora-advice");
  ASSERT_EQ(json.at("conclusions").size(), advice.conclusions.size());
  EXPECT_DOUBLE_EQ(json.at("lost_time_s").get<double>(), 200e-6);
  const std::string text = advice_text(advice, {}), markdown = advice_markdown(advice);
  for (std::size_t i = 0; i < advice.conclusions.size(); ++i) {
    const Conclusion& c = advice.conclusions[i];
    EXPECT_EQ(json["conclusions"][i].at("rule"), c.rule);
    EXPECT_EQ(json["conclusions"][i].at("interval").at("number"), t.c.table.number(c.interval));
    EXPECT_EQ(json["conclusions"][i].at("evidence").size(), c.evidence.size());
    EXPECT_NE(text.find("[" + c.rule + "]"), std::string::npos);
    EXPECT_NE(markdown.find("`" + c.rule + "`"), std::string::npos);
  }
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(advice_text(advice, {100, 10, true}).find('\033'), std::string::npos);
  EXPECT_NE(advice_text(advice, {100, 1, false}).find("--top 0 shows all"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(rules_json({})).at("rules").size(), all_rules().size());
}

}  // namespace
}  // namespace mora::report::advice
