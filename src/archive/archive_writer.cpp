#include "archive/archive_writer.h"

#include <fmt/format.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

#include <cstdarg>

#include "archive/global_definitions.h"
#include "base/file.h"
#include "base/version.h"

namespace mora::archive {
namespace {

/// A full chunk is always written to its file.
OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_FlushCallbacks flush_callbacks{before_flush, nullptr};

/// libotf2 prints its errors; a library of ours must not. The codes come back as return values.
OTF2_ErrorCode swallow_error(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                             va_list) {
  return code;
}

void silence_otf2() {
  static std::once_flag once;
  std::call_once(once, [] { OTF2_Error_RegisterCallback(swallow_error, nullptr); });
}

/// libotf2 does not tell what the system said: a full disk is a violated integrity or an interrupted file interaction
/// to it, or no error code at all.
tl::unexpected<Error> otf2_failure(const std::string& said, std::string what, std::string where, std::string help) {
  std::string why = obstacle_to_writing(where, OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
  if (why.empty()) why = "libotf2" + said;
  return fail(ErrorKind::system, std::move(what), std::move(where), std::move(why), std::move(help));
}

tl::unexpected<Error> otf2_failure(OTF2_ErrorCode code, std::string what, std::string where) {
  return otf2_failure(fmt::format(": {}", OTF2_Error_GetDescription(code)), std::move(what), std::move(where),
                      "free space on this file system or choose another directory");
}

}  // namespace

std::string otf2_version() {
  return fmt::format("{}.{}.{}", OTF2_VERSION_MAJOR, OTF2_VERSION_MINOR, OTF2_VERSION_BUGFIX);
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::string& directory,
                                                             const ArchiveOptions& options) {
  silence_otf2();
  std::unique_ptr<ArchiveWriter> self(new ArchiveWriter());
  self->directory_ = directory;
  self->options_ = options;
  const bool many = options.locations > 64;
  const bool short_definitions = options.largest_definition < OTF2_CHUNK_SIZE_MIN / 2;
  self->archive_ = OTF2_Archive_Open(
      directory.c_str(), "traces", OTF2_FILEMODE_WRITE, many ? OTF2_CHUNK_SIZE_MIN : OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
      many && short_definitions ? OTF2_CHUNK_SIZE_MIN : OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
      OTF2_COMPRESSION_NONE);
  if (self->archive_ == nullptr)
    return otf2_failure(" refused to create it there", "cannot create the OTF2 archive", directory,
                        "check that the directory is writable and holds no other archive");
  auto check = [&](OTF2_ErrorCode code) -> Result<void> {
    if (code != OTF2_SUCCESS) return otf2_failure(code, "cannot set up the OTF2 archive", directory);
    return {};
  };
  MORA_CHECK_OK(check(OTF2_Archive_SetFlushCallbacks(self->archive_, &flush_callbacks, nullptr)));
  MORA_CHECK_OK(check(OTF2_Archive_SetSerialCollectiveCallbacks(self->archive_)));
  MORA_CHECK_OK(check(OTF2_Pthread_Archive_SetLockingCallbacks(self->archive_, nullptr)));
  MORA_CHECK_OK(check(OTF2_Archive_SetCreator(self->archive_, (std::string("Mora ") + version()).c_str())));
  if (!options.machine.empty())
    MORA_CHECK_OK(check(OTF2_Archive_SetMachineName(self->archive_, options.machine.c_str())));
  if (!options.description.empty())
    MORA_CHECK_OK(check(OTF2_Archive_SetDescription(self->archive_, options.description.c_str())));
  if (!options.rma_model.empty())
    MORA_CHECK_OK(check(OTF2_Archive_SetProperty(self->archive_, "MORA::RMA_MODEL", options.rma_model.c_str(), true)));
  if (options.clock_origin != 0) {
    const std::string origin = std::to_string(options.clock_origin);
    MORA_CHECK_OK(check(OTF2_Archive_SetProperty(self->archive_, "MORA::CLOCK_ORIGIN", origin.c_str(), true)));
  }
  MORA_CHECK_OK(check(OTF2_Archive_OpenEvtFiles(self->archive_)));
  MORA_CHECK_OK(check(OTF2_Archive_OpenDefFiles(self->archive_)));
  return self;
}

ArchiveWriter::~ArchiveWriter() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

Result<LocationWriter> ArchiveWriter::open_location(std::uint64_t location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, location);
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
  LocationWriter opened(writer, attributes, location);
  if (writer == nullptr || attributes == nullptr)
    return otf2_failure(" refused", "cannot open the event file of a location",
                        fmt::format("{}/traces/{}.evt", directory_, location),
                        "check free space, permissions and the limit of open files");
  return opened;
}

Result<void> ArchiveWriter::close_location(LocationWriter& location, const std::vector<ClockOffset>& clock_offsets) {
  const auto number = location.location_;
  std::uint64_t events = 0;
  location.note(OTF2_EvtWriter_GetNumberOfEvents(location.writer_, &events));
  location.attributes_.reset();
  location.note(OTF2_Archive_CloseEvtWriter(archive_, location.writer_));
  location.writer_ = nullptr;
  OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive_, number);
  if (definitions == nullptr)
    return otf2_failure(" refused", "cannot open the definition file of a location",
                        fmt::format("{}/traces/{}.def", directory_, number),
                        "check free space, permissions and the limit of open files");
  for (const auto& o : clock_offsets)
    location.note(OTF2_DefWriter_WriteClockOffset(definitions, o.time, o.offset_ns, o.deviation_ns));
  location.note(OTF2_Archive_CloseDefWriter(archive_, definitions));
  if (location.status_ != OTF2_SUCCESS)
    return otf2_failure(location.status_, "cannot write the events of a location",
                        fmt::format("{}/traces/{}.evt", directory_, number));
  std::lock_guard lock(mutex_);
  event_counts_[number] = events;
  further_events_[number] = location.further_events_;
  return {};
}

std::uint64_t ArchiveWriter::events(std::uint64_t location) const {
  const auto records = event_counts_.find(location);
  return records == event_counts_.end() ? 0 : records->second + further_events_.at(location);
}

Result<void> ArchiveWriter::close(const Definitions& definitions) {
  auto written = write_definitions(definitions);
  auto* archive = std::exchange(archive_, nullptr);
  const auto code = OTF2_Archive_Close(archive);
  if (!written) return written;
  if (code != OTF2_SUCCESS) return otf2_failure(code, "cannot close the OTF2 archive", directory_);
  return {};
}

Result<void> ArchiveWriter::write_definitions(const Definitions& definitions) {
  const auto where = directory_ + "/traces.def";
  OTF2_ErrorCode status = OTF2_SUCCESS;
  auto note = [&](OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status == OTF2_SUCCESS) status = code;
  };
  note(OTF2_Archive_CloseEvtFiles(archive_));
  note(OTF2_Archive_CloseDefFiles(archive_));
  OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr)
    return otf2_failure(" refused", "cannot open the definition file of the archive", where,
                        "check free space and permissions");
  note(write_global_definitions(writer, definitions, options_.program, options_.machine, event_counts_));
  note(OTF2_Archive_CloseGlobalDefWriter(archive_, writer));
  if (status != OTF2_SUCCESS) return otf2_failure(status, "cannot write the definitions", where);
  return {};
}

}  // namespace mora::archive
