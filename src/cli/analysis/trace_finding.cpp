#include "cli/analysis/trace_finding.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "analysis/metric_info.h"
#include "cli/options/clock_option.h"
#include "cli/options/count_option.h"
#include "report/findings/findings.h"
#include "report/findings/trace_finding.h"

namespace mora::cli {
namespace {

/// Findings are numbered from f1; "f3", "F3" and "3" are the third.
Result<std::size_t> index_of(const std::string& id, const report::ReportData& data) {
  const std::string digits = !id.empty() && (id[0] == 'f' || id[0] == 'F') ? id.substr(1) : id;
  const auto found = std::find_if(data.findings.begin(), data.findings.end(),
                                  [&](const report::Finding& f) { return f.id == "f" + digits; });
  if (found != data.findings.end()) return static_cast<std::size_t>(found - data.findings.begin());
  if (data.findings.empty()) {
    return fail(ErrorKind::usage, "there is no finding " + id, data.run.trace, "no wait state was found in this trace");
  }
  return fail(ErrorKind::usage, "there is no finding " + id, data.run.trace,
              fmt::format("the findings are f1 to f{}", data.findings.size()),
              "`mora report " + data.run.trace + "` lists them");
}

}  // namespace

Result<int> run_trace_finding(const Arguments& arguments, const analysis::AnalyzeOptions& asked) {
  analysis::AnalyzeOptions options = asked;
  options.ideal_network = false;  // says nothing of waits
  const std::string& path = arguments.positionals.at(0);
  MORA_TRY(const unsigned limit, count_option(arguments, "limit", 20));
  MORA_TRY(const auto correction, open_at_corrected_times(arguments, "auto"));  // as the findings were made
  const auto& source = correction.source;
  MORA_TRY(const auto first, analysis::analyze(*source, path, options));
  const report::ReportData data = report::build_report(first, analysis::all_metrics());
  MORA_TRY(const std::size_t index, index_of(arguments.get("trace-finding"), data));
  const report::Finding& finding = data.findings[index];

  // Finding i is wait summary i; metrics and call paths have the same numbers in both analyses.
  analysis::AnalyzeOptions following = options;
  following.follow.emplace().metric = first.waits[index].metric;
  following.follow->call_paths.push_back(first.waits[index].call_path);
  for (const analysis::WaitPart& part : first.waits[index].parts)
    following.follow->call_paths.push_back(part.call_path);
  MORA_TRY(const auto second, analysis::analyze(*source, path, following));
  MORA_TRY(const auto view, trace::View::make(*source, view_of(arguments, trace::RmaModel::extended, correction)));
  MORA_TRY(const auto traced, report::trace_finding(*view, second, finding, limit));
  const std::string text =
      arguments.has("json") ? report::traced_finding_json(*view, traced) : report::traced_finding_text(*view, traced);
  MORA_CHECK_OK(view->intact());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace mora::cli
