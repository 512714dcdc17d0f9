/// Trace Event JSON for chrome://tracing and ui.perfetto.dev (docs/formats/exports.md, "chrome").
#pragma once

#include <string>

#include "base/data_quality.h"
#include "base/progress.h"
#include "export/arrows/arrows.h"
#include "export/event_window.h"

namespace mora::exports {

struct ChromeOptions {
  EventWindow window;
  ArrowOptions arrows;
  bool dependencies = false;  ///< flows of category "dependency"
  bool force = false;
  ProgressCallback progress;
};

/// What the file will be, from the events themselves where they are few and from an even sample of them where not.
struct ChromeSize {
  std::uint64_t events = 0, bytes = 0;
  bool exact = false;
};
/// Size of the file before it is written: exact for small traces, estimated from a sample of the events for large ones.
ChromeSize chrome_size(const trace::View& view, const ChromeOptions& options);

/// Writes the file; times are microseconds with three decimals, exact to the nanosecond. Memory: constant, but for
/// `logical` and dependencies (arrows.h). Errors: usage (it exists), system (disk full).
Result<void> write_chrome(const trace::View& view, const std::string& path, const ChromeOptions& options,
                          DataQuality& quality);

}  // namespace mora::exports
