#include "trace/readers/otf2/otf2_source.h"

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "base/file.h"
#include "trace/readers/otf2/definitions/archive_definitions.h"
#include "trace/readers/otf2/definitions/file_end.h"
#include "trace/readers/otf2/location_reader.h"
#include "trace/readers/otf2/probe.h"
#include "trace/readers/otf2/vectors_file.h"

namespace mora::trace {
namespace otf2 {
namespace {

// libotf2 prints its errors to stderr unless it is given a callback; Mora returns them.
OTF2_ErrorCode swallow_error(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                             va_list) {
  return code;
}

/// An opened libotf2 reader that closes itself.
class Reader {
 public:
  static Result<Reader> open(const std::string& anchor) {
    static std::once_flag once;
    std::call_once(once, [] { OTF2_Error_RegisterCallback(swallow_error, nullptr); });
    OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
    if (reader == nullptr || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS) {
      if (reader != nullptr) OTF2_Reader_Close(reader);
      return fail(ErrorKind::unreadable, "cannot open the OTF2 archive", anchor,
                  "libotf2 does not accept its anchor file",
                  "the archive is damaged or incomplete: copy it again with all its files, or record again");
    }
    return Reader(reader);
  }
  Reader(Reader&& other) noexcept : reader_(std::exchange(other.reader_, nullptr)) {}
  Reader& operator=(Reader&& other) noexcept {
    std::swap(reader_, other.reader_);
    return *this;
  }
  ~Reader() {
    if (reader_ != nullptr) OTF2_Reader_Close(reader_);
  }
  operator OTF2_Reader*() const { return reader_; }

 private:
  explicit Reader(OTF2_Reader* reader) : reader_(reader) {}
  OTF2_Reader* reader_;
};

std::string format_name(OTF2_Reader* reader) {
  std::uint8_t major = 0, minor = 0, bugfix = 0;
  OTF2_Reader_GetVersion(reader, &major, &minor, &bugfix);
  std::string name = "OTF2 " + std::to_string(major) + "." + std::to_string(minor);
  char* creator = nullptr;
  if (OTF2_Reader_GetCreator(reader, &creator) == OTF2_SUCCESS && creator != nullptr) {
    if (*creator != 0) name += " (" + std::string(creator) + ")";
    std::free(creator);
  }
  return name;
}

class Otf2Source : public Source {
 public:
  Otf2Source(std::string anchor, ArchiveDefinitions definitions, std::string format)
      : anchor_(std::move(anchor)),
        directory_(std::filesystem::path(anchor_).parent_path().string()),
        definitions_(std::move(definitions)),
        format_(std::move(format)) {
    if (directory_.empty()) directory_ = ".";
    quality_.merge(definitions_.quality);
    find_program();
    if (!definitions_.has_clock) find_origin();
  }

  const Definitions& definitions() const override { return definitions_.trace; }
  std::uint64_t event_count_hint(LocationId location) const override {
    return location < definitions_.event_counts.size() ? definitions_.event_counts[location] : 0;
  }
  Nanoseconds duration_hint() const override { return Clock(definitions_.resolution, 0, {})(definitions_.length); }
  DataQuality& quality() override { return quality_; }
  std::string format() const override { return format_; }

  Result<void> read_location(LocationId location, EventSink& sink) override {
    if (!trusted_) std::call_once(events_checked_, [this] { check_events(); });
    if (location < verdicts_.size() && !verdicts_[location].good) return unreadable(location, verdicts_[location].why);
    LostLeaves lost;
    if (location < verdicts_.size() && verdicts_[location].found) {
      NullSink ignored;
      MORA_CHECK_OK(read(location, ignored, nullptr, {}, &lost));
    }
    return read(location, sink, &quality_, std::move(lost));
  }

  /// The archive is read as it is; else its event files are checked before the first of them is read.
  void trust() { trusted_ = true; }
  void set_patience(unsigned seconds) { patience_s_ = seconds; }

  std::vector<std::uint64_t> vector(LocationId location, std::uint32_t index) const override {
    const std::lock_guard lock(vectors_mutex_);
    auto found = vectors_.find(location);
    if (found == vectors_.end()) found = vectors_.emplace(location, load_vectors(location)).first;
    return index < found->second.size() ? found->second[index] : std::vector<std::uint64_t>{};
  }

 private:
  /// Files that are not what the manifest lists are read in children first; which of them do not survive is remembered.
  void check_events() {
    const Checksums sums = compare_checksums(directory_, ArchivePart::whole);
    if (sums == Checksums::match) return;
    if (sums == Checksums::differ)
      quality_.add("checksum-mismatch", Severity::warning, "", 1,
                   "the archive's files are not what was written (manifest.json); what can be read is read",
                   "use an undamaged copy or record again");
    find_ends();
    NullSink sink;
    verdicts_ = probe(
        definitions_.trace.locations.size(),
        [&](std::size_t i) {
          LostLeaves lost;
          return read(static_cast<LocationId>(i), sink, nullptr, {}, &lost).map([&] { return !lost.empty(); });
        },
        [&](std::size_t i) {
          std::error_code none;
          const auto bytes = std::filesystem::file_size(event_file(static_cast<LocationId>(i)), none);
          return patience_s_ + static_cast<unsigned>(none ? 0 : bytes / 10000000);
        });
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      if (verdicts_[i].good) continue;
      quality_.add("unreadable-location", Severity::loss, definitions_.trace.locations[i].name, 1,
                   "the events of a location cannot be read: " + verdicts_[i].why,
                   "the archive is damaged; use a copy or record again");
    }
  }

  /// How far each location's events go: libotf2 does not stop where a cut file does.
  void find_ends() {
    const auto reader = Reader::open(anchor_);
    if (!reader) return;
    for (LocationId i = 0; i < definitions_.trace.locations.size(); ++i) {
      ends_.push_back(file_end(*reader, event_file(i), FileKind::events));
      if (file_end(*reader, file_of(i, ".def"), FileKind::definitions).is_cut) cut_definitions_.insert(i);
    }
  }

  std::string folder() const { return directory_ + "/" + std::filesystem::path(anchor_).stem().string(); }
  std::string file_of(LocationId location, const char* ending) const {
    return folder() + "/" + std::to_string(definitions_.trace.locations[location].file_id) + ending;
  }
  std::string event_file(LocationId location) const { return file_of(location, ".evt"); }

  tl::unexpected<Error> unreadable(LocationId location, const std::string& why) const {
    return unreadable(location, why, event_file(location));
  }
  tl::unexpected<Error> unreadable(LocationId location, const std::string& why, const std::string& file) const {
    return fail(ErrorKind::unreadable, "cannot read the events of " + definitions_.trace.locations[location].name, file,
                why, "the archive is damaged or incomplete; use a copy or record again");
  }

  /// `lost`: enters whose leaves are lost, as `found` told it in an earlier reading. `most`: records to read, for a
  /// look at the beginning.
  Result<void> read(LocationId location, EventSink& sink, DataQuality* quality, LostLeaves lost = {},
                    LostLeaves* found = nullptr, std::uint64_t most = UINT64_MAX) const {
    std::error_code none;
    if (event_count_hint(location) == 0 && !std::filesystem::exists(event_file(location), none)) return {};
    const std::uint64_t ref = definitions_.trace.locations[location].file_id;
    MORA_TRY(const Reader reader, Reader::open(anchor_));
    if (OTF2_Reader_SelectLocation(reader, ref) != OTF2_SUCCESS)
      return unreadable(location, "libotf2 cannot select it");
    const LocalDefinitions local = local_definitions(reader, location);
    const bool defined = cut_definitions_.count(location) == 0 && local.is_there;
    if (!defined && has_definition_files())
      return unreadable(location,
                        "its definition file " + file_of(location, ".def") +
                            " is missing or damaged, and with it the meaning of its records and its clock offsets",
                        file_of(location, ".def"));
    if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
      return unreadable(location, "libotf2 cannot open the event files");
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, ref);
    if (events == nullptr) return unreadable(location, "libotf2 cannot open its event file");
    OTF2_EvtReader_ApplyMappingTables(events, true);
    OTF2_EvtReader_ApplyClockOffsets(events, false);
    OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
    LocationReader::set_callbacks(callbacks);
    LocationReader translate(definitions_, location, Clock(definitions_.resolution, definitions_.origin, local.offsets),
                             sink, std::move(lost));
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &translate);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    std::uint64_t total = 0;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    const FileEnd end = location < ends_.size() ? ends_[location] : FileEnd{};
    // In portions: the count of a portion that fails is not told.
    for (std::uint64_t left = std::min(most, end.records); left > 0 && code == OTF2_SUCCESS;) {
      const std::uint64_t portion = std::min<std::uint64_t>(1 << 20, left);
      std::uint64_t count = 0;
      code = OTF2_Reader_ReadLocalEvents(reader, events, portion, &count);
      total += count;
      left = count < portion ? 0 : left - count;
    }
    OTF2_Reader_CloseEvtReader(reader, events);
    OTF2_Reader_CloseEvtFiles(reader);
    const bool whole = code == OTF2_SUCCESS && (!end.is_cut || total >= event_count_hint(location));
    if (!whole) total = std::max(total, translate.delivered());
    if (!whole && total == 0 && event_count_hint(location) > 0)
      return unreadable(location, code == OTF2_SUCCESS ? "its event file is cut off" : OTF2_Error_GetDescription(code));
    if (most != UINT64_MAX) return {};
    DataQuality ignored;
    translate.finish(whole, total, quality != nullptr ? *quality : ignored);
    if (found != nullptr) *found = std::move(translate).lost_leaves();
    return {};
  }

  /// What the definition file of a location says.
  struct LocalDefinitions {
    bool is_there = false;  ///< and can be read
    bool has_maps = false;  ///< libotf2 must have read them to read events
    std::vector<ClockOffset> offsets;
  };
  /// Read with the first events of the location: libotf2 clears up to 4 MiB each time. With maps each time.
  LocalDefinitions local_definitions(OTF2_Reader* reader, LocationId location) const {
    {
      const std::lock_guard lock(locals_mutex_);
      const auto found = locals_.find(location);
      if (found != locals_.end() && !found->second.has_maps) return found->second;
    }
    LocalDefinitions local = read_local_definitions(reader, definitions_.trace.locations[location].file_id);
    const std::lock_guard lock(locals_mutex_);
    return locals_[location] = std::move(local);
  }

  static LocalDefinitions read_local_definitions(OTF2_Reader* reader, std::uint64_t ref) {
    LocalDefinitions local;
    if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS) return local;
    if (OTF2_DefReader* definitions = OTF2_Reader_GetDefReader(reader, ref)) {
      OTF2_DefReaderCallbacks* callbacks = OTF2_DefReaderCallbacks_New();
      OTF2_DefReaderCallbacks_SetClockOffsetCallback(
          callbacks, [](void* user, OTF2_TimeStamp time, std::int64_t offset, double) {
            static_cast<LocalDefinitions*>(user)->offsets.push_back({time, offset});
            return OTF2_CALLBACK_SUCCESS;
          });
      OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, [](void* user, OTF2_MappingType, const OTF2_IdMap*) {
        static_cast<LocalDefinitions*>(user)->has_maps = true;
        return OTF2_CALLBACK_SUCCESS;
      });
      OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &local);
      OTF2_DefReaderCallbacks_Delete(callbacks);
      std::uint64_t count = 0;
      local.is_there = OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) == OTF2_SUCCESS;
      OTF2_Reader_CloseDefReader(reader, definitions);
    }
    OTF2_Reader_CloseDefFiles(reader);
    return local;
  }

  /// Some tools write no definition file for any location; where one has it, all need theirs.
  bool has_definition_files() const {
    std::call_once(definition_files_counted_, [this] {
      std::error_code none;
      for (const auto& entry : std::filesystem::directory_iterator(folder(), none))
        has_definition_files_ = has_definition_files_ || entry.path().extension() == ".def";
    });
    return has_definition_files_;
  }

  /// The root of all call trees: what the first location's ProgramBegin says.
  void find_program() {
    auto reader = Reader::open(anchor_);
    if (!reader || definitions_.trace.locations.empty()) return;
    const std::uint64_t ref = definitions_.trace.locations[0].file_id;
    if (OTF2_Reader_SelectLocation(*reader, ref) != OTF2_SUCCESS || OTF2_Reader_OpenEvtFiles(*reader) != OTF2_SUCCESS)
      return;
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(*reader, ref);
    if (events == nullptr) return;
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(
        callbacks, [](OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* user, OTF2_AttributeList*,
                      OTF2_StringRef program, std::uint32_t, const OTF2_StringRef*) {
          *static_cast<OTF2_StringRef*>(user) = program;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_Reader_RegisterEvtCallbacks(*reader, events, callbacks, &name);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    OTF2_Reader_ReadLocalEvents(*reader, events, 1, &count);
    OTF2_Reader_CloseEvtReader(*reader, events);
    OTF2_Reader_CloseEvtFiles(*reader);
    const std::string* const found = definitions_.strings.find(name);
    if (found != nullptr && !found->empty())
      definitions_.trace.program = std::filesystem::path(*found).filename().string();
  }

  /// An archive that does not say where its time begins: at its earliest event.
  void find_origin() {
    class First : public EventSink {
     public:
      void on_event(const Event& event) override { earliest = std::min(earliest, event.time); }
      Nanoseconds earliest = INT64_MAX;
    } first;
    for (LocationId location = 0; location < definitions_.trace.locations.size(); ++location)
      (void)read(location, first, nullptr, {}, nullptr, 1);  // what cannot be read is counted by check_events()
    if (first.earliest <= 0 || first.earliest == INT64_MAX) return;
    definitions_.origin = static_cast<std::uint64_t>(first.earliest);
    definitions_.trace.time_origin = first.earliest;
  }

  /// docs/formats/otf2.md, "vectors.<rank>". Anything wrong: no vectors.
  std::vector<std::vector<std::uint64_t>> load_vectors(LocationId location) const {
    if (location >= definitions_.trace.locations.size()) return {};
    const auto content =
        read_file(directory_ + "/vectors." + std::to_string(definitions_.trace.locations[location].rank));
    return content ? read_vectors(*content) : std::vector<std::vector<std::uint64_t>>{};
  }

  std::string anchor_;
  std::string directory_;
  ArchiveDefinitions definitions_;
  std::string format_;
  DataQuality quality_;
  bool trusted_ = false;
  unsigned patience_s_ = 0;
  std::once_flag events_checked_;
  mutable std::once_flag definition_files_counted_;
  mutable bool has_definition_files_ = false;
  std::vector<ProbeVerdict> verdicts_;
  std::vector<FileEnd> ends_;  ///< of event files that are not what the manifest lists
  std::set<LocationId> cut_definitions_;
  mutable std::mutex locals_mutex_;
  mutable std::map<LocationId, LocalDefinitions> locals_;
  mutable std::mutex vectors_mutex_;
  mutable std::map<LocationId, std::vector<std::vector<std::uint64_t>>> vectors_;
};

Result<std::unique_ptr<Otf2Source>> open_archive(const std::string& anchor) {
  MORA_TRY(const Reader reader, Reader::open(anchor));
  MORA_TRY(auto definitions, read_definitions(reader, anchor));
  return std::make_unique<Otf2Source>(anchor, std::move(definitions), format_name(reader));
}

}  // namespace
}  // namespace otf2

Result<std::unique_ptr<Source>> open_otf2(const std::string& anchor, const Otf2Options& options) {
  std::string directory = std::filesystem::path(anchor).parent_path().string();
  if (directory.empty()) directory = ".";
  const bool sound =
      options.trust || otf2::compare_checksums(directory, otf2::ArchivePart::definitions) == otf2::Checksums::match;
  if (!sound) {
    const auto verdict = otf2::probe(
        1,
        [&](std::size_t) -> Result<bool> { return otf2::open_archive(anchor).map([](const auto&) { return false; }); },
        [&](std::size_t) { return options.patience_s + 10; });
    if (!verdict[0].good)
      return fail(ErrorKind::unreadable, "cannot open the OTF2 archive", anchor, verdict[0].why,
                  "the archive is damaged; use a copy or record again");
    // Not once more without bounds: four damaged bytes make libotf2 ask for tens of GB, and clear them.
    if (verdict[0].refusal) return tl::unexpected(*verdict[0].refusal);
  }
  MORA_TRY(auto source, otf2::open_archive(anchor));
  if (options.trust) source->trust();
  source->set_patience(options.patience_s);
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace mora::trace
