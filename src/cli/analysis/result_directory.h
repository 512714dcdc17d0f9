/// Where the results of a trace live: verbs that write and read them agree here.
#pragma once

#include <string>

namespace mora::cli {

/// Beside analysis.cubex and findings.json (docs/formats/critical-path.md).
inline constexpr const char* critical_path_file = "critical-path";
inline constexpr const char* waiting_over_time_file = "waiting-over-time";

/// Experiment directories keep their own results; a lone file has them beside it, in <file>.analysis.
std::string result_directory(const std::string& trace);

}  // namespace mora::cli
