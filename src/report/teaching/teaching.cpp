#include "report/teaching/teaching.h"

#include <algorithm>
#include <sstream>

#include "analysis/analyze.h"
#include "analysis/metric_info.h"
#include "trace/readers/text/text_source.h"

namespace mora::report {

const TeachingTrace* find_teaching_trace(std::string_view metric) {
  const auto& all = teaching_traces();
  const auto found = std::find_if(all.begin(), all.end(), [&](const TeachingTrace& t) { return t.metric == metric; });
  return found == all.end() ? nullptr : &*found;
}

TeachingText teaching_text(const TeachingTrace& trace) {
  constexpr std::string_view severity = "# severity:";
  TeachingText text;
  std::istringstream lines{std::string(trace.text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(severity)) {
      std::istringstream numbers(line.substr(severity.size()));
      for (Nanoseconds amount = 0; numbers >> amount;) text.severity.push_back(amount);
    } else if (line.starts_with("# ")) {
      text.caption += (text.caption.empty() ? "" : " ") + line.substr(2);
    } else if (!line.empty() && !line.starts_with("mora-trace")) {
      break;
    }
  }
  return text;
}

Result<Picture> teaching_picture(const TeachingTrace& trace) {
  const std::string name = "docs/patterns/" + std::string(trace.metric) + ".trace";
  if (analysis::find_metric_info(trace.metric) == nullptr) {
    return fail(ErrorKind::internal, "the teaching trace belongs to no metric", name);
  }
  MORA_TRY(const auto source, trace::read_trace_text(trace.text, name));
  analysis::AnalyzeOptions options;
  options.workers = 1;
  options.partitions = 1;
  MORA_TRY(const auto result, analysis::analyze(*source, name, options));
  return picture_of(*source, result, analysis::metric_index(trace.metric));
}

}  // namespace mora::report
