// Whole runs: what is "measured" is what the replay makes of programs on a machine whose nodes' connections are shared.
// The model does not know that; the correction must learn it, and hold for a program that it has not seen.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "predict/learning/correcting.h"
#include "predict/learning/report.h"
#include "predict/pattern/events/from_trace.h"
#include "predict/prediction/check.h"
#include "predict/prediction/predicted_trace.h"
#include "trace/readers/text/text_source.h"

namespace mora::predict {
namespace {

constexpr const char* model_text = R"({"format": "mora-machine 2", "name": "model",
  "same_node": {"model": "hockney", "latency_ns": 500, "ns_per_byte": 0.05},
  "other_node": {"model": "hockney", "latency_ns": 2000, "ns_per_byte": 0.1, "relative_error": 0.02}})";
constexpr const char* truth_text = R"({"format": "mora-machine 2", "name": "truth",
  "same_node": {"model": "hockney", "latency_ns": 500, "ns_per_byte": 0.05},
  "other_node": {"model": "hockney", "latency_ns": 2000, "ns_per_byte": 0.1},
  "shared": {"connection_ns_per_byte": 0.1}})";

constexpr std::uint32_t ranks = 8;

/// Whom a rank sends to in each step.
using Partners = std::vector<std::uint32_t>;
struct Application {
  const char* name;
  std::function<Partners(std::uint32_t)> partners;
  std::uint64_t bytes;
  std::uint32_t steps;
};

const std::vector<Application>& programs() {
  static const std::vector<Application> all = {
      {"half", [](std::uint32_t r) { return Partners{(r + 4) % ranks}; }, 100'000, 3},
      {"shift", [](std::uint32_t r) { return Partners{(r + 3) % ranks}; }, 400'000, 2},
      {"both",
       [](std::uint32_t r) {
         return Partners{(r + 2) % ranks, (r + 6) % ranks};
       },
       50'000, 4},
      {"ring", [](std::uint32_t r) { return Partners{(r + 1) % ranks}; }, 200'000, 2},
      {"exchange",
       [](std::uint32_t r) {
         return Partners{r ^ 5, r ^ 6};
       },
       150'000, 3},
      {"fold", [](std::uint32_t r) { return Partners{ranks - 1 - r}; }, 250'000, 3},
      {"three",
       [](std::uint32_t r) {
         return Partners{(r + 4) % ranks, (r + 5) % ranks, (r + 6) % ranks};
       },
       80'000, 2},
  };
  return all;
}

/// On `nodes` nodes with as many ranks each. Calls last nothing to speak of: the replay says how long they take.
std::unique_ptr<trace::Source> recorded(const Application& program, std::uint32_t nodes) {
  std::string text = fmt::format("mora-trace 1\nprogram {}\n", program.name);
  for (std::uint32_t n = 0; n < nodes; ++n) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t r = n * ranks / nodes; r < (n + 1) * ranks / nodes; ++r) members.push_back(r);
    text += fmt::format("node n{} {}\n", n, fmt::join(members, ","));
  }
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::uint64_t now = 0;
    std::string line = fmt::format("P{} 0-1 MPI_Init", r);
    for (std::uint32_t step = 0; step < program.steps; ++step) {
      now += 5000;
      std::string requests;
      for (std::uint32_t from = 0; from < ranks; ++from) {
        for (const std::uint32_t to : program.partners(from)) {
          if (to != r) continue;
          const std::string request = fmt::format("r{}.{}.{}", r, step, from);
          line += fmt::format("; {}-{} MPI_Irecv from {} bytes {} req {}", now, now + 1, from, program.bytes, request);
          requests += (requests.empty() ? "" : ",") + request;
          now += 2;
        }
      }
      for (const std::uint32_t to : program.partners(r)) {
        const std::string request = fmt::format("s{}.{}.{}", r, step, to);
        line += fmt::format("; {}-{} MPI_Isend to {} bytes {} req {}", now, now + 1, to, program.bytes, request);
        requests += "," + request;
        now += 2;
      }
      line += fmt::format("; {}-{} MPI_Waitall req {}", now, now + 1, requests);
    }
    text += line + fmt::format("; {}-{} MPI_Finalize\n", now + 5000, now + 5001);
  }
  auto source = trace::read_trace_text(text, program.name);
  EXPECT_TRUE(source) << source.error().text();
  return std::move(*source);
}

/// A run on the true machine, and what the model says of it.
struct MeasuredRun {
  Prediction prediction;
  std::vector<FeatureRow> features;
};

MeasuredRun measured_run(const Application& program, std::uint32_t nodes) {
  const MachineModel truth = parse_machine_model(truth_text, "truth.json").value();
  const MachineModel model = parse_machine_model(model_text, "model.json").value();
  const auto source = recorded(program, nodes);
  PredictionRequest request;
  request.machine = &truth;
  request.machine_file = "truth.json";
  request.places.node.resize(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) request.places.node[r] = r * nodes / ranks;
  auto measured = predicted_trace(*source, request);
  EXPECT_TRUE(measured) << measured.error().text();
  request.machine = &model;
  auto prediction = predict(**measured, request);
  EXPECT_TRUE(prediction) << prediction.error().text();
  const auto pattern = pattern_of_trace(**measured);
  EXPECT_TRUE(pattern);
  auto features = rank_features(*pattern, request.places, model, CollectiveModel::linear);
  EXPECT_TRUE(features);
  return {std::move(*prediction), std::move(*features)};
}

constexpr std::uint32_t node_counts[] = {2, 4, 8};

TEST(LearnedFromRuns, ContentionIsLearnedAndHoldsForAnotherProgram) {
  std::vector<Observation> observations;
  std::uint32_t number = 0;
  for (std::size_t p = 0; p + 1 < programs().size(); ++p) {
    for (const std::uint32_t nodes : node_counts) {
      const MeasuredRun run = measured_run(programs()[p], nodes);
      EXPECT_EQ(add_observations(run.prediction, run.features, programs()[p].name, number++, observations), 0U);
    }
  }
  const auto learned = learn_correction(observations);
  ASSERT_TRUE(learned) << learned.error().text();
  const std::string report = learned_text(*learned, {.machine = "model"}, {});
  EXPECT_TRUE(learned->beats_model) << report;
  EXPECT_LT(learned->corrected_error, learned->model_error / 2) << report;
  EXPECT_GT(learned->correction.terms[static_cast<std::size_t>(RankFeature::connection_contention)].coefficient, 0)
      << report;

  for (const std::uint32_t nodes : node_counts) {
    const MeasuredRun run = measured_run(programs().back(), nodes);
    const CorrectedTimes corrected = corrected_times(run.prediction, run.features, learned->correction, "learned.json");
    EXPECT_EQ(corrected.applied(), ranks) << report;
    const ErrorSummary with = summary_of(corrected, run.prediction), without = check_of(run.prediction).ranks;
    if (nodes < 8) {
      EXPECT_LT(with.median, without.median) << nodes << " nodes\n" << report;
    }
    for (const CorrectedRank& rank : corrected.ranks) {
      EXPECT_LE(rank.low, rank.corrected);
      EXPECT_GE(rank.high, rank.corrected);
      EXPECT_LE(static_cast<double>(rank.low) * (1 + learned->correction.held_out_error),
                static_cast<double>(rank.corrected) + 2);
    }
  }
}

TEST(LearnedFromRuns, OfManyRanksSomeTeach) {
  Prediction prediction;
  prediction.machine.ranks.assign(1000, 10);
  prediction.measured.ranks.assign(1000, 20);
  prediction.measured.ranks[8] = 0;
  std::vector<FeatureRow> features(1000);
  for (std::size_t r = 0; r < features.size(); ++r) features[r][0] = static_cast<double>(r);
  std::vector<Observation> observations;
  EXPECT_EQ(add_observations(prediction, features, "a", 3, observations), 1U);
  ASSERT_EQ(observations.size(), 124U) << "every eighth of 1000, but one";
  EXPECT_EQ(observations[1].features[0], 16);
  EXPECT_EQ(observations[1].run, 3U);
  EXPECT_EQ(observations[1].measured, 20);
}

TEST(LearnedFromRuns, RanksBeyondWhatWasLearnedKeepTheirPrediction) {
  std::vector<Observation> observations;
  std::uint32_t number = 0;
  for (std::size_t p = 0; p + 1 < programs().size(); ++p) {
    const MeasuredRun run = measured_run(programs()[p], 4);
    add_observations(run.prediction, run.features, programs()[p].name, number++, observations);
  }
  const auto learned = learn_correction(observations);
  ASSERT_TRUE(learned) << learned.error().text();
  const MeasuredRun run = measured_run(programs().back(), 2);  // all had two ranks on a node
  const CorrectedTimes corrected = corrected_times(run.prediction, run.features, learned->correction, "learned.json");
  EXPECT_EQ(corrected.applied(), 0U);
  for (const CorrectedRank& rank : corrected.ranks) {
    EXPECT_EQ(rank.corrected, rank.predicted);
    EXPECT_NE(std::find(rank.beyond.begin(), rank.beyond.end(), "node_ranks"), rank.beyond.end());
  }
}

}  // namespace
}  // namespace mora::predict
