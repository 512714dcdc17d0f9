/// `mora convert --to otf2`: KOJAK's merge (spec/000 2.10-2.12; docs/formats/merge.md says where each rule is done).
#pragma once

#include <optional>
#include <string>

#include "base/data_quality.h"
#include "base/progress.h"
#include "export/arrows/arrows.h"

namespace mora::exports {

struct Otf2Options {
  bool plain = false;  ///< regions of one function at different call sites become one
  bool force = false;
  /// Transfers are shown as messages on a reserved communicator per window. Empty: they are not.
  std::optional<ArrowOptions> messages;
  std::string description;  ///< what the archive is made from
  ProgressCallback progress;
};

/// Writes `view` and the records of its source that no view has (requests, begins) as an OTF2 archive in `directory`.
/// Times start at 0 with the first event (MRG-12). The model is the view's. Memory: independent of the trace's size,
/// but for vectors of per-peer counts. `quality`: what could not be written. Errors: usage (exists), unreadable, system
/// (disk full).
Result<void> write_otf2(const trace::View& view, const std::string& directory, const Otf2Options& options,
                        DataQuality& quality);

}  // namespace mora::exports
