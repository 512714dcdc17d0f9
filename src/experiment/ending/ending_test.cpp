// Who ended first, of processes that left no word of why; for whom those wait that are left.
#include "experiment/ending/ending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "mpi/function.h"
#include "support/journal/journal_program.h"

namespace mora::experiment {
namespace {

using journal::Journal;
using journal::TestProgram;

constexpr std::uint64_t ms = 1'000'000;

/// Processes of MPI_COMM_WORLD that were killed in a call, or outside MPI, at times in ns.
class Killed {
 public:
  void add(bool in_barrier, std::uint64_t death) {
    add(in_barrier ? mpi::FunctionId::barrier : mpi::FunctionId::none, death);
  }
  void add(mpi::FunctionId in, std::uint64_t death) {
    auto& program = *programs_.emplace_back(std::make_unique<TestProgram>());
    ASSERT_EQ(program.open(), 0);
    program.writer.state->call = static_cast<std::uint64_t>(in);
    DataQuality quality;
    auto opened = Journal::open(program.path_, quality);
    ASSERT_TRUE(opened);
    EndedProcess process;
    process.journal = journals_.emplace_back(std::make_unique<Journal>(std::move(*opened))).get();
    process.death = death;
    process.communicator = [](std::uint32_t) { return archive::no_id; };
    process.call = [](unsigned function, std::uint64_t) { return std::string(mpi::function(function).name); };
    process.stamp = [](std::uint64_t ticks) { return ticks; };
    job_.processes.push_back(process);
  }
  /// The last one ended by itself, after MPI_Finalize.
  void finish_last() { job_.processes.back().ended = job_.processes.back().finalized = true; }
  /// The last one called exit(), as a library does that gives up.
  void exit_last() { job_.processes.back().ended = true; }
  void launcher_exits(int status) { job_.launcher_exit = status; }
  std::string first() { return ending().sentences.at(0); }
  Ending ending() {
    job_.definitions = &definitions_;
    job_.is_openmpi = false;
    return describe_ending(job_);
  }
  /// All processes added so far have MPI_COMM_WORLD.
  void define_world() {
    archive::Communicator world;
    world.name = "MPI_COMM_WORLD";
    world.group = 0;
    definitions_.communicators.push_back(world);
    definitions_.groups.emplace_back();
    for (std::uint32_t rank = 0; rank < job_.processes.size(); ++rank) {
      definitions_.groups[0].push_back(rank);
      job_.processes[rank].communicator = [](std::uint32_t) { return 0; };
    }
  }

 private:
  std::vector<std::unique_ptr<TestProgram>> programs_;
  std::vector<std::unique_ptr<Journal>> journals_;
  archive::Definitions definitions_;
  EndedJob job_;
};

TEST(Ending, TheFirstThatWasSeenToBeGoneIfNoneFollowsClosely) {
  Killed job;
  job.add(false, 151 * ms);
  job.add(true, 100 * ms);
  EXPECT_EQ(job.first(),
            "rank 1 was the first to end: it was killed by a signal that leaves no trace (SIGKILL), in MPI_Barrier");
}

TEST(Ending, OfThoseThatEndAtTheSameTimeProbablyTheOneThatDidNotWait) {
  Killed job;
  job.add(true, 100 * ms);
  job.add(false, 102 * ms);
  job.add(true, 149 * ms);
  job.add(true, 151 * ms);
  EXPECT_EQ(
      job.first(),
      "rank 1 was probably the first to end (ranks 0 and 2 ended less than 50 ms from it): it was killed by a signal "
      "that leaves no trace (SIGKILL)");
}

TEST(Ending, OfThoseThatEndAtTheSameTimeTheFirstSeenIfMoreThanOneDidNotWait) {
  Killed job;
  job.add(false, 102 * ms);
  job.add(true, 101 * ms);
  job.add(false, 100 * ms);
  EXPECT_EQ(job.first(),
            "rank 2 was probably the first to end (ranks 0-1 ended less than 50 ms from it): it was killed by a signal "
            "that leaves no trace (SIGKILL)");
}

// MPICH's launcher exits with the error's class. Its other processes are killed where they are.
TEST(Ending, ACallThatWaitsForNobodyWasRefusedAlsoIfItBeganBeforeOthersAndOthersCompute) {
  for (const auto refused : {mpi::FunctionId::group_incl, mpi::FunctionId::type_commit, mpi::FunctionId::info_set,
                             mpi::FunctionId::comm_set_attr}) {
    Killed job;
    job.add(false, 102 * ms);
    job.add(refused, 101 * ms);
    job.add(true, 100 * ms);
    job.launcher_exits(8);
    const std::string name(mpi::function(refused).name);
    const Ending ending = job.ending();
    EXPECT_EQ(ending.sentences.at(0),
              "rank 1 was the first to end: it was ended by MPI, which refused " + name + ": MPI_ERR_GROUP");
    const auto failed = std::find_if(ending.rows.begin(), ending.rows.end(),
                                     [](const QualityRow& row) { return row.kind == "failed-call"; });
    ASSERT_NE(failed, ending.rows.end());
    EXPECT_EQ(failed->where, "rank 1, " + name);
  }
}

TEST(Ending, ACallThatMayWaitIsNotSaidToBeRefusedWhileOthersCompute) {
  Killed job;
  job.add(false, 102 * ms);
  job.add(true, 100 * ms);
  job.launcher_exits(8);
  for (const QualityRow& row : job.ending().rows) EXPECT_NE(row.kind, "failed-call");
}

TEST(Ending, AnExitInsideOfACallIsToldWithTheCall) {
  Killed job;
  job.add(mpi::FunctionId::put, 0);
  job.exit_last();
  EXPECT_EQ(job.first(), "rank 0 was the first to end: it exited without MPI_Finalize, in MPI_Put");
}

TEST(Ending, WhoHasFinishedHasComeToFinalize) {
  Killed job;
  job.add(mpi::FunctionId::finalize, 0);
  job.add(mpi::FunctionId::none, 0);
  job.finish_last();
  job.add(mpi::FunctionId::none, 0);
  job.define_world();
  const Ending ending = job.ending();
  EXPECT_NE(ending.sentences.at(0).find("MPI_Finalize on MPI_COMM_WORLD"), std::string::npos) << ending.sentences[0];
  EXPECT_NE(ending.sentences[0].find("; rank 2 has not come to it"), std::string::npos) << ending.sentences[0];
}

}  // namespace
}  // namespace mora::experiment
