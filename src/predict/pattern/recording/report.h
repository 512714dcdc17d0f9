/// The reports on a recording: manifest.json (docs/user/pattern.md), banner, one line of JSON.
#pragma once

#include <string>

#include "predict/pattern/recording/recording.h"

namespace mora::predict {

/// manifest.json of a pattern recording (schema `mora-pattern`).
std::string pattern_manifest(const Recording& recording, const RecordingOptions& options);

}  // namespace mora::predict
