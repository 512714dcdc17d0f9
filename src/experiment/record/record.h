/// Running a job under measurement: `mora record` without its printing, and the part of it that `mora pattern record`
/// shares.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "experiment/convert/convert.h"
#include "experiment/manifest.h"
#include "launcher/launch.h"
#include "launcher/mpi_flavour.h"
#include "launcher/process.h"
#include "mpi/groups.h"

namespace mora::experiment {

struct RecordOptions {
  std::vector<std::string> command;
  std::string directory;  ///< empty = <stem><program>-<ranks>[-<n>] here
  std::string stem = "mora-";
  std::string flavour;             ///< "" = find out
  std::string clock;               ///< "" (best), "tsc", "monotonic"
  std::uint64_t chunk_bytes = 0;   ///< 0 = default
  bool recording = true;           ///< false: the recorder is loaded but off; no experiment is made
  unsigned stack = 256;            ///< frames of call stacks that are recorded; 0 = call sites only
  std::optional<unsigned> sample;  ///< samples of computation per second of processor time, 0 = none; default: 250
  std::string functions;           ///< of binaries built for it: "" = record all, "off", or a file (function_filter.h)
  std::string counters;            ///< as read_counters() (counter_names.h) gives them; empty: none
  bool openmp = true;              ///< record teams of threads
  bool pthreads = true;            ///< record what POSIX threads wait for
  std::uint64_t budget = 0;        ///< bytes that the journals of all processes may take, 0 = any; then recording ends
  std::uint64_t ring = 0;          ///< likewise; then the oldest part is forgotten
  Nanoseconds ring_time = 0;       ///< what is older than that is forgotten, too; without `ring` in 128 MiB a process
  /// SIGUSR1 has asked for what the ring holds; called in another thread.
  std::function<void(const Result<std::vector<Manifest>>&)> on_dump;
  bool stats = false;     ///< add calls up while the job runs, instead of recording each: no archive
  bool queries = false;   ///< record MPI_Comm_rank and its like too
  mpi::LeftOut left_out;  ///< groups of MPI functions that are not recorded
  bool keep_journals = false;
  std::vector<std::pair<std::string, std::string>> notes;  ///< kept with the request's configuration
  bool pattern = false;             ///< what is communicated instead of when (MORA_PATTERN=1): run_recorded only
  std::string library_behind;       ///< preloaded behind the recorder: a dry run's stand-in
  launcher::Environment variables;  ///< more of them for the job
  ProgressCallback progress;
  ConvertOptions::ProfileWriter write_profile;  ///< for `stats`
};

/// A job that ran with the recorder in its processes: its journals stand in `directory`/journal.
struct RecordedRun {
  std::string directory;
  std::string final_stem;  ///< the directory is still to be renamed to <stem>-<ranks>; empty = keeps its name
  RunRequest request;
  launcher::Launch launch;
  launcher::MpiFlavour flavour = launcher::MpiFlavour::unknown;
  launcher::Outcome outcome;                      ///< of the launcher
  std::map<std::uint32_t, std::uint64_t> deaths;  ///< by pid: when processes of this machine were gone (DeathWatch)
};

/// Finds out the MPI, makes the directory, runs the command. Errors: the job was not started, nothing is left behind.
/// `on_warning` is called before the job starts (wrong launcher …).
Result<RecordedRun> run_recorded(const RecordOptions& options, void (*on_warning)(const std::string&));

/// Why a job that ran left no journal, as well as can be known.
Error nothing_recorded(const RecordedRun& run);

/// A message if every process ran as a job of one process, because the launcher belongs to another MPI; else empty.
/// `alone`: number of runs of one process.
std::string launcher_mismatch(const RecordedRun& run, std::size_t alone);

/// Renames `directory` (of `ranks` processes) if the run's name was still open; returns where it stands now.
std::string final_directory(const RecordedRun& run, const std::string& directory, std::size_t ranks);

/// Removes the journals and what else the run has left so far, and the directory if that was all.
void remove_recorded(const RecordedRun& run);

struct RecordResult {
  launcher::Outcome outcome;   ///< of the launcher
  std::vector<Manifest> runs;  ///< usually one; a script may start several
  std::vector<std::string> warnings;
  std::optional<Error> error;  ///< the job ran, but there is no (complete) experiment
};

/// Errors: the job was not started. Whatever goes wrong afterwards is in the result, beside the launcher's outcome.
/// `on_warning` is called before the job starts (wrong launcher …).
Result<RecordResult> record(const RecordOptions& options, void (*on_warning)(const std::string&));

/// Path of libmora_mpi-<flavour>.so: beside the running program's build or installation. Empty = not found.
std::string recorder_library(launcher::MpiFlavour flavour);

}  // namespace mora::experiment
