/// A dry run (docs/user/dryrun.md): chosen ranks of a job of any size on this machine, one process each, with Mora's
/// stand-in for the MPI library (src/measure/standin) preloaded behind the recorder. This is its launch and its report
/// on the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "experiment/record/record.h"
#include "predict/pattern/check/check.h"

namespace mora::predict {

struct DryRunOptions {
  std::uint32_t size = 0;            ///< processes of the job
  std::string ranks;                 ///< "0-15,2048", "all" or empty (all)
  std::uint32_t jobs = 0;            ///< at a time; 0 = as many as this machine has cores
  double timeout_s = 300;            ///< of a rank's own time; 0 = none
  std::uint32_t ranks_per_node = 0;  ///< 0 = all on one node
  std::string output =
      "first";  ///< whose output is passed through: first, all, none; the others' goes to DIR/output/<rank>.txt
  bool together = false;             ///< all ranks live at once and exchange real data; ranks must be all, jobs 0
  bool progress = false;             ///< a line on standard error while it runs
  experiment::RecordOptions record;  ///< command (without a launcher), directory, flavour
};

/// How one rank ended.
struct DryRank {
  std::uint32_t rank = 0;
  std::string state;  ///< ended, unfinished (no MPI_Finalize), failed, aborted, stopped (by the stand-in), killed,
                      ///< timeout; of all ranks together also deadlock, and dropped (ended with the job)
  int exit_code = 0;  ///< 128 + signal; 124 timeout; 86 stopped
  double seconds = 0;
  std::uint64_t calls = 0;  ///< to MPI functions of the stand-in
  std::string function;     ///< the last of them; "-" none
  bool inside = false;      ///< it never returned from it
  std::string text;         ///< why, of a stopped or aborted one
  std::string place;        ///< of `function`, if inside it: "MPI_Recv (main.c:12)"; empty = not known
  int waits_for = -1;       ///< in a deadlock: the one rank that it waits for
};

struct DryRunReport {
  std::uint32_t size = 0;
  std::vector<DryRank> ranks;                                ///< ascending
  std::vector<std::pair<std::uint64_t, std::string>> notes;  ///< how often, what: data that were not there
  std::string deadlock;  ///< a sentence about ranks that wait for each other; empty: none
  std::uint64_t auxiliary_processes =
      0;  ///< auxiliary processes: unrecorded, run only for data that recorded ranks needed
};

/// "0-15,2048", "all" or nothing: ascending, each once. Errors (usage): no list, or beyond `size`.
Result<std::vector<std::uint32_t>> chosen_ranks(const std::string& text, std::uint32_t size);

/// Runs it; the journals stand in the run's directory. Errors (usage, system): it was not started.
Result<experiment::RecordedRun> run_dry(const DryRunOptions& options, void (*on_warning)(const std::string&));

/// The reports in `directory`/dryrun: one for each MPI program that a script started. Errors (unreadable): a damaged
/// line.
Result<std::vector<DryRunReport>> read_dry_reports(const std::string& directory);

/// "rank 7 did not end within 300 s; in MPI_Recv, after 11 recorded calls"; empty for one that ended well. `trace`: its
/// calls, NULL without any.
std::string sentence_about(const DryRank& rank, double timeout_s, const PatternTrace* trace);

/// "rank 7, call 12: …"
std::string sentence_about(const Disagreement& disagreement);

/// What does not fit between the ranks of a dry run (check_pattern), without ranks that did not end well: the report
/// has these already.
std::vector<Disagreement> divergences(const PatternTrace& trace, const DryRunReport& report);

/// Path of libmora_standin-<flavour>.so; empty = not found.
std::string standin_library(launcher::MpiFlavour flavour);

}  // namespace mora::predict
