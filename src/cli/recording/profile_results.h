/// Results of `mora record --stats`: analysis.cubex and findings.json straight from what the recorder added up.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "experiment/convert/profile.h"

namespace mora::cli {

/// For experiment::ConvertOptions::write_profile. Returns the names of the files. Errors: system (cannot write).
Result<std::vector<std::string>> write_profile(const experiment::Profile& profile,
                                               const experiment::Manifest& manifest);

}  // namespace mora::cli
