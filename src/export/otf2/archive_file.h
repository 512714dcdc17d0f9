/// One OTF2 archive being written: files, locations, definitions last. Built in a directory beside its place and moved
/// there when it is whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "export/otf2/event_records.h"

struct OTF2_Archive_struct;

namespace mora::exports {

/// What the archive says about itself in its properties and clock.
struct ArchiveFacts {
  std::string description;         ///< what it was made from
  std::string rma_model;           ///< property MORA::RMA_MODEL: "basic", "extended"; empty = none
  bool transfer_messages = false;  ///< reserved communicators are defined
  std::uint64_t duration = 0;      ///< last stamp; the first is 0
  std::uint64_t realtime_ns = 0;   ///< wall-clock time of stamp 0, 0 = unknown
};

/// Not thread-safe. Destroyed without commit() it leaves nothing behind.
class ArchiveFile {
 public:
  /// `directory`: where the archive will be. With `force` an archive there is replaced; a directory that holds anything
  /// but an archive never is. `many`: all locations stay open (smaller buffers). Errors: usage (it exists), system.
  static Result<std::unique_ptr<ArchiveFile>> create(const std::string& directory, bool force, const ArchivePlan& plan,
                                                     bool many);
  ~ArchiveFile();
  ArchiveFile(const ArchiveFile&) = delete;
  ArchiveFile& operator=(const ArchiveFile&) = delete;

  Result<std::unique_ptr<EventRecords>> open_location(trace::LocationId location);
  Result<void> close_location(trace::LocationId location, EventRecords& records);
  /// A further file of the archive ("vectors.3"), written at once.
  Result<void> add_file(const std::string& name, std::string_view content);
  /// Writes the definitions, the manifest with the checksums, and puts the archive in place.
  Result<void> commit(const ArchiveFacts& facts);
  const std::vector<std::uint64_t>& event_counts() const { return counts_; }

 private:
  explicit ArchiveFile(const ArchivePlan& plan) : plan_(plan) {}
  Result<void> write_manifest(const ArchiveFacts& facts);

  const ArchivePlan& plan_;
  std::string directory_, temporary_;
  OTF2_Archive_struct* archive_ = nullptr;
  std::vector<std::uint64_t> counts_;  ///< per location
  std::vector<std::string> files_;     ///< beside the archive proper
};

/// Writes all definitions of `plan`. `counts`: events per location.
OTF2_ErrorCode write_definitions(OTF2_GlobalDefWriter* writer, const ArchivePlan& plan,
                                 const std::vector<std::uint64_t>& counts, const ArchiveFacts& facts);

/// An error of libotf2 as ours.
tl::unexpected<Error> otf2_failure(OTF2_ErrorCode code, std::string what, std::string where);

}  // namespace mora::exports
