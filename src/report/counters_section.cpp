#include "report/counters_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/counted.h"
#include "report/data/figures.h"
#include "report/data/report_data.h"

namespace mora::report {

void counters_section(const cube::Cube& cube, TextPage& page) {
  bool is_first = true;
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    const std::int64_t total = cube.total(m);
    if (!analysis::is_counted_metric(metric) || total == 0) continue;
    if (is_first)
      page.banner("COUNTERS (what call paths themselves counted)");
    else
      page.line();
    is_first = false;
    std::vector<std::pair<std::int64_t, cube::CallPathId>> rows;
    for (const auto& [path, cells] : cube.rows(m)) rows.emplace_back(cube.call_path_total(m, path), path);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    page.line(
        fmt::format("{}: {}. Call paths that have most of it:", metric.name, amount_with_unit(total, metric.unit)));
    page.table({number("counted", 18), number("% of it", 9), cut_words("call path")}, rows, "call paths",
               [&](const auto& row) {
                 return Cells{amount_with_unit(row.first, metric.unit), share(row.first, total),
                              joined_below_program(labels_of(cube, row.second))};
               });
  }
}

}  // namespace mora::report
