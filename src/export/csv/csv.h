/// CSV (RFC 4180): events, arrows or dependencies, one per line (docs/formats/exports.md, "csv").
#pragma once

#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/progress.h"
#include "export/arrows/arrows.h"
#include "export/event_window.h"

namespace mora::exports {

/// What is written as CSV; an empty list of columns is all of them.
struct CsvOptions {
  EventWindow window;
  ArrowOptions arrows;
  std::vector<std::string> columns;  ///< empty = all, in their documented order
  bool force = false;
  ProgressCallback progress;
};

/// Names of the columns of write_csv_events(), in order.
const std::vector<std::string>& csv_event_columns();

// Errors: usage (it exists; an unknown column), system (disk full). Memory: constant, but for what arrows.h says.
/// One row per event, per arrow, per dependency. `path` "-" is standard output. Errors: usage (it exists, unknown
/// column), system (disk full).
Result<void> write_csv_events(const trace::View& view, const std::string& path, const CsvOptions& options);
Result<void> write_csv_messages(const trace::View& view, const std::string& path, const CsvOptions& options,
                                DataQuality& quality);
Result<void> write_csv_dependencies(const trace::View& view, const std::string& path, const CsvOptions& options);

}  // namespace mora::exports
