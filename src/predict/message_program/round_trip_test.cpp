// What is written for SimGrid is read back as the same program: the GOAL schedule of both is the same but for the
// numbers of messages.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <regex>

#include "base/file.h"
#include "predict/message_program/message_program.h"
#include "support/trace/random_trace.h"
#include "trace/readers/open_trace.h"

namespace mora::predict {
namespace {

/// Messages have numbers in the order in which either end is first replayed, which may be another one.
std::string without_tags(const std::string& goal) { return std::regex_replace(goal, std::regex(" tag [0-9]+"), ""); }

bool sends_to_itself(const MessageProgram& program) {
  for (std::uint32_t rank = 0; rank < program.ranks().size(); ++rank) {
    for (const MessageOperation& o : program.ranks()[rank]) {
      if (o.kind != MessageOperation::compute && o.peer == rank) return true;
    }
  }
  return false;
}

TEST(MessageProgramRoundTrip, SimgridTracesAreReadBackAsTheSameProgram) {
  const auto machine = parse_machine_model(R"({"format": "mora-machine 2", "same_node":
    {"model": "hockney", "latency_ns": 20, "ns_per_byte": 1}})",
                                           "machine.json");
  ASSERT_TRUE(machine);
  const std::string folder = testing::TempDir() + "mora-simgrid";
  ASSERT_TRUE(make_directories(folder));
  std::uint64_t compared = 0, messages = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    auto source = trace::naive::random_trace(
        {.seed = seed, .steps = 60, .rma = false, .collectives = seed % 2 == 0, .others = false, .damage = false});
    PredictionRequest request;
    request.machine = &*machine;
    request.machine_file = "machine.json";
    request.places.node.resize(source->definitions().world_size, 0);
    request.collectives = mpi::schedule::CollectiveModel::mpich;
    const auto program = messages_of(*source, request);
    if (!program || !program->left_out().empty()) continue;  // it hangs, or has more than messages
    if (sends_to_itself(*program)) continue;                 // the format does not say which end is waited for
    std::string list;
    for (std::uint32_t rank = 0; rank < program->ranks().size(); ++rank) {
      const std::string name = fmt::format("{}.txt", rank);
      ASSERT_TRUE(write_file_atomically(folder + "/" + name, simgrid_text(*program, rank)));
      list += name + "\n";
    }
    ASSERT_TRUE(write_file_atomically(folder + "/list", list));
    const auto read = trace::open_trace(folder + "/list");
    ASSERT_TRUE(read) << read.error().text();
    const auto again = messages_of(**read, request);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(without_tags(goal_text(*again)), without_tags(goal_text(*program))) << "seed " << seed;
    if (HasFailure()) return;
    ++compared;
    messages += program->messages();
  }
  EXPECT_GT(compared, 5U);
  EXPECT_GT(messages, 50U);
}

}  // namespace
}  // namespace mora::predict
