#include "python/trace/opened_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>

#include "base/interruption.h"
#include "trace/earl/spooled_decoder.h"
#include "trace/readers/open_trace.h"
#include "trace/view/view_cache.h"

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

Result<void> refuse_damage(const DataQuality& quality, const std::string& path) {
  for (const QualityRow& row : quality.rows()) {
    if (row.severity == Severity::info) continue;
    return fail(ErrorKind::unreadable, "the trace is damaged, and strict reading was asked for", path,
                fmt::format("{} [{}] {}: {}", row.kind, row.where, row.count, row.what),
                row.remedy.empty() ? "open it without strict=True; trace.info.losses lists all damage" : row.remedy);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<OpenedTrace>> open(const OpenOptions& options, trace::BuildWatch* watch) {
  std::optional<InterruptedBy> interrupted;
  if (watch != nullptr) interrupted.emplace(watch->stop, &watch->bytes);
  auto opened = std::make_shared<OpenedTrace>();
  opened->model = options.model;
  MORA_TRY(auto source, trace::open_trace(options.path, options.format, options.application));
  MORA_TRY(auto correction, trace::correct_clocks(std::move(source), options.clocks));
  if (watch != nullptr && watch->stop) return fail(ErrorKind::system, "the trace was not opened", "", "it was stopped");
  opened->source = std::move(correction.source);
  if (options.index) {
    // The index is kept only if the times are the trace's own.
    trace::ViewOptions wanted;
    wanted.model = options.model;
    if (!correction.report->corrected)
      wanted = trace::cached_view(options.path, options.model, options.format, options.application);
    wanted.watch = watch;
    MORA_TRY(opened->view, trace::View::make(*opened->source, wanted));
    opened->quality = opened->view->quality();
    opened->measured = opened->view->measured();
  } else {
    MORA_TRY(auto decoder, trace::earl::spool(*opened->source, options.model, watch));
    opened->quality = decoder->quality();
    opened->measured = decoder->measured();
    opened->spooled_first_time = decoder->first_time();
    MORA_TRY(opened->adapter, trace::earl::RandomAdapter::make(std::move(decoder), options.adapter));
  }
  if (options.strict) MORA_CHECK_OK(refuse_damage(opened->quality, options.path));
  opened->format = name_of(*opened->source, options.format);
  return opened;
}

}  // namespace mora::python
