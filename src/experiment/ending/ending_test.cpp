// Who ended first, of processes that left no word of why.
#include "experiment/ending/ending.h"

#include <gtest/gtest.h>

#include <memory>

#include "mpi/function.h"
#include "support/journal/journal_program.h"

namespace mora::experiment {
namespace {

using journal::Journal;
using journal::TestProgram;

constexpr std::uint64_t ms = 1'000'000;

/// Processes that were killed in MPI_Barrier, or outside MPI, at times in ns.
class Killed {
 public:
  void add(bool in_mpi, std::uint64_t death) {
    auto& program = *programs_.emplace_back(std::make_unique<TestProgram>());
    ASSERT_EQ(program.open(), 0);
    if (in_mpi) program.writer.state->call = static_cast<std::uint64_t>(mpi::FunctionId::barrier);
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
  std::string first() {
    job_.definitions = &definitions_;
    job_.is_openmpi = false;
    return describe_ending(job_).sentences.at(0);
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

}  // namespace
}  // namespace mora::experiment
