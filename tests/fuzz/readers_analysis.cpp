/// The whole analysis behind the trace text: whatever was read can be analysed, in any number of partitions alike, and
/// the accounts balance.
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analyze.h"
#include "broken_promise.h"
#include "readers.h"
#include "trace/readers/text/text_source.h"

namespace mora::fuzz {
namespace {

analysis::AnalysisResult analysed(std::string_view content, unsigned partitions) {
  const auto source = trace::read_trace_text(content);
  analysis::AnalyzeOptions options;
  options.workers = 1;
  options.intervals.phases = trace::Phases::always;
  options.partitions = partitions;
  options.window = partitions == 1 ? 0 : 1;
  auto result = analysis::analyze(**source, "fuzzed", options);
  require(result.has_value(), "what is in memory can be analysed");
  return std::move(*result);
}

void require_balance(const cube::Cube& cube) {
  const std::size_t locations = cube.locations.size();
  const cube::MetricId origin = cube.find_metric("waits-by-origin"), effect = cube.find_metric("waits-by-effect");
  std::vector<std::int64_t> children(cube.metrics.size() * locations);
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    require(cube.row(origin, c) == cube.row(effect, c), "waits by origin are those by effect");
    std::fill(children.begin(), children.end(), 0);
    for (auto m = static_cast<cube::MetricId>(cube.metrics.size()); m-- > 0;) {
      const auto& row = cube.row(m, c);
      for (std::size_t l = 0; l < locations; ++l) {
        const std::int64_t cell = row.empty() ? 0 : row[l];
        require(cell >= 0, cube.metrics[m].id + " is not negative");
        require(children[m * locations + l] <= cell, "the children of " + cube.metrics[m].id + " do not exceed it");
        if (cube.metrics[m].parent != cube::no_id) children[cube.metrics[m].parent * locations + l] += cell;
      }
    }
  }
}

void require_equal(const analysis::AnalysisResult& one, const analysis::AnalysisResult& other) {
  require(one.cube.call_paths.size() == other.cube.call_paths.size(), "partitions do not change the call tree");
  for (cube::MetricId m = 0; m < one.cube.metrics.size(); ++m) {
    for (cube::CallPathId c = 0; c < one.cube.call_paths.size(); ++c) {
      require(one.cube.row(m, c) == other.cube.row(m, c), "partitions do not change " + one.cube.metrics[m].id);
    }
  }
  const auto rows = one.quality.rows(), others = other.quality.rows();
  require(rows.size() == others.size(), "partitions do not change the kinds of damage");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require(rows[i].kind == others[i].kind && rows[i].where == others[i].where && rows[i].count == others[i].count,
            "partitions do not change the count of " + rows[i].kind);
  }
  require(one.checks.size() == other.checks.size(), "partitions do not change what is checked");
}

}  // namespace

bool read_analysis(std::span<const std::byte> bytes) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto source = trace::read_trace_text(content);
  if (!source || (*source)->definitions().locations.empty() || (*source)->definitions().locations.size() > 1000)
    return false;
  const analysis::AnalysisResult one = analysed(content, 1);
  require_balance(one.cube);
  require_equal(one, analysed(content, 3));
  return true;
}

}  // namespace mora::fuzz
