#include "trace/readers/otf2/probe.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

namespace mora::trace::otf2 {
namespace {

unsigned patient(std::size_t) { return 60; }

/// Counts in memory that child processes share.
class SharedCount {
 public:
  SharedCount()
      : count_(new (::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                           0)) std::atomic<int>(0)) {}
  ~SharedCount() { ::munmap(count_, sizeof(std::atomic<int>)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;
  int next() const { return count_->fetch_add(1); }
  int value() const { return *count_; }

 private:
  std::atomic<int>* count_;
};

TEST(Probe, AChildThatSleepsForEverIsForkedAnew) {
  const SharedCount calls;
  const auto verdicts = probe(
      3,
      [&](std::size_t i) -> Result<bool> {
        if (i == 1 && calls.next() == 0) ::pause();  // as on a lock that nobody will release
        return i == 1;
      },
      patient);
  ASSERT_EQ(verdicts.size(), 3u);
  for (const ProbeVerdict& verdict : verdicts) EXPECT_TRUE(verdict.good) << verdict.why;
  EXPECT_TRUE(verdicts[1].found);
  EXPECT_EQ(calls.value(), 2);
}

TEST(Probe, WhatAlwaysSleepsIsNotReadButTheRestIs) {
  const auto verdicts = probe(
      2,
      [](std::size_t i) -> Result<bool> {
        if (i == 0) ::pause();
        return false;
      },
      patient);
  EXPECT_FALSE(verdicts[0].good);
  EXPECT_EQ(verdicts[0].why, "libotf2 waits on it and does not go on");
  EXPECT_TRUE(verdicts[1].good);
}

TEST(Probe, TheLimitIsOneOfProcessorTime) {
  const auto verdicts = probe(
      3,
      [](std::size_t i) -> Result<bool> {
        if (i == 0) ::usleep(1500000);  // no damage: a disk, a loaded machine
        for (volatile bool computes = i == 1; computes;) {
        }
        return false;
      },
      [](std::size_t) { return 1u; });
  EXPECT_TRUE(verdicts[0].good) << verdicts[0].why;
  EXPECT_FALSE(verdicts[1].good);
  EXPECT_EQ(verdicts[1].why, "reading it took longer than 1 s of processor time");
  EXPECT_TRUE(verdicts[2].good);
}

TEST(Probe, ACrashIsOneOfItsTask) {
  const auto verdicts = probe(
      2,
      [](std::size_t i) -> Result<bool> {
        if (i == 0) std::raise(SIGSEGV);
        return true;
      },
      patient);
  EXPECT_FALSE(verdicts[0].good);
  EXPECT_EQ(verdicts[0].why, "libotf2 crashed on it (signal 11)");
  EXPECT_TRUE(verdicts[1].good && verdicts[1].found);
}

}  // namespace
}  // namespace mora::trace::otf2
