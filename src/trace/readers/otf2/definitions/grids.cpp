#include "trace/readers/otf2/definitions/grids.h"

namespace mora::trace::otf2 {

void resolve_grids(const DefinitionRecords& records, ArchiveDefinitions& out) {
  std::uint64_t wrong = 0;
  std::unordered_map<OTF2_CartTopologyRef, std::size_t> numbers;
  const auto text = [&](OTF2_StringRef ref) {
    const std::string* found = records.strings.find(ref);
    return found == nullptr ? std::string() : *found;
  };
  for (const auto& [ref, topology] : records.grids) {
    const CommId comm = out.communicators[topology.comm];
    CartesianGrid grid;
    grid.name = text(topology.name);
    for (const OTF2_CartDimensionRef d : topology.dimensions) {
      if (const GridDimensionRecord* dimension = records.grid_dimensions.find(d); dimension != nullptr)
        grid.dimensions.push_back({text(dimension->name), dimension->extent, dimension->is_periodic});
    }
    if (comm == no_id || grid.dimensions.empty() || grid.dimensions.size() != topology.dimensions.size()) {
      ++wrong;
      continue;
    }
    numbers.emplace(ref, out.trace.grids.size());
    out.trace.grids.emplace_back(comm, std::move(grid));
  }
  for (const GridPlaceRecord& place : records.grid_places) {
    const auto number = numbers.find(place.topology);
    if (number == numbers.end()) continue;
    auto& [comm, grid] = out.trace.grids[number->second];
    const auto& members = out.trace.communicators[comm].members;
    if (place.rank >= members.size() || !grid.place(members[place.rank], place.coordinates)) ++wrong;
  }
  if (wrong > 0)
    out.quality.add("undefined-reference", Severity::warning, "definitions", wrong,
                    "references to things that are not defined; what uses them is left out",
                    "the archive is damaged or incomplete: use a copy or record again");
}

}  // namespace mora::trace::otf2
