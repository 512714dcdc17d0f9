/// What `mora pattern record` and `mora pattern dryrun` leave in their directory: trace.mpt, ti_traces/, manifest.json.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "experiment/manifest.h"
#include "predict/pattern/recording/totals.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

enum class PatternFormat { compact, text, both };

/// "compact", "text", "both". Error: usage.
Result<PatternFormat> parse_pattern_format(const std::string& name);
const char* to_string(PatternFormat format);

/// Name of the setting in RunRequest::configuration that keeps the format for `mora recover`.
inline constexpr const char* pattern_format_setting = "pattern-format";

struct RecordingOptions {
  experiment::RunRequest request;
  Origin origin = Origin::record;
  PatternFormat format = PatternFormat::compact;
  bool keep_journals = false;
  bool check = true;  ///< what does not fit between the ranks (check.h) becomes rows of the quality table; false for
                      ///< dry runs, which report it themselves
  bool recovered = false;           ///< the launcher's end was not seen
  std::vector<QualityRow> quality;  ///< what the caller knows beside the journals: rows for the trace's table
  ProgressCallback progress;
};

struct Recording {
  std::string directory;
  PatternTrace trace;
  PatternTotals totals;
  std::uint64_t archive_bytes = 0, text_bytes = 0;
};

/// Turns the journals in `directory`/journal into traces of the given format, and a manifest. A directory with several
/// jobs (a script) keeps the first; the others get directories of their own: `directory`-2, … Journals are deleted only
/// after the trace was written and read back. Empty: no process recorded anything. On an error the journals stay, and
/// the help says how to go on.
Result<std::vector<Recording>> finish_recording(const std::string& directory, const RecordingOptions& options);

/// The recorder's request in a directory, if it is one of pattern mode: for `mora recover`.
bool is_pattern_recording(const experiment::RunRequest& request);

/// Lines for people, each ended by a newline.
std::string recording_banner(const Recording& recording);
/// One line of JSON for all.
std::string recordings_json(const std::vector<Recording>& recordings, int launcher_exit);

}  // namespace mora::predict
