#include "cli/recording/profile_results.h"

#include <fmt/format.h>

#include <map>

#include "analysis/metric_info.h"
#include "analysis/profile/profile.h"
#include "base/file.h"
#include "cube/cubex.h"
#include "report/findings/findings.h"

namespace mora::cli {
namespace {

/// Those that regions, call paths and locations of an archive have when it is read.
trace::Definitions definitions_of(const experiment::Profile& profile, const experiment::Manifest& manifest) {
  const archive::Definitions& from = profile.definitions;
  trace::Definitions to;
  to.program = manifest.program;
  to.world_size = static_cast<std::uint32_t>(manifest.ranks.size());
  for (const std::string& node : from.nodes) to.nodes.push_back({node});
  for (const archive::Region& region : from.regions) {
    trace::Region& r = to.regions.emplace_back();
    r.name = region.function;
    r.call_site_file = region.line != 0 ? region.file : region.symbol;
    r.call_site_line = region.line;
    r.last_line = region.last_line;
    if (region.kind != archive::RegionKind::call) {
      r.call_site_file = region.file;
      continue;
    }
    r.kind = trace::RegionKind::mpi;
    r.function = region.id;
    r.caller = region.caller;
  }
  for (const archive::Caller& caller : from.callers) to.callers.push_back({caller.parent, caller.region, caller.place});
  to.call_places = from.call_places;
  for (const experiment::LocationProfile& l : profile.locations) {
    trace::Location& location = to.locations.emplace_back();
    location.name = l.thread == 0 ? fmt::format("rank {}", l.rank) : fmt::format("rank {} thread {}", l.rank, l.thread);
    location.rank = l.rank;
    location.thread = l.thread;
    location.node = from.processes[l.rank].node;
  }
  return to;
}

std::vector<analysis::ProfiledLocation> amounts_of(const experiment::Profile& profile) {
  std::vector<analysis::ProfiledLocation> locations;
  for (const experiment::LocationProfile& from : profile.locations) {
    analysis::ProfiledLocation& to = locations.emplace_back();
    to.wall = from.wall;
    to.recorder = from.recorder;
    to.not_recorded = from.not_recorded;
    to.core_readings = from.core_readings;
    for (const experiment::ProfileRow& row : from.rows)
      to.calls.push_back({row.region, row.visits, row.time, row.shortest, row.longest, row.bytes_sent,
                          row.bytes_received, row.messages_sent, row.messages_received, row.transfers,
                          row.transfer_bytes, row.recorded_polls});
  }
  return locations;
}

}  // namespace

Result<std::vector<std::string>> write_profile(const experiment::Profile& profile,
                                               const experiment::Manifest& manifest) {
  auto result = analysis::result_of_profile(definitions_of(profile, manifest), amounts_of(profile));
  result.run.trace = manifest.experiment;
  result.cube.attributes["trace"] = manifest.experiment;
  const std::string text = experiment::manifest_json(manifest);
  for (QualityRow& row : report::manifest_quality(text)) result.quality.add(std::move(row));
  const report::ReportData data = report::build_report(result, analysis::all_metrics(), report::manifest_facts(text));
  MORA_CHECK_OK(cube::write_cubex(result.cube, manifest.experiment + "/analysis.cubex"));
  MORA_CHECK_OK(write_file_atomically(manifest.experiment + "/findings.json", report::findings_json(data)));
  return std::vector<std::string>{"analysis.cubex", "findings.json"};
}

}  // namespace mora::cli
