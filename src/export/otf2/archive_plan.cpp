#include "export/otf2/archive_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace mora::exports {

ArchivePlan::ArchivePlan(const trace::Definitions& d, bool merge_call_sites)
    : definitions(d), ranks(d), plain(merge_call_sites) {
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, trace::RegionRole, std::uint32_t,
                      trace::CallerId>,
           std::uint32_t>
      seen;
  for (trace::RegionId id = 0; id < d.regions.size(); ++id) {
    const trace::Region& r = d.regions[id];
    // Intervals of one name are still told apart by their place.
    const bool merged = plain && r.role != trace::RegionRole::interval;
    const auto key =
        merged ? std::tuple(r.name, std::string(), std::string(), 0U, trace::RegionRole::unknown, 1U, trace::no_id)
               : std::tuple(r.name, r.group, r.call_site_file, r.call_site_line, r.role, r.replication, r.caller);
    const auto [at, first] = seen.try_emplace(key, static_cast<std::uint32_t>(regions.size()));
    if (first) regions.push_back(id);
    region_indices.push_back(at->second);
  }
  team_regions.resize(regions.size());
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  const auto intern = [&](const std::vector<std::uint32_t>& members) {
    const auto [at, first] = known.try_emplace(members, static_cast<std::uint32_t>(groups.size()));
    if (first) groups.push_back(members);
    return at->second;
  };
  for (const trace::Communicator& c : d.communicators) {
    comm_groups.push_back(c.self ? trace::no_id : intern(c.members));
    remote_groups.push_back(c.inter() ? intern(c.remote_members) : trace::no_id);
  }
  for (const trace::Group& g : d.groups) group_indices.push_back(intern(g.members));
  world_size = d.world_size;
  for (const trace::Location& l : d.locations) world_size = std::max(world_size, l.rank + 1);
  std::vector<std::uint32_t> world(world_size);
  std::iota(world.begin(), world.end(), 0U);
  world_group = intern(world);
}

std::uint64_t ArchivePlan::largest_definition() const {
  std::uint64_t members = std::max<std::uint64_t>(world_size, regions.size()), text = definitions.program.size();
  for (const auto& group : groups) members = std::max<std::uint64_t>(members, group.size());
  const auto note = [&](const std::string& s) { text = std::max<std::uint64_t>(text, s.size()); };
  for (const auto& r : definitions.regions) {
    note(r.name);
    note(r.group);
    note(r.call_site_file);
  }
  for (const auto& l : definitions.locations) note(l.name);
  for (const auto& n : definitions.nodes) note(n.name);
  for (const auto& c : definitions.communicators) note(c.name);
  for (const auto& w : definitions.windows) note(w.name);
  for (const auto& m : definitions.metrics) {
    note(m.name);
    note(m.unit);
  }
  for (const auto* texts : {&definitions.files, &definitions.user_types, &definitions.strings})
    std::for_each(texts->begin(), texts->end(), note);
  return std::max(members * 9, text) + 256;  // a compressed 64-bit number takes up to 9 bytes
}

}  // namespace mora::exports
