/// The archive is written into a temporary directory beside its place. Definitions are written last, because only then
/// the numbers of events and the regions that needed a second definition are known. commit() moves everything into
/// place; until then an interrupted run leaves no archive behind.
#include "export/otf2/archive_file.h"

#include <fmt/format.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>
#include <unistd.h>

#include <cstdarg>
#include <filesystem>
#include <mutex>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "experiment/manifest.h"

namespace mora::exports {
namespace {

namespace fs = std::filesystem;

OTF2_FlushType before_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_FlushCallbacks flush_callbacks{before_flush, nullptr};

OTF2_ErrorCode swallow_error(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                             va_list) {
  return code;
}

/// Is this a directory that holds an archive of ours (or of anyone) and nothing that is not part of one?
bool replaceable(const std::string& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) return false;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    const bool part = name == "traces.otf2" || name == "traces.def" || name == "traces" || name == "manifest.json" ||
                      name == "analysis.cubex" || name == "findings.json" || name.rfind("vectors.", 0) == 0;
    if (!part) return false;
  }
  return !error;
}

}  // namespace

tl::unexpected<Error> otf2_failure(OTF2_ErrorCode code, std::string what, std::string where) {
  return fail(ErrorKind::system, std::move(what), std::move(where),
              fmt::format("libotf2: {}", OTF2_Error_GetDescription(code)),
              "free space on this file system or choose another place with -o");
}

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::create(const std::string& directory, bool force,
                                                         const ArchivePlan& plan, bool many) {
  static std::once_flag once;
  std::call_once(once, [] { OTF2_Error_RegisterCallback(swallow_error, nullptr); });
  constexpr std::uint32_t most_ranks = 1 << 22;
  if (plan.world_size > most_ranks)
    return fail(
        ErrorKind::usage, "cannot write the archive", directory,
        fmt::format("the trace names {} ranks, an archive is written for up to {}", plan.world_size, most_ranks));
  if (file_exists(directory)) {
    if (!force)
      return fail(ErrorKind::usage, "the output exists", directory, "",
                  "choose another with -o, or replace it with --force");
    if (!replaceable(directory))
      return fail(ErrorKind::usage, "the output exists and is not replaced", directory,
                  "it holds other things than an archive", "choose another place with -o");
  }
  std::unique_ptr<ArchiveFile> self(new ArchiveFile(plan));
  self->directory_ = directory;
  while (self->directory_.size() > 1 && self->directory_.back() == '/') self->directory_.pop_back();
  const std::string temporary = self->directory_ + ".tmp" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(temporary, error))
    return fail(ErrorKind::system, "cannot create the directory", temporary,
                error ? error.message() : "it exists already", "choose another place with -o");
  self->temporary_ = temporary;
  const std::uint64_t chunk = many && plan.definitions.locations.size() > 64 ? OTF2_CHUNK_SIZE_MIN : 1 << 20;
  self->archive_ = OTF2_Archive_Open(temporary.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk,
                                     OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (self->archive_ == nullptr)
    return fail(ErrorKind::system, "cannot create the archive", temporary, "libotf2 refused",
                "check free space and permissions, or choose another place with -o");
  OTF2_Archive* a = self->archive_;
  OTF2_ErrorCode status = OTF2_SUCCESS;
  for (const OTF2_ErrorCode code :
       {OTF2_Archive_SetFlushCallbacks(a, &flush_callbacks, nullptr), OTF2_Archive_SetSerialCollectiveCallbacks(a),
        OTF2_Archive_SetCreator(a, (std::string("Mora ") + version()).c_str()), OTF2_Archive_OpenEvtFiles(a),
        OTF2_Archive_OpenDefFiles(a)})
    if (status == OTF2_SUCCESS) status = code;
  if (status != OTF2_SUCCESS) return otf2_failure(status, "cannot create the archive", self->directory_);
  self->counts_.resize(plan.definitions.locations.size());
  return self;
}

ArchiveFile::~ArchiveFile() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<std::unique_ptr<EventRecords>> ArchiveFile::open_location(trace::LocationId location) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, plan_.location(location));
  if (writer == nullptr)
    return fail(ErrorKind::system, "cannot open the event file of a location", directory_, "libotf2 refused",
                "check free space, permissions and the limit of open files");
  return std::make_unique<EventRecords>(plan_, writer, location);
}

Result<void> ArchiveFile::close_location(trace::LocationId location, EventRecords& records) {
  OTF2_ErrorCode status = records.status();
  const auto note = [&](OTF2_ErrorCode code) {
    if (status == OTF2_SUCCESS) status = code;
  };
  std::uint64_t events = 0;
  note(OTF2_EvtWriter_GetNumberOfEvents(records.writer(), &events));
  note(OTF2_Archive_CloseEvtWriter(archive_, records.writer()));
  OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive_, plan_.location(location));
  if (definitions != nullptr) note(OTF2_Archive_CloseDefWriter(archive_, definitions));
  if (status != OTF2_SUCCESS)
    return otf2_failure(status, "cannot write the events of " + plan_.definitions.locations[location].name, directory_);
  counts_[location] = events;
  return {};
}

Result<void> ArchiveFile::add_file(const std::string& name, std::string_view content) {
  MORA_CHECK_OK(write_file_atomically(temporary_ + "/" + name, content));
  files_.push_back(name);
  return {};
}

Result<void> ArchiveFile::commit(const ArchiveFacts& facts) {
  OTF2_ErrorCode status = OTF2_SUCCESS;
  const auto note = [&](OTF2_ErrorCode code) {
    if (status == OTF2_SUCCESS) status = code;
  };
  note(OTF2_Archive_CloseEvtFiles(archive_));
  note(OTF2_Archive_CloseDefFiles(archive_));
  if (!facts.description.empty()) note(OTF2_Archive_SetDescription(archive_, facts.description.c_str()));
  if (!facts.rma_model.empty())
    note(OTF2_Archive_SetProperty(archive_, "MORA::RMA_MODEL", facts.rma_model.c_str(), true));
  OTF2_GlobalDefWriter* writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) return fail(ErrorKind::system, "cannot open the definition file", directory_ + "/traces.def");
  note(write_definitions(writer, plan_, counts_, facts));
  note(OTF2_Archive_CloseGlobalDefWriter(archive_, writer));
  note(OTF2_Archive_Close(std::exchange(archive_, nullptr)));
  if (status != OTF2_SUCCESS) return otf2_failure(status, "cannot close the archive", directory_);
  MORA_CHECK_OK(write_manifest(facts));
  std::error_code error;
  if (file_exists(directory_)) fs::remove_all(directory_, error);
  fs::rename(temporary_, directory_, error);
  if (error)
    return fail(ErrorKind::system, "cannot put the archive in place", directory_, error.message(),
                "choose another place with -o");
  temporary_.clear();
  return {};
}

/// Sizes and checksums: readers trust what is as it was written. Also what proves that everything reached the disk.
Result<void> ArchiveFile::write_manifest(const ArchiveFacts& facts) {
  std::vector<std::string> names{"traces.otf2", "traces.def"};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(temporary_ + "/traces", error))
    names.push_back("traces/" + entry.path().filename().string());
  names.insert(names.end(), files_.begin(), files_.end());
  std::sort(names.begin(), names.end());
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-archive-1");
  json.key("made_by").string(std::string("mora convert ") + version());
  json.key("made_from").string(facts.description);
  if (!facts.rma_model.empty()) json.key("rma_model").string(facts.rma_model);
  json.key("archive").begin_object();
  json.key("files").begin_array();
  for (const std::string& name : names) {
    MORA_TRY(const experiment::ArchiveFile file, experiment::describe_file(temporary_, name));
    json.begin_line_object();
    json.key("path").string(file.path);
    json.key("bytes").unsigned_integer(file.bytes);
    json.key("xxh3").string(file.xxh3);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  return write_file_atomically(temporary_ + "/manifest.json", json.str() + "\n");
}

}  // namespace mora::exports
