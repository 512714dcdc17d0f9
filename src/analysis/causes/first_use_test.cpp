/// Threads that ask for metrics of causes for the first time, all at once: each round in a process of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "analysis/causes/cause_metrics.h"
#include "analysis/metric_info.h"

namespace mora::analysis {
namespace {

[[noreturn]] void ask_at_once() {
  std::atomic<int> ready = 0;
  const auto at_once = [&](auto ask) {
    return std::thread([&ready, ask] {
      for (++ready; ready < 3;) {
      }
      ask();
    });
  };
  std::thread first = at_once([] { cause_ids(); });
  std::thread second = at_once([] { cause_ids(); });
  std::thread third = at_once([] { cause_ids(); });
  first.join(), second.join(), third.join();
  std::_Exit(0);
}

// Every tenth round crashed while the three shared one store of texts.
TEST(CauseMetricsFirstUse, OfSeveralThreadsIsSafe) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // runs this test again in a new process, where nobody has asked yet
  for (int round = 0; round < 60; ++round) EXPECT_EXIT(ask_at_once(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace mora::analysis
