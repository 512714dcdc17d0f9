/// Every wait state has a teaching trace, and analysing it gives exactly what the trace says and the picture shows.
#include "report/teaching/teaching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "report/data/figures.h"
#include "trace/readers/text/text_source.h"

namespace mora::report {
namespace {

TEST(Teaching, EveryWaitStateHasATrace) {
  for (const analysis::MetricInfo& info : analysis::all_metrics()) {
    if (!info.wait_state) continue;
    EXPECT_NE(find_teaching_trace(info.id), nullptr) << "docs/patterns/" << info.id << ".trace";
  }
}

TEST(Teaching, EveryTraceBelongsToAWaitState) {
  for (const TeachingTrace& trace : teaching_traces()) {
    const analysis::MetricInfo* info = analysis::find_metric_info(trace.metric);
    EXPECT_TRUE(info != nullptr && info->wait_state) << trace.metric;
  }
}

TEST(Teaching, AnalysisGivesTheSeverityThatTheTraceNames) {
  for (const TeachingTrace& trace : teaching_traces()) {
    if (analysis::find_metric_info(trace.metric) == nullptr) continue;
    for (const unsigned partitions : {1u, 2u}) {
      const auto source = trace::read_trace_text(trace.text, std::string(trace.metric));
      ASSERT_TRUE(source) << source.error().text();
      analysis::AnalyzeOptions options;
      options.workers = 1;
      options.partitions = partitions;
      const auto result = analysis::analyze(**source, "text", options);
      ASSERT_TRUE(result) << trace.metric;
      EXPECT_EQ(result->cube.by_location(analysis::metric_index(trace.metric)), teaching_text(trace).severity)
          << trace.metric;
      for (const QualityRow& row : result->quality.rows()) {
        ADD_FAILURE() << trace.metric << ": " << row.kind << ": " << row.what;
      }
    }
  }
}

TEST(Teaching, ThePictureShowsThatSeverityWithin80Columns) {
  for (const TeachingTrace& trace : teaching_traces()) {
    if (analysis::find_metric_info(trace.metric) == nullptr) continue;
    const auto picture = teaching_picture(trace);
    ASSERT_TRUE(picture) << picture.error().text();
    const TeachingText text = teaching_text(trace);
    EXPECT_FALSE(text.caption.empty()) << trace.metric;
    ASSERT_EQ(picture->rows.size(), text.severity.size()) << trace.metric;
    for (std::size_t row = 0; row < picture->rows.size(); ++row) {
      Nanoseconds shaded = 0;
      for (const auto& [begin, end] : picture->rows[row].waits) shaded += end - begin;
      EXPECT_EQ(shaded, text.severity[row]) << trace.metric << ", " << picture->rows[row].name;
    }
    EXPECT_EQ(picture->total, std::accumulate(text.severity.begin(), text.severity.end(), Nanoseconds{0}));
    for (const bool ascii : {false, true}) {
      std::istringstream lines(draw(*picture, {80, ascii, false}));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(display_width(line), 80u) << trace.metric << ": " << line;
        if (ascii) {
          EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c > 0; })) << line;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mora::report
