/// Writes findings.json (docs/formats/findings.md). Times are written as exact decimal seconds from integer
/// nanoseconds.
#include "report/findings/fields.h"
#include "report/findings/findings.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

void write_run(JsonWriter& json, const ReportData& data) {
  const RunSummary& run = data.run;
  const Nanoseconds total = data.total_time();
  std::optional<double> mpi_share;
  if (total > 0) mpi_share = six_digits(static_cast<double>(data.mpi_time()) / static_cast<double>(total));
  json.begin_object().fields("program", run.program, "trace", run.trace, "trace_format", run.trace_format, "ranks",
                             run.ranks, "locations", run.locations, "nodes", run.nodes, "events", run.events, "wall_s",
                             Seconds{run.wall}, "mpi_share", mpi_share);
  for (const auto& [key, value] : run.more) json.fields(key, value);
  json.end_object();
}

}  // namespace

std::string findings_json(const ReportData& data) {
  JsonDocument json("mora-report", JsonDocument::Form::lines, data.creator);
  json.key("run");
  write_run(json, data);
  FieldWriter fields(json);
  if (data.losses.focus != 0) fields.field("losses", data.losses);
  fields.field("metrics", data.metrics)
      .field("findings", data.findings)
      .field("checks", data.checks)
      .field("transfers", data.transfers)
      .if_any("processors", processor_findings(data));
  return json.finish(data.quality);
}

}  // namespace mora::report
