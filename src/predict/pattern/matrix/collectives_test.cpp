#include <gtest/gtest.h>

#include "predict/pattern/matrix/matrix.h"
#include "support/pattern/matrix_sample.h"

namespace mora::predict {
namespace {

using Cells = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

Cells bytes_of_cells(const TrafficMatrix& m) {
  Cells cells;
  for (const auto& c : m.cells) cells[{c.from, c.to}] = c.traffic.bytes;
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

/// One call of each rank; `make` sets payloads and vectors.
template <class Make>
PatternTrace each(std::uint32_t ranks, Operation operation, Make make, std::int32_t root = peer_none) {
  SampleJob job(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    Call call;
    call.operation = operation;
    call.communicator = 0;
    call.peer = root;
    make(job.rank(r), call, r);
    job.rank(r).add(call);
  }
  return job.finish();
}

TEST(MatrixCollectives, LinearMovesBlocksFromOwnersToThoseWhoNeedThem) {
  const std::uint32_t n = 4;
  const auto both = [](RankTraceBuilder&, Call& c, std::uint32_t) { c.sent = c.received = {2, 1}; };
  Cells to_root, from_root, around, chain;
  for (std::uint32_t r = 0; r < n; ++r) {
    if (r != 2) to_root[{r, 2}] = from_root[{2, r}] = 16;
    if (r + 1 < n) chain[{r, r + 1}] = 16;
    for (std::uint32_t s = 0; s < n; ++s)
      if (s != r) around[{r, s}] = 16;
  }
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::bcast, both, 2)).total.ranks), from_root);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::ibcast, both, 2)).total.ranks), from_root);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::reduce, both, 2)).total.ranks), to_root);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::gather, both, 2)).total.ranks), to_root);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::iscatter, both, 2)).total.ranks), from_root);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::allgather, both)).total.ranks), around);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::reduce_scatter_block, both)).total.ranks), around);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::scan, both)).total.ranks), chain);
  EXPECT_EQ(bytes_of_cells(matrix_of(each(n, Operation::exscan, both)).total.ranks), chain);
  EXPECT_TRUE(matrix_of(each(n, Operation::barrier, [](auto&, Call&, std::uint32_t) {})).total.ranks.cells.empty());
}

TEST(MatrixCollectives, InPlaceAndInsignificantSidesTakeTheOtherOne) {
  // Root 0 speaks first and has only its receive side, or only its send side.
  const auto gather = each(
      3, Operation::gather,
      [](RankTraceBuilder&, Call& c, std::uint32_t r) {
        c.in_place = r == 0;
        (r == 0 ? c.received : c.sent) = {5, 0};
      },
      0);
  EXPECT_EQ(bytes_of_cells(matrix_of(gather).total.ranks), (Cells{{{1, 0}, 5}, {{2, 0}, 5}}));
  const auto scatter = each(
      3, Operation::scatter,
      [](RankTraceBuilder&, Call& c, std::uint32_t r) {
        (r == 0 ? c.sent : c.received) = {5, 0};
      },
      0);
  EXPECT_EQ(bytes_of_cells(matrix_of(scatter).total.ranks), (Cells{{{0, 1}, 5}, {{0, 2}, 5}}));
  const auto alltoall = each(2, Operation::alltoall, [](RankTraceBuilder&, Call& c, std::uint32_t) {
    c.in_place = true, c.received = {7, 0};
  });
  EXPECT_EQ(bytes_of_cells(matrix_of(alltoall).total.ranks), (Cells{{{0, 1}, 7}, {{1, 0}, 7}}));
}

TEST(MatrixCollectives, VectorsAreExact) {
  const auto gatherv = each(
      3, Operation::gatherv,
      [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
        c.sent = {static_cast<std::int64_t>(10 * (r + 1)), 0};
        if (r == 1) c.received = {60, 0}, c.received_vector = b.vector({10, 20, 30});
      },
      1);
  const auto m = matrix_of(gatherv);
  EXPECT_EQ(bytes_of_cells(m.total.ranks), (Cells{{{0, 1}, 10}, {{2, 1}, 30}}));
  EXPECT_EQ(m.total.payload_volume, 20u * 3) << "median x P";
  const auto scatterv = each(
      3, Operation::scatterv,
      [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
        c.received = {static_cast<std::int64_t>(r), 0};
        if (r == 0) c.sent_vector = b.vector({0, 1, 2}), c.sent = {3, 0};
      },
      0);
  EXPECT_EQ(bytes_of_cells(matrix_of(scatterv).total.ranks), (Cells{{{0, 1}, 1}, {{0, 2}, 2}}));
  const auto allgatherv = each(3, Operation::allgatherv, [](RankTraceBuilder& b, Call& c, std::uint32_t) {
    c.received_vector = b.vector({1, 0, 4});
    c.received = {5, 0};
  });
  EXPECT_EQ(bytes_of_cells(matrix_of(allgatherv).total.ranks),
            (Cells{{{0, 1}, 1}, {{0, 2}, 1}, {{2, 0}, 4}, {{2, 1}, 4}}));
  const auto reduce_scatter = each(3, Operation::reduce_scatter, [](RankTraceBuilder& b, Call& c, std::uint32_t) {
    c.sent_vector = b.vector({8, 16, 0});
    c.sent = {3, 1};
  });
  EXPECT_EQ(bytes_of_cells(matrix_of(reduce_scatter).total.ranks),
            (Cells{{{0, 1}, 16}, {{1, 0}, 8}, {{2, 0}, 8}, {{2, 1}, 16}}));
  const auto alltoallv = each(3, Operation::ialltoallv, [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
    c.sent_vector = b.vector({std::uint64_t{10} * r, std::uint64_t{10} * r + 1, std::uint64_t{10} * r + 2});
    c.received_vector = b.vector({r, 10 + r, 20 + r});
  });
  EXPECT_EQ(bytes_of_cells(matrix_of(alltoallv).total.ranks),
            (Cells{{{0, 1}, 1}, {{0, 2}, 2}, {{1, 0}, 10}, {{1, 2}, 12}, {{2, 0}, 20}, {{2, 1}, 21}}));
}

TEST(MatrixCollectives, BlocksWithoutBytesAreMessagesWhereTheLibrarySendsThem) {
  const auto messages = [](Operation operation, bool in_place, CollectiveModel model) {
    const auto trace = each(3, operation, [in_place](RankTraceBuilder& b, Call& c, std::uint32_t) {
      c.in_place = in_place;
      c.sent_vector = b.vector({0, 0, 8});
      c.received_vector = b.vector({0, 0, 8});
    });
    return matrix_of(trace, model).total.ranks.total().messages;
  };
  // Ranks 0 and 1 have something for rank 2 only, and nobody anything for the others.
  EXPECT_EQ(messages(Operation::alltoallv, false, CollectiveModel::linear), 2u);
  EXPECT_EQ(messages(Operation::alltoallv, false, CollectiveModel::openmpi), 6u);
  EXPECT_EQ(messages(Operation::alltoallv, true, CollectiveModel::openmpi), 2u);
  EXPECT_EQ(messages(Operation::alltoallw, false, CollectiveModel::openmpi), 2u);
  EXPECT_EQ(messages(Operation::alltoallv, false, CollectiveModel::mpich), 2u);
  EXPECT_EQ(messages(Operation::alltoallv, true, CollectiveModel::mpich), 6u);
  EXPECT_EQ(messages(Operation::alltoallw, true, CollectiveModel::mpich), 6u);
}

TEST(MatrixCollectives, AlltoallInPlaceExchangesInPairs) {
  const auto algorithm = [](bool in_place, CollectiveModel model) {
    const auto trace = each(31, Operation::alltoall, [in_place](RankTraceBuilder&, Call& c, std::uint32_t) {
      c.in_place = in_place;
      c.sent = c.received = {4, 0};
    });
    return matrix_of(trace, model).collectives.at(0).algorithm;
  };
  EXPECT_EQ(algorithm(false, CollectiveModel::openmpi), "Bruck");
  EXPECT_EQ(algorithm(true, CollectiveModel::openmpi), "linear");
  EXPECT_EQ(algorithm(false, CollectiveModel::mpich), "Bruck");
  EXPECT_EQ(algorithm(true, CollectiveModel::mpich), "pairwise");
}

TEST(MatrixCollectives, MissingRanksAreFilledInFromTheOthers) {
  auto alltoallv = each(3, Operation::alltoallv, [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
    c.sent_vector = b.vector({std::uint64_t{10} * r, std::uint64_t{10} * r + 1, std::uint64_t{10} * r + 2});
    c.received_vector = b.vector({r, 10 + r, 20 + r});
  });
  alltoallv.ranks.erase(alltoallv.ranks.begin() + 1);
  const auto m = matrix_of(alltoallv);
  // What rank 1 sends is known from 0 and 2; to itself nothing moves.
  EXPECT_EQ(bytes_of_cells(m.total.ranks),
            (Cells{{{0, 1}, 1}, {{0, 2}, 2}, {{1, 0}, 10}, {{1, 2}, 12}, {{2, 0}, 20}, {{2, 1}, 21}}));
  EXPECT_EQ(kinds(m.quality), "ranks-missing ");

  SampleJob job(4);
  for (std::uint32_t r = 0; r < 4; ++r) job.collective(r, Operation::allgather, 1);
  auto dry = job.finish();
  dry.definitions.origin = Origin::dryrun;
  dry.ranks.erase(dry.ranks.begin(), dry.ranks.begin() + 3);
  EXPECT_EQ(matrix_of(dry).total.ranks.total(), (Traffic{12, 96})) << "one member stands for all";
}

TEST(MatrixCollectives, NeighbourhoodsFollowTheirEdges) {
  // A ring in which each rank gives 8 bytes to the next one and 4 to the one before, with a double edge from 0 to 1.
  auto trace = each(3, Operation::neighbor_alltoallv, [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
    std::vector<std::uint64_t> to{(r + 1) % 3, 8, (r + 2) % 3, 4};
    if (r == 0) to.insert(to.end(), {1, 100});
    c.sent_vector = b.vector(to);
  });
  const auto m = matrix_of(trace);
  EXPECT_EQ(bytes_of_cells(m.total.ranks),
            (Cells{{{0, 1}, 108}, {{0, 2}, 4}, {{1, 0}, 4}, {{1, 2}, 8}, {{2, 0}, 8}, {{2, 1}, 4}}));
  EXPECT_EQ(m.total.ranks.at(0, 1).messages, 2u);
}

TEST(MatrixCollectives, NeighboursMayBeOneselfOrNobody) {
  // Rank 0 is its own neighbour on both sides, rank 1 has none; 4 bytes each.
  auto trace = each(2, Operation::neighbor_alltoall, [](RankTraceBuilder& b, Call& c, std::uint32_t r) {
    c.sent = c.received = {4, 0};
    if (r == 0) c.sent_vector = c.received_vector = b.vector({0, 4, 0, 4});
  });
  for (const Origin origin : {Origin::record, Origin::dryrun}) {
    trace.definitions.origin = origin;
    const auto m = matrix_of(trace);
    EXPECT_EQ(bytes_of_cells(m.total.ranks), (Cells{{{0, 0}, 8}}));
    EXPECT_EQ(m.total.ranks.at(0, 0).messages, 2u);
    EXPECT_EQ(kinds(m.quality), "");
  }
  trace.definitions.origin = Origin::text;
  EXPECT_EQ(kinds(matrix_of(trace).quality), "payload-unknown ");
}

TEST(MatrixCollectives, BetweenGroupsBlocksGoToTheOtherSide) {
  SampleJob job(5);
  const auto inter = job.communicator("inter", {0, 1}, {4, 3, 2});
  const auto add = [&](std::uint32_t r, Operation operation, std::int32_t peer, Payload sent, Payload received) {
    Call c;
    c.operation = operation, c.communicator = inter, c.peer = peer, c.sent = sent, c.received = received;
    job.rank(r).add(c);
  };
  // Broadcast from rank 1 to the three others; rank 0 is idle.
  add(0, Operation::bcast, peer_none, {}, {});
  add(1, Operation::bcast, root_here, {6, 0}, {6, 0});
  for (std::uint32_t r = 2; r < 5; ++r) add(r, Operation::bcast, 1, {6, 0}, {6, 0});
  EXPECT_EQ(bytes_of_cells(matrix_of(job.finish()).total.ranks), (Cells{{{1, 2}, 6}, {{1, 3}, 6}, {{1, 4}, 6}}));

  SampleJob second(3);
  const auto pair = second.communicator("inter", {0}, {2, 1});
  for (std::uint32_t r = 0; r < 3; ++r) {
    Call c;
    c.operation = Operation::allgather, c.communicator = pair, c.sent = {r == 0 ? 10 : 3, 0},
    c.received = {r == 0 ? 3 : 10, 0};
    second.rank(r).add(c);
  }
  second.send(0, 0, 5, pair);  // to local rank 0 of the other group: world 2
  second.receive(2, 0, 5, pair);
  const auto m = matrix_of(second.finish());
  EXPECT_EQ(bytes_of_cells(m.total.collective), (Cells{{{0, 1}, 10}, {{0, 2}, 10}, {{1, 0}, 3}, {{2, 0}, 3}}));
  EXPECT_EQ(bytes_of_cells(m.total.point_to_point), (Cells{{{0, 2}, 5}}));
  EXPECT_TRUE(m.quality.empty()) << kinds(m.quality);
}

TEST(MatrixCollectives, OneSidedCallsGoWhereTheirDataGo) {
  SampleJob job(3);
  const auto group = job.communicator("window's", {2, 1, 0});
  job.trace.definitions.windows.push_back({group, "w"});
  const auto add = [&](Operation operation, std::int32_t target, Payload sent, Payload received) {
    Call c;
    c.operation = operation, c.communicator = group, c.argument = 0, c.peer = target, c.sent = sent,
    c.received = received;
    job.rank(0).add(c);
  };
  add(Operation::put, 1, {4, 0}, {});   // world 1
  add(Operation::rget, 0, {}, {6, 0});  // from world 2
  add(Operation::accumulate, 1, {8, 0}, {});
  add(Operation::get_accumulate, 0, {1, 0}, {2, 0});
  add(Operation::fetch_and_op, 2, {8, 0}, {8, 0});  // itself
  add(Operation::put, peer_none, {99, 0}, {});
  const auto trace = job.finish();
  const auto m = matrix_of(trace);
  EXPECT_EQ(bytes_of_cells(m.total.one_sided), (Cells{{{0, 0}, 16}, {{0, 1}, 12}, {{0, 2}, 1}, {{2, 0}, 8}}));
  EXPECT_TRUE(make_matrix(trace, {.one_sided = false})->total.ranks.cells.empty());
}

TEST(MatrixCollectives, AlgorithmsMoveWhatTheirFormulasSay) {
  SampleJob job(8);
  for (std::uint32_t r = 0; r < 8; ++r) {
    job.collective(r, Operation::bcast, 4, 3);
    job.collective(r, Operation::allreduce, 4);
    job.collective(r, Operation::barrier, -1);
  }
  const auto trace = job.finish();
  const auto m = matrix_of(trace, CollectiveModel::algorithms);
  ASSERT_EQ(m.collectives.size(), 3u);
  EXPECT_EQ(m.collectives[0],
            (DecomposedCollective{"Allreduce", "recursive doubling", "MPI_COMM_WORLD", 8, 1, {24, 768}}));
  EXPECT_EQ(m.collectives[1], (DecomposedCollective{"Barrier", "dissemination", "MPI_COMM_WORLD", 8, 1, {24, 0}}));
  EXPECT_EQ(m.collectives[2], (DecomposedCollective{"Bcast", "binomial", "MPI_COMM_WORLD", 8, 1, {7, 224}}));
  EXPECT_EQ(m.total.ranks.at(3, 7), (Traffic{1 + 1 + 1, 64}))
      << "root to root + 4; doubling 3 with 7; dissemination 3 to 7";
  // Open MPI: 8 ranks, 32 bytes: bcast binary (<64), allreduce recursive doubling (<8192); barrier of 8: recursive
  // doubling.
  const auto o = matrix_of(trace, CollectiveModel::openmpi);
  EXPECT_EQ(o.collectives[0].algorithm, "recursive doubling");
  EXPECT_EQ(o.collectives[1].algorithm, "recursive doubling");
  EXPECT_EQ(o.collectives[2].algorithm, "binary");
}

TEST(MatrixCollectives, MembersThatDisagreeAreTold) {
  SampleJob job(3);
  for (std::uint32_t r = 0; r < 3; ++r) job.collective(r, Operation::allreduce, 1);
  job.collective(2, Operation::allreduce, 1);
  EXPECT_EQ(kinds(matrix_of(job.finish()).quality), "collective-count-differs@MPI_COMM_WORLD ");
}

TEST(MatrixCollectives, EveryCallOfALoopWithoutARootIsCounted) {
  SampleJob job(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    for (int i = 0; i < 5; ++i) job.collective(r, Operation::bcast, 1);
  }
  const auto quality = matrix_of(job.finish()).quality;
  ASSERT_EQ(quality.rows().size(), 1U);
  EXPECT_EQ(quality.rows()[0].count, 5U);
}

TEST(MatrixCollectives, TooManyCellsAreAnErrorNotACrash) {
  SampleJob job(64);
  for (std::uint32_t r = 0; r < 64; ++r) job.collective(r, Operation::alltoall, 1);
  const auto trace = job.finish();
  const auto m = make_matrix(trace, {.most_cells = 1000});
  ASSERT_FALSE(m.has_value());
  EXPECT_EQ(m.error().kind, ErrorKind::usage);
  EXPECT_TRUE(make_matrix(trace, {.most_cells = 4032}).has_value());
}

TEST(NodeMatrix, AddsUpToTheRankMatrix) {
  SampleJob job(4);
  for (std::uint32_t r = 0; r < 4; ++r) job.collective(r, Operation::alltoall, static_cast<std::int64_t>(2));
  job.send(0, 3, 100);
  job.receive(3, 0, 100);
  const auto m = matrix_of(job.finish());
  const Placement placed{.nodes = {"a", "b", "empty"}, .node_of = {0, 1, 0, 1}, .core = {}, .slot = {}};
  const auto nodes = by_node(m.total.ranks, placed);
  EXPECT_EQ(nodes.nodes.total(), m.total.ranks.total());
  ASSERT_EQ(nodes.per_node.size(), 3u);
  EXPECT_EQ(nodes.per_node[0].ranks, 2u);
  EXPECT_EQ(nodes.per_node[0].intra, (Traffic{2, 32}));          // 0 <-> 2
  EXPECT_EQ(nodes.per_node[0].out, (Traffic{5, 4 * 16 + 100}));  // 0 -> 1, 3 and 2 -> 1, 3, and the message
  EXPECT_EQ(nodes.per_node[0].in, (Traffic{4, 64}));
  EXPECT_EQ(nodes.per_node[1].in, nodes.per_node[0].out);
  EXPECT_EQ(nodes.per_node[2].ranks, 0u);
  EXPECT_EQ(nodes.nodes.at(0, 1), (Traffic{5, 164}));
}

}  // namespace
}  // namespace mora::predict
