// Worlds in which the truth is known: what a correction finds, and what it must not believe.
#include "predict/learning/learning.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "predict/learning/correction_file.h"
#include "predict/learning/report.h"

namespace mora::predict {
namespace {

constexpr auto at(RankFeature feature) { return static_cast<std::size_t>(feature); }

struct World {
  std::uint32_t applications = 8, runs = 3, ranks = 8;
  std::uint64_t seed = 1;
  /// Of one rank: ln(measured / predicted).
  std::function<double(const FeatureRow&, std::uint32_t application, std::mt19937_64&)> truth;
};

double uniform(std::mt19937_64& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

/// Applications differ in what they send; placements and so contention differ from run to run and rank to rank. No
/// topology: the features of category C are 0.
std::vector<Observation> observations_of(const World& world) {
  std::mt19937_64 random(world.seed);
  std::vector<Observation> all;
  for (std::uint32_t a = 0; a < world.applications; ++a) {
    const double size = uniform(random, 3, 20), share = uniform(random, 0, 1), nonblocking = uniform(random, 0, 1);
    for (std::uint32_t run = 0; run < world.runs; ++run) {
      for (std::uint32_t rank = 0; rank < world.ranks; ++rank) {
        Observation o;
        o.application = "app" + std::to_string(a);
        o.run = a * world.runs + run;
        const auto set = [&](RankFeature feature, double value) { o.features[at(feature)] = value; };
        set(RankFeature::ranks, std::log2(world.ranks));
        set(RankFeature::messages, uniform(random, 5, 15));
        set(RankFeature::message_bytes, size + uniform(random, -2, 2));
        set(RankFeature::collective_share, std::min(1.0, share + uniform(random, 0, 0.2)));
        set(RankFeature::nonblocking_share, nonblocking);
        set(RankFeature::partners, uniform(random, 0, 3));
        set(RankFeature::imbalance, uniform(random, -1, 1));
        set(RankFeature::node_ranks, 2);
        set(RankFeature::between_nodes_share, uniform(random, 0, 1));
        set(RankFeature::connection_contention, uniform(random, 0, 2));
        set(RankFeature::memory_contention, uniform(random, 0, 2));
        o.predicted = uniform(random, 1e6, 1e9);
        o.measured = o.predicted * std::exp(world.truth(o.features, a, random));
        all.push_back(std::move(o));
      }
    }
  }
  return all;
}

Learned learned_of(const World& world) {
  auto learned = learn_correction(observations_of(world));
  EXPECT_TRUE(learned) << learned.error().text();
  return std::move(*learned);
}

double coefficient(const Learned& learned, RankFeature feature) {
  return learned.correction.terms.at(at(feature)).coefficient;
}

/// Ranks that share a connection take longer, by 0.3 for each other one.
double contended(const FeatureRow& features, std::uint32_t, std::mt19937_64&) {
  return std::log(1 + 0.3 * (std::exp2(features[at(RankFeature::connection_contention)]) - 1));
}

TEST(Learning, FindsContentionThatTheModelLacks) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Learned learned = learned_of({.seed = seed, .truth = contended});
    EXPECT_TRUE(learned.beats_model) << verdict_of(learned);
    EXPECT_LT(learned.corrected_error, 0.05);
    EXPECT_GT(learned.model_error, 0.2);
    for (std::size_t f = 0; f < feature_count; ++f) {
      if (f == at(RankFeature::connection_contention)) continue;
      EXPECT_LT(std::abs(learned.correction.terms[f].coefficient), 0.05) << rank_feature_table()[f].name;
    }
    // From one rank to four the truth grows by 1.9.
    EXPECT_NEAR(std::exp(2 * coefficient(learned, RankFeature::connection_contention)), 1.9, 0.1);
    FeatureRow alone{};
    for (const CorrectionTerm& term : learned.correction.terms) alone[term.feature] = term.from;
    EXPECT_TRUE(out_of_range(learned.correction, alone).empty());
    EXPECT_NEAR(factor_of(learned.correction, alone), 1, 0.1);
  }
}

TEST(Learning, AblationShowsWhichCategoryTheCorrectionNeeds) {
  const Learned learned = learned_of({.truth = contended});
  ASSERT_EQ(learned.ablations.size(), 5U);
  std::map<std::string, double> error;
  for (const Ablation& a : learned.ablations) error[a.features] = a.error;
  EXPECT_LT(error.at("A, B and C"), 0.05);
  EXPECT_NEAR(error.at("without A"), error.at("A, B and C"), 0.02);
  EXPECT_NEAR(error.at("without C"), error.at("A, B and C"), 0.02);
  EXPECT_GT(error.at("without B"), 0.1) << "contention is of category B";
  EXPECT_GT(error.at("none: a constant factor"), 0.1);
}

TEST(Learning, NoiseDoesNotBeatTheModel) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Learned learned =
        learned_of({.seed = seed, .truth = [](const FeatureRow&, std::uint32_t, std::mt19937_64& random) {
                      return std::normal_distribution<double>(0, 0.3)(random);
                    }});
    EXPECT_FALSE(learned.beats_model) << "seed " << seed << ": " << verdict_of(learned);
    EXPECT_NE(verdict_of(learned).find("does not beat the analytical model"), std::string::npos);
  }
}

/// Each application differs from the model by a factor of its own, which no feature explains.
std::vector<Observation> own_factors(std::uint64_t seed) {
  std::mt19937_64 random(seed + 1000);
  std::vector<double> own(5);
  for (double& factor : own) factor = std::normal_distribution<double>(0, 0.4)(random);
  return observations_of(
      {.applications = 5, .runs = 4, .seed = seed, .truth = [&](const FeatureRow&, std::uint32_t a, std::mt19937_64&) {
         return own[a];
       }});
}

// Three applications take 1.65 times as long as predicted, one 1.27 times: each is better predicted by the others, on
// average by 2.8 standard errors. Of four differences that is no evidence (t with 3 degrees of freedom: 3.18).
TEST(Learning, TwiceTheStandardErrorOfFewApplicationsIsNoEvidence) {
  std::vector<Observation> all;
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      Observation o;
      o.application = "app" + std::to_string(a);
      o.run = a;
      o.predicted = 1e6;
      o.measured = 1e6 * std::exp(a == 3 ? 0.24 : 0.5);
      all.push_back(o);
    }
  }
  const auto learned = learn_correction(all);
  ASSERT_TRUE(learned);
  const double gain = learned->model_error - learned->corrected_error;
  EXPECT_NEAR(gain / learned->standard_error, 2.8, 0.1);
  EXPECT_FALSE(learned->beats_model);
}

// Whoever held out ranks or runs instead of applications would learn each application's factor from its other runs, by
// the features that tell applications apart, and would seem to beat the model: so it does where each run is called an
// application of its own.
TEST(Learning, WhatIsOfOneApplicationOnlyDoesNotHelpAnother) {
  std::uint32_t believed = 0, believed_of_runs = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto all = own_factors(seed);
    const auto learned = learn_correction(all);
    ASSERT_TRUE(learned);
    believed += learned->beats_model ? 1 : 0;
    for (Observation& o : all) o.application += "-" + std::to_string(o.run);
    const auto of_runs = learn_correction(all);
    ASSERT_TRUE(of_runs);
    believed_of_runs += of_runs->beats_model ? 1 : 0;
  }
  EXPECT_EQ(believed, 0U);
  EXPECT_GE(believed_of_runs, 5U);
}

TEST(Learning, AConstantFactorIsLearnedWithoutFeatures) {
  const Learned learned = learned_of({.truth = [](const FeatureRow&, std::uint32_t, std::mt19937_64& random) {
    return std::log(1.5) + uniform(random, -0.05, 0.05);
  }});
  EXPECT_TRUE(learned.beats_model);
  FeatureRow row{};
  for (const CorrectionTerm& term : learned.correction.terms) row[term.feature] = (term.from + term.to) / 2;
  EXPECT_NEAR(factor_of(learned.correction, row), 1.5, 0.03);
  EXPECT_LT(learned.correction.held_out_error, 0.06);
}

TEST(Learning, TheErrorBarHoldsNineTenthsOfApplicationsHeldOut) {
  const Learned learned = learned_of(
      {.applications = 12, .ranks = 32, .truth = [](const FeatureRow& row, std::uint32_t a, std::mt19937_64& random) {
         return contended(row, a, random) + uniform(random, -0.2, 0.2);
       }});
  EXPECT_TRUE(learned.beats_model);
  EXPECT_NEAR(learned.correction.held_out_error, std::expm1(0.18), 0.025)
      << "of -0.2 to 0.2 nine tenths are within 0.18";
}

TEST(Learning, FewApplicationsAreRefused) {
  const auto learned = learn_correction(observations_of({.applications = 3, .truth = contended}));
  ASSERT_FALSE(learned);
  EXPECT_EQ(learned.error().kind, ErrorKind::usage);
  EXPECT_NE(learned.error().text().find("3: app0, app1, app2"), std::string::npos) << learned.error().text();
}

TEST(Correction, DoesNotApplyOutOfTheRangeThatItWasLearnedIn) {
  const Learned learned = learned_of({.truth = contended});
  FeatureRow row{};
  for (const CorrectionTerm& term : learned.correction.terms) row[term.feature] = (term.from + term.to) / 2;
  EXPECT_TRUE(out_of_range(learned.correction, row).empty());
  row[at(RankFeature::connection_contention)] = 2.5;  // up to 2 was learned
  EXPECT_EQ(out_of_range(learned.correction, row), std::vector{at(RankFeature::connection_contention)});
  row[at(RankFeature::connection_contention)] = 1;
  row[at(RankFeature::node_ranks)] = 3;  // all had 2
  EXPECT_EQ(out_of_range(learned.correction, row), std::vector{at(RankFeature::node_ranks)});
  row[at(RankFeature::node_ranks)] = 2;
  row[at(RankFeature::messages)] = 40;  // the correction does not depend on it
  EXPECT_EQ(coefficient(learned, RankFeature::messages), 0);
  EXPECT_TRUE(out_of_range(learned.correction, row).empty());
  EXPECT_EQ(extrapolated(learned.correction, row), std::vector{at(RankFeature::messages)});
  row[at(RankFeature::messages)] = 10;
  EXPECT_TRUE(extrapolated(learned.correction, row).empty());
}

TEST(CorrectionFile, IsReadAsItWasWritten) {
  const Learned learned = learned_of({.truth = contended});
  const std::string json =
      correction_json(learned, {.machine = "here", .machine_digest = "00ff", .runs = {{"halo", "run-4", 4}}}, {});
  const auto read = parse_correction(json, "learned.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->beats_model);
  EXPECT_EQ(read->machine, "here");
  EXPECT_EQ(read->machine_digest, "00ff");
  EXPECT_EQ(read->runs, std::vector<std::string>{"run-4"});
  EXPECT_NEAR(read->correction.held_out_error, learned.correction.held_out_error, 1e-8);
  ASSERT_EQ(read->correction.terms.size(), feature_count);
  for (const Observation& o : observations_of({.truth = contended})) {
    EXPECT_TRUE(out_of_range(read->correction, o.features).empty());
    EXPECT_NEAR(factor_of(read->correction, o.features), factor_of(learned.correction, o.features), 1e-6);
  }
}

TEST(CorrectionFile, DamageIsAnError) {
  const std::string json = correction_json(learned_of({.truth = contended}), {}, {});
  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    const auto place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
    const auto read = parse_correction(text, "learned.json");
    return read ? std::string("no error") : read.error().text();
  };
  EXPECT_NE(error_with("{", "").find("it is no correction"), std::string::npos);
  EXPECT_NE(error_with("mora-correction", "mora-prediction").find("it is no correction"), std::string::npos);
  EXPECT_NE(error_with("\"schema_version\": 1", "\"schema_version\": 2").find("another version"), std::string::npos);
  EXPECT_NE(error_with("\"beats_model\": true", "\"beats_model\": 1").find("beats_model is missing"),
            std::string::npos);
  EXPECT_NE(error_with("\"runs\": []", "\"runs\": 1").find("runs is missing"), std::string::npos);
  EXPECT_NE(error_with("\"constant\"", "\"constand\"").find("constant or held_out_error"), std::string::npos);
  EXPECT_NE(error_with("message_bytes", "message_size").find("there is no feature message_size"), std::string::npos);
  EXPECT_NE(error_with("\"coefficient\": 0", "\"coefficient\": \"0\"").find("the coefficient or the range of ranks"),
            std::string::npos);
}

}  // namespace
}  // namespace mora::predict
