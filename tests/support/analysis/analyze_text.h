/// For tests: analyses a trace text and looks cells up by names.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "analysis/analyze.h"
#include "trace/readers/text/text_source.h"

namespace mora::analysis {

struct Analysed {
  AnalysisResult result;

  /// Inclusive total of the metric on one rank over the call tree.
  std::int64_t at(const std::string& metric, std::uint32_t rank) const {
    const cube::MetricId m = result.cube.find_metric(metric);
    EXPECT_NE(m, cube::no_id) << metric;
    return m == cube::no_id ? -1 : result.cube.by_location(m).at(rank);
  }
  std::int64_t total(const std::string& metric) const {
    const cube::MetricId m = result.cube.find_metric(metric);
    EXPECT_NE(m, cube::no_id) << metric;
    return m == cube::no_id ? -1 : result.cube.total(m);
  }
  /// One number per rank: "7 5 0 6".
  std::string ranks(const std::string& metric) const {
    std::string text;
    for (std::uint32_t r = 0; r < result.cube.locations.size(); ++r) {
      text += (r == 0 ? "" : " ") + std::to_string(at(metric, r));
    }
    return text;
  }
  /// Own time of the call path of this name on a rank; -1 if there is none or several.
  std::int64_t path(const std::string& name, const std::string& metric, std::uint32_t rank) const {
    std::int64_t found = -1;
    for (cube::CallPathId c = 0; c < result.cube.call_paths.size(); ++c) {
      if (result.cube.call_paths[c].name != name) continue;
      if (found != -1) return -1;
      found = result.cube.get(result.cube.find_metric(metric), c, rank);
    }
    return found;
  }
  std::uint64_t quality(const std::string& kind) const {
    std::uint64_t count = 0;
    for (const QualityRow& row : result.quality.rows()) count += row.kind == kind ? row.count : 0;
    return count;
  }
};

/// `body` without the header line.
inline Analysed analyse_text(const std::string& body, unsigned partitions = 1) {
  auto source = trace::read_trace_text("mora-trace 1\n" + body);
  if (!source) {
    ADD_FAILURE() << source.error().text();
    return {};
  }
  AnalyzeOptions options;
  options.workers = 1;
  options.partitions = partitions;
  auto result = analyze(**source, "text", options);
  if (!result) {
    ADD_FAILURE() << result.error().text();
    return {};
  }
  return Analysed{std::move(*result)};
}

}  // namespace mora::analysis
