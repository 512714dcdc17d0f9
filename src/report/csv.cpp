/// `mora report --csv`: a line per metric, call path and rank that is not 0 (columns: report.h).
#include <fmt/format.h>

#include "base/cell_text.h"
#include "report/report.h"

namespace mora::report {

std::string csv_report(const ReportData& data, const cube::Cube& cube) {
  std::string out = "metric,call_path,rank,value\n";
  std::vector<std::string> paths;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) paths.push_back(csv_cell(joined(labels_of(cube, c))));
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto by_rank = fold_threads(cube, cube.row(m, c), data.run.ranks);
      for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
        if (by_rank[rank] == 0) continue;
        out += fmt::format(
            "{},{},{},{}\n", csv_cell(metric.id), paths[c], rank,
            metric.unit == cube::Unit::seconds ? seconds_exact(by_rank[rank]) : std::to_string(by_rank[rank]));
      }
    }
  }
  return out;
}

}  // namespace mora::report
