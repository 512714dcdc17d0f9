/// The section CAUSES: which call paths and ranks delayed others (metrics `delay-costs…`), and where the critical path
/// runs
/// (`critical-path…`). Both are ordinary metrics of the cube; without them the section is not there.
#include <algorithm>

#include <fmt/format.h>

#include "report/causes_section.h"
#include "report/data/figures.h"

namespace mora::report {
namespace {

struct Row {
  Nanoseconds amount = 0;
  Nanoseconds second = 0;
  std::uint32_t index = 0;  ///< call path or rank
};

std::vector<Row> largest_first(std::vector<Row> rows) {
  std::erase_if(rows, [](const Row& row) { return row.amount == 0 && row.second == 0; });
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.amount > b.amount; });
  return rows;
}

Nanoseconds path_total(const cube::Cube& cube, cube::MetricId metric, cube::CallPathId c) {
  return metric == cube::no_id ? 0 : cube.call_path_total(metric, c);
}

/// `second`: a metric shown beside, no_id = none.
std::vector<Row> by_call_path(const cube::Cube& cube, cube::MetricId metric, cube::MetricId second) {
  std::vector<Row> rows;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    rows.push_back({path_total(cube, metric, c), path_total(cube, second, c), c});
  }
  return largest_first(std::move(rows));
}

void delay_costs(const ReportData& data, const cube::Cube& cube, TextPage& page) {
  const MetricRow* costs = data.find_metric("delay-costs");
  const cube::MetricId metric = cube.find_metric("delay-costs");
  if (costs == nullptr || metric == cube::no_id || costs->inclusive == 0) return;
  page.line(fmt::format("{} of waiting was caused by delays. Call paths whose delays cost most:",
                        time_for_people(costs->inclusive)));
  page.table({number("costs/s", 14), number("% of it", 9), cut_words("call path")},
             by_call_path(cube, metric, cube::no_id), "call paths", [&](const Row& row) {
               return Cells{seconds_column(row.amount), share(row.amount, costs->inclusive),
                            joined_below_program(labels_of(cube, row.index))};
             });
  std::vector<Row> ranks;
  for (std::uint32_t rank = 0; rank < costs->by_rank.size(); ++rank) ranks.push_back({costs->by_rank[rank], 0, rank});
  ranks = largest_first(std::move(ranks));
  std::string text = "By rank:";
  for (std::size_t i = 0; i < page.shown(ranks.size()); ++i) {
    text += fmt::format("{} rank {} {}", i == 0 ? "" : ",", ranks[i].index, time_for_people(ranks[i].amount));
  }
  if (page.shown(ranks.size()) < ranks.size()) text += fmt::format(", … ({} ranks)", ranks.size());
  page.paragraph(text, 9);
  std::string kinds;
  for (const MetricRow& child : data.metrics) {
    if (child.parent != "delay-costs" || child.inclusive == 0) continue;
    kinds += fmt::format("{} {} {}", kinds.empty() ? "" : ",", child.name, time_for_people(child.inclusive));
  }
  if (!kinds.empty()) page.paragraph("By kind:" + kinds, 9);
}

void critical_path(const ReportData& data, const cube::Cube& cube, TextPage& page) {
  const MetricRow* length = data.find_metric("critical-path");
  const cube::MetricId metric = cube.find_metric("critical-path");
  if (length == nullptr || metric == cube::no_id || length->inclusive == 0) return;
  const cube::MetricId imbalance = cube.find_metric("critical-path-imbalance");
  page.line();
  page.line(fmt::format("The critical path is {} long. Call paths that it spends most time in:",
                        time_for_people(length->inclusive)));
  Column second = number("imbalance/s", 14);
  if (imbalance == cube::no_id) second.name = "";
  page.table({number("on path/s", 14), number("% of it", 9), second, cut_words("call path")},
             by_call_path(cube, metric, imbalance), "call paths", [&](const Row& row) {
               return Cells{seconds_column(row.amount), share(row.amount, length->inclusive),
                            row.second == 0 ? "-" : seconds_column(row.second),
                            joined_below_program(labels_of(cube, row.index))};
             });
}

}  // namespace

void causes_section(const ReportData& data, const cube::Cube& cube, TextPage& page) {
  const auto occurs = [&](const char* id) {
    const MetricRow* metric = data.find_metric(id);
    return metric != nullptr && metric->inclusive != 0 && cube.find_metric(id) != cube::no_id;
  };
  if (!occurs("delay-costs") && !occurs("critical-path")) return;
  page.banner("CAUSES (whose delays others waited for)");
  delay_costs(data, cube, page);
  critical_path(data, cube, page);
}

}  // namespace mora::report
