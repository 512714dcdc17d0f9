/// Pajé traces for ViTE and pajeng (docs/formats/exports.md, "paje").
#pragma once

#include <string>

#include "base/data_quality.h"
#include "base/progress.h"
#include "export/arrows/arrows.h"
#include "export/event_window.h"

namespace mora::exports {

struct PajeOptions {
  EventWindow window;
  ArrowOptions arrows;
  bool force = false;         ///< an existing file is replaced
  ProgressCallback progress;  ///< may be empty
};

/// Containers: program, its locations. States: regions. Links: messages and transfers. Variables: counters. Times are
/// seconds with nine decimals, relative to the start of the trace. Memory and errors as write_chrome().
Result<void> write_paje(const trace::View& view, const std::string& path, const PajeOptions& options,
                        DataQuality& quality);

}  // namespace mora::exports
