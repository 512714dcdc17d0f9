// Strings are defined in the order of their first use, so that equal definitions give equal files.
#include "archive/global_definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "archive/location_writer.h"
#include "archive/mpi_meaning.h"

namespace mora::archive {
namespace {

/// OTF2 has no paradigm of accelerators in general: by the library's name, else the best known one.
OTF2_Paradigm paradigm_of(const Region& region) {
  const std::string_view name = region.function;
  switch (region.model) {
    case Model::openmp:
      return OTF2_PARADIGM_OPENMP;
    case Model::pthread:
      return OTF2_PARADIGM_PTHREAD;
    case Model::shmem:
      return OTF2_PARADIGM_SHMEM;
    case Model::device:
      return name.starts_with("hip")    ? OTF2_PARADIGM_HIP
             : name.starts_with("cl")   ? OTF2_PARADIGM_OPENCL
             : name.starts_with("acc_") ? OTF2_PARADIGM_OPENACC
                                        : OTF2_PARADIGM_CUDA;
    case Model::program:
    case Model::without_work:
      break;
  }
  return OTF2_PARADIGM_USER;
}

class GlobalDefinitionWriter {
 public:
  GlobalDefinitionWriter(OTF2_GlobalDefWriter* writer, const Definitions& definitions,
                         const std::map<std::uint64_t, std::uint64_t>& event_counts)
      : w_(writer), d_(definitions), event_counts_(event_counts) {}

  OTF2_ErrorCode run(const std::string& program, const std::string& machine) {
    note(OTF2_GlobalDefWriter_WriteClockProperties(w_, 1'000'000'000, d_.first_stamp,
                                                   d_.last_stamp - d_.first_stamp + 1, d_.realtime_ns));
    define("");
    define(program);
    for (const auto& text : d_.strings) define(text);
    text_.emplace("", empty_string);
    text_.emplace(program, program_string);
    paradigm();
    attributes();
    places(machine.empty() ? "machine" : machine);
    regions();
    program_region(program);
    call_paths();
    groups();
    communicators();
    grids();
    window_bases();
    region_groups();
    metrics();
    files();
    for (std::uint32_t u = 0; u < d_.user_types.size(); ++u)
      note(OTF2_GlobalDefWriter_WriteParameter(w_, u, text(d_.user_types[u]), OTF2_PARAMETER_TYPE_STRING));
    return status_;
  }

 private:
  void note(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && status_ == OTF2_SUCCESS) status_ = code;
  }
  void define(const std::string& text) { note(OTF2_GlobalDefWriter_WriteString(w_, next_++, text.c_str())); }
  OTF2_StringRef text(const std::string& s) {
    const auto [at, is_new] = text_.try_emplace(s, next_);
    if (is_new) define(s);
    return at->second;
  }

  void paradigm() {
    const auto property = [&](OTF2_ParadigmProperty which, OTF2_Type type, OTF2_AttributeValue value) {
      note(OTF2_GlobalDefWriter_WriteParadigmProperty(w_, OTF2_PARADIGM_MPI, which, type, value));
    };
    OTF2_AttributeValue value;
    note(OTF2_GlobalDefWriter_WriteParadigm(w_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    value.stringRef = text("Communicator ${id}");
    property(OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
    value.stringRef = text("Window ${id}");
    property(OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, OTF2_TYPE_STRING, value);
    value.uint8 = 0;
    property(OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, value);
  }

  void attributes() {
    const auto attribute = [&](const AttributeDefinition& a) {
      note(OTF2_GlobalDefWriter_WriteAttribute(w_, a.reference, text(a.name), text(a.description), a.type));
    };
    for (const auto& a : attribute_definitions) attribute(a);
    if (d_.has_transfer_roles) attribute(transfer_attribute);
  }

  void places(const std::string& machine) {
    const auto node = [&](std::uint32_t number, const std::string& name, const char* kind,
                          OTF2_SystemTreeNodeRef parent, OTF2_SystemTreeDomain domain) {
      note(OTF2_GlobalDefWriter_WriteSystemTreeNode(w_, number, text(name), text(kind), parent));
      note(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w_, number, domain));
    };
    node(0, machine, "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (std::uint32_t n = 0; n < d_.nodes.size(); ++n)
      node(n + 1, d_.nodes[n], "node", 0, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    const auto location = [&](std::uint64_t number, const std::string& name, OTF2_LocationType type,
                              std::uint32_t process) {
      const auto counted = event_counts_.find(number);
      note(OTF2_GlobalDefWriter_WriteLocation(w_, number, text(name), type,
                                              counted == event_counts_.end() ? 0 : counted->second, process));
    };
    for (std::uint32_t rank = 0; rank < d_.processes.size(); ++rank) {
      note(OTF2_GlobalDefWriter_WriteLocationGroup(w_, rank, text(fmt::format("MPI Rank {}", rank)),
                                                   OTF2_LOCATION_GROUP_TYPE_PROCESS, d_.processes[rank].node + 1,
                                                   OTF2_UNDEFINED_LOCATION_GROUP));
      if (d_.processes[rank].has_main_thread) location(rank, "Master thread", OTF2_LOCATION_TYPE_CPU_THREAD, rank);
    }
    for (const Location& l : d_.locations)
      location(l.number, l.name,
               l.kind == LocationKind::device   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
               : l.kind == LocationKind::metric ? OTF2_LOCATION_TYPE_METRIC
                                                : OTF2_LOCATION_TYPE_CPU_THREAD,
               l.process);
  }

  void regions() {
    const auto mpi_file = text("MPI");
    for (std::uint32_t r = 0; r < d_.regions.size(); ++r) {
      const Region& region = d_.regions[r];
      const auto name = text(region.function);
      auto canonical = name;
      const auto write = [&](OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                             OTF2_StringRef file) {
        note(OTF2_GlobalDefWriter_WriteRegion(w_, r, name, canonical, description, role, paradigm,
                                              OTF2_REGION_FLAG_NONE, file, region.line, region.last_line));
      };
      switch (region.kind) {
        case RegionKind::call: {
          const auto id = region.id == mpi::FunctionId::none ? mpi::find(region.function) : region.id;
          if (mpi::find(region.function) != id) canonical = text(std::string(mpi::function(id).name));
          write(text(region.line != 0 ? region.file : region.symbol), region_role(mpi::function(id)), OTF2_PARADIGM_MPI,
                mpi_file);
          break;
        }
        case RegionKind::mark: {
          const auto file = text(region.file);
          write(text(mark_description(region.replication)), OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, file);
          break;
        }
        case RegionKind::user: {
          const bool is_work = region.model != Model::without_work;
          const auto description = is_work ? empty_string : text(without_work_description);
          OTF2_RegionRole role = is_work ? OTF2_REGION_ROLE_FUNCTION : OTF2_REGION_ROLE_ARTIFICIAL;
          if (region.role != OTF2_REGION_ROLE_UNKNOWN) role = region.role;
          write(description, role, paradigm_of(region), text(region.file));
          break;
        }
        case RegionKind::team:
          write(empty_string, OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP, text(region.file));
          break;
      }
    }
  }

  /// Callers are calling contexts, and each call with a path is one more, inside of its caller, with a property.
  void call_paths() {
    for (std::uint32_t p = 0; p < d_.call_places.size(); ++p)
      note(OTF2_GlobalDefWriter_WriteSourceCodeLocation(w_, p, text(d_.call_places[p].file), d_.call_places[p].line));
    const auto context = [&](std::uint32_t number, std::uint32_t region, std::uint32_t parent,
                             std::uint32_t place = no_id) {
      note(OTF2_GlobalDefWriter_WriteCallingContext(w_, number, region,
                                                    place == no_id ? OTF2_UNDEFINED_SOURCE_CODE_LOCATION : place,
                                                    parent == no_id ? OTF2_UNDEFINED_CALLING_CONTEXT : parent));
    };
    for (std::uint32_t c = 0; c < d_.callers.size(); ++c)
      context(c, d_.callers[c].region, d_.callers[c].parent, d_.callers[c].place);
    auto next = static_cast<std::uint32_t>(d_.callers.size());
    for (std::uint32_t r = 0; r < d_.regions.size(); ++r) {
      if (d_.regions[r].caller == no_id) continue;
      context(next, r, d_.regions[r].caller);
      OTF2_AttributeValue value;
      value.uint8 = 1;
      note(OTF2_GlobalDefWriter_WriteCallingContextProperty(w_, next++, text(call_path_property), OTF2_TYPE_UINT8,
                                                            value));
    }
  }

  /// Scalasca 2.6 stops at a ProgramBegin without a region of exactly these properties. No event refers to it.
  void program_region(const std::string& program) {
    note(OTF2_GlobalDefWriter_WriteRegion(w_, static_cast<OTF2_RegionRef>(d_.regions.size()),
                                          text(program.substr(program.rfind('/') + 1)), program_string,
                                          text(program_description), OTF2_REGION_ROLE_ARTIFICIAL,
                                          OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE, empty_string, 0, 0));
  }

  void group(OTF2_GroupRef ref, OTF2_StringRef name, OTF2_GroupType type, OTF2_Paradigm paradigm,
             const std::vector<std::uint64_t>& members) {
    note(OTF2_GlobalDefWriter_WriteGroup(w_, ref, name, type, paradigm, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()));
  }

  void groups() {
    std::vector<std::uint64_t> members;
    for (std::uint64_t rank = 0; rank < d_.processes.size(); ++rank) members.push_back(rank);
    group(locations_group, empty_string, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, members);
    group(self_group, empty_string, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, {});
    for (std::uint32_t g = 0; g < d_.groups.size(); ++g) {
      members.assign(d_.groups[g].begin(), d_.groups[g].end());
      group(g + first_group, empty_string, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, members);
    }
  }

  void communicators() {
    const auto group_of = [](std::uint32_t g) { return g == no_id ? self_group : g + first_group; };
    const auto communicator = [&](OTF2_CommRef ref, const std::string& name, std::uint32_t g, OTF2_CommRef parent) {
      note(OTF2_GlobalDefWriter_WriteComm(w_, ref, text(name), group_of(g), parent, OTF2_COMM_FLAG_NONE));
    };
    const auto count = d_.communicators.size();
    for (std::uint32_t c = 0; c < count; ++c) {
      const Communicator& comm = d_.communicators[c];
      const auto parent = comm.parent == no_id ? OTF2_UNDEFINED_COMM : comm.parent;
      if (comm.remote_group != no_id)
        note(OTF2_GlobalDefWriter_WriteInterComm(w_, c, text(comm.name), group_of(comm.group),
                                                 group_of(comm.remote_group), parent, OTF2_COMM_FLAG_NONE));
      else
        communicator(c, comm.name, comm.group, parent);
    }
    if (d_.world_group != no_id)
      communicator(Definitions::world_instead(count, d_.windows.size()), "WORLD", d_.world_group, OTF2_UNDEFINED_COMM);
    for (std::uint32_t n = 0; n < d_.windows.size(); ++n) {
      const Window& window = d_.windows[n];
      note(OTF2_GlobalDefWriter_WriteRmaWin(w_, n, text(window.name),
                                            window.communicator == no_id ? OTF2_UNDEFINED_COMM : window.communicator,
                                            OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
      if (window.shows_transfers)
        communicator(Definitions::transfers_on(count, n), "mora:transfers " + window.name,
                     d_.communicators[window.communicator].group, window.communicator);
    }
  }

  /// OTF2 names the places by rank in the communicator.
  void grids() {
    OTF2_CartDimensionRef next = 0;
    for (std::uint32_t g = 0; g < d_.grids.size(); ++g) {
      const auto& [comm, grid] = d_.grids[g];
      std::vector<OTF2_CartDimensionRef> dimensions;
      for (const auto& [name, extent, is_periodic] : grid.dimensions) {
        note(OTF2_GlobalDefWriter_WriteCartDimension(w_, next, text(name), extent,
                                                     is_periodic ? OTF2_CART_PERIODIC_TRUE : OTF2_CART_PERIODIC_FALSE));
        dimensions.push_back(next++);
      }
      const auto count = static_cast<std::uint8_t>(dimensions.size());
      note(OTF2_GlobalDefWriter_WriteCartTopology(w_, g, text(grid.name), comm, count, dimensions.data()));
      std::map<std::uint32_t, std::uint32_t> rank_in_comm;
      if (const auto group = d_.communicators[comm].group; group != no_id)
        for (std::uint32_t m = 0; m < d_.groups[group].size(); ++m) rank_in_comm[d_.groups[group][m]] = m;
      for (std::size_t i = 0; i < grid.ranks.size(); ++i) {
        const auto rank = rank_in_comm.find(grid.ranks[i]);
        if (rank != rank_in_comm.end())
          note(OTF2_GlobalDefWriter_WriteCartCoordinate(w_, g, rank->second, count,
                                                        grid.coordinates.data() + i * dimensions.size()));
      }
    }
  }

  /// "WINDOW@ADDRESS ..." of each rank whose windows share memory.
  void window_bases() {
    std::map<std::uint32_t, std::string> of_rank;
    for (std::uint32_t n = 0; n < d_.windows.size(); ++n) {
      for (const auto& [rank, base] : d_.windows[n].bases) {
        std::string& list = of_rank[rank];
        list += fmt::format("{}{}@{}", list.empty() ? "" : " ", n, base);
      }
    }
    for (const auto& [rank, list] : of_rank) {
      if (rank >= d_.processes.size() || !d_.processes[rank].has_main_thread) continue;
      OTF2_AttributeValue value;
      value.stringRef = text(list);
      note(OTF2_GlobalDefWriter_WriteLocationProperty(w_, rank, text(window_bases_property), OTF2_TYPE_STRING, value));
    }
  }

  void region_groups() {
    for (std::uint32_t g = 0; g < d_.region_groups.size(); ++g)
      group(static_cast<OTF2_GroupRef>(d_.groups.size()) + first_group + g, text(d_.region_groups[g].name),
            OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN, d_.region_groups[g].regions);
  }

  void metrics() {
    for (std::uint32_t m = 0; m < d_.metrics.size(); ++m) {
      const auto unit = text(d_.metrics[m].unit);
      const OTF2_MetricMode mode = d_.metrics[m].is_difference ? OTF2_METRIC_RELATIVE_LAST
                                   : d_.metrics[m].is_count    ? OTF2_METRIC_ACCUMULATED_START
                                                               : OTF2_METRIC_ABSOLUTE_POINT;
      const OTF2_Type type = d_.metrics_read_together.empty() ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64;
      note(OTF2_GlobalDefWriter_WriteMetricMember(w_, m, text(d_.metrics[m].name), empty_string, OTF2_METRIC_TYPE_OTHER,
                                                  mode, type, OTF2_BASE_DECIMAL, 0, unit));
    }
    std::vector<std::uint32_t> classes = d_.metrics_read_together;
    if (classes.empty()) classes.assign(d_.metrics.size(), 1);
    std::uint32_t m = 0, number = 0;
    for (const std::uint32_t in_class : classes) {
      std::vector<OTF2_MetricMemberRef> members(in_class);
      std::iota(members.begin(), members.end(), m);
      const bool is_synchronous = !d_.metrics_read_together.empty() && d_.metrics[m].is_count;
      note(OTF2_GlobalDefWriter_WriteMetricClass(w_, number++, static_cast<std::uint8_t>(in_class), members.data(),
                                                 is_synchronous ? OTF2_METRIC_SYNCHRONOUS : OTF2_METRIC_ASYNCHRONOUS,
                                                 OTF2_RECORDER_KIND_CPU));
      m += in_class;
    }
  }

  void files() {
    if (d_.files.empty()) return;
    note(d_.is_mpi_io ? OTF2_GlobalDefWriter_WriteIoParadigm(w_, 0, text("MPI-IO"), text("MPI I/O"),
                                                             OTF2_IO_PARADIGM_CLASS_PARALLEL,
                                                             OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr, nullptr, nullptr)
                      : OTF2_GlobalDefWriter_WriteIoParadigm(w_, 0, text("POSIX"), text("POSIX I/O"),
                                                             OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE,
                                                             0, nullptr, nullptr, nullptr));
    std::unordered_map<std::string, OTF2_IoFileRef> paths;
    for (std::uint32_t f = 0; f < d_.files.size(); ++f) {
      const auto& file = d_.files[f];
      const auto [path, is_new] = paths.emplace(file.name, static_cast<OTF2_IoFileRef>(paths.size()));
      if (is_new)
        note(OTF2_GlobalDefWriter_WriteIoRegularFile(w_, path->second, text(file.name),
                                                     OTF2_UNDEFINED_SYSTEM_TREE_NODE));
      note(OTF2_GlobalDefWriter_WriteIoHandle(w_, f, text(file.name), path->second, 0, OTF2_IO_HANDLE_FLAG_NONE,
                                              file.communicator == no_id ? OTF2_UNDEFINED_COMM : file.communicator,
                                              OTF2_UNDEFINED_IO_HANDLE));
    }
  }

  OTF2_GlobalDefWriter* w_;
  const Definitions& d_;
  const std::map<std::uint64_t, std::uint64_t>& event_counts_;
  OTF2_StringRef next_ = 0;
  std::unordered_map<std::string, OTF2_StringRef> text_;
  OTF2_ErrorCode status_ = OTF2_SUCCESS;
};

}  // namespace

std::string mark_description(std::uint32_t replication) {
  if (replication == no_id) return "mora:interval replication=all";
  return replication == 1 ? "mora:interval" : fmt::format("mora:interval replication={}", replication);
}

OTF2_ErrorCode write_global_definitions(OTF2_GlobalDefWriter* writer, const Definitions& definitions,
                                        const std::string& program, const std::string& machine,
                                        const std::map<std::uint64_t, std::uint64_t>& event_counts) {
  return GlobalDefinitionWriter(writer, definitions, event_counts).run(program, machine);
}

}  // namespace mora::archive
