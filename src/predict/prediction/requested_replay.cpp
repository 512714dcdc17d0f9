#include "predict/prediction/requested_replay.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/source_place.h"
#include "experiment/ending/circle.h"

namespace mora::predict {

replay::ReplayedProgram program_of(const trace::Definitions& definitions, const PredictionRequest& request) {
  replay::ReplayedProgram program;
  program.compute_factor = request.compute_factor;
  if (request.rank_factors.empty()) return program;
  for (const trace::Location& location : definitions.locations)
    program.location_factors.push_back(location.rank < request.rank_factors.size() ? request.rank_factors[location.rank]
                                                                                   : 1'000'000);
  return program;
}

Nanoseconds run_time_of(const trace::Definitions& definitions, const replay::Replayed& replayed,
                        Nanoseconds replay::ReplayedLocation::*end) {
  Nanoseconds first = INT64_MAX, last = 0;
  for (trace::LocationId l = 0; l < replayed.locations.size(); ++l) {
    const replay::ReplayedLocation& location = replayed.locations[l];
    if (definitions.locations[l].kind != trace::LocationKind::cpu || location.end == 0) continue;
    first = std::min(first, location.begin);
    last = std::max(last, location.*end);
  }
  return first == INT64_MAX ? 0 : last - first;
}

tl::unexpected<Error> deadlock_error(const trace::Definitions& definitions, const replay::Replayed& replayed,
                                     const std::string& machine) {
  std::vector<std::vector<std::uint32_t>> waits_for(definitions.world_size);
  std::map<std::uint32_t, std::string> calls;
  for (const replay::BlockedCall& blocked : replayed.blocked) {
    const std::uint32_t rank = definitions.locations[blocked.location].rank;
    const replay::ReplayedNode& node = replayed.locations[blocked.location].nodes[blocked.node];
    calls[rank] = "MPI";
    if (node.region < definitions.regions.size()) {
      const trace::Region& region = definitions.regions[node.region];
      calls[rank] = at_source_place(region.name, region.call_site_file, region.call_site_line);
    }
    if (rank < waits_for.size() && blocked.waits_for < waits_for.size()) waits_for[rank].push_back(blocked.waits_for);
  }
  std::string why = experiment::circle_sentence(waits_for, [&](std::uint32_t rank) { return calls[rank]; });
  if (why.empty()) {
    why = fmt::format("{} ranks never get on", calls.size());
    if (!calls.empty()) why += fmt::format(", the first is rank {} in {}", calls.begin()->first, calls.begin()->second);
  }
  return fail(ErrorKind::unreadable, "the program would hang on this machine", machine, why,
              "messages that were buffered when it was recorded are not on this machine: post the receives before the "
              "sends, or check the eager ranges of the model");
}

}  // namespace mora::predict
