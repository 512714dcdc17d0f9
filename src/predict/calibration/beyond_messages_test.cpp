// What is measured beside single messages, from samples of machines that are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include <fmt/format.h>

#include "predict/calibration/calibration.h"
#include "predict/calibration/sharing.h"
#include "replay/costs/collective_plan.h"

namespace mora::predict {
namespace {

using replay::WindowCall;

/// Half round trips of 1000 + b/4, and what `more` appends.
std::string raw_file(const std::string& more, int processors = 16, const std::string& class_name = "same_node") {
  std::string text = fmt::format(
      "# mora-calibration 2\n# ranks,16\n# ranks_of_node,16\n# "
      "processors_of_node,{}\nclass,from,to,pass,test,bytes,ns\n",
      processors);
  for (std::uint64_t bytes = 0; bytes <= 1 << 20; bytes = bytes * 4 / 3 + 16)
    text += fmt::format("{},0,1,1,half_round_trip,{},{}\n", class_name, bytes, 1000 + bytes / 4);
  return text + more + "# end\n";
}

Calibration calibration_of(const std::string& raw) {
  const auto samples = parse_samples(raw, "raw");
  EXPECT_TRUE(samples) << (samples ? "" : samples.error().text());
  return calibrate(*samples, "raw").value();
}

std::string lines(const std::string& test, std::uint64_t bytes, int pass, std::int64_t ns) {
  return fmt::format("same_node,0,1,{},{},{},{}\n", pass, test, bytes, ns);
}

const Quantity* find(const Calibration& c, const std::string& name) {
  for (const Quantity& q : c.quantities) {
    if (q.name == name) return &q;
  }
  return nullptr;
}

bool says(const Calibration& c, const std::string& words) {
  for (const std::string& sentence : c.not_measured) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

/// A max-rate machine: k pairs take 1000 + n max(1/4, k shared), each sample up to `noise` longer or shorter.
std::string pairs_at_once(double shared, double noise, std::uint64_t seed,
                          const std::vector<int>& counts = {1, 2, 4, 8}) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
  std::string text;
  for (const int k : counts) {
    for (const std::uint64_t bytes : {65536, 99999, 200001, 345678, 500000, 654321, 800000, 1048576}) {
      for (int pass = 1; pass <= 3; ++pass) {
        for (int pair = 0; pair < k; ++pair) {
          for (int i = 0; i < 5; ++i) {
            const double ns = 1000 + static_cast<double>(bytes) * std::max(0.25, k * shared);
            text += fmt::format("same_node,{},{},{},pairs_{},{},{}\n", 2 * pair, 2 * pair + 1, pass, k, bytes,
                                static_cast<std::int64_t>(ns * factor(random)));
          }
        }
      }
    }
  }
  return text;
}

TEST(Sharing, TheRateOfAMaxRateMachineIsFound) {
  const Calibration c = calibration_of(raw_file(pairs_at_once(0.1, 0, 1)));
  const Quantity* q = find(c, "memory_ns_per_byte");
  ASSERT_NE(q, nullptr);
  EXPECT_NEAR(q->value, 0.1, 1e-4);
  EXPECT_LT(q->ninth_decile_error, 1e-3);
  EXPECT_EQ(q->class_name, "same_node");
  EXPECT_EQ(c.shared.memory_ns_per_byte, q->value);
  EXPECT_EQ(c.shared.connection_ns_per_byte, 0);
  EXPECT_TRUE(says(c, "connection that several pairs of ranks of a node share: no ranks are so far apart"));
  const auto model = parse_machine_model(machine_json(c, {"n", "c", "raw", 1}), "machine.json");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_NEAR(model->shared.memory_ns_per_byte, 0.1, 1e-4);
}

TEST(Sharing, TheTruthIsInTheInterval) {
  int inside = 0;
  constexpr int launches = 40;
  for (int seed = 1; seed <= launches; ++seed) {
    const Calibration c = calibration_of(raw_file(pairs_at_once(0.1, 0.2, static_cast<std::uint64_t>(seed))));
    const Quantity* q = find(c, "memory_ns_per_byte");
    ASSERT_NE(q, nullptr);
    EXPECT_NEAR(q->value, 0.1, 0.01);
    EXPECT_GT(q->ninth_decile_error, 0);
    EXPECT_LT(q->ninth_decile_error, 0.1);
    if (q->low <= 0.1 && 0.1 <= q->high) ++inside;
  }
  // An interval of 95 %: fewer than 34 of 40 have less than one chance in a thousand.
  EXPECT_GE(inside, 34);
}

TEST(Sharing, WhatWasNotMeasuredIsSaid) {
  Calibration c = calibration_of(raw_file(""));
  EXPECT_TRUE(says(c, "memory that several pairs of ranks of a node share: two pairs of ranks at once need 4 ranks"));
  EXPECT_FALSE(c.shared.any());
  EXPECT_EQ(machine_json(c, {"n", "c", "raw", 1}).find("\"shared\""), std::string::npos);
  // Two pairs on two processors only measure who gets one.
  c = calibration_of(raw_file(pairs_at_once(0.2, 0, 1, {1, 2}), 2));
  EXPECT_TRUE(says(c, "2 pairs of ranks at once need 4 processors of a node, and the ranks may use 2 there"));
  EXPECT_FALSE(c.shared.any());
  // Of eight processors four pairs count, eight pairs do not.
  EXPECT_NEAR(calibration_of(raw_file(pairs_at_once(0.1, 0, 1), 8)).shared.memory_ns_per_byte, 0.1, 1e-4);
  c = calibration_of(raw_file(pairs_at_once(0.1, 0, 1), 4));
  EXPECT_TRUE(says(c, "2 pairs of ranks at once were not slower than one alone: it is at least 2 times as fast"));
  EXPECT_FALSE(c.shared.any());
}

TEST(Sharing, PairsOfTwoNodesShareTheConnection) {
  std::string pairs = pairs_at_once(0.2, 0, 1, {1, 2});
  for (std::size_t at = 0; (at = pairs.find("same_node", at)) != std::string::npos;) pairs.replace(at, 9, "other_node");
  const Calibration c = calibration_of(raw_file(pairs, 2, "other_node"));
  EXPECT_NEAR(c.shared.connection_ns_per_byte, 0.2, 1e-4);
  EXPECT_EQ(c.shared.memory_ns_per_byte, 0);
}

std::string one_sided_samples(const std::function<bool(const std::string&)>& is_in) {
  std::string text;
  const auto add = [&](const std::string& test, std::uint64_t bytes, int pass, std::int64_t ns) {
    if (is_in(test)) text += lines(test, bytes, pass, pass == 0 ? 77777 : ns);
  };
  for (int pass = 0; pass <= 3; ++pass) {
    for (std::uint64_t bytes = 40; bytes <= 40000; bytes += 2000) {
      const auto b = static_cast<std::int64_t>(bytes);
      // The call 100 + b/10, then 300 + b/4 until it is complete, and 50 for the flush.
      add("put_call", bytes, pass, 100 + b / 10);
      add("put_complete", bytes, pass, 100 + b / 10 + 300 + b / 4 + 50);
      add("get_call", bytes, pass, 200);
      add("get_complete", bytes, pass, 200 + 600 + b / 2 + 50);
    }
    add("fence", 0, pass, pass == 3 ? 990 : 900);
    add("post", 0, pass, 30);
    add("start", 0, pass, 20);
    add("complete", 0, pass, 40);
    add("wait", 0, pass, 50);
    add("epoch", 0, pass, 30 + 20 + 40 + 50 + 2 * 200);
    add("lock", 0, pass, 700);
    add("create", 0, pass, 90000);
    add("free", 0, pass, 80000);
    add("unlock", 8, pass, 120 + 302);
    add("lock_all", 0, pass, 10);
    add("unlock_all", 0, pass, 60);
    add("flush", 0, pass, 50);
  }
  return text;
}

TEST(OneSided, TheCostsThatTheSamplesWereMadeOf) {
  const Calibration c = calibration_of(raw_file(one_sided_samples([](const std::string&) { return true; })));
  const auto model = parse_machine_model(machine_json(c, {"n", "c", "raw", 1}), "machine.json");
  ASSERT_TRUE(model) << model.error().text();
  const WindowModels& calls = model->windows[static_cast<std::size_t>(Locality::same_node)];
  const auto cost = [&](WindowCall call, std::uint64_t bytes) {
    const auto& of = calls[static_cast<std::size_t>(call)];
    EXPECT_NE(of, nullptr) << replay::name_of(call);
    const replay::MessageCost m = of == nullptr ? replay::MessageCost{} : message_cost(*of, bytes);
    return fmt::format("{} {} {}", m.send_overhead, m.latency, m.port);
  };
  EXPECT_EQ(cost(WindowCall::put, 20000), "2100 300 5000");
  EXPECT_EQ(cost(WindowCall::get, 1000), "200 600 500");
  EXPECT_EQ(cost(WindowCall::fence, 0), "0 900 0");
  EXPECT_EQ(cost(WindowCall::post, 0), "30 200 0");
  EXPECT_EQ(cost(WindowCall::start, 0), "20 0 0");
  EXPECT_EQ(cost(WindowCall::complete, 0), "40 200 0");
  EXPECT_EQ(cost(WindowCall::wait, 0), "50 0 0");
  EXPECT_EQ(cost(WindowCall::lock, 0), "0 700 0");
  EXPECT_EQ(cost(WindowCall::create, 0), "0 90000 0");
  EXPECT_EQ(cost(WindowCall::free, 0), "0 80000 0");
  EXPECT_EQ(cost(WindowCall::unlock, 0), "120 0 0");
  EXPECT_EQ(cost(WindowCall::lock_all, 0), "10 0 0");
  EXPECT_EQ(cost(WindowCall::unlock_all, 0), "60 0 0");
  EXPECT_EQ(cost(WindowCall::flush, 0), "50 0 0");
  EXPECT_EQ(calls[static_cast<std::size_t>(WindowCall::accumulate)], nullptr);
  EXPECT_EQ(calls[static_cast<std::size_t>(WindowCall::put)]->measured_up_to(), 38040U);
  // Each pass from the others: 900 from 900 and 990 is 5 % away, 990 from 900 is 9 %.
  const Quantity* fence = find(c, "fence");
  ASSERT_NE(fence, nullptr);
  EXPECT_NEAR(fence->median_error, 0.05, 1e-9);
  EXPECT_NEAR(fence->ninth_decile_error, 90.0 / 990, 1e-9);
  EXPECT_EQ(calls[static_cast<std::size_t>(WindowCall::fence)]->at(0).relative_error, 0.0909);
  const Quantity* put = find(c, "put");
  ASSERT_NE(put, nullptr);
  EXPECT_EQ(put->samples, 60U);
  EXPECT_LT(put->ninth_decile_error, 0.01);
}

TEST(OneSided, ACallBelongsToTheTransferOfItsSize) {
  // The call of the smallest size was not measured; of the others it takes all there is, and the flush is not taken
  // off.
  std::string text;
  for (std::uint64_t bytes = 40; bytes <= 4000; bytes += 200) {
    const auto b = static_cast<std::int64_t>(bytes);
    if (bytes > 40) text += lines("put_call", bytes, 1, 100 + b);
    text += lines("put_complete", bytes, 1, 100 + b);
  }
  const Calibration c = calibration_of(raw_file(text + lines("flush", 0, 1, 20)));
  const auto& put = c.classes[0].one_sided.calls[static_cast<std::size_t>(WindowCall::put)];
  ASSERT_FALSE(put.empty());
  const MessageLines& l = put.back().lines;
  EXPECT_NEAR(l.fixed_ns() + 3840 * l.per_byte_ns(), 3940, 1);
}

TEST(OneSided, WithoutATestItsCallsAreLeftOut) {
  const Calibration none = calibration_of(raw_file(""));
  EXPECT_TRUE(says(none, "same_node: one-sided calls: there are no samples"));
  EXPECT_EQ(machine_json(none, {"n", "c", "raw", 1}).find("one_sided"), std::string::npos);
  const Calibration c =
      calibration_of(raw_file(one_sided_samples([](const std::string& test) { return test != "epoch"; })));
  EXPECT_TRUE(c.classes[0].one_sided.calls[static_cast<std::size_t>(WindowCall::post)].empty());
  EXPECT_FALSE(c.classes[0].one_sided.calls[static_cast<std::size_t>(WindowCall::lock)].empty());
}

std::string trains(std::int64_t each) {
  std::string text;
  for (std::uint64_t bytes = 0; bytes <= 60000; bytes += 4000) {
    const auto first = static_cast<std::int64_t>(2000 + bytes / 4);
    text += lines("train_1", bytes, 1, first);
    text += lines("train_8", bytes, 1, first + 7 * (each + static_cast<std::int64_t>(bytes / 2)));
  }
  return text;
}

TEST(Gaps, WhatTheProcessorsDoNotExplain) {
  const Calibration c = calibration_of(raw_file(trains(600)));
  const MessageLines& l = c.classes[0].ranges[0].lines;
  EXPECT_NEAR(l.gap_ns, 600, 1);
  EXPECT_NEAR(l.gap_ns_per_byte, 0.5, 1e-4);
  ASSERT_NE(find(c, "gap_ns"), nullptr);
  EXPECT_NEAR(find(c, "gap_ns")->value, 600, 1);
  const auto model = parse_machine_model(machine_json(c, {"n", "c", "raw", 1}), "machine.json");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(message_cost(*model->find(Locality::same_node), 1000).gap, 1100);
  // Larger ones than all trains have none, though all is one line.
  ASSERT_EQ(c.classes[0].ranges.size(), 2U);
  EXPECT_EQ(message_cost(*model->find(Locality::same_node), 60000).gap, 30600);
  EXPECT_EQ(message_cost(*model->find(Locality::same_node), 60001).gap, 0);
  EXPECT_EQ(message_cost(*model->find(Locality::same_node), 100'000).latency, 1000);
  EXPECT_TRUE(says(c, "same_node: gaps between messages of more than 60000 bytes"));
  // Where larger ones wait, all trains reach the end of those that do not.
  const Calibration both = calibration_of(raw_file(trains(600) + "# eager_up_to,same_node,50000\n"));
  ASSERT_EQ(both.classes[0].ranges.size(), 2U);
  EXPECT_EQ(both.classes[0].ranges[0].up_to_bytes, 50000U);
  EXPECT_NEAR(both.classes[0].ranges[0].lines.gap_ns, 600, 1);
  EXPECT_FALSE(says(both, "gaps between messages"));
  // A train whose bytes follow each other on the way has no gap.
  std::string busy = trains(0);
  for (std::size_t at = 0; (at = busy.find("train_8", at)) != std::string::npos; ++at) busy.replace(at, 7, "train_9");
  for (std::uint64_t bytes = 0; bytes <= 60000; bytes += 4000)
    busy += lines("train_8", bytes, 1, static_cast<std::int64_t>(2000 + bytes / 4 + 7 * (bytes / 4)));
  EXPECT_EQ(calibration_of(raw_file(busy)).classes[0].ranges[0].lines.gap_ns_per_byte, 0);
}

TEST(Blocks, HowMuchLongerAByteTakes) {
  std::string text;
  for (std::uint64_t bytes = 8; bytes <= 80000; bytes += 8000) {
    text += lines("contiguous", bytes, 1, static_cast<std::int64_t>(1000 + bytes / 4));
    text += lines("strided", bytes, 1, static_cast<std::int64_t>(1000 + bytes / 4 + bytes / 2));
  }
  const Calibration c = calibration_of(raw_file(text));
  const Quantity* q = find(c, "blocks_of_8_ns_per_byte");
  ASSERT_NE(q, nullptr);
  EXPECT_NEAR(q->value, 0.5, 1e-6);
  EXPECT_LT(q->ninth_decile_error, 1e-6);
  EXPECT_TRUE(says(calibration_of(raw_file("")), "messages of many blocks"));
}

TEST(Computation, ItsNinthDecileByItsMedian) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += fmt::format("one_rank,{},{},1,computation,0,{}\n", i % 4, i % 4, i % 5 == 4 ? 1500 : 1000);
  const Calibration c = calibration_of(raw_file(text));
  const Quantity* q = find(c, "computation_ninth_decile");
  ASSERT_NE(q, nullptr);
  EXPECT_NEAR(q->value, 1.5, 1e-9);
  EXPECT_EQ(q->samples, 100U);
  EXPECT_EQ(c.classes.size(), 1U);
}

/// On a machine of 1000 + b/4 for a message: what `algorithm` takes for the case.
std::int64_t time_of(const mpi::schedule::Algorithm& algorithm, std::uint32_t ranks) {
  struct Line final : replay::Network {
    replay::MessageCost message(std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
      replay::MessageCost cost;
      cost.latency = 1000;
      cost.port = static_cast<Nanoseconds>(bytes / 4);
      return cost;
    }
    mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase& c) const override {
      return mpi::schedule::linear_algorithm(c);
    }
  };
  std::vector<std::uint32_t> all(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) all[r] = r;
  const auto times = synchronous_times(replay::plan_of(algorithm, ranks), all, Line());
  return *std::max_element(times.begin(), times.end());
}

std::string collective_samples(const std::string& test, mpi::Collective operation,
                               mpi::schedule::CollectiveModel model) {
  std::string text = "# library,MPICH 4.0.2\n";
  for (const std::uint64_t bytes : {8, 800, 4000, 40000}) {
    mpi::schedule::CollectiveCase c;
    c.collective = operation;
    c.ranks = 16;
    c.element = 8;
    c.count = bytes / 8;
    for (int pass = 1; pass <= 3; ++pass)
      text += fmt::format("all_ranks,0,15,{},{},{},{}\n", pass, test, bytes, time_of(choose_algorithm(model, c), 16));
  }
  return text;
}

TEST(Collectives, TheLibrarysOwnAlgorithmIsRecognised) {
  using mpi::schedule::CollectiveModel;
  Calibration c =
      calibration_of(raw_file(collective_samples("allreduce", mpi::Collective::allreduce, CollectiveModel::mpich)));
  ASSERT_EQ(c.collectives.size(), 1U);
  EXPECT_EQ(c.collectives[0].operation, "allreduce");
  EXPECT_EQ(c.collectives[0].sizes, 4U);
  EXPECT_LT(c.collectives[0].ninth_decile_error, 0.01);
  EXPECT_TRUE(c.collectives[0].others.empty());
  EXPECT_NE(machine_json(c, {"n", "c", "raw", 1}).find("\"operation\": \"allreduce\""), std::string::npos);
  EXPECT_EQ(c.classes.size(), 1U);
  // A library that sends straight to the root, whatever its rules say.
  c = calibration_of(raw_file(collective_samples("bcast", mpi::Collective::bcast, CollectiveModel::linear)));
  ASSERT_EQ(c.collectives.size(), 1U);
  EXPECT_GT(c.collectives[0].median_error, 0.1);
  EXPECT_GE(c.collectives[0].others.size(), 3U);
  EXPECT_FALSE(c.warnings.empty());
}

TEST(Collectives, WhatCannotBeComparedIsSaid) {
  EXPECT_TRUE(says(calibration_of(raw_file("")), "collective operations: there are no samples"));
  const std::string some = collective_samples("bcast", mpi::Collective::bcast, mpi::schedule::CollectiveModel::mpich);
  EXPECT_TRUE(says(calibration_of(raw_file(some, 4)), "collective operations: 16 ranks may use 4 processors"));
  EXPECT_TRUE(says(calibration_of(raw_file(some + "# library,another\n")), "the rules of this library are not known"));
}

}  // namespace
}  // namespace mora::predict
