/// The report for a terminal: fixed sections with banners that grep well, columns of stable width, so that reports of
/// two runs can be compared by diff. The verdict comes first, data quality last. Figures are those of ReportData and
/// the cube; without a cube the sections that need call paths are left out.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/text/quality_by_cause.h"
#include "report/causes_section.h"
#include "report/counters_section.h"
#include "report/data/figures.h"
#include "report/data/tree_order.h"
#include "report/findings/one_sided.h"
#include "report/findings/statistics.h"
#include "report/intervals/interval_report.h"
#include "report/losses/losses.h"
#include "report/report.h"

namespace mora::report {
namespace {

class TextReport : TextPage {
 public:
  TextReport(const ReportData& data, const cube::Cube* cube, const TextOptions& options)
      : TextPage(options), data_(data), cube_(cube) {}

  std::string render() {
    run();
    banner("VERDICT");
    paragraph(verdict(data_));
    losses_section(data_, *this);
    if (cube_ != nullptr) efficiency_section(*cube_, data_.quality, *this);
    metrics();
    findings();
    processors_section(data_, *this);
    statistics_section(data_, *this);
    if (cube_ != nullptr) causes_section(data_, *cube_, *this);
    if (cube_ != nullptr) counters_section(*cube_, *this);
    if (cube_ != nullptr) call_paths();
    ranks();
    checks_section(data_, *this);
    quality();
    return take();
  }

 private:
  void fact(const std::string& name, const std::string& value) {
    if (!value.empty()) detail(0, fmt::format("{:<12} ", name), value);
  }

  std::string more(const char* key) const {
    const auto found = data_.run.more.find(key);
    return found == data_.run.more.end() ? "" : found->second;
  }

  void run() {
    const RunSummary& run = data_.run;
    banner("RUN");
    fact("Program", more("programs").empty() ? run.program : more("programs"));
    fact("Command", more("command"));
    fact("Ranks", run.locations == run.ranks ? fmt::format("{} on {}", run.ranks, counted(run.nodes, "node"))
                                             : fmt::format("{} with {} locations on {}", run.ranks, run.locations,
                                                           counted(run.nodes, "node")));
    fact("MPI", more("mpi"));
    fact("Wall time", time_for_people(run.wall));
    const Nanoseconds total = data_.total_time();
    if (total > 0) {
      fact("MPI share", fmt::format("{} of all ranks' time ({} of {})", share(data_.mpi_time(), total),
                                    time_for_people(data_.mpi_time()), time_for_people(total)));
    }
    if (const Nanoseconds shmem = data_.shmem_time(); total > 0 && shmem > 0) {
      fact("SHMEM share", fmt::format("{} of all ranks' time ({} of {})", share(shmem, total), time_for_people(shmem),
                                      time_for_people(total)));
    }
    fact("Date", more("date"));
    fact("Processors", more("processors"));
    fact("Binding", more("binding"));
    fact("End", more("ending"));
    fact("Trace", fmt::format("{} ({}, {} events)", run.trace, run.trace_format, run.events));
  }

  void metrics() {
    banner("METRICS (value incl. children, % of all ranks' time)");
    Table rows({number("value", 18), number("% of time", 9), words("metric")});
    std::size_t hidden = 0;
    for (const auto& [row, level] : tree_order(data_.metrics)) {
      const MetricRow& metric = *row;
      const bool is_known = metric.reason.empty();
      if (is_known && metric.inclusive == 0) ++hidden;
      if (is_known ? metric.inclusive == 0 : data_.is_profile()) continue;
      rows.add({is_known ? amount_with_unit(metric.inclusive, metric.unit) : "not computable",
                is_known && metric.unit == cube::Unit::seconds ? share(metric.inclusive, data_.total_time()) : "",
                std::string(2 * std::min<std::size_t>(level, 15), ' ') + metric.name});
    }
    table(rows);
    line("Parts of Time are indented below it. Meaning of a metric: `mora explain NAME`");
    if (data_.is_profile()) paragraph(data_.not_computable() + ".");
    if (hidden > 0) line(fmt::format("(metrics with value 0: {}, not listed; --json has them)", hidden));
  }

  /// "rank 0 in MPI_Send@a.c:3 1.2 ms, rank 1 … 3 µs", the three largest.
  static std::string cause_calls(const Finding& finding) {
    constexpr std::size_t named = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(named, finding.cause_calls.size()); ++i) {
      const CauseCall& cause = finding.cause_calls[i];
      text +=
          fmt::format("{}rank {}{} {}", i == 0 ? "" : ", ", cause.rank,
                      cause.call_path.empty() ? "" : " in " + cause.call_path.back(), time_for_people(cause.severity));
    }
    return finding.cause_calls.size() > named ? text + ", …" : text;
  }

  /// "361 ms (30 times) in iteration@a.c:12, 40 ms (3 times) outside of found iterations".
  static std::string parts(const Finding& finding) {
    std::string text;
    for (const FindingPart& part : finding.parts) {
      const auto inside = std::find_if(part.call_path.rbegin(), part.call_path.rend(),
                                       [](const std::string& label) { return label.starts_with("iteration"); });
      text += fmt::format("{}{} ({}) {}", text.empty() ? "" : ", ", time_for_people(part.severity),
                          counted(part.instances, "time"),
                          inside == part.call_path.rend() ? "outside of found iterations" : "in " + *inside);
    }
    return text;
  }

  /// "#4 Late Sender, Wrong Order 80 ms (3 times)": what of a finding has a name of its own.
  static std::string refinements(const FindingGroup& group) {
    std::string text;
    for (const Finding* part : group.parts) {
      text += fmt::format("{}{} {} {} ({})", text.empty() ? "" : ", ", part->id, part->name,
                          time_for_people(part->severity), counted(part->instances, "time"));
    }
    return text;
  }

  void findings() {
    banner("FINDINGS (waiting, most severe first)");
    if (data_.findings.empty()) line(no_findings(data_));
    const auto groups = data_.grouped_findings();
    each(groups, [&](const FindingGroup& group) {
      const Finding& f = *group.whole;
      line(fmt::format("#{:<4} {:>12} s {:>9}  {} ({})", f.id, seconds_column(f.severity),
                       share(f.severity, data_.total_time()), styled("1", f.name), counted(f.instances, "time")));
      constexpr std::size_t indent = 6;
      detail(indent, "", f.summary + ".");
      line(std::string(indent, ' ') + "at " + cut_middle(joined_below_program(f.call_path), width() - indent - 3));
      if (!f.parts.empty()) detail(indent, "of it ", parts(f));
      if (const std::string named = refinements(group); !named.empty()) detail(indent, "part: ", named);
      if (f.cause_calls.size() > 1) detail(indent, "for ", cause_calls(f));
      if (!f.advice.empty()) detail(indent, "try: ", f.advice);
    });
    truncation(groups.size(), "findings");
  }

  void call_paths() {
    banner("CALL PATHS (own time of all ranks, % of all ranks' time)");
    const cube::MetricId time = cube_->find_metric("time");
    if (time == cube::no_id) {
      line("The result has no metric \"time\".");
      return;
    }
    std::vector<cube::MetricId> waits;
    for (const std::string& id : data_.top_wait_metrics()) {
      if (const cube::MetricId metric = cube_->find_metric(id); metric != cube::no_id) waits.push_back(metric);
    }
    struct Row {
      Nanoseconds own, waiting;
      cube::CallPathId call_path;
    };
    std::vector<Row> rows;
    for (cube::CallPathId c = 0; c < cube_->call_paths.size(); ++c) {
      Row row{cube_->call_path_total(time, c), 0, c};
      for (const cube::MetricId metric : waits) row.waiting += cube_->call_path_total(metric, c);
      if (row.own != 0) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.own > b.own; });
    table({number("time/s", 14), number("% of time", 9), number("waiting/s", 14), cut_words("call path")}, rows,
          "call paths", [&](const Row& row) {
            return Cells{seconds_column(row.own), share(row.own, data_.total_time()),
                         row.waiting == 0 ? "-" : seconds_column(row.waiting),
                         joined_below_program(labels_of(*cube_, row.call_path))};
          });
  }

  void spread(const char* name, const std::vector<Nanoseconds>& values) {
    if (values.empty()) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const Nanoseconds sum = std::accumulate(values.begin(), values.end(), Nanoseconds{0});
    line(fmt::format("{:<10} least {} (rank {}), mean {}, most {} (rank {})", name, time_for_people(*least),
                     least - values.begin(), time_for_people(sum / static_cast<Nanoseconds>(values.size())),
                     time_for_people(*most), most - values.begin()));
  }

  std::vector<Nanoseconds> by_rank(const char* id) const {
    const MetricRow* metric = data_.find_metric(id);
    std::vector<Nanoseconds> values = metric == nullptr ? std::vector<Nanoseconds>{} : metric->by_rank;
    values.resize(data_.run.ranks);
    return values;
  }

  void ranks() {
    banner("RANKS (most waiting first, % of the rank's own time)");
    const auto time = by_rank("time"), mpi = by_rank("mpi"), waiting = data_.waiting_by_rank();
    std::vector<Nanoseconds> caused(data_.run.ranks);
    const auto top = data_.top_wait_metrics();
    for (const Finding& f : data_.findings) {
      if (std::find(top.begin(), top.end(), f.metric) == top.end()) continue;
      for (const Cause& cause : f.causes) {
        if (cause.rank < caused.size()) caused[cause.rank] += cause.severity;
      }
    }
    std::vector<std::uint32_t> order(data_.run.ranks);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return waiting[a] > waiting[b]; });
    table({number("rank", 6), number("time/s", 12), number("MPI/s", 12), number("MPI %", 9), number("waiting/s", 12),
           number("waiting %", 9), number("caused/s", 12)},
          order, "ranks", [&](std::uint32_t r) {
            return Cells{r,
                         seconds_column(time[r]),
                         seconds_column(mpi[r]),
                         share(mpi[r], time[r]),
                         seconds_column(waiting[r]),
                         share(waiting[r], time[r]),
                         caused[r] == 0 ? "-" : seconds_column(caused[r])};
          });
    spread("MPI", mpi);
    spread("Waiting", waiting);
  }

  void quality() {
    banner("DATA QUALITY");
    if (data_.quality.empty()) line("Nothing was lost or repaired.");
    for (const QualityRow& row : by_cause(data_.quality)) {
      const char* colour = row.severity == Severity::loss ? "31" : row.severity == Severity::warning ? "33" : "0";
      line(fmt::format("{} {} x {}{}{}", styled(colour, fmt::format("{:<7}", to_string(row.severity))), row.count,
                       row.kind, row.where.empty() ? "" : " in ", row.where));
      if (!row.what.empty()) detail(8, "", row.what);
      if (!row.remedy.empty()) detail(8, "remedy: ", row.remedy);
    }
  }

  const ReportData& data_;
  const cube::Cube* cube_;
};

}  // namespace

std::string text_report(const ReportData& data, const cube::Cube* cube, const TextOptions& options) {
  return TextReport(data, cube, options).render();
}

std::string short_text(const ReportData& data) {
  std::string out = wrapped(verdict(data), 100, 0) + "\n";
  for (const QualityRow& row : by_cause(data.quality)) {
    if (row.severity == Severity::info) continue;
    out += wrapped(fmt::format("{}: {} x {}{}{}{}", to_string(row.severity), row.count, row.kind,
                               row.where.empty() ? "" : " in " + row.where, row.what.empty() ? "" : ": ", row.what),
                   100, 4) +
           "\n";
  }
  return out;
}

}  // namespace mora::report
