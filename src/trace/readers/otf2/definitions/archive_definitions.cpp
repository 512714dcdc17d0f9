#include "trace/readers/otf2/definitions/archive_definitions.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "archive/attributes.h"
#include "base/numbers/saturated.h"
#include "trace/mpi_function.h"
#include "trace/readers/otf2/definitions/call_paths.h"
#include "trace/readers/otf2/definitions/clock.h"
#include "trace/readers/otf2/definitions/file_end.h"
#include "trace/readers/otf2/definitions/grids.h"
#include "trace/readers/otf2/definitions/location_table.h"
#include "trace/readers/otf2/definitions/region_meaning.h"

namespace mora::trace::otf2 {

void RefTable::set(std::uint64_t ref, std::uint32_t index) {
  // Dense memory stays in proportion to the number of definitions, whatever numbers an archive uses.
  if (ref >= 1024 + 8 * used_) {
    sparse_[ref] = index;
  } else {
    if (ref >= dense_.size()) dense_.resize(ref + 1, no_id);
    dense_[ref] = index;
  }
  ++used_;
}

const std::vector<std::string>& user_record_names() {
  static const std::vector<std::string> names = {"ThreadTeamBegin",     "ThreadTeamEnd",    "ThreadBegin",
                                                 "ThreadEnd",           "ThreadTaskCreate", "ThreadTaskSwitch",
                                                 "ThreadTaskComplete",  "MpiRequestTest",   "CommCreate",
                                                 "CommDestroy",         "RmaSync",          "RmaOpTest",
                                                 "RmaWaitChange",       "IoCreateHandle",   "IoDestroyHandle",
                                                 "IoDuplicateHandle",   "IoSeek",           "IoChangeStatusFlags",
                                                 "IoDeleteFile",        "IoOperationTest",  "IoOperationIssued",
                                                 "IoAcquireLock",       "IoReleaseLock",    "IoTryLock",
                                                 "CallingContextSample"};
  return names;
}

namespace {

/// Turns records into ArchiveDefinitions. The order of the steps matters: locations first (members of groups refer to
/// them), then groups, communicators (their members are groups) and windows (they refer to communicators).
class Resolver {
 public:
  explicit Resolver(DefinitionRecords records) : records_(std::move(records)) {}

  ArchiveDefinitions run() {
    out_.has_clock = records_.has_clock;
    if (records_.has_clock) {
      out_.resolution = records_.resolution;
      out_.origin = records_.origin;
      out_.length = records_.length;
    }
    out_.trace.program = "program";
    out_.trace.time_origin = Clock(out_.resolution, 0, {})(out_.origin);
    out_.trace.user_types = user_record_names();
    out_.trace.strings.emplace_back();
    LocationTable table = tabulate_locations(records_, out_.quality);
    out_.trace.locations = std::move(table.locations);
    out_.trace.nodes = std::move(table.nodes);
    out_.trace.world_size = table.world_size;
    out_.event_counts = std::move(table.event_counts);
    rank_of_location_ = std::move(table.rank_of);
    resolve_regions();
    resolve_groups();
    resolve_attributes();
    resolve_communicators();
    resolve_grids(records_, out_);
    resolve_metrics();
    resolve_files();
    if (records_.duplicates > 0)
      out_.quality.add("duplicate-definition", Severity::info, "definitions", records_.duplicates,
                       "definitions whose number was taken; the first of each number counts", "");
    out_.trace.index_ranks();
    out_.strings = std::move(records_.strings);
    return std::move(out_);
  }

 private:
  const std::string& text(OTF2_StringRef ref) const {
    static const std::string empty;
    const std::string* found = records_.strings.find(ref);
    return found == nullptr ? empty : *found;
  }

  /// Index in Definitions::strings, for data of user events.
  std::uint32_t string(OTF2_StringRef ref) {
    const std::uint32_t known = out_.texts[ref];
    if (known != no_id || records_.strings.find(ref) == nullptr) return known;
    const auto index = static_cast<std::uint32_t>(out_.trace.strings.size());
    out_.trace.strings.push_back(text(ref));
    out_.texts.set(ref, index);
    return index;
  }

  void count_undefined() {
    out_.quality.add("undefined-reference", Severity::warning, "definitions", 1,
                     "references to things that are not defined; what uses them is left out",
                     "the archive is damaged or incomplete: use a copy or record again");
  }

  /// Regions that are equal in everything that Mora uses become one. One more region stands for undefined references.
  void resolve_regions() {
    std::unordered_map<OTF2_RegionRef, std::string> groups;
    for (const GroupRecord& group : records_.groups) {
      if (group.type != OTF2_GROUP_TYPE_REGIONS) continue;
      for (const std::uint64_t member : group.members)
        groups.emplace(static_cast<OTF2_RegionRef>(member), text(group.name));
    }
    std::map<std::tuple<std::string, std::string, std::string, std::string, std::uint32_t, bool, RegionRole,
                        std::uint32_t, std::uint64_t>,
             std::uint32_t>
        known;
    const auto callers = contexts_of_callers(records_);
    bool is_ours = !callers.empty();
    for (const auto& [ref, r] : records_.regions) {
      if (is_our_program(r, text(r.description))) {
        is_ours = true;
        continue;
      }
      Region region;
      region.name = text(r.name);
      const bool is_of_mpi = r.paradigm == OTF2_PARADIGM_MPI;
      if (!is_our_mark(r, text(r.description))) region.function = mpi::find(region.name);
      if (is_of_mpi && region.function == FunctionId::none) region.function = mpi::find(text(r.canonical));
      region.kind = region.function == FunctionId::none && !is_of_mpi ? RegionKind::user : RegionKind::mpi;
      region.paradigm = is_without_work(r, text(r.description)) ? Paradigm::without_work : paradigm_of(r.paradigm);
      if (region.paradigm == Paradigm::openmp) region.role = role_of(r.role);
      if (region.kind == RegionKind::user && is_interval(r)) {
        region.role = RegionRole::interval;
        region.replication = replication(text(r.description));
      }
      region.call_site_line = r.line == OTF2_UNDEFINED_UINT32 ? 0 : r.line;
      if (region.kind == RegionKind::user) {
        region.call_site_file = text(r.file);
        region.last_line = r.last_line == OTF2_UNDEFINED_UINT32 ? 0 : r.last_line;
      } else {
        const std::string& site = text(r.description);  // docs/formats/otf2.md
        const bool is_symbol = site.find("+0x") != std::string::npos || site.find(" + 0x") != std::string::npos;
        if (region.call_site_line != 0 || is_symbol) region.call_site_file = site;
      }
      const auto group = groups.find(ref);
      region.group = group != groups.end()            ? group->second
                     : region.kind == RegionKind::mpi ? "MPI"
                                                      : paradigm_name(r.paradigm);
      const bool team = takes_whole_team(r.role, r.paradigm);
      const auto called_from = callers.find(ref);
      const std::uint64_t caller = called_from == callers.end() ? OTF2_UNDEFINED_CALLING_CONTEXT : called_from->second;
      const auto next = static_cast<std::uint32_t>(out_.trace.regions.size());
      // EZTrace defines every region once per process: they are one.
      const auto [same, is_new] =
          known.emplace(std::tuple(region.name, text(r.canonical), region.group, region.call_site_file,
                                   region.call_site_line, team, region.role, region.replication, caller),
                        next);
      out_.regions.set(ref, same->second);
      if (!is_new) continue;
      out_.trace.regions.push_back(std::move(region));
      out_.region_names.push_back(no_id);
      out_.team_collective.push_back(team);
    }
    out_.unknown_region = static_cast<RegionId>(out_.trace.regions.size());
    Region unknown;
    unknown.name = "(undefined region)";
    out_.trace.regions.push_back(unknown);
    out_.region_names.push_back(no_id);
    out_.team_collective.push_back(false);
    for (const auto& [ref, context] : records_.contexts) {
      const RegionId id = out_.regions[context.region];
      out_.contexts.set(ref, id);
      const RegionRecord* const record = records_.regions.find(context.region);
      if (id != no_id && record != nullptr && !is_ours) out_.region_names[id] = string(record->name);
    }
    if (is_ours) resolve_callers(records_, callers, out_);
  }

  /// The group that lists all locations of a paradigm: members of communicator groups are places in it.
  const GroupRecord* all_of(OTF2_Paradigm paradigm) const {
    for (const GroupRecord& group : records_.groups) {
      if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == paradigm) return &group;
    }
    return nullptr;
  }

  /// World ranks of a group's members, in group order.
  std::vector<std::uint32_t> members(const GroupRecord& group) {
    std::vector<std::uint32_t> ranks;
    const GroupRecord* all = nullptr;
    if (group.type == OTF2_GROUP_TYPE_COMM_GROUP) {
      all = all_of(group.paradigm);
      if (all == nullptr) count_bad_member();
    }
    for (const std::uint64_t member : group.members) {
      std::uint64_t location = member;
      if (all != nullptr) {
        if (member >= all->members.size()) {
          count_bad_member();
          continue;
        }
        location = all->members[member];
      }
      const auto rank = rank_of_location_.find(location);
      if (rank == rank_of_location_.end())
        count_bad_member();
      else
        ranks.push_back(rank->second);
    }
    return ranks;
  }

  void count_bad_member() {
    out_.quality.add("undefined-group-member", Severity::warning, "", 1,
                     "members of groups are no known processes; they are left out",
                     "the archive is damaged or incomplete: use a copy or record again");
  }

  /// Of groups with one number the one that a communicator can mean comes first (EZTrace numbers the list of all
  /// locations like the world's group).
  static int preference(OTF2_GroupType type) {
    switch (type) {
      case OTF2_GROUP_TYPE_COMM_GROUP:
        return 4;
      case OTF2_GROUP_TYPE_COMM_SELF:
        return 3;
      case OTF2_GROUP_TYPE_COMM_LOCATIONS:
        return 2;
      case OTF2_GROUP_TYPE_LOCATIONS:
        return 1;
      default:
        return 0;
    }
  }

  /// Groups of processes, by ascending number, so that the order of definitions does not show.
  void resolve_groups() {
    for (const GroupRecord& group : records_.groups) {
      const auto [chosen, is_new] = groups_.emplace(group.ref, &group);
      if (!is_new && preference(group.type) > preference(chosen->second->type)) chosen->second = &group;
    }
    std::map<OTF2_GroupRef, const GroupRecord*> ordered(groups_.begin(), groups_.end());
    for (const auto& [ref, group] : ordered) {
      if (preference(group->type) == 0 || group->type == OTF2_GROUP_TYPE_COMM_SELF || has_threads(group->paradigm))
        continue;
      out_.groups.set(ref, static_cast<std::uint32_t>(out_.trace.groups.size()));
      out_.trace.groups.push_back({members(*group)});
    }
  }

  std::vector<std::uint32_t> ranks(OTF2_GroupRef ref) const {
    const std::uint32_t index = out_.groups[ref];
    return index == no_id ? std::vector<std::uint32_t>{} : out_.trace.groups[index].members;
  }

  /// Communicators and windows. Teams of threads are no communicators; those that only show one-sided transfers as
  /// messages (docs/formats/otf2.md) are left out.
  void resolve_communicators() {
    std::vector<OTF2_CommRef> parents;
    for (const auto& [ref, c] : records_.comms) {
      out_.comm_names.set(ref, string(c.name));
      const auto group = groups_.find(c.group);
      if (group != groups_.end() && has_threads(group->second->paradigm)) continue;  // a team
      if (shows_transfers_ && text(c.name).rfind("mora:transfers ", 0) == 0) {
        out_.transfer_comms.set(ref, 0);
        continue;
      }
      Communicator comm;
      comm.name = text(c.name);
      comm.self = group != groups_.end() && group->second->type == OTF2_GROUP_TYPE_COMM_SELF;
      comm.members = ranks(c.group);
      if (c.remote != OTF2_UNDEFINED_GROUP) comm.remote_members = ranks(c.remote);
      if (group == groups_.end()) count_undefined();
      out_.communicators.set(ref, static_cast<std::uint32_t>(out_.trace.communicators.size()));
      out_.trace.communicators.push_back(std::move(comm));
      parents.push_back(c.parent);
    }
    auto& comms = out_.trace.communicators;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      if (parents[i] != OTF2_UNDEFINED_COMM) comms[i].parent = out_.communicators[parents[i]];
    }
    // Circles are cut where they close.
    std::vector<std::uint32_t> walk(comms.size(), no_id);
    for (CommId start = 0; start < comms.size(); ++start) {
      CommId at = start;
      while (at != no_id && walk[at] == no_id) {
        walk[at] = start;
        const CommId next = comms[at].parent;
        if (next != no_id && walk[next] == start) {
          comms[at].parent = no_id;
          out_.quality.add("circular-definition", Severity::warning, "definitions", 1,
                           "communicators are their own ancestors; they are taken to have no parent",
                           "the archive is damaged: use a copy or record again");
          break;
        }
        at = next;
      }
    }
    for (const auto& [ref, window] : records_.windows) {
      out_.windows.set(ref, static_cast<std::uint32_t>(out_.trace.windows.size()));
      out_.trace.windows.push_back({text(window.name), out_.communicators[window.comm]});
      out_.window_names.push_back(string(window.name));
    }
    for (const LocationPropertyRecord& property : records_.location_properties) {
      const auto rank = rank_of_location_.find(property.location);
      if (rank != rank_of_location_.end() && text(property.name) == archive::window_bases_property)
        add_window_bases(rank->second, text(property.value));
    }
    for (Window& window : out_.trace.windows) std::sort(window.bases.begin(), window.bases.end());
  }

  /// "WINDOW@ADDRESS WINDOW@ADDRESS ...", windows by their references. What does not fit is left out.
  void add_window_bases(std::uint32_t rank, std::string_view list) {
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at < end) {
      std::uint32_t ref = 0;
      std::uint64_t address = 0;
      auto read = std::from_chars(at, end, ref);
      if (read.ec != std::errc{} || read.ptr == end || *read.ptr != '@') return;
      read = std::from_chars(read.ptr + 1, end, address);
      if (read.ec != std::errc{}) return;
      if (const std::uint32_t window = out_.windows[ref]; window != no_id)
        out_.trace.windows[window].bases.emplace_back(rank, address);
      at = read.ptr;
      while (at < end && *at == ' ') ++at;
    }
  }

  /// Metric classes and instances are sets of members; numeric parameters are metrics, string parameters user events.
  void resolve_metrics() {
    RefTable members;
    for (const auto& [ref, member] : records_.metric_members) {
      members.set(ref, static_cast<std::uint32_t>(out_.trace.metrics.size()));
      const bool is_difference = (member.mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_RELATIVE;
      const bool is_count = (member.mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED;
      out_.trace.metrics.push_back({text(member.name), text(member.unit), is_difference, is_count});
    }
    for (const auto& [ref, list] : records_.metric_classes) {
      std::vector<std::uint32_t> set;
      for (const OTF2_MetricMemberRef member : list) {
        set.push_back(members[member]);
        if (set.back() == no_id) count_undefined();
      }
      out_.metrics.set(ref, static_cast<std::uint32_t>(out_.metric_sets.size()));
      out_.metric_sets.push_back(std::move(set));
    }
    for (const auto& [ref, of] : records_.metric_instances) {
      const bool taken = records_.metric_classes.find(ref) != nullptr;
      if (records_.metric_classes.find(of) == nullptr || taken)
        count_undefined();
      else
        out_.metrics.set(ref, out_.metrics[of]);
    }
    bool texts = false;
    for (const auto& [ref, parameter] : records_.parameters) {
      if (parameter.type == OTF2_PARAMETER_TYPE_STRING) {
        texts = true;
        out_.text_parameters.set(ref, static_cast<std::uint32_t>(out_.trace.user_types.size()));
        out_.trace.user_types.push_back(text(parameter.name));
      } else {
        out_.number_parameters.set(ref, static_cast<std::uint32_t>(out_.trace.metrics.size()));
        out_.trace.metrics.push_back({text(parameter.name), ""});
      }
    }
    if (!texts) return;
    for (const auto& [ref, content] : records_.strings) string(ref);  // any may be a parameter's value
  }

  /// Files, and for each the communicator that opened it, if that is the same for all its handles.
  void resolve_files() {
    const auto add = [&](OTF2_StringRef name) {
      out_.trace.files.push_back(text(name));
      out_.file_names.push_back(string(name));
      return static_cast<std::uint32_t>(out_.trace.files.size() - 1);
    };
    for (const auto& [ref, name] : records_.files) out_.files.set(ref, add(name));
    std::set<std::uint32_t> ambiguous;
    for (const auto& [ref, handle] : records_.handles) {
      const std::uint32_t file = out_.files[handle.file];
      out_.handles.set(ref, file != no_id ? file : add(handle.name));
      if (handle.comm != OTF2_UNDEFINED_COMM) {
        if (const CommId comm = out_.communicators[handle.comm]; comm != no_id) out_.handle_comms.set(ref, comm);
      }
      if (handle.comm == OTF2_UNDEFINED_COMM) continue;
      // Handles of one file on several communicators: which one an operation means is not known.
      auto& comms = out_.trace.file_comms;
      comms.resize(out_.trace.files.size(), no_id);
      const CommId comm = out_.communicators[handle.comm];
      CommId& known = comms[out_.handles[ref]];
      if (known == no_id && !ambiguous.contains(out_.handles[ref])) {
        known = comm;
      } else if (known != comm) {
        known = no_id;
        ambiguous.insert(out_.handles[ref]);
      }
    }
  }

  void resolve_attributes() {
    for (const auto& [ref, name] : records_.attributes) {
      const std::string& known = text(name);
      if (known == "mora:rma_end") out_.rma_end = ref;
      if (known == "mora:assert") out_.assertion = ref;
      if (known == "mora:recvd") out_.received = ref;
      if (known == "mora:vector") out_.vector = ref;
      if (known == "mora:neighborhood") out_.neighborhood = ref;
      if (known == "mora:target_offset") out_.target_offset = ref;
      if (known == "mora:target_extent") out_.target_extent = ref;
      if (known == "mora:reduction") out_.reduction = ref;
      if (known == "mora:argument") out_.argument = ref;
      if (known == "mora:transfer") shows_transfers_ = true;
    }
  }

  DefinitionRecords records_;
  ArchiveDefinitions out_;
  bool shows_transfers_ = false;
  std::unordered_map<OTF2_GroupRef, const GroupRecord*> groups_;  ///< by number
  std::unordered_map<std::uint64_t, std::uint32_t> rank_of_location_;
};

}  // namespace

ArchiveDefinitions resolve(DefinitionRecords records) { return Resolver(std::move(records)).run(); }

namespace {

/// Property MORA::CLOCK_ORIGIN of archives that Mora made of other traces; 0 if there is none.
Nanoseconds clock_origin(OTF2_Reader* reader) {
  std::uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) return 0;
  const std::string wanted = "MORA::CLOCK_ORIGIN";
  const bool is_there = std::find(names, names + count, wanted) != names + count;
  std::free(names);
  char* value = nullptr;
  if (!is_there || OTF2_Reader_GetProperty(reader, wanted.c_str(), &value) != OTF2_SUCCESS || value == nullptr)
    return 0;
  Nanoseconds origin = 0;
  std::from_chars(value, value + std::strlen(value), origin);
  std::free(value);
  return origin;
}

}  // namespace

Result<ArchiveDefinitions> read_definitions(OTF2_Reader* reader, const std::string& path) {
  const auto damaged = [&](const char* why) {
    return fail(ErrorKind::unreadable, "cannot read the trace's definitions", path, why,
                "the archive is damaged or incomplete: NAME.otf2, NAME.def and the directory NAME/ belong together; "
                "copy them again, or record again");
  };
  const std::string file = std::filesystem::path(path).replace_extension(".def").string();
  if (file_end(reader, file, FileKind::definitions).is_cut) return damaged("the file of definitions is cut off");
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  if (definitions == nullptr || callbacks == nullptr) {
    if (callbacks) OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return damaged("libotf2 cannot open the global definitions (traces.def)");
  }
  DefinitionRecords records;
  DefinitionRecords::register_callbacks(callbacks);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &records);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS) return damaged(OTF2_Error_GetDescription(code));
  std::uint64_t declared = 0;
  if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &declared) == OTF2_SUCCESS && declared != read)
    return damaged("definitions are missing");
  const std::size_t locations = records.locations.size();
  ArchiveDefinitions out = resolve(std::move(records));
  out.trace.time_origin = saturated_sum(out.trace.time_origin, clock_origin(reader));
  if (out.trace.locations.empty())
    return damaged(locations == 0 ? "it defines no location" : "it has no location that belongs to a process");
  if (!out.has_clock)
    out.quality.add("no-clock-properties", Severity::warning, "", 1,
                    "the archive does not say how fast its clock runs; nanoseconds are assumed",
                    "use an archive that was closed properly");
  return out;
}

}  // namespace mora::trace::otf2
