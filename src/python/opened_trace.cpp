#include "python/opened_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace mora::python {
namespace {

/// Which line of trace_formats() has read it. Sources say only a text for people.
std::string name_of(const trace::Source& source, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  std::string text = source.format();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string best;
  std::size_t where = std::string::npos;
  for (const trace::TraceFormat& format : trace::trace_formats()) {
    const auto at = text.find(format.name);
    if (at != std::string::npos && (best.empty() || at < where)) {
      best = format.name;
      where = at;
    }
  }
  return best.empty() ? text.substr(0, text.find(' ')) : best;
}

Result<void> refuse_damage(const trace::View& view, const std::string& path) {
  for (const QualityRow& row : view.quality().rows()) {
    if (row.severity == Severity::info) continue;
    return fail(ErrorKind::unreadable, "the trace is damaged, and strict reading was asked for", path,
                fmt::format("{} [{}] {}: {}", row.kind, row.where, row.count, row.what),
                row.remedy.empty() ? "open it without strict=True; trace.info.losses lists all damage" : row.remedy);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<OpenedTrace>> open(const OpenOptions& options) {
  auto opened = std::make_shared<OpenedTrace>();
  MORA_TRY(opened->source, trace::open_trace(options.path, options.format));
  trace::ViewOptions wanted;
  wanted.model = options.model;
  wanted.workers = options.workers;
  MORA_TRY(opened->view, trace::View::make(*opened->source, wanted));
  if (options.strict) MORA_CHECK_OK(refuse_damage(*opened->view, options.path));
  opened->format = name_of(*opened->source, options.format);
  return opened;
}

}  // namespace mora::python
