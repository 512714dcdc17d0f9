/// The global definitions of an OTF2 archive, translated into trace::Definitions, and the tables that translate
/// the references in its events.
#pragma once

#include <otf2/otf2.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "trace/definitions.h"
#include "trace/readers/otf2/definitions/definition_records.h"

namespace mora::trace::otf2 {

/// References of one kind to indices. Archives of others may use any numbers; most are small and dense.
class RefTable {
 public:
  void set(std::uint64_t ref, std::uint32_t index);
  std::uint32_t operator[](std::uint64_t ref) const {
    if (ref < dense_.size() && dense_[ref] != no_id) return dense_[ref];
    if (sparse_.empty()) return no_id;
    const auto found = sparse_.find(ref);
    return found == sparse_.end() ? no_id : found->second;
  }

 private:
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse_;
  std::uint64_t used_ = 0;
};

/// Records without an event kind of their own: events of kind `user`, named after the record.
enum class UserRecord : std::uint8_t {
  thread_team_begin,
  thread_team_end,
  thread_begin,
  thread_end,
  task_create,
  task_switch,
  task_complete,
  request_test,
  comm_create,
  comm_destroy,
  rma_sync,
  rma_op_test,
  rma_wait_change,
  io_create_handle,
  io_destroy_handle,
  io_duplicate_handle,
  io_seek,
  io_change_status_flags,
  io_delete_file,
  io_operation_test,
  io_operation_issued,
  io_acquire_lock,
  io_release_lock,
  io_try_lock,
  sample,
};
/// "ThreadTeamBegin", …; their places are the first of Definitions::user_types.
const std::vector<std::string>& user_record_names();

struct ArchiveDefinitions {
  Definitions trace;
  RefTable regions, communicators, windows, groups;
  RefTable metrics;            ///< of classes and instances: index in metric_sets
  RefTable handles;            ///< of I/O handles: index in Definitions::files
  RefTable handle_comms;       ///< of I/O handles: communicator
  RefTable files;              ///< of I/O files: index in Definitions::files
  RefTable contexts;           ///< of calling contexts: region
  RefTable callers;            ///< of calling contexts of archives by Mora: index in Definitions::callers
  RefTable number_parameters;  ///< index in Definitions::metrics
  RefTable text_parameters;    ///< index in Definitions::user_types
  RefTable texts;              ///< of strings that events may name: index in Definitions::strings, whose first is empty
  RefTable transfer_comms;     ///< their messages show one-sided transfers (docs/formats/otf2.md): no part of the trace
  RefTable comm_names;         ///< of communicators and thread teams: index in Definitions::strings
  std::vector<std::vector<std::uint32_t>> metric_sets;  ///< members: indices in Definitions::metrics
  std::vector<std::uint32_t> window_names;              ///< per window: index in Definitions::strings
  std::vector<std::uint32_t> file_names;                ///< per file: index in Definitions::strings
  std::vector<std::uint32_t> region_names;              ///< per region: index in Definitions::strings, no_id none
  std::vector<bool> team_collective;        ///< per region: all threads of a team take part (OpenMP barrier, loop …)
  RegionId unknown_region = no_id;          ///< stands for undefined references
  std::vector<std::uint64_t> event_counts;  ///< per location, as declared
  OTF2_AttributeRef rma_end = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef assertion = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef received = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef vector = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef neighborhood = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef target_offset = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef target_extent = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef reduction = OTF2_UNDEFINED_ATTRIBUTE;
  OTF2_AttributeRef argument = OTF2_UNDEFINED_ATTRIBUTE;
  RecordTable<OTF2_StringRef, std::string> strings;  ///< all, for ProgramBegin
  std::uint64_t resolution = 1000000000;
  std::uint64_t origin = 0;  ///< stamp that becomes time 0
  std::uint64_t length = 0;  ///< ticks
  bool has_clock = false;
  DataQuality quality;
};

/// Follows the references. Whatever is undefined, defined twice or circular is counted; there may be no location at
/// all. O(definitions).
ArchiveDefinitions resolve(DefinitionRecords records);

/// Reads the definitions of an opened archive; `path` is for the message. Errors (unreadable): they are damaged, or
/// define no location.
Result<ArchiveDefinitions> read_definitions(OTF2_Reader* reader, const std::string& path);

}  // namespace mora::trace::otf2
