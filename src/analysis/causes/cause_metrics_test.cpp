/// Metrics of causes: accounts that hold on every trace of the golden tests (the critical path is as long as the run,
/// and delay costs explain the waits, each class its own); threads that ask for them for the first time, all at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "analysis/analyze.h"
#include "analysis/causes/cause_metrics.h"
#include "analysis/metric_info.h"
#include "base/file.h"
#include "trace/readers/text/text_source.h"

namespace mora::analysis {
namespace {

struct RunTime : trace::EventSink {
  Nanoseconds first = INT64_MAX, last = INT64_MIN;
  void on_event(const trace::Event& event) override {
    first = std::min(first, event.time);
    last = std::max(last, event.time);
  }
};

Nanoseconds run_time(trace::Source& source) {
  RunTime run;
  for (trace::LocationId l = 0; l < source.definitions().locations.size(); ++l) {
    EXPECT_TRUE(source.read_location(l, run).has_value());
  }
  return run.first > run.last ? 0 : run.last - run.first;
}

/// The classes of delay whose waits are split under one name.
const std::vector<std::pair<std::string, std::vector<std::string>>> groups = {
    {"late-sender", {"late-sender"}},
    {"late-receiver", {"late-receiver"}},
    {"collective", {"barrier", "n-to-n", "one-to-n", "n-to-one", "prefix", "nonblocking", "start-and-end"}},
    {"one-sided", {"window", "active-target", "passive-target"}},
    {"other", {"threads", "io"}}};

TEST(CauseAccounts, BalanceInAllGoldenTraces) {
  std::size_t traces = 0, waiting = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MORA_SOURCE_DIR "/tests/golden")) {
    if (entry.path().extension() != ".test") continue;
    const auto file = read_file(entry.path().string());
    ASSERT_TRUE(file);
    const std::string text = file->substr(0, file->find("\n---") + 1);
    const std::size_t header = text.find("mora-trace 1\n");
    if (header == std::string::npos) continue;
    auto source = trace::read_trace_text(text.substr(header));
    if (!source) continue;
    SCOPED_TRACE(entry.path());
    AnalyzeOptions options;
    options.ideal_network = false;
    options.workers = 1;
    options.path = true;
    const auto result = analyze(**source, "golden", options);
    if (!result) continue;
    const cube::Cube& cube = result->cube;
    const auto total = [&](const std::string& id) { return cube.total(cube.find_metric(id)); };
    ++traces;
    EXPECT_EQ(total("critical-path"), run_time(**source));
    std::vector<std::int64_t> on_path(cube.locations.size());
    const auto& path = result->critical_path;
    for (std::size_t i = 0; i < path.size(); ++i) {
      on_path[path[i].location] += path[i].to - path[i].from;
      EXPECT_TRUE(i == 0 || path[i].from == path[i - 1].to) << i;
    }
    EXPECT_EQ(on_path, cube.by_location(cube.find_metric("critical-path")));
    const auto rows = result->quality.rows();
    const bool has_violations =
        std::any_of(rows.begin(), rows.end(), [](const QualityRow& row) { return row.kind == "clock-violation"; });
    for (const auto& [group, classes] : groups) {
      std::int64_t costs = 0;
      for (const std::string& name : classes) costs += total("delay-costs-" + name);
      const std::int64_t waits = total("direct-waits-" + group) + total("indirect-waits-" + group);
      waiting += waits > 0 ? 1 : 0;
      if (has_violations) {
        EXPECT_LE(costs, waits) << group;
      } else {
        EXPECT_EQ(costs, waits) << group;
      }
    }
  }
  EXPECT_GT(traces, 200U);
  EXPECT_GT(waiting, 100U);
}

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
