// The definitions of a trace as those of an archive (docs/formats/otf2.md, "Definitions").
#include <fmt/format.h>

#include <map>

#include "export/otf2/archive_file.h"
#include "trace/mpi_function.h"

namespace mora::exports {
namespace {

/// Ranks without a location are defined with one that has no events, so that group members are places in one list.
void add_places(const ArchivePlan& plan, archive::Definitions& out) {
  const trace::Definitions& d = plan.definitions;
  for (const auto& node : d.nodes) out.nodes.push_back(node.name);
  if (out.nodes.empty()) out.nodes.push_back("node0");
  out.processes.resize(plan.world_size);
  for (trace::LocationId id = 0; id < d.locations.size(); ++id) {
    const trace::Location& l = d.locations[id];
    if (!plan.writes(l)) continue;
    if (l.node < out.nodes.size()) out.processes[l.rank].node = l.node;
    if (l.thread == 0) out.processes[l.rank].has_main_thread = false;
    const bool default_name = l.name.empty() || l.name == fmt::format("rank {}", l.rank);
    out.locations.push_back({plan.location(id), default_name ? "Master thread" : l.name,
                             l.kind == trace::LocationKind::device   ? archive::LocationKind::device
                             : l.kind == trace::LocationKind::metric ? archive::LocationKind::metric
                                                                     : archive::LocationKind::thread,
                             l.rank});
  }
}

archive::Model model_of(trace::Paradigm paradigm) {
  switch (paradigm) {
    case trace::Paradigm::openmp:
      return archive::Model::openmp;
    case trace::Paradigm::pthread:
      return archive::Model::pthread;
    case trace::Paradigm::shmem:
      return archive::Model::shmem;
    case trace::Paradigm::device:
      return archive::Model::device;
    case trace::Paradigm::without_work:
      return archive::Model::without_work;
    case trace::Paradigm::unknown:
      break;
  }
  return archive::Model::program;
}

/// Groups of regions where they are not what the paradigm says: VAMPIR's activities; also "none"
/// (docs/formats/otf2.md).
void add_regions(const ArchivePlan& plan, archive::Definitions& out) {
  std::map<std::string, std::vector<std::uint64_t>> groups;
  for (std::uint32_t index = 0; index < plan.regions.size(); ++index) {
    const trace::Region& r = plan.definitions.regions[plan.regions[index]];
    const bool is_mark = r.role == trace::RegionRole::interval;
    archive::Region region;
    region.kind = r.kind == trace::RegionKind::mpi ? archive::RegionKind::call
                  : is_mark                        ? archive::RegionKind::mark
                  : plan.team_regions[index]       ? archive::RegionKind::team
                                                   : archive::RegionKind::user;
    region.model = model_of(r.paradigm);
    region.function = r.name;
    if (region.kind == archive::RegionKind::call) region.id = trace::function_of(r).id;
    if (!plan.plain || is_mark) {
      region.file = region.symbol = r.call_site_file;
      region.line = r.call_site_line;
      region.last_line = r.last_line;
    }
    region.replication = r.replication;
    if (!plan.plain && r.caller < plan.definitions.callers.size()) region.caller = r.caller;
    out.regions.push_back(std::move(region));
    const char* usual = r.kind == trace::RegionKind::mpi ? "MPI" : plan.team_regions[index] ? "OPENMP" : "USER";
    if (r.group != usual) groups[r.group].push_back(index);
  }
  if (!plan.plain) {
    for (const trace::Caller& c : plan.definitions.callers)
      out.callers.push_back({c.parent, plan.region(c.region), c.place});
    out.call_places = plan.definitions.call_places;
  }
  for (auto& [name, members] : groups) out.region_groups.push_back({name, std::move(members)});
}

void add_communicators(const ArchivePlan& plan, bool transfer_messages, archive::Definitions& out) {
  const trace::Definitions& d = plan.definitions;
  const auto known = [&](trace::CommId comm) { return comm < d.communicators.size() ? comm : archive::no_id; };
  out.groups = plan.groups;
  for (trace::CommId c = 0; c < d.communicators.size(); ++c)
    out.communicators.push_back(
        {d.communicators[c].name, plan.comm_groups[c], plan.remote_groups[c], known(d.communicators[c].parent)});
  out.grids = d.grids;
  if (plan.needs_world) out.world_group = plan.world_group;
  for (const trace::Window& window : d.windows) {
    const auto comm = known(window.comm);
    out.windows.push_back({window.name, comm, window.bases, transfer_messages && comm != archive::no_id});
  }
}

}  // namespace

archive::Definitions archive_definitions(const ArchivePlan& plan, const ArchiveFacts& facts) {
  const trace::Definitions& d = plan.definitions;
  archive::Definitions out;
  out.last_stamp = facts.duration;
  out.realtime_ns = facts.realtime_ns;
  out.has_transfer_roles = true;
  out.is_mpi_io = false;
  out.strings = d.strings;
  add_places(plan, out);
  add_regions(plan, out);
  add_communicators(plan, facts.transfer_messages, out);
  for (const auto& metric : d.metrics)
    out.metrics.push_back({metric.name, metric.unit, metric.is_difference, metric.is_count});
  for (const auto& file : d.files) out.files.push_back({file, archive::no_id});
  out.user_types = d.user_types;
  return out;
}

}  // namespace mora::exports
