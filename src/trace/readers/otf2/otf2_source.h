/// Opens OTF2 archives: Mora's and others' (OTF2 1.x to 3.x).
///
/// Every read_location() opens its own libotf2 reader, so that locations can be read by several threads at once. An
/// archive whose files are not those that manifest.json lists is first read by a child process (probe.h), because
/// libotf2 may crash on damaged bytes; a location on which it does is reported as unreadable. Memory: the definitions,
/// and libotf2's buffers per thread.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "trace/source.h"

namespace mora::trace {

struct Otf2Options {  ///< how open_otf2 treats files that may be damaged
  /// Seconds that a child may need for one location, added to one second per 10 MB (probe.h).
  unsigned patience_s = 10;
  /// Read without a probing child even if checksums are missing. For benchmarks and bytes that are known to be good.
  bool trust = false;
};

/// `anchor`: the *.otf2 file. Errors (unreadable): the anchor file or the definitions are missing or damaged.
Result<std::unique_ptr<Source>> open_otf2(const std::string& anchor, const Otf2Options& options = {});

}  // namespace mora::trace
