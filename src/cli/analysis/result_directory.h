/// Where the results of a trace live: verbs that write and read them agree here.
#pragma once

#include <string>

namespace mora::cli {

/// Experiment directories keep their own results; a lone file has them beside it, in <file>.analysis.
std::string result_directory(const std::string& trace);

}  // namespace mora::cli
