/// `mora convert --to otf2`: one archive from the files of all processes, with transfers ended as the chosen RMA model
/// says (Hermanns 2004, 4.4 and 5.3). docs/formats/merge.md says which part of Mora does which step of that merge.
#pragma once

#include <optional>
#include <string>

#include "base/data_quality.h"
#include "base/progress.h"
#include "export/arrows/arrows.h"

namespace mora::exports {

/// How a trace is written as an archive.
struct Otf2Options {
  /// Regions of one function at different call sites become one. Left out: locations that are neither processes nor
  /// threads, and ends of messages and collective operations without their partners.
  bool plain = false;
  bool force = false;
  /// Transfers are shown as messages on a reserved communicator per window. Empty: they are not.
  std::optional<ArrowOptions> messages;
  bool saves_memory = false;  ///< the view's index is not kept in memory between uses; slower with many locations
  std::string description;    ///< what the archive is made from
  ProgressCallback progress;
};

/// Writes `view` and the records of its source that no view has (requests, begins) as an OTF2 archive in `directory`.
/// Times start at 0 with the measured time. The model is the view's. Memory: independent of the trace's size,
/// but for vectors of per-peer counts. `quality`: what could not be written. Errors: usage (exists), unreadable, system
/// (disk full).
Result<void> write_otf2(const trace::View& view, const std::string& directory, const Otf2Options& options,
                        DataQuality& quality);

}  // namespace mora::exports
