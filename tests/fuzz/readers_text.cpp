#include <string>
#include <string_view>

#include "promised_stream.h"
#include "readers.h"
#include "report/findings/findings.h"
#include "report/report.h"
#include "trace/intervals/interval_source.h"
#include "trace/readers/text/text_source.h"

namespace mora::fuzz {

bool read_trace_text(std::span<const std::byte> bytes) {
  const std::string_view content = text(bytes);
  const bool has_header = trace::is_trace_text(content);
  const auto source = trace::read_trace_text(content);
  if (!source) return false;
  require(has_header, "what is read has its header");
  PromisedStream::read_all(**source);
  trace::IntervalOptions intervals;
  intervals.phases = trace::Phases::always;
  intervals.regions = {"work*"};
  intervals.split_iterations = content.size() % 2 == 0;
  const auto decorated = trace::with_intervals(**source, intervals);
  require(decorated.has_value(), "intervals of what is in memory can be found");
  PromisedStream::read_all(**decorated);
  return true;
}

bool read_findings(std::span<const std::byte> bytes) {
  const auto data = report::read_findings(text(bytes), "findings.json");
  if (!data) return false;
  report::text_report(*data, nullptr, {});
  report::short_text(*data);
  report::markdown_report(*data);
  report::findings_json(*data);
  return true;
}

}  // namespace mora::fuzz
