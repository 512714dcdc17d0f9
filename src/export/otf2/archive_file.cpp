/// The archive is written into a temporary directory beside its place. Definitions are written last, because only then
/// the numbers of events and the regions that needed a second definition are known. commit() moves everything into
/// place; until then an interrupted run leaves no archive behind.
#include "export/otf2/archive_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/json/json_writer.h"
#include "base/version.h"
#include "experiment/manifest.h"

namespace mora::exports {
namespace {

namespace fs = std::filesystem;

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

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::create(const std::string& directory, bool force,
                                                         const ArchivePlan& plan, const ArchiveFacts& facts) {
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
  std::unique_ptr<ArchiveFile> self(new ArchiveFile(plan, facts));
  self->directory_ = directory;
  while (self->directory_.size() > 1 && self->directory_.back() == '/') self->directory_.pop_back();
  const std::string temporary = self->directory_ + ".tmp" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(temporary, error))
    return fail(ErrorKind::system, "cannot create the directory", temporary,
                error ? error.message() : "it exists already", "choose another place with -o");
  self->temporary_ = temporary;
  MORA_TRY(self->archive_,
           archive::ArchiveWriter::create(
               temporary, {plan.definitions.program, "", facts.description, facts.rma_model, facts.clock_origin,
                           plan.definitions.locations.size(), plan.largest_definition()}));
  return self;
}

ArchiveFile::~ArchiveFile() {
  archive_.reset();
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<std::unique_ptr<EventRecords>> ArchiveFile::open_location(trace::LocationId location) {
  MORA_TRY(auto writer, archive_->open_location(plan_.location(location)));
  return std::make_unique<EventRecords>(plan_, std::move(writer), location);
}

Result<void> ArchiveFile::close_location(EventRecords& records) {
  return archive_->close_location(records.writer(), {});
}

Result<void> ArchiveFile::add_file(const std::string& name, std::string_view content) {
  MORA_CHECK_OK(write_file_atomically(temporary_ + "/" + name, content));
  files_.push_back(name);
  return {};
}

Result<void> ArchiveFile::commit(std::uint64_t duration) {
  facts_.duration = duration;
  const archive::Definitions definitions = archive_definitions(plan_, facts_);
  MORA_CHECK_OK(write_empty_locations(definitions));
  MORA_CHECK_OK(archive_->close(definitions));
  MORA_CHECK_OK(write_manifest());
  std::error_code error;
  if (file_exists(directory_)) fs::remove_all(directory_, error);
  fs::rename(temporary_, directory_, error);
  if (error)
    return fail(ErrorKind::system, "cannot put the archive in place", directory_, error.message(),
                "choose another place with -o");
  temporary_.clear();
  return {};
}

/// otf2-print refuses archives in which a location that is defined has no files.
Result<void> ArchiveFile::write_empty_locations(const archive::Definitions& definitions) {
  std::vector<std::uint64_t> defined;
  for (std::uint32_t rank = 0; rank < definitions.processes.size(); ++rank)
    if (definitions.processes[rank].has_main_thread) defined.push_back(rank);
  for (const archive::Location& location : definitions.locations) defined.push_back(location.number);
  for (const std::uint64_t number : defined) {
    if (archive_->event_counts().count(number) != 0) continue;
    MORA_TRY(auto writer, archive_->open_location(number));
    MORA_CHECK_OK(archive_->close_location(writer, {}));
  }
  return {};
}

/// Sizes and checksums: readers trust what is as it was written. Also what proves that everything reached the disk.
Result<void> ArchiveFile::write_manifest() const {
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
  json.key("made_from").string(facts_.description);
  if (!facts_.rma_model.empty()) json.key("rma_model").string(facts_.rma_model);
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
