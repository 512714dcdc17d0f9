#include "predict/pattern/features/features.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/pattern/matrix_sample.h"

namespace mora::predict {
namespace {

/// Four ranks: a halo of doubles and columns, a reduction in a phase, an all-to-all outside.
PatternTrace sample() {
  SampleJob job(4);
  for (std::uint32_t r = 0; r < 4; ++r) {
    job.begin(r, "step");
    const auto next = static_cast<std::int32_t>((r + 1) % 4), before = static_cast<std::int32_t>((r + 3) % 4);
    for (int i = 0; i < 10; ++i) {
      Call receive;
      receive.operation = Operation::irecv, receive.communicator = 0, receive.peer = before, receive.received = {80, 0};
      receive.posted_any_source = true;
      job.rank(r).add(receive);
      Call column;
      column.operation = Operation::send, column.communicator = 0, column.peer = next, column.sent = {1, 2};
      job.rank(r).add(column);
      job.waitall(r, {{0, before, 0, 80}});
      job.collective(r, Operation::iallreduce, 2);
      job.waitall(r, {{0}});
    }
    job.end(r, "step");
    job.collective(r, Operation::alltoall, 1);
  }
  job.send(0, 2, 1000);
  job.receive(2, 0, 1000);
  return job.finish();
}

FeatureValue value(const FeatureTable& t, const std::string& phase, const std::string& column) {
  const auto at = std::find(t.columns.begin(), t.columns.end(), column);
  for (const auto& row : t.rows)
    if (row.phase == phase && at != t.columns.end())
      return row.values[static_cast<std::size_t>(at - t.columns.begin())];
  return {};
}

std::uint64_t number(const FeatureTable& t, const char* phase, const char* column) {
  const auto v = value(t, phase, column);
  EXPECT_TRUE(std::holds_alternative<std::uint64_t>(v)) << phase << " " << column;
  return std::holds_alternative<std::uint64_t>(v) ? std::get<std::uint64_t>(v) : UINT64_MAX;
}

double real(const FeatureTable& t, const char* phase, const char* column) {
  const auto v = value(t, phase, column);
  EXPECT_TRUE(std::holds_alternative<double>(v)) << phase << " " << column;
  return std::holds_alternative<double>(v) ? std::get<double>(v) : -1;
}

TEST(Features, OfTheProgram) {
  const auto t = make_features(sample(), {});
  ASSERT_TRUE(t.has_value());
  ASSERT_EQ(t->rows.size(), 3u);
  for (const auto& row : t->rows) EXPECT_EQ(row.values.size(), t->columns.size());
  EXPECT_EQ(number(*t, "total", "phases"), 2u);
  EXPECT_EQ(number(*t, "step", "calls_irecv"), 40u);
  EXPECT_EQ(number(*t, "step", "calls_send"), 40u);
  EXPECT_EQ(number(*t, "step", "calls_wait"), 80u);
  EXPECT_EQ(number(*t, "step", "calls_collective_nonblocking"), 40u);
  EXPECT_EQ(number(*t, "step", "receives_any_source"), 40u);
  EXPECT_EQ(real(*t, "step", "asynchronous_share"), 0.5);
  EXPECT_EQ(real(*t, "step", "completions_per_wait"), 1.0);
  EXPECT_EQ(number(*t, "step", "point_to_point_bytes"), 3200u);
  EXPECT_EQ(number(*t, "step", "noncontiguous_messages"), 40u);
  EXPECT_EQ(number(*t, "step", "noncontiguous_bytes"), 3200u);
  EXPECT_EQ(number(*t, "step", "allreduce_calls"), 10u);
  EXPECT_EQ(number(*t, "step", "allreduce_payload"), 160u);
  EXPECT_EQ(real(*t, "step", "allreduce_ranks_mean"), 4.0);
  EXPECT_EQ(number(*t, "step", "payload_times_ranks"), 640u);
  EXPECT_EQ(number(*t, "step", "size_min"), 80u);
  EXPECT_EQ(number(*t, "total", "size_max"), 1000u);
  EXPECT_EQ(number(*t, "total", "size_median"), 80u);
  EXPECT_DOUBLE_EQ(real(*t, "total", "size_mean"), 4200.0 / 41);
  EXPECT_EQ(number(*t, "total", "messages_to_512B"), 40u);
  EXPECT_EQ(number(*t, "total", "messages_to_4KiB"), 1u);
  EXPECT_EQ(number(*t, "total", "partners_max"), 2u) << "without collectives";
  EXPECT_DOUBLE_EQ(real(*t, "total", "partners_mean"), 5.0 / 4);
  // Step: rank 0 sends 800 and, for ten allreduces of 16 bytes, 3 x 160; the others 800 and 160.
  EXPECT_EQ(number(*t, "step", "rank_sent_bytes_max"), 1280u);
  EXPECT_DOUBLE_EQ(real(*t, "step", "rank_sent_imbalance"), 1280.0 * 4 / (1280 + 3 * 960));
  EXPECT_EQ(number(*t, "global", "alltoall_calls"), 1u);
  EXPECT_EQ(number(*t, "global", "collective_bytes"), 12u * 8);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value(*t, "total", "nodes"))) << "no placement";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value(*t, "global", "bcast_ranks_mean"))) << "mean of nothing";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value(*t, "nowhere", "ranks")));
}

TEST(Features, OfTheProgramOnNodes) {
  const Placement placed{.nodes = {"a", "b", "empty"}, .node_of = {0, 0, 0, 1}, .core = {}, .slot = {}};
  const auto t = make_features(sample(), {.collectives = CollectiveModel::none, .placement = &placed});
  ASSERT_TRUE(t.has_value());
  EXPECT_EQ(number(*t, "total", "nodes"), 2u);
  EXPECT_EQ(number(*t, "total", "node_ranks_min"), 1u);
  EXPECT_EQ(number(*t, "total", "node_ranks_max"), 3u);
  // 0→1, 1→2 and 0→2 stay on a; 2→3 leaves it, 3→0 arrives.
  EXPECT_EQ(number(*t, "total", "intra_node_bytes"), 2600u);
  EXPECT_EQ(number(*t, "total", "inter_node_bytes"), 1600u);
  EXPECT_DOUBLE_EQ(real(*t, "total", "inter_node_share"), 1600.0 / 4200);
  EXPECT_EQ(number(*t, "total", "node_out_bytes_max"), 800u);
  EXPECT_EQ(number(*t, "total", "node_in_messages_max"), 10u);
  EXPECT_EQ(number(*t, "total", "node_pairs"), 2u);
  EXPECT_EQ(number(*t, "total", "node_pair_bytes_max"), 800u);
}

TEST(Features, CsvHasTheSameColumnsForAnyProgram) {
  const auto first = make_features(sample(), {});
  SampleJob nothing(1);
  const auto second = make_features(nothing.finish(), {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->columns, second->columns);
  const auto csv = features_csv(*second);
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  const auto end = csv.find('\n');
  EXPECT_EQ(csv.substr(0, 19), "phase,visits,ranks,");
  EXPECT_EQ(commas(csv.substr(0, end)), static_cast<std::ptrdiff_t>(second->columns.size()));
  EXPECT_EQ(commas(csv.substr(end)), 2 * static_cast<std::ptrdiff_t>(second->columns.size()));
}

}  // namespace
}  // namespace mora::predict
