#include "mpi/schedules/algorithm.h"

#include <gtest/gtest.h>

namespace mora::mpi::schedule {
namespace {

TEST(DecisionTables, ReadTheirNotation) {
  const char* table = "P=2:<2=2 *=5 | P<8:7 | P<16:<262144=4 *=1 | P>=4096:9 | else <2=3 *=6";
  EXPECT_EQ(decide(table, 2, 1), 2u);
  EXPECT_EQ(decide(table, 2, 2), 5u);
  EXPECT_EQ(decide(table, 7, 1u << 30), 7u);
  EXPECT_EQ(decide(table, 8, 262143), 4u);
  EXPECT_EQ(decide(table, 15, 262144), 1u);
  EXPECT_EQ(decide(table, 16, 1), 3u);
  EXPECT_EQ(decide(table, 4095, 2), 6u);
  EXPECT_EQ(decide(table, 4096, 2), 9u);
}

TEST(DecisionTables, FallBackOnTheNumberOfElements) {
  const auto name = [](Collective collective, std::uint32_t ranks, std::uint64_t count, std::uint64_t element,
                       CollectiveModel model) {
    return choose_algorithm(
               model,
               {.collective = collective, .ranks = ranks, .root = 0, .count = count, .element = element, .blocks = {}})
        .name;
  };
  const auto o = CollectiveModel::openmpi, m = CollectiveModel::mpich;
  // Open MPI 4.1 (coll/tuned): 16 doubles on 40 ranks, 128 bytes: Rabenseifner's, 16 < 32 elements: linear reduce and
  // bcast.
  EXPECT_EQ(name(Collective::allreduce, 40, 16, 8, o), "linear");
  EXPECT_EQ(name(Collective::allreduce, 40, 32, 8, o), "Rabenseifner");
  EXPECT_EQ(name(Collective::allreduce, 3, 1, 4, o), "recursive doubling");  // ring with fewer elements than ranks
  EXPECT_EQ(name(Collective::allreduce, 3, 4, 1, o), "ring");
  EXPECT_EQ(name(Collective::allgather, 12, 10, 1, o), "Bruck");  // recursive doubling needs 2^k
  EXPECT_EQ(name(Collective::allgather, 16, 10, 1, o), "recursive doubling");
  EXPECT_EQ(name(Collective::allgather, 33, 2048, 1, o), "ring");  // neighbour exchange with odd P
  EXPECT_EQ(name(Collective::allgather, 34, 2048, 1, o), "neighbour exchange");
  EXPECT_EQ(name(Collective::bcast, 17, 16, 1 << 17, o),
            "linear");  // scatter and allgather with 16 elements on 17 ranks
  EXPECT_EQ(name(Collective::bcast, 17, 17, 1 << 17, o), "scatter, recursive doubling");
  EXPECT_EQ(name(Collective::bcast, 4096, 10000, 1, o), "binary");
  EXPECT_EQ(name(Collective::allreduce, 8, 1, 8, m), "recursive doubling");
  EXPECT_EQ(name(Collective::allreduce, 8, 7, 4, m), "recursive doubling");  // 7 < 8 elements
  EXPECT_EQ(name(Collective::allreduce, 8, 8, 4, m), "Rabenseifner");
  EXPECT_EQ(name(Collective::bcast, 8, 12288, 1, m), "binomial");
  EXPECT_EQ(name(Collective::bcast, 8, 12289, 1, m), "scatter, recursive doubling");
  EXPECT_EQ(name(Collective::bcast, 9, 12289, 1, m), "scatter, ring");
  EXPECT_EQ(name(Collective::alltoall, 8, 256, 1, m), "Bruck");
  EXPECT_EQ(name(Collective::alltoall, 8, 257, 1, m), "linear");
  EXPECT_EQ(name(Collective::alltoall, 7, 32769, 1, m), "pairwise");
  EXPECT_EQ(name(Collective::bcast, 9, 0, 8, m), "none");
}

}  // namespace
}  // namespace mora::mpi::schedule
