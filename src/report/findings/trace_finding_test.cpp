#include "report/findings/trace_finding.h"

#include <gtest/gtest.h>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "report/findings/findings.h"
#include "trace/readers/text/text_source.h"

namespace mora::report {
namespace {

struct Traced {
  std::unique_ptr<trace::MemorySource> source;
  std::unique_ptr<trace::View> view;
  analysis::AnalysisResult followed;
  Finding finding;
};

Traced follow(const std::string& body, const std::string& id) {
  Traced t;
  auto source = trace::read_trace_text("mora-trace 1\n" + body);
  EXPECT_TRUE(source);
  t.source = std::move(*source);
  auto first = analysis::analyze(*t.source, "text", {});
  EXPECT_TRUE(first);
  const ReportData data = build_report(*first, analysis::all_metrics());
  for (std::size_t i = 0; i < data.findings.size(); ++i) {
    if (data.findings[i].id != id) continue;
    t.finding = data.findings[i];
    analysis::AnalyzeOptions options;
    options.follow = analysis::FollowedCell{first->waits[i].metric, {first->waits[i].call_path}};
    auto second = analysis::analyze(*t.source, "text", options);
    EXPECT_TRUE(second);
    t.followed = std::move(*second);
  }
  auto view = trace::View::make(*t.source, trace::RmaModel::extended);
  EXPECT_TRUE(view);
  t.view = std::move(*view);
  return t;
}

const char* const two_late_senders =
    "P0 0 ENTER main; 16-20 MPI_Send@s.c:1 to 1; 30-33 MPI_Send@s.c:2 to 1; 40 EXIT\n"
    "P1 0 ENTER main; 10-20 MPI_Recv@r.c:1 from 0; 22-34 MPI_Recv@r.c:1 from 0; 40 EXIT\n";

TEST(TraceFinding, EveryWaitWithItsCallsAndTheArithmetic) {
  const Traced t = follow(two_late_senders, "f1");
  const auto traced = trace_finding(*t.view, t.followed, t.finding, 0);
  ASSERT_TRUE(traced) << traced.error().text();
  EXPECT_EQ(traced->sum, 14);
  ASSERT_EQ(traced->waits.size(), 2u);
  EXPECT_EQ(traced->waits[0].arithmetic, "min(16, 20) - 10 = 6");
  EXPECT_EQ(traced->waits[1].arithmetic, "min(30, 34) - 22 = 8");
  const TracedWait& second = traced->waits[1];
  ASSERT_TRUE(second.call && second.cause);
  EXPECT_EQ(second.call->events.size(), 3u);  // ENTER, RECV, EXIT
  EXPECT_EQ(t.view->type(second.call->events[1]), trace::EarlType::recv);
  EXPECT_EQ(second.cause->enter, 30);
  EXPECT_EQ(second.cause->leave, 33);
  const std::string text = traced_finding_text(*t.view, *traced);
  EXPECT_NE(text.find("   2. rank 1 waits from 22 to 30: min(30, 34) - 22 = 8 ns\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Sum of 2 waits: 14 ns = severity of f1."), std::string::npos) << text;
}

TEST(TraceFinding, ALimitCutsTheListButNotTheSum) {
  const Traced t = follow(two_late_senders, "f1");
  const auto traced = trace_finding(*t.view, t.followed, t.finding, 1);
  ASSERT_TRUE(traced);
  EXPECT_EQ(traced->waits.size(), 1u);
  EXPECT_EQ(traced->count, 2u);
  EXPECT_EQ(traced->sum, 14);
  EXPECT_NE(traced_finding_text(*t.view, *traced).find("… 1 of 2 waits shown"), std::string::npos);
}

TEST(TraceFinding, ASumThatDiffersIsADefect) {
  Traced t = follow(two_late_senders, "f1");
  t.finding.severity += 1;
  const auto traced = trace_finding(*t.view, t.followed, t.finding, 0);
  ASSERT_FALSE(traced);
  EXPECT_EQ(traced.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace mora::report
