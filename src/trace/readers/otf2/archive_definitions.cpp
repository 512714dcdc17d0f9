#include "trace/readers/otf2/archive_definitions.h"

#include <algorithm>
#include <map>
#include <set>

#include "trace/mpi_function.h"

namespace mora::trace::otf2 {

void RefTable::set(std::uint64_t ref, std::uint32_t index) {
  constexpr std::uint64_t dense_limit = 1 << 20;
  if (ref >= dense_limit) {
    sparse_[ref] = index;
    return;
  }
  if (ref >= dense_.size()) dense_.resize(ref + 1, no_id);
  dense_[ref] = index;
}

namespace {

struct RawLocation {
  std::uint64_t ref;
  OTF2_StringRef name;
  OTF2_LocationType type;
  std::uint64_t events;
  OTF2_LocationGroupRef group;
};

struct RawRegion {
  OTF2_RegionRef ref;
  OTF2_StringRef name, description, file;
  std::uint32_t line;
};

struct RawGroup {
  OTF2_GroupType type;
  OTF2_Paradigm paradigm;
  std::vector<std::uint64_t> members;
};

struct RawComm {
  OTF2_CommRef ref;
  OTF2_StringRef name;
  OTF2_GroupRef group, remote;
  OTF2_CommRef parent;
};

struct RawTreeNode {
  OTF2_StringRef name, kind;
  OTF2_SystemTreeNodeRef parent;
};

struct RawProcess {
  OTF2_LocationGroupType type;
  OTF2_SystemTreeNodeRef node;
};

/// All definitions as they come; references are resolved when the last one was read, since their order is free.
struct Raw {
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::vector<RawLocation> locations;
  std::vector<RawRegion> regions;
  std::map<OTF2_GroupRef, RawGroup> groups;
  std::vector<RawComm> comms;
  std::vector<std::pair<OTF2_RmaWinRef, std::pair<OTF2_StringRef, OTF2_CommRef>>> windows;
  std::unordered_map<OTF2_SystemTreeNodeRef, RawTreeNode> nodes;
  std::unordered_map<OTF2_LocationGroupRef, RawProcess> processes;
  std::vector<std::pair<OTF2_AttributeRef, OTF2_StringRef>> attributes;
  std::uint64_t resolution = 0, origin = 0, length = 0;
  bool has_clock = false;
};

Raw& raw(void* user) { return *static_cast<Raw*>(user); }
constexpr auto success = OTF2_CALLBACK_SUCCESS;

OTF2_CallbackCode on_clock(void* u, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                           std::uint64_t) {
  raw(u).resolution = resolution;
  raw(u).origin = offset;
  raw(u).length = length;
  raw(u).has_clock = resolution > 0;
  return success;
}
OTF2_CallbackCode on_string(void* u, OTF2_StringRef self, const char* text) {
  raw(u).strings[self] = text ? text : "";
  return success;
}
OTF2_CallbackCode on_attribute(void* u, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_Type) {
  raw(u).attributes.push_back({self, name});
  return success;
}
OTF2_CallbackCode on_tree_node(void* u, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef kind,
                               OTF2_SystemTreeNodeRef parent) {
  raw(u).nodes[self] = {name, kind, parent};
  return success;
}
OTF2_CallbackCode on_process(void* u, OTF2_LocationGroupRef self, OTF2_StringRef, OTF2_LocationGroupType type,
                             OTF2_SystemTreeNodeRef parent, OTF2_LocationGroupRef) {
  raw(u).processes[self] = {type, parent};
  return success;
}
OTF2_CallbackCode on_location(void* u, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                              std::uint64_t events, OTF2_LocationGroupRef group) {
  raw(u).locations.push_back({self, name, type, events, group});
  return success;
}
OTF2_CallbackCode on_region(void* u, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef description, OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag,
                            OTF2_StringRef file, std::uint32_t begin, std::uint32_t) {
  raw(u).regions.push_back({self, name, description, file, begin});
  return success;
}
OTF2_CallbackCode on_group(void* u, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           OTF2_GroupFlag, std::uint32_t n, const std::uint64_t* members) {
  RawGroup group{type, paradigm, {}};
  if (members != nullptr) group.members.assign(members, members + n);
  raw(u).groups[self] = std::move(group);
  return success;
}
OTF2_CallbackCode on_comm(void* u, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group, OTF2_CommRef parent,
                          OTF2_CommFlag) {
  raw(u).comms.push_back({self, name, group, OTF2_UNDEFINED_GROUP, parent});
  return success;
}
OTF2_CallbackCode on_inter_comm(void* u, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,
                                OTF2_CommRef parent, OTF2_CommFlag) {
  raw(u).comms.push_back({self, name, a, b, parent});
  return success;
}
OTF2_CallbackCode on_window(void* u, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm, OTF2_RmaWinFlag) {
  raw(u).windows.push_back({self, {name, comm}});
  return success;
}

/// Turns Raw into ArchiveDefinitions.
class Resolver {
 public:
  explicit Resolver(Raw& r) : raw_(r) {}

  ArchiveDefinitions run() {
    out_.has_clock = raw_.has_clock;
    if (raw_.has_clock) {
      out_.resolution = raw_.resolution;
      out_.origin = raw_.origin;
      out_.length = raw_.length;
    }
    out_.trace.program = "program";
    resolve_locations();
    resolve_regions();
    resolve_groups();
    resolve_attributes();
    out_.trace.index_ranks();
    out_.strings = std::move(raw_.strings);
    return std::move(out_);
  }

 private:
  const std::string& text(OTF2_StringRef ref) const {
    static const std::string empty;
    const auto found = raw_.strings.find(ref);
    return found == raw_.strings.end() ? empty : found->second;
  }

  /// The host above a process: nearest tree node of class "node", else its direct parent.
  std::string host(OTF2_SystemTreeNodeRef ref) const {
    const auto direct = raw_.nodes.find(ref);
    if (direct == raw_.nodes.end()) return "unknown";
    auto at = direct;
    for (int depth = 0; depth < 64 && at != raw_.nodes.end(); ++depth) {
      if (text(at->second.kind) == "node") return text(at->second.name);
      at = raw_.nodes.find(at->second.parent);
    }
    return text(direct->second.name);
  }

  void resolve_locations() {
    // Rank = place in the group of all MPI locations; without one, order of the process's reference.
    std::map<OTF2_LocationGroupRef, std::uint32_t> rank_of_process;
    std::unordered_map<std::uint64_t, OTF2_LocationGroupRef> process_of;
    for (const RawLocation& l : raw_.locations) process_of[l.ref] = l.group;
    for (const auto& [ref, group] : raw_.groups) {
      if (group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS || group.paradigm != OTF2_PARADIGM_MPI) continue;
      for (std::uint32_t rank = 0; rank < group.members.size(); ++rank) {
        const auto process = process_of.find(group.members[rank]);
        if (process != process_of.end()) rank_of_process.emplace(process->second, rank);
        masters_.insert(group.members[rank]);
      }
      out_.trace.world_size = std::max(out_.trace.world_size, static_cast<std::uint32_t>(group.members.size()));
    }
    const bool has_ranks = !rank_of_process.empty();
    std::map<OTF2_LocationGroupRef, bool> is_process;
    for (const RawLocation& l : raw_.locations) {
      const auto process = raw_.processes.find(l.group);
      is_process[l.group] = process != raw_.processes.end() && process->second.type == OTF2_LOCATION_GROUP_TYPE_PROCESS;
    }
    if (!has_ranks) {
      for (const auto& [group, good] : is_process) {
        if (good) rank_of_process.emplace(group, static_cast<std::uint32_t>(rank_of_process.size()));
      }
    }
    std::vector<const RawLocation*> kept;
    for (const RawLocation& l : raw_.locations) {
      if (l.type == OTF2_LOCATION_TYPE_CPU_THREAD && is_process[l.group] && rank_of_process.count(l.group) != 0) {
        kept.push_back(&l);
      } else {
        out_.quality.add(
            "skipped-location", Severity::info, "", 1,
            "locations that are no threads of MPI processes (devices, metrics, threads without a process) are not read",
            "");
      }
    }
    std::stable_sort(kept.begin(), kept.end(), [&](const RawLocation* a, const RawLocation* b) {
      const auto key = [&](const RawLocation* l) {
        return std::tuple(rank_of_process[l->group], masters_.count(l->ref) == 0, l->ref);
      };
      return key(a) < key(b);
    });
    std::map<std::string, std::uint32_t> nodes;
    for (const RawLocation* l : kept) {
      Location location;
      location.rank = rank_of_process[l->group];
      const bool first = out_.trace.locations.empty() || out_.trace.locations.back().rank != location.rank;
      location.thread = first ? 0 : out_.trace.locations.back().thread + 1;
      location.name =
          "rank " + std::to_string(location.rank) + (first ? "" : " thread " + std::to_string(location.thread));
      location.file_id = l->ref;
      const auto [node, is_new] =
          nodes.emplace(host(raw_.processes[l->group].node), static_cast<std::uint32_t>(nodes.size()));
      if (is_new) out_.trace.nodes.push_back({node->first});
      location.node = node->second;
      out_.trace.locations.push_back(location);
      out_.event_counts.push_back(l->events);
      rank_of_location_[l->ref] = location.rank;
      out_.trace.world_size = std::max(out_.trace.world_size, location.rank + 1);
    }
  }

  void resolve_regions() {
    for (const RawRegion& r : raw_.regions) {
      Region region;
      region.name = text(r.name);
      const MpiFunction function = mpi_function(region.name);
      region.function = static_cast<std::uint16_t>(function);
      region.kind = function == MpiFunction::none ? RegionKind::user : RegionKind::mpi;
      region.call_site_line = r.line == OTF2_UNDEFINED_UINT32 ? 0 : r.line;
      if (region.kind == RegionKind::user) {
        region.call_site_file = text(r.file);
      } else {
        const std::string& site = text(r.description);  // docs/formats/otf2.md
        if (region.call_site_line != 0 || site.find("+0x") != std::string::npos) region.call_site_file = site;
      }
      out_.regions.set(r.ref, static_cast<std::uint32_t>(out_.trace.regions.size()));
      out_.trace.regions.push_back(std::move(region));
    }
    out_.unknown_region = static_cast<RegionId>(out_.trace.regions.size());
    Region unknown;
    unknown.name = "(undefined region)";
    out_.trace.regions.push_back(unknown);
  }

  /// World ranks of a group's members, in group order. Members of communicator groups are places in their
  /// paradigm's group of all locations.
  std::vector<std::uint32_t> members(const RawGroup& group) {
    std::vector<std::uint32_t> ranks;
    const RawGroup* all = nullptr;
    if (group.type == OTF2_GROUP_TYPE_COMM_GROUP) {
      for (const auto& [ref, g] : raw_.groups) {
        if (g.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && g.paradigm == group.paradigm) all = &g;
      }
      if (all == nullptr) count_bad_group();
    }
    for (const std::uint64_t member : group.members) {
      std::uint64_t location = member;
      if (all != nullptr) {
        if (member >= all->members.size()) {
          count_bad_group();
          continue;
        }
        location = all->members[member];
      }
      const auto rank = rank_of_location_.find(location);
      if (rank == rank_of_location_.end())
        count_bad_group();
      else
        ranks.push_back(rank->second);
    }
    return ranks;
  }

  void count_bad_group() {
    out_.quality.add("undefined-group-member", Severity::warning, "", 1,
                     "members of groups are no known processes; they are left out",
                     "the archive is damaged or incomplete");
  }

  void resolve_groups() {
    std::map<OTF2_GroupRef, std::vector<std::uint32_t>> ranks;
    for (const auto& [ref, group] : raw_.groups) {
      if (group.type != OTF2_GROUP_TYPE_COMM_GROUP && group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS) continue;
      ranks[ref] = members(group);
      out_.groups.set(ref, static_cast<std::uint32_t>(out_.trace.groups.size()));
      out_.trace.groups.push_back({ranks[ref]});
    }
    for (const RawComm& c : raw_.comms) {
      Communicator comm;
      comm.name = text(c.name);
      const auto group = raw_.groups.find(c.group);
      comm.self = group != raw_.groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF;
      comm.members = ranks[c.group];
      if (c.remote != OTF2_UNDEFINED_GROUP) comm.remote_members = ranks[c.remote];
      if (group == raw_.groups.end())
        out_.quality.add("undefined-reference", Severity::warning, "definitions", 1,
                         "references to things that are not defined; what uses them is left out",
                         "the archive is damaged or incomplete");
      out_.communicators.set(c.ref, static_cast<std::uint32_t>(out_.trace.communicators.size()));
      out_.trace.communicators.push_back(std::move(comm));
    }
    for (std::size_t i = 0; i < raw_.comms.size(); ++i) {
      if (raw_.comms[i].parent != OTF2_UNDEFINED_COMM)
        out_.trace.communicators[i].parent = out_.communicators[raw_.comms[i].parent];
    }
    for (const auto& [ref, what] : raw_.windows) {
      out_.windows.set(ref, static_cast<std::uint32_t>(out_.trace.windows.size()));
      out_.trace.windows.push_back({text(what.first), out_.communicators[what.second]});
    }
  }

  void resolve_attributes() {
    for (const auto& [ref, name] : raw_.attributes) {
      const std::string& known = text(name);
      if (known == "mora:rma_end") out_.rma_end = ref;
      if (known == "mora:assert") out_.assertion = ref;
      if (known == "mora:recvd") out_.received = ref;
      if (known == "mora:vector") out_.vector = ref;
    }
  }

  Raw& raw_;
  ArchiveDefinitions out_;
  std::set<std::uint64_t> masters_;
  std::unordered_map<std::uint64_t, std::uint32_t> rank_of_location_;
};

}  // namespace

Result<ArchiveDefinitions> read_definitions(OTF2_Reader* reader, const std::string& path) {
  const auto damaged = [&](const char* why) {
    return fail(ErrorKind::unreadable, "cannot read the trace's definitions", path, why,
                "the archive is damaged or incomplete; record again or use a copy");
  };
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  if (definitions == nullptr || callbacks == nullptr) {
    if (callbacks) OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return damaged("libotf2 cannot open the global definitions (traces.def)");
  }
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_tree_node);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_process);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_comm);
  OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
  Raw collected;
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &collected);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code != OTF2_SUCCESS) return damaged(OTF2_Error_GetDescription(code));
  std::uint64_t declared = 0;
  if (OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &declared) == OTF2_SUCCESS && declared != read) {
    collected.attributes.clear();
    return damaged("definitions are missing");
  }
  ArchiveDefinitions out = Resolver(collected).run();
  if (out.trace.locations.empty()) return damaged("it has no location that belongs to a process");
  if (!out.has_clock)
    out.quality.add("no-clock-properties", Severity::warning, "", 1,
                    "the archive does not say how fast its clock runs; nanoseconds are assumed",
                    "use an archive that was closed properly");
  return out;
}

}  // namespace mora::trace::otf2
