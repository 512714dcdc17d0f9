/// `mora report --csv`: a line per metric, call path and rank that is not 0 (columns: report.h).
#include "base/table/table.h"
#include "report/data/figures.h"
#include "report/report.h"

namespace mora::report {

std::string csv_report(const ReportData& data, const cube::Cube& cube) {
  std::string out = "metric,call_path,rank,value\n";
  std::vector<std::string> paths;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) paths.push_back(joined(labels_of(cube, c)));
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto by_rank = fold_threads(cube, cube.row(m, c), data.run.ranks);
      for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
        if (by_rank[rank] != 0) out += csv_line({metric.id, paths[c], rank, exact_amount(by_rank[rank], metric.unit)});
      }
    }
  }
  return out;
}

}  // namespace mora::report
