#include "archive/archive_writer.h"

#include <fmt/format.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

#include <atomic>
#include <cstdarg>
#include <unordered_map>

#include "archive/mpi_meaning.h"
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

tl::unexpected<Error> otf2_failure(OTF2_ErrorCode code, std::string what, std::string where) {
  const bool disk = code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_EDQUOT || code == OTF2_ERROR_FILE_INTERACTION ||
                    code == OTF2_ERROR_EIO;
  return fail(ErrorKind::system, std::move(what), std::move(where),
              fmt::format("libotf2: {}", OTF2_Error_GetDescription(code)),
              disk ? "free space on this file system or choose another directory" : "");
}

/// Interns strings in order of first use, so that equal definitions give equal files.
class StringTable {
 public:
  StringTable(OTF2_GlobalDefWriter* writer, const std::string& program) : writer_(writer) {
    define("");
    refs_.emplace("", empty_string);
    define(program);
    refs_.emplace(program, program_string);
  }
  OTF2_StringRef operator()(const std::string& text) {
    const auto [it, inserted] = refs_.try_emplace(text, next_);
    if (inserted) define(text);
    return it->second;
  }
  OTF2_ErrorCode status = OTF2_SUCCESS;

 private:
  void define(const std::string& text) {
    const auto code = OTF2_GlobalDefWriter_WriteString(writer_, next_++, text.c_str());
    if (status == OTF2_SUCCESS) status = code;
  }
  OTF2_GlobalDefWriter* writer_;
  OTF2_StringRef next_ = 0;
  std::unordered_map<std::string, OTF2_StringRef> refs_;
};

}  // namespace

std::string mark_description(std::uint32_t replication) {
  if (replication == no_id) return "mora:interval replication=all";
  return replication == 1 ? "mora:interval" : fmt::format("mora:interval replication={}", replication);
}

std::string otf2_version() {
  return fmt::format("{}.{}.{}", OTF2_VERSION_MAJOR, OTF2_VERSION_MINOR, OTF2_VERSION_BUGFIX);
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::string& directory,
                                                             const ArchiveOptions& options) {
  silence_otf2();
  std::unique_ptr<ArchiveWriter> self(new ArchiveWriter());
  self->directory_ = directory;
  self->options_ = options;
  self->archive_ = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                     OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (self->archive_ == nullptr)
    return fail(ErrorKind::system, "cannot create the OTF2 archive", directory, "libotf2 refused to create it there",
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
  MORA_CHECK_OK(check(OTF2_Archive_OpenEvtFiles(self->archive_)));
  MORA_CHECK_OK(check(OTF2_Archive_OpenDefFiles(self->archive_)));
  return self;
}

ArchiveWriter::~ArchiveWriter() {
  if (archive_ != nullptr) OTF2_Archive_Close(archive_);
}

Result<LocationWriter> ArchiveWriter::open_location(std::uint32_t rank) {
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_, rank);
  OTF2_AttributeList* attributes = OTF2_AttributeList_New();
  if (writer == nullptr || attributes == nullptr)
    return fail(ErrorKind::system, "cannot open the event file of a location",
                fmt::format("{}/traces/{}.evt", directory_, rank), "libotf2 refused",
                "check free space, permissions and the limit of open files");
  return LocationWriter(writer, attributes, rank);
}

Result<void> ArchiveWriter::close_location(LocationWriter& location, const std::vector<ClockOffset>& clock_offsets) {
  const auto rank = location.rank_;
  const auto where = fmt::format("{}/traces/{}.evt", directory_, rank);
  std::uint64_t events = 0;
  location.note(OTF2_EvtWriter_GetNumberOfEvents(location.writer_, &events));
  OTF2_AttributeList_Delete(location.attributes_);
  location.attributes_ = nullptr;
  location.note(OTF2_Archive_CloseEvtWriter(archive_, location.writer_));
  location.writer_ = nullptr;
  OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive_, rank);
  if (definitions == nullptr)
    return fail(ErrorKind::system, "cannot open the definition file of a location",
                fmt::format("{}/traces/{}.def", directory_, rank), "libotf2 refused",
                "check free space, permissions and the limit of open files");
  for (const auto& o : clock_offsets)
    location.note(OTF2_DefWriter_WriteClockOffset(definitions, o.time, o.offset_ns, o.deviation_ns));
  location.note(OTF2_Archive_CloseDefWriter(archive_, definitions));
  if (location.status_ != OTF2_SUCCESS)
    return otf2_failure(location.status_, "cannot write the events of a location", where);
  std::lock_guard lock(mutex_);
  if (event_counts_.size() <= rank) event_counts_.resize(rank + 1);
  event_counts_[rank] = events;
  return {};
}

Result<void> ArchiveWriter::close(const Definitions& definitions) {
  auto written = write_definitions(definitions);
  auto* archive = std::exchange(archive_, nullptr);
  const auto code = OTF2_Archive_Close(archive);
  if (!written) return written;
  if (code != OTF2_SUCCESS) return otf2_failure(code, "cannot close the OTF2 archive", directory_);
  return {};
}

Result<void> ArchiveWriter::write_definitions(const Definitions& d) {
  const auto where = directory_ + "/traces.def";
  OTF2_ErrorCode status = OTF2_SUCCESS;
  auto note = [&](OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status == OTF2_SUCCESS) status = code;
  };
  note(OTF2_Archive_CloseEvtFiles(archive_));
  note(OTF2_Archive_CloseDefFiles(archive_));
  OTF2_GlobalDefWriter* w = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (w == nullptr)
    return fail(ErrorKind::system, "cannot open the definition file of the archive", where, "libotf2 refused",
                "check free space and permissions");

  note(OTF2_GlobalDefWriter_WriteClockProperties(w, 1'000'000'000, d.first_stamp, d.last_stamp - d.first_stamp + 1,
                                                 d.realtime_ns));
  StringTable text(w, options_.program);
  OTF2_AttributeValue value;
  note(OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
  value.stringRef = text("Communicator ${id}");
  note(OTF2_GlobalDefWriter_WriteParadigmProperty(w, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                                                  OTF2_TYPE_STRING, value));
  value.stringRef = text("Window ${id}");
  note(OTF2_GlobalDefWriter_WriteParadigmProperty(w, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
                                                  OTF2_TYPE_STRING, value));
  value.uint8 = 0;
  note(OTF2_GlobalDefWriter_WriteParadigmProperty(w, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
                                                  OTF2_TYPE_UINT8, value));

  for (const auto& a : attribute_definitions)
    note(OTF2_GlobalDefWriter_WriteAttribute(w, a.reference, text(a.name), text(a.description), a.type));

  const auto machine = options_.machine.empty() ? std::string("machine") : options_.machine;
  note(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, text(machine), text("machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
  for (std::uint32_t n = 0; n < d.nodes.size(); ++n) {
    note(OTF2_GlobalDefWriter_WriteSystemTreeNode(w, n + 1, text(d.nodes[n]), text("node"), 0));
    note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, n + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
  }
  std::vector<std::uint64_t> members;
  for (std::uint32_t rank = 0; rank < d.processes.size(); ++rank) {
    note(OTF2_GlobalDefWriter_WriteLocationGroup(w, rank, text(fmt::format("MPI Rank {}", rank)),
                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS, d.processes[rank].node + 1,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    note(OTF2_GlobalDefWriter_WriteLocation(w, rank, text("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            rank < event_counts_.size() ? event_counts_[rank] : 0, rank));
    members.push_back(rank);
  }

  const auto mpi_file = text("MPI");
  for (std::uint32_t r = 0; r < d.regions.size(); ++r) {
    const auto& region = d.regions[r];
    const auto name = text(region.function);
    if (region.marked) {
      note(OTF2_GlobalDefWriter_WriteRegion(w, r, name, name, text(mark_description(region.replication)),
                                            OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                            text(region.file), region.line, 0));
      continue;
    }
    const auto description = text(region.line != 0 ? region.file : region.module_offset);
    note(OTF2_GlobalDefWriter_WriteRegion(w, r, name, name, description,
                                          region_role(mpi::function(mpi::find(region.function))), OTF2_PARADIGM_MPI,
                                          OTF2_REGION_FLAG_NONE, mpi_file, region.line, 0));
  }

  note(OTF2_GlobalDefWriter_WriteGroup(w, locations_group, empty_string, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                       OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                       static_cast<std::uint32_t>(members.size()), members.data()));
  note(OTF2_GlobalDefWriter_WriteGroup(w, self_group, empty_string, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI,
                                       OTF2_GROUP_FLAG_NONE, 0, nullptr));
  for (std::uint32_t g = 0; g < d.groups.size(); ++g) {
    members.assign(d.groups[g].begin(), d.groups[g].end());
    note(OTF2_GlobalDefWriter_WriteGroup(w, g + first_group, empty_string, OTF2_GROUP_TYPE_COMM_GROUP,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()));
  }
  for (std::uint32_t c = 0; c < d.communicators.size(); ++c) {
    const auto& comm = d.communicators[c];
    const auto group = comm.group == no_id ? self_group : comm.group + first_group;
    const auto parent = comm.parent == no_id ? OTF2_UNDEFINED_COMM : comm.parent;
    if (comm.remote_group != no_id)
      note(OTF2_GlobalDefWriter_WriteInterComm(w, c, text(comm.name), group, comm.remote_group + first_group, parent,
                                               OTF2_COMM_FLAG_NONE));
    else
      note(OTF2_GlobalDefWriter_WriteComm(w, c, text(comm.name), group, parent, OTF2_COMM_FLAG_NONE));
  }
  for (std::uint32_t n = 0; n < d.windows.size(); ++n)
    note(OTF2_GlobalDefWriter_WriteRmaWin(w, n, text(d.windows[n].name), d.windows[n].communicator,
                                          OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
  if (!d.files.empty())
    note(OTF2_GlobalDefWriter_WriteIoParadigm(w, 0, text("MPI-IO"), text("MPI I/O"), OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                              OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr));
  std::unordered_map<std::string, OTF2_IoFileRef> paths;
  for (std::uint32_t f = 0; f < d.files.size(); ++f) {
    const auto& file = d.files[f];
    const auto [path, is_new] = paths.emplace(file.name, static_cast<OTF2_IoFileRef>(paths.size()));
    if (is_new)
      note(OTF2_GlobalDefWriter_WriteIoRegularFile(w, path->second, text(file.name), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    note(OTF2_GlobalDefWriter_WriteIoHandle(w, f, text(file.name), path->second, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                            file.communicator == no_id ? OTF2_UNDEFINED_COMM : file.communicator,
                                            OTF2_UNDEFINED_IO_HANDLE));
  }
  note(text.status);
  note(OTF2_Archive_CloseGlobalDefWriter(archive_, w));
  if (status != OTF2_SUCCESS) return otf2_failure(status, "cannot write the definitions", where);
  return {};
}

}  // namespace mora::archive
