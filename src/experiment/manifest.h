/// manifest.json: command, settings and totals of a run (docs/formats/manifest.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"

namespace mora::experiment {

/// In the configuration: groups of MPI functions that were left out of the recording, with ", " between.
inline constexpr const char* left_out_setting = "left_out";
/// Also the recorder's variable: nanoseconds that a ring keeps (mora record --ring 30s).
inline constexpr const char* ring_time_setting = "MORA_RING_NS";

/// What `mora record` knows before and after the run. Written to journal/run.json before the launch, so that
/// `mora recover` knows it too.
struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> configuration;  ///< effective settings by name
  std::string flavour_evidence;                                    ///< why this MPI was preloaded
  std::uint64_t start_realtime_ns = 0;                             ///< launch
  std::optional<int> launcher_exit;                                ///< unknown while it runs, and to recover
  std::optional<std::uint64_t> launcher_wall_ns;
};

/// Whether it is one of `mora record --stats`.
bool asks_for_profile(const RunRequest& request);

/// journal/run.json. Errors (system): cannot write.
Result<void> write_request(const std::string& path, const RunRequest& request);
/// Errors (unreadable): no such file, or not what write_request wrote.
Result<RunRequest> read_request(const std::string& path);

struct ArchiveFile {
  std::string path;  ///< relative to the experiment
  std::uint64_t bytes = 0;
  std::string xxh3;  ///< 16 hexadecimal digits
};

/// Bytes that a process moved by reading and writing calls, whatever of (files, pipes, sockets), without the recorder's
/// journals; and those of files that storage had to give or take.
struct ProcessIo {
  std::uint64_t read = 0, written = 0, from_storage = 0, to_storage = 0;
};

/// What a process used of its node, between MPI_Init and MPI_Finalize.
struct ProcessUsage {
  std::uint64_t user_ns = 0, system_ns = 0;
  std::uint64_t page_faults = 0, input_page_faults = 0;  ///< without, with input from a device
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;
  std::uint64_t resident_bytes = 0;  ///< the most in its whole life
  std::uint64_t throttled_ns = 0;    ///< its control group was stopped by its limit, on all processors together
  std::uint32_t core_khz = 0;        ///< of its processor, at the end; 0 = not known
  std::optional<ProcessIo> io;       ///< nothing if Linux does not tell
};

/// Totals of one rank; not `recorded`: no journal, all else is 0.
struct RankFacts {
  bool recorded = false, ended = false, finalized = false;
  std::string host;
  std::string program;  ///< base name; the path where programs of one job have the same
  std::uint32_t pid = 0;
  std::uint64_t calls = 0, events = 0, lost_calls = 0, open_calls = 0;
  std::uint64_t begin = 0, end = 0;  ///< stamps on rank 0's clock
  std::uint64_t mpi_ns = 0, recorder_ns = 0;
  std::vector<std::uint32_t> processors;  ///< that it may use, ascending; empty = not known
  std::uint32_t team_threads = 0;         ///< that were in teams of OpenMP; 0 or 1 = it computes alone
  std::uint32_t processor_limit = 0;      ///< of its control groups, in thousandths of a processor; 0 = none
  std::optional<ProcessUsage> usage;      ///< nothing if one of the ends is not known
};

struct Manifest {
  std::string experiment;  ///< directory
  std::string program;     ///< of several (MPMD) all, with commas between
  std::string mpi_flavour, mpi_library, clock;
  bool has_shmem = false;  ///< calls of OpenSHMEM were recorded; for the banner, not written
  double ns_per_tick = 0;
  RunRequest request;
  std::uint64_t run_tag = 0;
  std::uint64_t start_realtime_ns = 0;
  std::uint64_t first_stamp = 0, last_stamp = 0;
  std::vector<std::string> hosts;
  std::vector<RankFacts> ranks;
  std::vector<ArchiveFile> files;
  bool recovered = false;
  std::vector<std::string> processors, binding;  ///< what is wrong with them (processors/processors.h)
  std::vector<std::string> ending;               ///< how the job ended that did not end by itself (ending/ending.h)
  std::vector<QualityRow> quality;

  std::uint64_t wall_ns() const { return last_stamp - first_stamp; }
  /// Sums over the ranks (archive_bytes: over the files).
  std::uint64_t calls() const;
  std::uint64_t events() const;
  std::uint64_t archive_bytes() const;
  std::uint64_t lost_calls() const;
  std::uint64_t mpi_ns() const;
  std::uint64_t lifetime_ns() const;  ///< summed over ranks
  /// What recording cost all ranks together: measured writing and clock exchange + calls x `ns_per_call`.
  std::uint64_t overhead_ns() const;
  std::uint32_t worst_rank() const;  ///< with the most time in MPI
  std::uint32_t recorded_ranks() const;
  /// Sets `program` and the ranks' programs. `paths`: by rank, empty where it is not known.
  void name_programs(const std::vector<std::string>& paths);
  /// "app"; of several programs each with its ranks: "ocean (ranks 0-3), air (ranks 4-7)".
  std::string programs() const;
};

/// Added CPU per recorded call on the reference machine (docs/performance.md).
inline constexpr std::uint64_t ns_per_call = 45;

/// The text of manifest.json.
std::string manifest_json(const Manifest& manifest);

/// Size (bytes) and checksum of a file of the archive. Errors (unreadable, system): as of MappedFile::open().
Result<ArchiveFile> describe_file(const std::string& directory, const std::string& relative);

}  // namespace mora::experiment
