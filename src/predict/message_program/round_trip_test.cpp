// What is written for SimGrid and as GOAL is read back as the same program: the GOAL schedule of both is the same but
// for the numbers of messages, and it takes as long, to the nanosecond.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/file.h"
#include "predict/message_program/message_program.h"
#include "support/trace/random_trace.h"
#include "trace/readers/goal/goal_source.h"
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

/// Messages that are begun and never waited for: a schedule is over when all of it is.
bool leaves_open(const MessageProgram& program) {
  std::int64_t open = 0;
  for (const auto& all : program.ranks()) {
    for (const MessageOperation& o : all) {
      if (o.kind == MessageOperation::send || o.kind == MessageOperation::post) ++open;
      if (o.kind == MessageOperation::await_sent || o.kind == MessageOperation::await_received) --open;
    }
  }
  return open != 0;
}

/// Than messages, and sends that nobody receives.
bool has_more(const MessageProgram& program) {
  return std::any_of(program.left_out().begin(), program.left_out().end(), [](const auto& entry) {
    return !std::regex_match(entry.first, std::regex("MPI_(S|B|Is)end whose other end is not in the trace"));
  });
}

/// Machines: a straight line; ranges with busy receivers. Senders are not busy: one whose message nobody receives would
/// be, and its message is no message between two ranks.
constexpr const char* machines[] = {R"({"format": "mora-machine 2", "same_node":
    {"model": "hockney", "latency_ns": 20, "ns_per_byte": 1}})",
                                    R"({"format": "mora-machine 2", "same_node": {"model": "piecewise", "segments": [
    {"up_to_bytes": 50, "latency_ns": 7, "ns_per_byte": 0.3, "receive_overhead_ns": 3},
    {"latency_ns": 31, "ns_per_byte": 0.7, "receive_overhead_ns": 2, "receive_overhead_ns_per_byte": 0.1}]}})"};

struct Compared {
  std::uint64_t runs = 0, messages = 0, schedules = 0;
};

void expect_same(trace::Source& source, const MessageProgram& program, trace::Source& read,
                 const PredictionRequest& request, std::uint64_t seed, bool free_network) {
  const auto again = messages_of(read, request);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(without_tags(goal_text(*again)), without_tags(goal_text(program))) << "seed " << seed;
  const auto once = predict(source, request), twice = predict(read, request);
  ASSERT_TRUE(once && twice);
  EXPECT_EQ(twice->machine.run_time, once->machine.run_time) << "seed " << seed;
  if (!free_network) return;
  EXPECT_EQ(twice->free.run_time, once->free.run_time) << "seed " << seed;
}

/// Adds one random run, if it is one of messages only that does not hang.
void compare(std::uint64_t seed, const MachineModel& machine, const std::string& folder, Compared& compared) {
  auto source = trace::naive::random_trace(
      {.seed = seed, .steps = 60, .rma = false, .collectives = seed % 2 == 0, .others = false, .damage = false});
  PredictionRequest request;
  request.machine = &machine;
  request.machine_file = "machine.json";
  request.places.node.resize(source->definitions().world_size, 0);
  request.collectives = mpi::schedule::CollectiveModel::mpich;
  const auto program = messages_of(*source, request);
  if (!program || has_more(*program)) return;  // it hangs, or has more than messages
  const auto schedule = trace::read_goal(goal_text(*program), "schedule.goal");
  ASSERT_TRUE(schedule) << schedule.error().text();
  EXPECT_TRUE((*schedule)->quality().empty()) << "each operation requires what its rank waited for, seed " << seed;
  if (!leaves_open(*program)) {
    // Where nothing costs anything, ranks wait for fewer than the messages of a collective operation say.
    expect_same(*source, *program, **schedule, request, seed, seed % 2 != 0);
    ++compared.schedules;
  }
  if (sends_to_itself(*program)) return;  // SimGrid's format does not say which end is waited for
  std::string list;
  for (std::uint32_t rank = 0; rank < program->ranks().size(); ++rank) {
    const std::string name = fmt::format("{}.txt", rank);
    ASSERT_TRUE(write_file_atomically(folder + "/" + name, simgrid_text(*program, rank)));
    list += name + "\n";
  }
  ASSERT_TRUE(write_file_atomically(folder + "/list", list));
  const auto read = trace::open_trace(folder + "/list");
  ASSERT_TRUE(read) << read.error().text();
  expect_same(*source, *program, **read, request, seed, true);
  ++compared.runs;
  compared.messages += program->messages();
}

TEST(MessageProgramRoundTrip, SchedulesAndSimgridTracesAreReadBackAsTheSameProgram) {
  const std::string folder = testing::TempDir() + "mora-simgrid";
  ASSERT_TRUE(make_directories(folder));
  for (const char* text : machines) {
    const auto machine = parse_machine_model(text, "machine.json");
    ASSERT_TRUE(machine) << machine.error().text();
    Compared compared;
    // Seed 37 has a rank without events.
    for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) compare(seed, *machine, folder, compared);
    EXPECT_GT(compared.runs, 5U);
    EXPECT_GT(compared.schedules, 5U);
    EXPECT_GT(compared.messages, 50U);
  }
}

}  // namespace
}  // namespace mora::predict
