// Non-blocking collectives whose messages share a node's connection with others. Ranks 0 and 1 are on node 0, 2 and 3
// on node 1. 5 ns for each processor, 100 ns, and a byte per ns of one message.
#include "support/analysis/replay_on_network.h"

namespace mora::replay {
namespace {

struct Operation {
  const char* name;  ///< without MPI_ or MPI_I
  const char* sizes;
};
constexpr Operation operations[] = {{"barrier", ""},
                                    {"bcast", "root 1 bytes 1000"},
                                    {"reduce", "root 1 bytes 1000"},
                                    {"gather", "root 0 bytes 500"},
                                    {"scatter", "root 0 bytes 500"},
                                    {"allgather", "bytes 400"},
                                    {"alltoall", "bytes 4000"},
                                    {"allreduce", "bytes 1000"},
                                    {"reduce_scatter_block", "bytes 1000"},
                                    {"scan", "bytes 1000"},
                                    {"exscan", "bytes 1000"}};

std::string named(const char* before, const std::string& name) {
  std::string upper = name;
  if (before[0] == 0) upper[0] = static_cast<char>(std::toupper(upper[0]));
  return std::string("MPI_") + before + upper;
}

/// All of `ranks` begin the operation at once, and wait for it `late` ns later.
std::string lines_of(const Operation& op, bool is_blocking, std::uint32_t ranks, const std::string& between = "") {
  std::string lines;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const std::string p = "P" + std::to_string(r) + " ";
    if (is_blocking) {
      lines += p + "0-10 " + named("", op.name) + " " + op.sizes + "\n";
    } else {
      lines += p + "0-0 " + named("I", op.name) + " " + op.sizes + " req a\n" + between + p + "0-10 MPI_Wait req a\n";
    }
  }
  return lines;
}

TEST(Asides, TakeAsLongAsTheBlockingOperationOfRanksThatDoNothingElse) {
  std::uint32_t hindered = 0;
  for (const Operation& op : operations) {
    for (const std::uint32_t ranks : {2U, 4U, 7U}) {
      const SharingNetwork network = sharing(3);
      const OnNetwork blocking = on(network, lines_of(op, true, ranks)),
                      beside = on(network, lines_of(op, false, ranks));
      // Members who pass on what others have sent do not wait for it when they go on by themselves: only the root does.
      const std::string name = op.name;
      if (name == "reduce" || name == "gather") {
        const std::size_t root = name == "reduce" ? 1 : 0;
        EXPECT_EQ(beside.text.result.locations[root].end, blocking.text.result.locations[root].end) << name << ranks;
      } else {
        EXPECT_EQ(beside.ends(), blocking.ends()) << name << " " << ranks;
      }
      if (on(LineNetwork(), lines_of(op, true, ranks)).ends() != blocking.ends()) ++hindered;
    }
  }
  EXPECT_GE(hindered, 20U);
}

TEST(Asides, TakeAsLongAsWhereNothingIsSharedWhileNothingHindersThem) {
  SharingNetwork wide = sharing(1);
  wide.per_byte = 100;
  LineNetwork alone;
  alone.per_byte = 100;
  for (const Operation& op : operations) {
    if (std::string(op.name).find("scan") != std::string::npos) continue;  // these begin when the member has come, too
    std::string lines;
    for (std::uint32_t r = 0; r < 7; ++r) {
      const std::string p = "P" + std::to_string(r) + " ", at = std::to_string(100 * r * r);
      lines += p + "0-" + at + " w\n" + p + at + "-" + at + " " + named("I", op.name) + " " + op.sizes + " req a\n" +
               p + at + "-9000 w\n" + p + "9000-9010 MPI_Wait req a\n";
    }
    EXPECT_EQ(on(wide, lines).ends(), on(alone, lines).ends()) << op.name;
  }
}

TEST(Asides, HinderMessagesAndAreHinderedByThem) {
  // The broadcast's message from 0 to 2 and rank 1's message to 3 leave node 0 at once; rank 0's is served first. It
  // is handed over at 5, its bytes are 1000 long alone and 2000 for the connection. Rank 1's has to wait until 2005.
  const std::string messages = "P1 0-1 MPI_Send to 3 bytes 1000\nP3 0-1 MPI_Recv from 1 bytes 1000\n";
  const std::string broadcast = R"(
comm c = 0,2
P0 0-0 MPI_Ibcast comm c root 0 bytes 1000 req a
P2 0-0 MPI_Ibcast comm c root 0 bytes 1000 req a
P0 0-10 MPI_Wait req a
P2 0-10 MPI_Wait req a
)";
  const SharingNetwork network = sharing(2);
  EXPECT_EQ(on(network, broadcast + messages).ends(), "5 5 2110 4110");
  EXPECT_EQ(on(network, "P0 0-1 w\nP2 0-1 w\n" + messages).ends(), "1 5 1 2110");
  // And the other way round: rank 1 broadcasts, rank 0's message is served first.
  const std::string others = R"(
comm c = 1,3
P1 0-0 MPI_Ibcast comm c root 1 bytes 1000 req a
P3 0-0 MPI_Ibcast comm c root 1 bytes 1000 req a
P1 0-10 MPI_Wait req a
P3 0-10 MPI_Wait req a
P0 0-1 MPI_Send to 2 bytes 1000
P2 0-1 MPI_Recv from 0 bytes 1000
)";
  EXPECT_EQ(on(network, others).ends(), "5 5 2110 4110");
}

TEST(Asides, TheOrderOfExecutionIsFree) {
  SharingNetwork network = sharing(3);
  network.eager_up_to = 600;
  for (const Operation& op : operations) {
    if (std::string(op.name).find("scan") != std::string::npos) continue;  // simulation.h
    std::string lines;
    for (std::uint32_t r = 0; r < 5; ++r) {
      const std::string p = "P" + std::to_string(r) + " ";
      const auto at = [](std::uint32_t t) { return std::to_string(t) + "-" + std::to_string(t + 10); };
      const std::string next = std::to_string((r + 1) % 5), last = std::to_string((r + 4) % 5);
      lines += p + at(0) + " MPI_Irecv from " + last + " bytes 700 req b\n" + p + at(10 + 7 * r) + " " +
               named("I", op.name) + " " + op.sizes + " req a\n" + p + at(100) + " MPI_Isend to " + next +
               " bytes 700 req c\n" + p + at(200) + " MPI_Allreduce bytes 100\n" + p + at(300) +
               " MPI_Waitall req a,b,c\n" + p + at(400) + " " + named("I", op.name) + " " + op.sizes + " req a\n" + p +
               at(500) + " MPI_Wait req a\n";
    }
    const std::string ends = on(network, lines).ends();
    for (std::uint64_t shuffle = 1; shuffle <= 30; ++shuffle) {
      const OnNetwork other = on(network, lines, shuffle);
      EXPECT_EQ(other.ends(), ends) << op.name;
      EXPECT_EQ(other.text.result.under_way, 0U) << op.name;
    }
  }
}

TEST(Asides, AreNotTheEarliestOfACircle) {
  // Rank 0's aside is blocked from 5 on, until rank 1 begins the scan; ranks 1 and 2 are, from 10 on, for each other.
  SharingNetwork network = sharing(3);
  network.eager_up_to = 50;
  const std::string lines = R"(
comm c = 0,1
P0 0-1 MPI_Iscan comm c bytes 1000 req a; 1-90 w; 90-140 MPI_Wait req a; 140-141 w
P1 0-5 w; 5-20 MPI_Send to 2 bytes 1000; 20-30 MPI_Recv from 2 bytes 1000; 30-31 MPI_Iscan comm c bytes 1000 req a; 31-40 MPI_Wait req a
P2 0-5 w; 5-20 MPI_Send to 1 bytes 1000; 20-30 MPI_Recv from 1 bytes 1000
)";
  const OnNetwork stopped = on(network, lines);
  EXPECT_EQ(stopped.text.result.blocked.size(), 3U);  // rank 0 waits for its aside
  const OnNetwork r = on(network, lines, 0, 1'000'000, false);
  // Rank 1's send goes on at 20, and its receive then lets rank 2's begin.
  EXPECT_EQ(r.text.damage("replay-circle"), 1U);
  EXPECT_TRUE(r.text.result.blocked.empty());
  for (std::uint64_t shuffle = 1; shuffle <= 20; ++shuffle)
    EXPECT_EQ(on(network, lines, shuffle, 1'000'000, false).ends(), r.ends());
}

}  // namespace
}  // namespace mora::replay
