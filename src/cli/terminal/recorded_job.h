/// What the verbs that run or finish a recorded job have in common: options before it, the launcher's end after it.
#pragma once

#include <optional>
#include <string>

#include "cli/command/verb.h"
#include "experiment/record/record.h"

namespace mora::cli {

/// Without slashes at its end.
std::string directory_argument(std::string text);

/// The command, and what --mpi, --chunk-bytes, --keep-journal and `directory` (an option) say of the job. Errors
/// (usage): not a chunk size.
Result<experiment::RecordOptions> job_options(const Arguments& arguments, const std::string& directory = "output");

/// Says on standard error how the launcher ended, if not with 0; `quiet`: only if it was killed.
void print_outcome(const launcher::Outcome& outcome, bool quiet);

/// The verb's exit code: the launcher's, behind which an error of our own is only printed; else that error.
Result<int> exit_of(int launcher_exit, const std::optional<Error>& error);

}  // namespace mora::cli
