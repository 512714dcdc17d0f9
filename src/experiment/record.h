/// Running a job under measurement: `mora record` without its printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "experiment/manifest.h"
#include "experiment/mpi_flavour.h"
#include "experiment/process.h"

namespace mora::experiment {

struct RecordOptions {
  std::vector<std::string> command;
  std::string directory;          ///< empty = mora-<program>-<ranks>[-<n>] here
  std::string flavour;            ///< "" = find out
  std::string clock;              ///< "" (best), "tsc", "monotonic"
  std::uint64_t chunk_bytes = 0;  ///< 0 = default
  bool recording = true;          ///< false: the recorder is loaded but off; no experiment is made
  bool queries = false;           ///< record MPI_Comm_rank and its like too
  bool keep_journals = false;
  ProgressCallback progress;
};

struct RecordResult {
  Outcome outcome;             ///< of the launcher
  std::vector<Manifest> runs;  ///< usually one; a script may start several
  std::vector<std::string> warnings;
  std::optional<Error> error;  ///< the job ran, but there is no (complete) experiment
};

/// Errors: the job was not started. Whatever goes wrong afterwards is in the result, beside the launcher's outcome.
/// `on_warning` is called before the job starts (wrong launcher …).
Result<RecordResult> record(const RecordOptions& options, void (*on_warning)(const std::string&));

/// Path of libmora_mpi-<flavour>.so: beside the running program's build or installation. Empty = not found.
std::string recorder_library(MpiFlavour flavour);

}  // namespace mora::experiment
