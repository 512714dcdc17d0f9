// The global definitions of an exported archive (docs/formats/otf2.md, "Definitions").
#include <otf2/otf2.h>

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "archive/archive_writer.h"
#include "archive/attributes.h"
#include "archive/mpi_meaning.h"
#include "export/otf2/archive_file.h"
#include "trace/mpi_function.h"

namespace mora::exports {
namespace {

class Writer {
 public:
  Writer(OTF2_GlobalDefWriter* writer, const ArchivePlan& plan, const std::vector<std::uint64_t>& counts,
         const ArchiveFacts& facts)
      : w_(writer), plan_(plan), d_(plan.definitions), counts_(counts), facts_(facts) {}

  OTF2_ErrorCode run() {
    note(OTF2_GlobalDefWriter_WriteClockProperties(w_, 1'000'000'000, 0, facts_.duration + 1, facts_.realtime_ns));
    define("");
    define(d_.program);
    for (const std::string& text : d_.strings) define(text);
    text_.emplace("", ArchivePlan::empty_string);
    paradigm_and_attributes();
    places();
    regions();
    communicators();
    region_groups(ArchivePlan::first_group + static_cast<OTF2_GroupRef>(plan_.groups.size()));
    rest();
    return status_;
  }

 private:
  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_ == OTF2_SUCCESS) status_ = code;
  }
  void define(const std::string& text) { note(OTF2_GlobalDefWriter_WriteString(w_, next_++, text.c_str())); }
  OTF2_StringRef text(const std::string& s) {
    const auto [at, first] = text_.try_emplace(s, next_);
    if (first) define(s);
    return at->second;
  }

  void paradigm_and_attributes() {
    OTF2_AttributeValue value;
    note(OTF2_GlobalDefWriter_WriteParadigm(w_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    value.stringRef = text("Communicator ${id}");
    note(OTF2_GlobalDefWriter_WriteParadigmProperty(w_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                                                    OTF2_TYPE_STRING, value));
    value.stringRef = text("Window ${id}");
    note(OTF2_GlobalDefWriter_WriteParadigmProperty(w_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE,
                                                    OTF2_TYPE_STRING, value));
    value.uint8 = 0;
    note(OTF2_GlobalDefWriter_WriteParadigmProperty(w_, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_ONLY,
                                                    OTF2_TYPE_UINT8, value));
    const auto attribute = [&](OTF2_AttributeRef ref, const char* name, const char* what, OTF2_Type type) {
      note(OTF2_GlobalDefWriter_WriteAttribute(w_, ref, text(name), text(what), type));
    };
    for (const auto& a : archive::attribute_definitions) attribute(a.reference, a.name, a.description, a.type);
    attribute(attribute_transfer, "mora:transfer", "this message shows a one-sided transfer: 1 put, 2 get, 3 request",
              OTF2_TYPE_UINT32);
  }

  void places() {
    note(OTF2_GlobalDefWriter_WriteSystemTreeNode(w_, 0, text("machine"), text("machine"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w_, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    auto nodes = d_.nodes;
    if (nodes.empty()) nodes.push_back({"node0"});
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      note(OTF2_GlobalDefWriter_WriteSystemTreeNode(w_, n + 1, text(nodes[n].name), text("node"), 0));
      note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w_, n + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    // Ranks without a location are defined with one that has no events, so that group members are places in one list.
    std::vector<std::uint32_t> node(plan_.world_size, 0);
    std::vector<bool> present(plan_.world_size, false);
    for (const trace::Location& l : d_.locations) {
      if (l.node < nodes.size()) node[l.rank] = l.node;
      if (l.thread == 0) present[l.rank] = true;
    }
    for (std::uint32_t rank = 0; rank < plan_.world_size; ++rank) {
      note(OTF2_GlobalDefWriter_WriteLocationGroup(w_, rank, text(fmt::format("MPI Rank {}", rank)),
                                                   OTF2_LOCATION_GROUP_TYPE_PROCESS, node[rank] + 1,
                                                   OTF2_UNDEFINED_LOCATION_GROUP));
      if (!present[rank])
        note(OTF2_GlobalDefWriter_WriteLocation(w_, rank, text("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                                                rank));
    }
    for (trace::LocationId id = 0; id < d_.locations.size(); ++id) {
      const trace::Location& l = d_.locations[id];
      const OTF2_LocationType type = l.kind == trace::LocationKind::device   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                     : l.kind == trace::LocationKind::metric ? OTF2_LOCATION_TYPE_METRIC
                                                                             : OTF2_LOCATION_TYPE_CPU_THREAD;
      const bool default_name = l.name.empty() || l.name == fmt::format("rank {}", l.rank);
      note(OTF2_GlobalDefWriter_WriteLocation(w_, plan_.location(id), text(default_name ? "Master thread" : l.name),
                                              type, id < counts_.size() ? counts_[id] : 0, l.rank));
    }
  }

  void regions() {
    for (OTF2_RegionRef ref = 0; ref < plan_.regions.size(); ++ref) {
      const trace::Region& r = d_.regions[plan_.regions[ref]];
      const auto name = text(r.name);
      const bool plain = plan_.plain && r.role != trace::RegionRole::interval;
      const std::string file = plain ? std::string() : r.call_site_file;
      const std::uint32_t line = plain ? 0 : r.call_site_line;
      if (r.kind == trace::RegionKind::mpi) {
        note(OTF2_GlobalDefWriter_WriteRegion(w_, ref, name, name, text(file),
                                              archive::region_role(trace::function_of(r)), OTF2_PARADIGM_MPI,
                                              OTF2_REGION_FLAG_NONE, text("MPI"), line, 0));
      } else if (r.role == trace::RegionRole::interval) {
        note(OTF2_GlobalDefWriter_WriteRegion(w_, ref, name, name, text(archive::mark_description(r.replication)),
                                              OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                              text(file), line, 0));
      } else {
        note(OTF2_GlobalDefWriter_WriteRegion(
            w_, ref, name, name, ArchivePlan::empty_string,
            plan_.team_regions[ref] ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_FUNCTION,
            plan_.team_regions[ref] ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, text(file),
            line, 0));
      }
    }
  }

  /// Groups of regions, where they are not what the paradigm says: VAMPIR's activities; also "none"
  /// (docs/formats/otf2.md).
  void region_groups(OTF2_GroupRef next) {
    std::map<std::string, std::vector<std::uint64_t>> groups;
    for (OTF2_RegionRef ref = 0; ref < plan_.regions.size(); ++ref) {
      const trace::Region& r = d_.regions[plan_.regions[ref]];
      const char* usual = r.kind == trace::RegionKind::mpi ? "MPI" : plan_.team_regions[ref] ? "OPENMP" : "USER";
      if (r.group != usual) groups[r.group].push_back(ref);
    }
    for (const auto& [name, members] : groups)
      note(OTF2_GlobalDefWriter_WriteGroup(w_, next++, text(name), OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN,
                                           OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                           members.data()));
  }

  void communicators() {
    std::vector<std::uint64_t> members(plan_.world_size);
    for (std::uint32_t rank = 0; rank < plan_.world_size; ++rank) members[rank] = rank;
    const auto group = [&](OTF2_GroupRef ref, OTF2_GroupType type) {
      note(OTF2_GlobalDefWriter_WriteGroup(w_, ref, ArchivePlan::empty_string, type, OTF2_PARADIGM_MPI,
                                           OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(members.size()),
                                           members.data()));
    };
    group(ArchivePlan::locations_group, OTF2_GROUP_TYPE_COMM_LOCATIONS);
    members.clear();
    group(ArchivePlan::self_group, OTF2_GROUP_TYPE_COMM_SELF);
    for (std::uint32_t g = 0; g < plan_.groups.size(); ++g) {
      members.assign(plan_.groups[g].begin(), plan_.groups[g].end());
      group(ArchivePlan::first_group + g, OTF2_GROUP_TYPE_COMM_GROUP);
    }
    const auto ref = [](std::uint32_t g) {
      return g == trace::no_id ? ArchivePlan::self_group : g + ArchivePlan::first_group;
    };
    for (trace::CommId c = 0; c < d_.communicators.size(); ++c) {
      const trace::Communicator& comm = d_.communicators[c];
      const OTF2_CommRef parent = comm.parent < d_.communicators.size() ? comm.parent : OTF2_UNDEFINED_COMM;
      if (plan_.remote_groups[c] != trace::no_id)
        note(OTF2_GlobalDefWriter_WriteInterComm(w_, c, text(comm.name), ref(plan_.comm_groups[c]),
                                                 ref(plan_.remote_groups[c]), parent, OTF2_COMM_FLAG_NONE));
      else
        note(OTF2_GlobalDefWriter_WriteComm(w_, c, text(comm.name), ref(plan_.comm_groups[c]), parent,
                                            OTF2_COMM_FLAG_NONE));
    }
    if (plan_.needs_world)
      note(OTF2_GlobalDefWriter_WriteComm(w_, plan_.world_instead(), text("WORLD"), ref(plan_.world_group),
                                          OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (trace::WindowId n = 0; n < d_.windows.size(); ++n) {
      const trace::CommId comm = d_.windows[n].comm;
      const bool known = comm < d_.communicators.size();
      note(OTF2_GlobalDefWriter_WriteRmaWin(w_, n, text(d_.windows[n].name), known ? comm : OTF2_UNDEFINED_COMM,
                                            OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
      if (facts_.transfer_messages && known)
        note(OTF2_GlobalDefWriter_WriteComm(w_, plan_.transfers_on(n), text("mora:transfers " + d_.windows[n].name),
                                            ref(plan_.comm_groups[comm]), comm, OTF2_COMM_FLAG_NONE));
    }
  }

  void rest() {
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      note(OTF2_GlobalDefWriter_WriteMetricMember(w_, m, text(d_.metrics[m].name), ArchivePlan::empty_string,
                                                  OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE,
                                                  OTF2_BASE_DECIMAL, 0, text(d_.metrics[m].unit)));
      note(OTF2_GlobalDefWriter_WriteMetricClass(w_, m, 1, &m, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    }
    if (!d_.files.empty())
      note(OTF2_GlobalDefWriter_WriteIoParadigm(w_, 0, text("POSIX"), text("POSIX I/O"), OTF2_IO_PARADIGM_CLASS_SERIAL,
                                                OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr));
    for (std::uint32_t f = 0; f < d_.files.size(); ++f) {
      note(OTF2_GlobalDefWriter_WriteIoRegularFile(w_, f, text(d_.files[f]), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
      note(OTF2_GlobalDefWriter_WriteIoHandle(w_, f, text(d_.files[f]), f, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                              OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
    }
    for (std::uint32_t u = 0; u < d_.user_types.size(); ++u)
      note(OTF2_GlobalDefWriter_WriteParameter(w_, u, text(d_.user_types[u]), OTF2_PARAMETER_TYPE_STRING));
  }

  OTF2_GlobalDefWriter* w_;
  const ArchivePlan& plan_;
  const trace::Definitions& d_;
  const std::vector<std::uint64_t>& counts_;
  const ArchiveFacts& facts_;
  OTF2_StringRef next_ = 0;
  std::unordered_map<std::string, OTF2_StringRef> text_;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

}  // namespace

OTF2_ErrorCode write_definitions(OTF2_GlobalDefWriter* writer, const ArchivePlan& plan,
                                 const std::vector<std::uint64_t>& counts, const ArchiveFacts& facts) {
  return Writer(writer, plan, counts, facts).run();
}

}  // namespace mora::exports
