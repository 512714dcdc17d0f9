/// The files a job leaves in `EXPERIMENT/journal/` (src/measure/recorder names them).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mora::experiment {

struct RunFiles {
  std::uint64_t tag = 0;
  std::map<std::uint32_t, std::string> journals;  ///< by world rank
  std::map<std::uint32_t, std::string> maps;
  /// Of threads beside that which called MPI_Init: by world rank and number of the thread.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> threads;
  std::vector<std::string> others;  ///< live chunks on disk, problems
};

/// Runs by tag. Unknown files are ignored.
std::map<std::uint64_t, RunFiles> find_runs(const std::string& journal_directory);

/// More processes than any job has: a number above it is damage.
inline constexpr std::uint32_t largest_world = 1u << 24;

/// The size of the job that most headers give, before anything else is read: one damaged header must not make a job of
/// millions. At least the largest rank and one. A size above 65,536 counts only if one process in 64 left a journal.
std::uint32_t world_size_of(const RunFiles& run);

/// The directory of journals in an experiment.
std::string journal_directory(const std::string& experiment);

/// Path of the file that keeps the command and settings of `mora record` for `mora recover`.
std::string request_path(const std::string& experiment);

/// Path of the file that keeps which functions are to be kept (code/function_filter.h); usually there is none.
std::string filter_path(const std::string& experiment);

/// Deletes the files of a run, live chunks in shared memory included.
void delete_run(const RunFiles& files);

/// Removes the files about the whole job (request, filter, problems) from journal/, and the folder if nothing else is
/// in it.
void remove_journal_directory(const std::string& directory);

/// Where the archive of a job's run number `run`, from 0, goes: `first`, first-2, ….
std::string next_directory(const std::string& first, std::size_t run);

/// Deletes an experiment's archive, also an incomplete one; its journals stay.
void remove_archive(const std::string& directory);

/// The lines of journal/*.problem: what the recorders could not do and why, one per process.
std::vector<std::string> recorder_problems(const std::string& directory);

}  // namespace mora::experiment
