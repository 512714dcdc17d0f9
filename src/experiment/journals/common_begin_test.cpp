// Where a recording is cut, at its begin and at its end, and what is known of the messages there.
#include "experiment/journals/common_begin.h"

#include <memory>

#include "mpi/function_table.h"
#include "support/journal/journal_program.h"

namespace mora::experiment {
namespace {

using journal::Journal;

/// O(functions).
unsigned number_of(std::string_view name) {
  unsigned number = 1;
  while (mpi::function(number).name != name) ++number;
  return number;
}

/// A process whose calls take 1 ns each; it has a ring, or keeps all.
class CutProcess : public journal::TestProgram {
 public:
  explicit CutProcess(bool is_ring = true) {
    EXPECT_EQ(open(), 0);
    writer.read_clock = [](mora_clock_triple* at) { *at = {now, now, now}; };
    budget_.left = 1 << 20;
    if (!is_ring) return;
    EXPECT_EQ(mora_ring_start(&writer, ring_.get(), MORA_RING_LEAST_PLACES, &budget_), 0);
  }
  void call(std::uint64_t at, unsigned function, unsigned shape, std::vector<std::uint64_t> payload) {
    now = at + 1;
    std::uint64_t* r = mora_journal_small(&writer);
    r[1] = at;
    r[2] = 0;
    r[3] = std::uint64_t{1} << 32;
    std::copy(payload.begin(), payload.end(), r + 4);
    mora_journal_publish(&writer, r, static_cast<unsigned>(4 + payload.size()), function, shape, 0);
  }
  void barrier(std::uint64_t at) { call(at, barrier_, MORA_SHAPE_COLLECTIVE, {0xffffffff, 0, 0}); }
  void send(std::uint64_t at, std::uint32_t peer) {
    call(at, send_, MORA_SHAPE_SEND, {peer | std::uint64_t{5} << 32, 8});
  }
  void receive(std::uint64_t at, std::uint32_t peer) {
    call(at, receive_, MORA_SHAPE_RECV, {peer | std::uint64_t{5} << 32, 8});
  }
  /// Its recording ends when so many bytes are written.
  void bound(std::uint64_t bytes) {
    budget_.left = bytes;
    mora_journal_bound(&writer, &budget_);
  }
  void close() {
    end();
    DataQuality quality;
    auto opened = Journal::open(path_, quality);
    ASSERT_TRUE(opened);
    journal_ = std::make_unique<Journal>(std::move(*opened));
  }
  const Journal& journal() const { return *journal_; }

  static inline std::uint64_t now = 0;

 private:
  const unsigned barrier_ = number_of("MPI_Barrier"), send_ = number_of("MPI_Send"), receive_ = number_of("MPI_Recv");
  std::unique_ptr<mora_ring> ring_ = std::make_unique<mora_ring>();
  mora_budget budget_{};
  std::unique_ptr<Journal> journal_;
};

/// Both on one clock, whose ticks are nanoseconds.
struct CutJob {
  ClockFit clock = ClockFit::from({{0, 0, 0}}, MORA_CLOCK_TSC);
  CutProcess a, b;
  explicit CutJob(bool is_ring = true) : a(is_ring), b(is_ring) {}

  std::vector<ProcessJournals> processes() {
    a.close(), b.close();
    return {{{&a.journal()}, &clock, {}}, {{&b.journal()}, &clock, {}}};
  }
  CommonBegin begin(Nanoseconds kept = 0) {
    const OwnNumbers numbers{[](std::uint32_t own) { return own; }, [](std::uint32_t own) { return own; },
                             [](std::uint32_t, std::int32_t peer) { return peer; }};
    return common_begin(processes(), {numbers, numbers}, kept, 1);
  }
};

constexpr OwnChannel to_b{0, 1, 5}, to_a{0, 0, 5};

TEST(CommonBegin, AJobThatForgotNothingIsNotCut) {
  CutJob job;
  for (std::uint64_t at = 1000; at < 1100; at += 10) job.a.barrier(at), job.b.barrier(at + 2);
  EXPECT_TRUE(job.begin().processes.empty());
}

TEST(CommonBegin, IsTheFirstBarrierThatAllHave) {
  CutJob job;
  std::uint64_t at = 1000, barriers = 0;
  for (; at < 60'000; at += 10) {  // a ring of three places has 2,000 calls at most
    if (at % 1000 == 0) job.a.barrier(at), job.b.barrier(at + 5), ++barriers;
    job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
  }
  const auto begin = job.begin();
  ASSERT_EQ(begin.processes.size(), 2u);
  ASSERT_GT(begin.collective, 0u);
  ASSERT_LT(begin.collective, barriers);
  const std::uint64_t cut = begin.collective * 1000;
  EXPECT_EQ(begin.processes[0].ticks, cut + 1);
  EXPECT_EQ(begin.processes[1].ticks, cut + 6);
  EXPECT_EQ(begin.stamp, cut + 6);
  EXPECT_EQ(mpi::function(begin.function).name, std::string_view("MPI_Barrier"));
  for (const CutProcess* process : {&job.a, &job.b}) EXPECT_LE(process->journal().ring_begin(), cut + 6);
  EXPECT_GT(std::max(job.a.journal().ring_begin(), job.b.journal().ring_begin()), cut - 1000);
  EXPECT_EQ(begin.processes[0].sends.at(to_b), 0u);  // none crosses it
  EXPECT_TRUE(begin.processes[1].calls.empty());
  EXPECT_EQ(begin.kept, 0);
}

TEST(CommonBegin, ReceivesOfMessagesSentBeforeItAreLeftOut) {
  CutJob job;
  job.a.send(900, 1), job.a.send(901, 1);  // two are always under way
  for (std::uint64_t at = 1000; at < 60'000; at += 10) {
    if (at % 1000 == 0) job.a.barrier(at), job.b.barrier(at + 5);
    job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
  }
  const auto begin = job.begin();
  ASSERT_EQ(begin.processes.size(), 2u);
  EXPECT_NE(begin.collective, 0u);
  EXPECT_EQ(begin.processes[1].calls.size(), 2u);
  EXPECT_EQ(begin.processes[0].sends.at(to_b), 0u);
}

TEST(CommonBegin, WithoutBarriersItIsATime) {
  CutJob job;
  job.b.send(900, 0);
  for (std::uint64_t at = 1000; at < 60'000; at += 10) job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
  job.a.receive(60'000, 1);
  const auto begin = job.begin();
  ASSERT_EQ(begin.processes.size(), 2u);
  EXPECT_EQ(begin.collective, 0u);
  EXPECT_EQ(begin.stamp, std::max(job.a.journal().ring_begin(), job.b.journal().ring_begin()));
  EXPECT_EQ(begin.processes[0].ticks, begin.stamp);
  EXPECT_EQ(begin.processes[0].calls.size(), 1u);  // what b sent long before
  EXPECT_EQ(begin.processes[1].sends.at(to_a), 0u);
}

TEST(CommonBegin, ATimeThatIsAskedForBeginsWithTheLastBarrierBeforeIt) {
  for (const bool is_ring : {false, true}) {
    CutJob job(is_ring);
    for (std::uint64_t at = 50'000; at < 60'000; at += 10) {
      if (at % 1000 == 0) job.a.barrier(at), job.b.barrier(at + 5);
      job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
    }
    const auto begin = job.begin(3500);  // the last record ends at 59'998
    ASSERT_EQ(begin.processes.size(), 2u);
    EXPECT_FALSE(begin.is_short);
    EXPECT_EQ(begin.collective, 7u);  // at 56'000
    EXPECT_EQ(begin.processes[0].ticks, 56'001u);
    EXPECT_EQ(begin.processes[1].ticks, 56'006u);
    EXPECT_GE(begin.covered, 3500);
    EXPECT_LE(begin.covered, 4000);
  }
}

TEST(CommonBegin, ATimeWithoutABarrierBeforeItIsThatTime) {
  CutJob job;
  for (std::uint64_t at = 50'000; at < 60'000; at += 10) job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
  const auto begin = job.begin(3500);
  ASSERT_EQ(begin.processes.size(), 2u);
  EXPECT_EQ(begin.collective, 0u);
  EXPECT_EQ(begin.covered, 3500);
}

TEST(CommonBegin, ARunThatIsShorterThanTheTimeIsWhole) {
  CutJob job;
  for (std::uint64_t at = 50'000; at < 60'000; at += 1000) job.a.barrier(at), job.b.barrier(at + 5);
  EXPECT_TRUE(job.begin(70'000).processes.empty());
}

TEST(CommonBegin, RingsThatAreTooSmallForTheTimeAreToldOf) {
  CutJob job;
  for (std::uint64_t at = 1000; at < 60'000; at += 10) {
    if (at % 1000 == 0) job.a.barrier(at), job.b.barrier(at + 5);
    job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
  }
  const auto begin = job.begin(50'000);
  ASSERT_EQ(begin.processes.size(), 2u);
  EXPECT_TRUE(begin.is_short);
  EXPECT_LT(begin.covered, 50'000);
  EXPECT_NE(begin.collective, 0u);
  EXPECT_NE(row_of(begin, 0).what.find("no room for the 50 us"), std::string::npos) << row_of(begin, 0).what;
}

TEST(CommonEnd, AJobWithinItsBudgetIsNotCut) {
  CutJob job(false);
  for (std::uint64_t at = 1000; at < 1100; at += 10) job.a.barrier(at), job.b.barrier(at + 2);
  EXPECT_TRUE(common_end(job.processes(), 1).stamps.empty());
}

TEST(CommonEnd, IsTheLastBarrierThatAllRecorded) {
  for (const bool has_barriers : {true, false}) {
    CutJob job(false);
    job.b.bound(std::uint64_t{2} * MORA_JOURNAL_MIN_CHUNK_BYTES);
    std::uint64_t at = 1000;
    for (; at < 60'000; at += 10) {
      if (has_barriers && at % 1000 == 0) job.a.barrier(at), job.b.barrier(at + 5);
      job.a.send(at + 2, 1), job.b.receive(at + 7, 0);
    }
    const auto end = common_end(job.processes(), 1);
    ASSERT_EQ(end.stamps.size(), 2u);
    EXPECT_EQ(end.first, 1u);
    const std::uint64_t reached = job.b.journal().budget_end();
    ASSERT_NE(reached, 0u);
    EXPECT_EQ(end.collective != 0, has_barriers);
    if (has_barriers) {
      EXPECT_EQ(end.stamps[0], end.collective * 1000 + 1);
      EXPECT_EQ(end.stamps[1], end.collective * 1000 + 6);
      EXPECT_LE(end.stamps[1], reached);
      EXPECT_GT(end.stamps[1] + 1000, reached);
    } else {
      EXPECT_EQ(end.stamps, (std::vector<std::uint64_t>{reached, reached}));
    }
  }
}

}  // namespace
}  // namespace mora::experiment
