/// One OTF2 archive being written: files, locations, definitions last. Built in a directory beside its place and moved
/// there when it is whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "archive/archive_writer.h"
#include "base/error.h"
#include "export/otf2/event_records.h"

namespace mora::exports {

/// What the archive says about itself in its properties and clock.
struct ArchiveFacts {
  std::string description;         ///< what it was made from
  std::string rma_model;           ///< "basic", "extended"; empty = none
  bool transfer_messages = false;  ///< reserved communicators are defined
  std::uint64_t realtime_ns = 0;   ///< wall-clock time of stamp 0, 0 = unknown
  std::int64_t clock_origin = 0;   ///< the trace's own clock at stamp 0
  std::uint64_t duration = 0;      ///< last stamp; the first is 0. Known at the end: commit() wants it
};

/// Not thread-safe. Destroyed without commit() it leaves nothing behind.
class ArchiveFile {
 public:
  /// `directory`: where the archive will be. With `force` an archive there is replaced; a directory that holds anything
  /// but an archive never is. Errors: usage (it exists), system.
  static Result<std::unique_ptr<ArchiveFile>> create(const std::string& directory, bool force, const ArchivePlan& plan,
                                                     const ArchiveFacts& facts);
  ~ArchiveFile();
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  /// For the events of one location. Error: its file cannot be made.
  Result<std::unique_ptr<EventRecords>> open_location(trace::LocationId location);
  /// Error: the first one that writing these records met, or the file cannot be closed.
  Result<void> close_location(EventRecords& records);
  /// A further file of the archive ("vectors.3"), written at once.
  Result<void> add_file(const std::string& name, std::string_view content);
  /// Writes the definitions, the manifest with the checksums, and puts the archive in place.
  Result<void> commit(std::uint64_t duration);

 private:
  ArchiveFile(const ArchivePlan& plan, const ArchiveFacts& facts) : plan_(plan), facts_(facts) {}
  Result<void> write_empty_locations(const archive::Definitions& definitions);
  Result<void> write_manifest() const;

  const ArchivePlan& plan_;
  ArchiveFacts facts_;
  std::string directory_, temporary_;
  std::unique_ptr<archive::ArchiveWriter> archive_;
  std::vector<std::string> files_;  ///< beside the archive proper
};

/// What the archive defines, once all events are written.
archive::Definitions archive_definitions(const ArchivePlan& plan, const ArchiveFacts& facts);

}  // namespace mora::exports
