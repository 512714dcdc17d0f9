/// Writes one OTF2 archive as docs/formats/otf2.md says: `traces.otf2`, `traces.def` and `traces/` in a directory.
///
///   auto archive = ArchiveWriter::create(directory, options);
///   auto location = (*archive)->open_location(rank);     // any thread, one thread per location
///   location->enter(t, region); …; (*archive)->close_location(*location);
///   (*archive)->close(definitions);                      // all locations closed before
///
/// Ids in events are the indices of archive::Definitions, which is handed over at the end, because OTF2's global
/// definitions hold the number of events. Source: OTF2 3.0, API reference; which records are written, and why:
/// docs/formats/otf2.md. Memory: libotf2's chunk (1 MiB) per open location.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/definitions.h"
#include "archive/location_writer.h"
#include "base/error.h"

struct OTF2_Archive_struct;

namespace mora::archive {

struct ArchiveOptions {
  std::string program;      ///< ProgramBegin's name
  std::string machine;      ///< machine name in the anchor file
  std::string description;  ///< e.g. the command line
};

class ArchiveWriter {
 public:
  /// The directory must exist and hold no archive. Errors: system (permission, disk full).
  static Result<std::unique_ptr<ArchiveWriter>> create(const std::string& directory, const ArchiveOptions& options);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// Thread-safe. Each location once; one thread at a time uses the returned writer.
  Result<LocationWriter> open_location(std::uint32_t rank);

  /// Flushes the location's events to disk. Thread-safe. The error of any earlier write on it is reported here.
  Result<void> close_location(LocationWriter& location, const std::vector<ClockOffset>& clock_offsets);

  /// Writes the definitions and closes the archive. Not thread-safe; call once, after all locations are closed.
  /// On failure the archive is incomplete and must not be trusted.
  Result<void> close(const Definitions& definitions);

  /// Events written per rank so far (0 for ranks without a location).
  const std::vector<std::uint64_t>& event_counts() const { return event_counts_; }

 private:
  ArchiveWriter() = default;
  Result<void> write_definitions(const Definitions& definitions);

  OTF2_Archive_struct* archive_ = nullptr;
  std::string directory_;
  ArchiveOptions options_;
  std::mutex mutex_;
  std::vector<std::uint64_t> event_counts_;
};

/// The description of a marked region (docs/formats/otf2.md). `replication`: so many processes do the same computation
/// in it; no_id = all.
std::string mark_description(std::uint32_t replication);

/// Version of libotf2 in use, "3.0.2".
std::string otf2_version();

}  // namespace mora::archive
