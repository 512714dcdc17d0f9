#include "trace/readers/otf2/definitions/location_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace mora::trace::otf2 {
namespace {

class Tabulation {
 public:
  Tabulation(const DefinitionRecords& records, DataQuality& quality) : records_(records), quality_(quality) {}

  LocationTable run() {
    number_processes();
    std::vector<Place> places;
    for (const auto& [ref, location] : records_.locations) {
      const auto rank = rank_of(location);
      if (!rank) {
        quality_.add("skipped-location", Severity::info, "", 1,
                     "locations that belong to no process (threads without one, foreign counters) are not read", "");
        continue;
      }
      places.push_back({*rank, kind(location.type), masters_.count(ref) == 0, ref, &location});
    }
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return std::tuple(a.rank, a.kind, a.follower, a.ref) < std::tuple(b.rank, b.kind, b.follower, b.ref);
    });
    for (const Place& place : places) add(place);
    return std::move(out_);
  }

 private:
  struct Place {
    std::uint32_t rank;
    LocationKind kind;
    bool follower;
    std::uint64_t ref;
    const LocationRecord* record;
  };

  static LocationKind kind(OTF2_LocationType type) {
    return type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ? LocationKind::device
           : type == OTF2_LOCATION_TYPE_METRIC           ? LocationKind::metric
                                                         : LocationKind::cpu;
  }

  const std::string& text(OTF2_StringRef ref) const {
    static const std::string empty;
    const std::string* found = records_.strings.find(ref);
    return found == nullptr ? empty : *found;
  }

  /// The host above a process: nearest tree node of class "node", else its direct parent.
  std::string host(OTF2_SystemTreeNodeRef ref) const {
    const TreeNodeRecord* const direct = records_.nodes.find(ref);
    if (direct == nullptr) return "unknown";
    const TreeNodeRecord* at = direct;
    for (int depth = 0; depth < 64 && at != nullptr; ++depth) {
      if (text(at->kind) == "node") return text(at->name);
      at = records_.nodes.find(at->parent);
    }
    return text(direct->name);
  }

  std::string host_of_process(OTF2_LocationGroupRef group) const {
    const ProcessRecord* const process = records_.processes.find(group);
    return process == nullptr ? "unknown" : host(process->node);
  }

  void number_processes() {
    for (const GroupRecord& group : records_.groups) {
      if (group.type != OTF2_GROUP_TYPE_COMM_LOCATIONS || group.paradigm != OTF2_PARADIGM_MPI) continue;
      for (std::uint32_t rank = 0; rank < group.members.size(); ++rank) {
        const LocationRecord* const location = records_.locations.find(group.members[rank]);
        if (location != nullptr) process_ranks_.emplace(location->group, rank);
        masters_.insert(group.members[rank]);
      }
      out_.world_size = std::max(out_.world_size, static_cast<std::uint32_t>(group.members.size()));
    }
    if (process_ranks_.empty()) {
      const auto number = [&](bool any_type) {
        std::set<OTF2_LocationGroupRef> processes;
        for (const auto& [ref, location] : records_.locations) {
          const ProcessRecord* const process = records_.processes.find(location.group);
          if (kind(location.type) != LocationKind::cpu) continue;
          if (any_type || (process != nullptr && process->type == OTF2_LOCATION_GROUP_TYPE_PROCESS))
            processes.insert(location.group);
        }
        for (const OTF2_LocationGroupRef process : processes)
          process_ranks_.emplace(process, static_cast<std::uint32_t>(process_ranks_.size()));
      };
      number(false);
      if (process_ranks_.empty()) number(true);  // groups of unknown type
    }
    for (const auto& [process, rank] : process_ranks_) {
      const auto [first, is_new] = first_rank_on_.emplace(host_of_process(process), rank);
      if (!is_new) first->second = std::min(first->second, rank);
    }
  }

  std::optional<std::uint32_t> rank_of(const LocationRecord& location) const {
    const auto own = process_ranks_.find(location.group);
    if (own != process_ranks_.end()) return own->second;
    if (kind(location.type) == LocationKind::cpu || process_ranks_.empty()) return std::nullopt;
    const ProcessRecord* const group = records_.processes.find(location.group);
    if (group != nullptr) {
      const auto creator = process_ranks_.find(group->creator);
      if (creator != process_ranks_.end()) return creator->second;
    }
    const auto near = first_rank_on_.find(host_of_process(location.group));
    return near == first_rank_on_.end() ? 0 : near->second;
  }

  void add(const Place& place) {
    Location location;
    location.rank = place.rank;
    const bool first = out_.locations.empty() || out_.locations.back().rank != place.rank;
    location.thread = first ? 0 : out_.locations.back().thread + 1;
    location.kind = place.kind;
    location.file_id = place.ref;
    location.name = "rank " + std::to_string(place.rank);
    const std::string& own_name = text(place.record->name);
    if (place.kind != LocationKind::cpu && !own_name.empty())
      location.name += " " + own_name;
    else if (!first)
      location.name += " thread " + std::to_string(location.thread);
    const auto [node, is_new] = nodes_.emplace(host_of_process(place.record->group), out_.nodes.size());
    if (is_new) out_.nodes.push_back({node->first});
    location.node = static_cast<std::uint32_t>(node->second);
    out_.locations.push_back(location);
    out_.event_counts.push_back(place.record->events);
    out_.rank_of[place.ref] = place.rank;
    out_.world_size = std::max(out_.world_size, place.rank + 1);
  }

  const DefinitionRecords& records_;
  DataQuality& quality_;
  LocationTable out_;
  std::map<OTF2_LocationGroupRef, std::uint32_t> process_ranks_;
  std::map<std::string, std::uint32_t> first_rank_on_;
  std::map<std::string, std::size_t> nodes_;
  std::set<std::uint64_t> masters_;
};

}  // namespace

LocationTable tabulate_locations(const DefinitionRecords& records, DataQuality& quality) {
  return Tabulation(records, quality).run();
}

}  // namespace mora::trace::otf2
