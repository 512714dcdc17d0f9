#include "predict/pattern/matrix/matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "predict/pattern/matrix/walk.h"
#include "support/pattern/matrix_sample.h"

namespace mora::predict {
namespace matrix_test {

using Cells = std::map<std::pair<std::uint32_t, std::uint32_t>, Traffic>;

Cells cells_of(const TrafficMatrix& m) {
  Cells cells;
  for (const auto& c : m.cells) {
    EXPECT_TRUE(cells.empty() || std::pair(c.from, c.to) > cells.rbegin()->first) << "ascending, each once";
    cells[{c.from, c.to}] = c.traffic;
  }
  return cells;
}

PatternMatrix matrix_of(const PatternTrace& trace, CollectiveModel model = CollectiveModel::linear) {
  auto m = make_matrix(trace, {.collectives = model});
  EXPECT_TRUE(m.has_value());
  return std::move(*m);
}

std::string kinds(const DataQuality& quality) {
  std::string all;
  for (const auto& row : quality.rows()) all += row.kind + (row.where.empty() ? "" : "@" + row.where) + " ";
  return all;
}

TEST(Matrix, Ring) {
  constexpr std::uint32_t n = 5;
  SampleJob job(n);
  for (std::uint32_t r = 0; r < n; ++r)
    for (int lap = 0; lap < 7; ++lap) {
      job.irecv(r, static_cast<std::int32_t>((r + n - 1) % n), 24);
      job.send(r, static_cast<std::int32_t>((r + 1) % n), 24);
      job.waitall(r, {{0, static_cast<std::int32_t>((r + n - 1) % n), 0, 24}});
    }
  const auto m = matrix_of(job.finish());
  Cells expected;
  for (std::uint32_t r = 0; r < n; ++r) expected[{r, (r + 1) % n}] = {7, 168};
  EXPECT_EQ(cells_of(m.total.ranks), expected);
  EXPECT_EQ(cells_of(m.total.point_to_point), expected);
  EXPECT_TRUE(m.total.collective.cells.empty());
  EXPECT_EQ(m.total.sizes, (std::map<std::uint64_t, std::uint64_t>{{24, 35}}));
  EXPECT_EQ(m.total.calls, (std::map<std::string, std::uint64_t>{{"Irecv", 35}, {"Send", 35}, {"Waitall", 35}}));
  EXPECT_EQ(m.total.ranks.at(4, 0), (Traffic{7, 168}));
  EXPECT_EQ(m.total.ranks.at(0, 4), Traffic{});
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

/// Halo exchange of an open grid in any number of dimensions: Isend and Irecv along each axis, one Waitall.
PatternTrace stencil(const std::vector<std::uint32_t>& extents, int steps, Cells& expected) {
  std::uint32_t n = 1;
  for (const auto e : extents) n *= e;
  SampleJob job(n);
  for (std::uint32_t r = 0; r < n; ++r) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> neighbors;
    std::uint32_t stride = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const auto at = r / stride % extents[axis];
      const std::uint64_t bytes = 100 * (axis + 1);
      if (at > 0) neighbors.push_back({r - stride, bytes});
      if (at + 1 < extents[axis]) neighbors.push_back({r + stride, bytes});
      stride *= extents[axis];
    }
    for (int step = 0; step < steps; ++step) {
      for (const auto& [peer, bytes] : neighbors) job.irecv(r, static_cast<std::int32_t>(peer), bytes);
      for (const auto& [peer, bytes] : neighbors)
        job.send(r, static_cast<std::int32_t>(peer), static_cast<std::int64_t>(bytes), 0, Operation::isend);
      std::vector<Completion> done;
      const auto k = static_cast<std::uint32_t>(neighbors.size());
      for (std::uint32_t i = 0; i < k; ++i) {
        done.push_back({2 * k - 1 - i, static_cast<std::int32_t>(neighbors[i].first), 0, neighbors[i].second});
        done.push_back({k - 1 - i, peer_none, tag_any, 0});
      }
      job.waitall(r, done);
    }
    for (const auto& [peer, bytes] : neighbors)
      expected[{r, peer}] = {static_cast<std::uint64_t>(steps), bytes * static_cast<std::uint64_t>(steps)};
  }
  return job.finish();
}

TEST(Matrix, StencilsInTwoAndThreeDimensions) {
  for (const auto& extents : {std::vector<std::uint32_t>{4, 3}, std::vector<std::uint32_t>{3, 2, 4}}) {
    Cells expected;
    const auto trace = stencil(extents, 50, expected);
    EXPECT_LT(trace.ranks[0].order.loops.size(), 3u) << "it folds";
    const auto m = matrix_of(trace);
    EXPECT_EQ(cells_of(m.total.ranks), expected);
    EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
  }
}

TEST(Matrix, AllToAllEqualsItsDefinitionInEveryModelThatSendsStraight) {
  constexpr std::uint32_t n = 6;
  SampleJob job(n);
  for (std::uint32_t r = 0; r < n; ++r)
    for (int i = 0; i < 3; ++i) job.collective(r, Operation::alltoall, 10);
  const auto trace = job.finish();
  Cells expected;
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < n; ++b)
      if (a != b) expected[{a, b}] = {3, 240};
  for (const auto model :
       {CollectiveModel::linear, CollectiveModel::algorithms, CollectiveModel::openmpi, CollectiveModel::mpich}) {
    const auto m = matrix_of(trace, model);
    EXPECT_EQ(cells_of(m.total.collective), expected) << to_string(model);
    EXPECT_EQ(m.total.payload_volume, 3u * 80 * n);
    ASSERT_EQ(m.collectives.size(), 1u);
    EXPECT_EQ(m.collectives[0].operation, "Alltoall");
    EXPECT_EQ(m.collectives[0].calls, 3u) << "of the communicator";
    EXPECT_EQ(m.collectives[0].traffic, (Traffic{90, 7200}));
  }
  EXPECT_TRUE(matrix_of(trace, CollectiveModel::none).total.ranks.cells.empty());
  EXPECT_TRUE(matrix_of(trace, CollectiveModel::payload).total.ranks.cells.empty());
}

TEST(Matrix, SplitCommunicatorsTranslateByLocalRank) {
  // Odd ranks in opposite order: local 0 is world 7.
  SampleJob job(8);
  const auto even = job.communicator("mini_comm_0_0", {0, 2, 4, 6}),
             odd = job.communicator("mini_comm_0_1", {7, 5, 3, 1});
  for (std::uint32_t r = 0; r < 8; ++r) {
    const auto comm = r % 2 == 0 ? even : odd;
    job.collective(r, Operation::bcast, 2, 0, comm);
    job.collective(r, Operation::allreduce, 1, peer_none, comm);
  }
  job.send(7, 3, 5, odd);
  job.receive(1, 0, 5, odd);
  const auto m = matrix_of(job.finish());
  Cells expected;
  for (const auto& members : {std::vector<std::uint32_t>{0, 2, 4, 6}, std::vector<std::uint32_t>{7, 5, 3, 1}})
    for (std::size_t i = 1; i < 4; ++i) {
      expected[{members[0], members[i]}] = {2, 16 + 8};  // bcast, and the second half of the allreduce
      expected[{members[i], members[0]}] = {1, 8};
    }
  EXPECT_EQ(cells_of(m.total.collective), expected);
  EXPECT_EQ(cells_of(m.total.point_to_point), (Cells{{{7, 1}, {1, 5}}}));
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

TEST(Matrix, ConjugateGradientsHaloAndReductions) {
  Cells expected;
  auto trace = stencil({4, 4}, 25, expected);
  // Two allreduces of one double after each step, in the same loop.
  for (auto& rank : trace.ranks) {
    RankTraceBuilder b(rank.rank);
    for (const auto& list : rank.completions) b.completions(list);
    std::uint32_t call = 0;
    for (auto cursor = rank.order.cursor(); cursor.next(call);) {
      b.add(rank.calls[call]);
      if (rank.calls[call].operation == Operation::waitall)
        for (int i = 0; i < 2; ++i)
          b.add({.operation = Operation::allreduce, .communicator = 0, .sent = {1, 1}, .received = {1, 1}});
    }
    rank = b.finish();
  }
  for (std::uint32_t r = 1; r < 16; ++r) {
    expected[{r, 0}] += {50, 400};
    expected[{0, r}] += {50, 400};
  }
  const auto m = matrix_of(trace);
  EXPECT_EQ(cells_of(m.total.ranks), expected);
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

/// Adds up by unfolding: what irregular programs are compared with.
Cells naive(const PatternTrace& trace, bool received) {
  Cells cells;
  for (const auto& rank : trace.ranks) {
    std::vector<const Call*> started;
    std::uint32_t index = 0;
    for (auto cursor = rank.order.cursor(); cursor.next(index);) {
      const Call& call = rank.calls[index];
      const auto& comm = call.communicator == no_id ? trace.definitions.communicators[0]
                                                    : trace.definitions.communicators[call.communicator];
      if (!received && (call.operation == Operation::isend || call.operation == Operation::send))
        cells[{rank.rank, comm.members[static_cast<std::size_t>(call.peer)]}] +=
            {1, static_cast<std::uint64_t>(call.sent.count)};
      if (received && call.operation == Operation::recv)
        cells[{comm.members[static_cast<std::size_t>(call.peer)], rank.rank}] += {1, call.bytes_received};
      if (received && call.completions != no_id)
        for (const auto& c : rank.completions[call.completions]) {
          const Call& begun = *started[started.size() - 1 - c.age];
          if (begun.operation != Operation::irecv) continue;
          cells[{trace.definitions.communicators[begun.communicator].members[static_cast<std::size_t>(c.source)],
                 rank.rank}] += {1, c.bytes};
        }
      if (starts_request(call.operation)) started.push_back(&call);
    }
  }
  return cells;
}

/// AMR-like: patches move between ranks; every epoch has other partners and sizes; a few epochs repeat; receives from
/// anybody.
PatternTrace irregular(std::uint32_t n, unsigned seed) {
  std::mt19937 random(seed);
  SampleJob job(n);
  const auto half = job.communicator("half", [&] {
    std::vector<std::uint32_t> m;
    for (std::uint32_t r = n; r-- > 0;)
      if (r % 2 == 0) m.push_back(r);
    return m;
  }());
  for (int epoch = 0; epoch < 6; ++epoch) {
    struct Message {
      std::uint32_t from, to, bytes;
    };
    std::vector<Message> messages;
    const auto comm = epoch % 3 == 2 ? half : 0;
    const auto& members = job.trace.definitions.communicators[comm].members;
    for (unsigned i = 0; i < 3 * n; ++i)
      messages.push_back({static_cast<std::uint32_t>(random() % members.size()),
                          static_cast<std::uint32_t>(random() % members.size()),
                          static_cast<std::uint32_t>(random() % 5000)});
    const unsigned repeats = random() % 4 == 0 ? 200 : 1 + random() % 3;
    for (std::uint32_t local = 0; local < members.size(); ++local) {
      const auto r = members[local];
      for (unsigned k = 0; k < repeats; ++k) {
        std::vector<Completion> done;
        std::uint32_t started = 0;
        for (const auto& m : messages)
          if (m.to == local) {
            job.irecv(r, peer_any, 5000, comm);
            done.push_back({started++, static_cast<std::int32_t>(m.from), 0, m.bytes});
          }
        for (const auto& m : messages)
          if (m.from == local) {
            job.send(r, static_cast<std::int32_t>(m.to), m.bytes, comm, Operation::isend);
            done.push_back({started++, peer_none, tag_any, 0});
          }
        for (auto& c : done) c.age = started - 1 - c.age;
        std::shuffle(done.begin(), done.end(), random);
        if (!done.empty()) job.waitall(r, done);
      }
    }
  }
  return job.finish();
}

TEST(Matrix, IrregularProgramsEqualTheNaiveSum) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto trace = irregular(3 + seed % 9, seed);
    const auto m = matrix_of(trace);
    EXPECT_EQ(cells_of(m.total.point_to_point), naive(trace, false)) << seed;
    EXPECT_EQ(naive(trace, true), naive(trace, false));
    EXPECT_TRUE(m.quality.empty()) << seed << ": " << kinds(m.quality);
  }
}

TEST(Matrix, CallsInLoopsCostNothing) {
  // 10^9 iterations of a halo exchange and an allreduce, nested in phases, written as a folded sequence.
  SampleJob job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    job.begin(r, "solve");
    job.irecv(r, static_cast<std::int32_t>(1 - r), 8);
    job.send(r, static_cast<std::int32_t>(1 - r), 8, 0, Operation::isend);
    job.waitall(r, {{1, static_cast<std::int32_t>(1 - r), 0, 8}, {0}});
    job.collective(r, Operation::allreduce, 3);
    job.end(r, "solve");
  }
  auto trace = job.finish();
  for (auto& rank : trace.ranks) {
    rank.order.loops = {{{{1, false, 1}, {2, false, 1}, {3, false, 1}}},
                        {{{0, false, 1}, {0, true, 1'000'000}, {4, false, 2}, {5, false, 1}}}};
    rank.order.items = {{1, true, 1000}};
  }
  const auto m = matrix_of(trace);
  ASSERT_EQ(m.phases.size(), 2u);
  EXPECT_EQ(m.phases[1].name, "solve");
  EXPECT_EQ(m.phases[1].visits, 1000u);
  EXPECT_EQ(m.phases[1].point_to_point.at(0, 1), (Traffic{1'000'000'000, 8'000'000'000}));
  EXPECT_EQ(m.phases[1].collective.at(1, 0), (Traffic{2000, 48000}));
  EXPECT_TRUE(m.phases[0].ranks.cells.empty());
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

TEST(Matrix, PhasesNestAndAddUpWhenEnteredAgain) {
  SampleJob job(2);
  const auto message = [&](std::int64_t bytes) {
    job.send(0, 1, bytes);
    job.receive(1, 0, static_cast<std::uint64_t>(bytes));
  };
  const auto both = [&](auto what, const char* name) {
    for (std::uint32_t r = 0; r < 2; ++r) (job.*what)(r, name);
  };
  message(1);
  for (int i = 0; i < 3; ++i) {
    both(&SampleJob::begin, "outer");
    message(10);
    both(&SampleJob::begin, "inner");
    message(100);
    both(&SampleJob::end, "inner");
    message(20);
    both(&SampleJob::end, "outer");
  }
  both(&SampleJob::begin, "inner");
  message(1000);
  both(&SampleJob::end, "inner");
  const auto m = matrix_of(job.finish());
  ASSERT_EQ(m.phases.size(), 4u);
  const std::vector<std::tuple<std::string, std::uint64_t, Traffic>> expected{
      {"global", 1, {1, 1}}, {"outer", 3, {6, 90}}, {"outer/inner", 3, {3, 300}}, {"inner", 1, {1, 1000}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(m.phases[i].name, std::get<0>(expected[i]));
    EXPECT_EQ(m.phases[i].visits, std::get<1>(expected[i]));
    EXPECT_EQ(m.phases[i].ranks.at(0, 1), std::get<2>(expected[i]));
  }
  EXPECT_EQ(m.total.ranks.at(0, 1), (Traffic{11, 1391}));
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

TEST(Matrix, CrossedAndUnequalPhasesAreTold) {
  SampleJob job(2);
  job.begin(0, "a");
  job.begin(0, "b");
  job.end(0, "a");  // ends b too
  job.send(0, 1, 7);
  job.end(0, "b");  // not open any more
  job.receive(1, 0, 7);
  job.begin(1, "a");
  const auto m = matrix_of(job.finish());
  EXPECT_EQ(m.phases[0].ranks.at(0, 1), (Traffic{1, 7}));
  EXPECT_EQ(kinds(m.quality), "phase-crossing phase-end-without-begin phase-open phase-visits-differ ");
}

TEST(Matrix, WhatIsSentAndNotReceivedIsTold) {
  SampleJob job(3);
  job.send(0, 1, 10);
  job.receive(1, 0, 8);  // bytes differ
  job.send(1, 2, 5);     // never received
  job.receive(2, 0, 5);  // never sent
  const auto m = matrix_of(job.finish());
  EXPECT_EQ(kinds(m.quality),
            "sent-not-received@rank 0 to 1 sent-not-received@rank 0 to 2 sent-not-received@rank 1 to 2 ");
  EXPECT_EQ(m.total.ranks.total(), (Traffic{2, 15})) << "sends count";
}

TEST(Matrix, SendrecvCountsOnceAndProcNullNever) {
  SampleJob job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    job.rank(r).add({.operation = Operation::sendrecv,
                     .communicator = 0,
                     .peer = static_cast<std::int32_t>(1 - r),
                     .tag = 1,
                     .peer2 = static_cast<std::int32_t>(1 - r),
                     .sent = {3, 1},
                     .received = {9, 1},
                     .bytes_received = 24});
    job.rank(r).add({.operation = Operation::sendrecv,
                     .communicator = 0,
                     .peer = peer_none,
                     .peer2 = peer_none,
                     .sent = {3, 1},
                     .received = {9, 1}});
    job.send(r, 0, 4, 1);  // MPI_COMM_SELF: to itself
    job.receive(r, 0, 4, 1);
  }
  const auto m = matrix_of(job.finish());
  EXPECT_EQ(cells_of(m.total.ranks), (Cells{{{0, 0}, {1, 4}}, {{0, 1}, {1, 24}}, {{1, 0}, {1, 24}}, {{1, 1}, {1, 4}}}));
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

TEST(Matrix, PersistentOperationsCountWhenStarted) {
  SampleJob job(2);
  for (int i = 0; i < 4; ++i) {
    job.rank(0).add(
        {.operation = Operation::start_send, .communicator = 0, .peer = 1, .tag = 0, .sent = {2, 1}, .argument = 0});
    job.waitall(0, {{0}});
    job.rank(1).add({.operation = Operation::start_recv,
                     .communicator = 0,
                     .peer = 0,
                     .tag = 0,
                     .received = {2, 1},
                     .argument = 0});
    job.waitall(1, {{0, 0, 0, 16}});
  }
  job.rank(0).add({.operation = Operation::send_init, .communicator = 0, .peer = 1, .sent = {2, 1}});
  const auto m = matrix_of(job.finish());
  EXPECT_EQ(cells_of(m.total.ranks), (Cells{{{0, 1}, {4, 64}}}));
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

}  // namespace matrix_test
}  // namespace mora::predict
