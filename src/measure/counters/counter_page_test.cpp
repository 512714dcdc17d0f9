#include "measure/counters/counter_page.h"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include "measure/counters/counter_set.h"

namespace mora {
namespace {

/// The page and the registers of a processor that there may not be here.
struct StandIn {
  perf_event_mmap_page page{};
  std::uint64_t registers[4] = {};
  int reads = 0;
  int moves = 0;  ///< so often the kernel moves the counter while its register is read
};
StandIn stand_in;

std::uint64_t read_register(std::uint32_t index) {
  const std::uint64_t value = stand_in.registers[index];
  ++stand_in.reads;
  if (stand_in.moves > 0) {  // the count so far goes into the page, another register begins at 0
    --stand_in.moves;
    ++stand_in.page.lock;
    stand_in.page.offset += static_cast<std::int64_t>(value);
    stand_in.page.index = index + 2;
    stand_in.registers[index + 1] = 0;
    ++stand_in.page.lock;
  }
  return value;
}

class CounterPage : public ::testing::Test {
 protected:
  void SetUp() override {
    stand_in = StandIn{};
    stand_in.page.cap_user_rdpmc = 1;
    stand_in.page.index = 1;
    stand_in.page.pmc_width = 48;
    stand_in.page.time_enabled = stand_in.page.time_running = 77;
  }
  mora_page_count reading_{};
  int read() { return mora_page_read(&stand_in.page, read_register, &reading_); }
};

TEST_F(CounterPage, TheCountIsThePagesPartAndTheRegisters) {
  stand_in.page.offset = 1000;
  stand_in.registers[0] = 234;
  ASSERT_EQ(read(), 1);
  EXPECT_EQ(reading_.count, 1234u);
  EXPECT_EQ(reading_.enabled_ns, 77u);
}

TEST_F(CounterPage, ARegisterIsSignedAndHasItsOwnWidth) {
  stand_in.page.offset =
      std::int64_t{1} << 47;  // the kernel lets registers begin below 0, so that they overflow in time
  stand_in.registers[0] =
      (std::uint64_t{1} << 48) - 5 + (std::uint64_t{0xabc} << 48);  // -5; the highest bits mean nothing
  ASSERT_EQ(read(), 1);
  EXPECT_EQ(reading_.count, (std::uint64_t{1} << 47) - 5);
  stand_in.page.pmc_width = 64;
  stand_in.registers[0] = ~std::uint64_t{0};
  ASSERT_EQ(read(), 1);
  EXPECT_EQ(reading_.count, (std::uint64_t{1} << 47) - 1);
}

TEST_F(CounterPage, ReadsAgainWhenTheKernelHasMovedTheCounter) {
  stand_in.page.offset = 40;
  stand_in.registers[0] = 2;
  stand_in.moves = 2;
  ASSERT_EQ(read(), 1);
  EXPECT_EQ(stand_in.reads, 3);
  EXPECT_EQ(reading_.count, 42u);
}

TEST_F(CounterPage, AsksTheKernelWhereThePageDoesNotTell) {
  stand_in.page.index = 0;  // not in a register now
  EXPECT_EQ(read(), 0);
  stand_in.page.index = 1;
  stand_in.page.time_running = 70;  // it had to share one
  EXPECT_EQ(read(), 0);
  stand_in.page.time_running = 77;
  stand_in.page.cap_user_rdpmc = 0;  // forbidden
  EXPECT_EQ(read(), 0);
  stand_in.page.cap_user_rdpmc = 1;
  stand_in.page.pmc_width = 0;
  EXPECT_EQ(read(), 0);
  EXPECT_EQ(stand_in.reads, 0);
}

TEST(CounterSharing, ScalesWhatWasCountedForAPartOfTheTime) {
  mora_counter_share share{};
  EXPECT_EQ(mora_counter_gain(&share, 100, 50, 50), 100u);  // all the time
  EXPECT_EQ(share.is_scaled, 0);
  EXPECT_EQ(mora_counter_gain(&share, 160, 80, 60), 180u);  // 60 in 10 of 30 ns
  EXPECT_EQ(share.is_scaled, 1);
  EXPECT_EQ(mora_counter_gain(&share, 160, 100, 60), 0u);  // it did not count: what was missed comes with the next part
  EXPECT_EQ(mora_counter_gain(&share, 170, 120, 70), 40u);
  EXPECT_EQ(mora_counter_gain(&share, 5, 120, 70), 0u);  // never back
}

TEST(CounterSharing, WhatIsTakenOffMayBeMoreThanWasCounted) {
  mora_counter_share share{};
  share.count = std::uint64_t{0} - 10;  // of a thread that took the place of another, for which more was read
  EXPECT_EQ(mora_counter_gain(&share, 5, 0, 0), 15u);
  EXPECT_EQ(mora_counter_gain(&share, 7, 0, 0), 2u);
}

TEST(CounterSharing, LargeCountsDoNotOverflow) {
  mora_counter_share share{};
  const std::uint64_t large = std::uint64_t{1} << 50;
  EXPECT_EQ(mora_counter_gain(&share, large, 3000000000000, 1000000000000), 3 * large);
}

TEST(CounterList, IsReadFromTheRecordersSetting) {
  mora_counter_list list;
  ASSERT_EQ(mora_counter_list_read("0/1/1/instructions:u,4/1a2/0/r1a2,1/2/0/page-faults", &list), 3u);
  EXPECT_EQ(list.counters[0].type, 0u);
  EXPECT_EQ(list.counters[0].config, 1u);
  EXPECT_EQ(list.counters[0].modes, 1u);
  EXPECT_STREQ(list.counters[0].name, "instructions:u");
  EXPECT_EQ(list.counters[1].config, 0x1a2u);
  EXPECT_STREQ(list.counters[2].name, "page-faults");
  EXPECT_EQ(mora_counter_list_read("", &list), 0u);
  EXPECT_EQ(mora_counter_list_read("nonsense", &list), 0u);
  EXPECT_EQ(mora_counter_list_read("1/2/0/", &list), 0u);
}

/// What the kernel counts by itself, with perf_event_open or without.
TEST(CounterSet, CountsThePagesThatAreTouched) {
  mora_counter_list list;
  ASSERT_EQ(mora_counter_list_read("1/2/0/page-faults,1/1/0/task-clock,99/0/0/nothing", &list), 3u);
  static mora_counter_set set;
  mora_counter_set_open(&set, &list);
  EXPECT_NE(set.how[0], MORA_COUNTER_MISSING);
  EXPECT_NE(set.how[1], MORA_COUNTER_MISSING);
  EXPECT_EQ(set.how[2], MORA_COUNTER_MISSING);
  EXPECT_NE(set.error[2], 0);
  std::uint64_t before[MORA_MOST_COUNTERS], after[MORA_MOST_COUNTERS];
  mora_counter_set_read(&set, 0, 0, before);
  constexpr std::size_t pages = 512, page_bytes = 4096;
  void* room = mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  madvise(room, pages * page_bytes, MADV_NOHUGEPAGE);
  volatile char* memory = static_cast<char*>(room);
  for (std::size_t p = 0; p < pages; ++p) memory[p * page_bytes] = 1;
  mora_counter_set_read(&set, 0, 0, after);
  EXPECT_GE(after[0] - before[0], pages);
  EXPECT_LT(after[0] - before[0], pages + 100);
  EXPECT_GT(after[1], before[1]);
  EXPECT_EQ(after[2], before[2]);
  mora_counter_set_close(&set);
  mora_counter_set_open(&set, &list);  // another thread has its place: counts go on
  std::uint64_t later[MORA_MOST_COUNTERS];
  mora_counter_set_read(&set, 0, 0, later);
  EXPECT_GE(later[0], after[0]);
  mora_counter_set_close(&set);
}

/// The program closed the files of a set, or put its own at their numbers.
class CounterFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mora_counter_list_read("1/2/0/page-faults,1/1/0/task-clock", &list_), 2u);
    mora_counter_set_open(&set_, &list_);
    if (set_.how[0] != MORA_COUNTER_CALL) GTEST_SKIP() << "perf is forbidden here";
    read();
    EXPECT_EQ(set_.is_lost, 0);
  }
  void TearDown() override { mora_counter_set_close(&set_); }
  void read() { mora_counter_set_read(&set_, 0, 0, totals_); }
  mora_counter_list list_{};
  mora_counter_set set_{};
  std::uint64_t totals_[MORA_MOST_COUNTERS] = {};
};

TEST_F(CounterFiles, ThatAreClosedAreOpenedAgain) {
  close(set_.file[1]);  // one of the group: what is read has other places
  const std::uint64_t before = totals_[0];
  read();
  EXPECT_EQ(set_.is_lost, 1);
  EXPECT_EQ(totals_[0], before);
  mora_counter_set_close(&set_);
  mora_counter_set_open(&set_, &list_);
  read();
  EXPECT_EQ(set_.is_lost, 0);
  EXPECT_GE(totals_[0], before);
}

TEST_F(CounterFiles, OfTheProgramAreNeitherReadNorClosed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "12345678901234567890123456789012345678901234567890", 50), 50);
  const int taken = set_.file[0];
  ASSERT_EQ(dup2(ends[0], taken), taken);
  read();
  EXPECT_EQ(set_.is_lost, 1);
  mora_counter_set_close(&set_);
  char text[64];
  EXPECT_EQ(::read(taken, text, sizeof text), 50);
  for (const int number : {taken, ends[0], ends[1]}) EXPECT_EQ(close(number), 0);
}

}  // namespace
}  // namespace mora
