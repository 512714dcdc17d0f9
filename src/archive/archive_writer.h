/// Writes one OTF2 archive as docs/formats/otf2.md says: `traces.otf2`, `traces.def` and `traces/` in a directory.
///
///   auto archive = ArchiveWriter::create(directory, options);
///   auto location = (*archive)->open_location(rank);     // any thread, one thread per location
///   location->enter(t, region); …; (*archive)->close_location(*location);
///   (*archive)->close(definitions);                      // all locations closed before
///
/// Ids in events are the indices of archive::Definitions, which is handed over at the end, because OTF2's global
/// definitions hold the number of events. Source: OTF2 3.0, API reference; which records are written, and why:
/// docs/formats/otf2.md. Memory: libotf2's chunk (1 MiB; 256 KiB where there are many) per open location; one of
/// definitions (4 MiB, or 256 KiB where there are many and no definition is long) for each that is closed, which
/// libotf2 clears.
#pragma once

#include <map>
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
  std::string program;            ///< ProgramBegin's name
  std::string machine;            ///< machine name in the anchor file
  std::string description;        ///< e.g. the command line
  std::string rma_model = {};     ///< property MORA::RMA_MODEL: "basic", "extended"; empty = none
  std::int64_t clock_origin = 0;  ///< property MORA::CLOCK_ORIGIN, ns: the original clock at stamp 0; 0 = none
  std::size_t locations = 0;      ///< how many there will be: of more than 64 each gets small buffers
  std::uint64_t largest_definition = UINT64_MAX;  ///< bytes that the longest record of definitions may take
};

class ArchiveWriter {
 public:
  /// The directory must exist and hold no archive. Errors: system (permission, disk full).
  static Result<std::unique_ptr<ArchiveWriter>> create(const std::string& directory, const ArchiveOptions& options);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// `location`: its number, the rank for main threads. Thread-safe. Each location once; one thread at a time uses the
  /// returned writer.
  Result<LocationWriter> open_location(std::uint64_t location);

  /// Flushes the location's events to disk. Thread-safe. The error of any earlier write on it is reported here.
  Result<void> close_location(LocationWriter& location, const std::vector<ClockOffset>& clock_offsets);

  /// Writes the definitions and closes the archive. Not thread-safe; call once, after all locations are closed.
  /// On failure (system: the disk is full) the archive is incomplete and must not be trusted.
  Result<void> close(const Definitions& definitions);

  /// Records of each closed location, by its number: what OTF2 calls its number of events.
  const std::map<std::uint64_t, std::uint64_t>& event_counts() const { return event_counts_; }
  /// Events of a closed location as every reader in Mora counts them: a flush is one record and two events.
  std::uint64_t events(std::uint64_t location) const;

 private:
  ArchiveWriter() = default;
  Result<void> write_definitions(const Definitions& definitions);

  OTF2_Archive_struct* archive_ = nullptr;
  std::string directory_;
  ArchiveOptions options_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> event_counts_, further_events_;
};

/// Version of libotf2 in use, "3.0.2".
std::string otf2_version();

}  // namespace mora::archive
