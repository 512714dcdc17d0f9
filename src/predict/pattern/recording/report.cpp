/// The texts about a recording: manifest.json, the banner, one line of JSON.
#include "predict/pattern/recording/report.h"

#include <fmt/format.h>

#include <set>

#include "base/json/json_document.h"
#include "base/table/wrapped.h"
#include "base/time.h"
#include "experiment/banner.h"

namespace mora::predict {
namespace {

std::string flavour_of(const Definitions& d) { return d.mpi.starts_with("Open MPI") ? "openmpi" : "mpich"; }

std::uint64_t incomplete_ranks(const PatternTrace& trace) {
  std::uint64_t n = 0;
  for (const auto& rank : trace.ranks) n += rank.complete ? 0 : 1;
  return n;
}

bool lost_something(const PatternTrace& trace) {
  for (const auto& row : trace.quality.rows())
    if (row.severity == Severity::loss) return true;
  return false;
}

/// Fields of the object that is open.
void write_totals(JsonWriter& json, const Recording& r) {
  const auto& t = r.totals;
  json.fields("world_size", r.trace.definitions.world_size, "ranks", r.trace.ranks.size(), "incomplete_ranks",
              incomplete_ranks(r.trace), "calls", t.calls, "messages", t.messages, "message_bytes", t.message_bytes,
              "collective_calls", t.collectives, "one_sided_calls", t.one_sided, "one_sided_bytes", t.one_sided_bytes,
              "file_bytes_read", t.read_bytes, "file_bytes_written", t.written_bytes, "dropped_tests", t.dropped_tests,
              "trace_bytes", r.archive_bytes, "text_bytes", r.text_bytes);
}

}  // namespace

std::string pattern_manifest(const Recording& r, const RecordingOptions& options) {
  const auto& d = r.trace.definitions;
  const auto& request = options.request;
  std::set<std::string> hosts(d.hosts.begin(), d.hosts.end());
  hosts.erase("");
  JsonDocument json("mora-pattern");
  json.fields("origin", options.origin == Origin::dryrun ? "dryrun" : "record", "program", d.program, "command",
              request.command, "launched_realtime_ns", request.start_realtime_ns, "launcher_exit",
              request.launcher_exit, "recovered", options.recovered, "mpi", d.mpi, "flavour_evidence",
              request.flavour_evidence, "configuration", request.configuration, "hosts", hosts);
  json.key("totals").begin_object();
  write_totals(json, r);
  json.end_object().key("calls").begin_object();
  for (std::size_t i = 0; i < r.totals.by_operation.size(); ++i)
    if (r.totals.by_operation[i] != 0) json.fields(info(static_cast<Operation>(i)).mpi_name, r.totals.by_operation[i]);
  json.end_object().fields("phases", d.phases, "communicators", d.communicators.size());
  return json.finish(r.trace.quality.rows());
}

std::string recording_banner(const Recording& r) {
  const auto& d = r.trace.definitions;
  const auto& t = r.totals;
  std::string out = fmt::format("mora: {} with {}", d.program, counted(d.world_size, "rank"));
  if (r.trace.ranks.size() != d.world_size) out += fmt::format(" ({} of them in the trace)", r.trace.ranks.size());
  if (!d.mpi.empty()) out += ", " + experiment::library_for_people(flavour_of(d), d.mpi);
  out += fmt::format(": {}, {} of {} in all, {}", counted(t.calls, "call"), counted(t.messages, "message"),
                     bytes_for_people(t.message_bytes), counted(t.collectives, "collective call"));
  if (t.one_sided != 0) out += fmt::format(", {} one-sided of {}", t.one_sided, bytes_for_people(t.one_sided_bytes));
  if (t.read_bytes + t.written_bytes != 0)
    out +=
        fmt::format(", files: {} read, {} written", bytes_for_people(t.read_bytes), bytes_for_people(t.written_bytes));
  out += '\n';
  if (r.archive_bytes != 0)
    out += fmt::format("mora: {} on disk ({:.2f} bytes per call)", bytes_for_people(r.archive_bytes),
                       t.calls == 0 ? 0.0 : static_cast<double>(r.archive_bytes) / static_cast<double>(t.calls));
  if (r.text_bytes != 0)
    out += fmt::format("{}{} as text in ti_traces",
                       r.archive_bytes != 0 ? ", " : "mora: ", bytes_for_people(r.text_bytes));
  out += '\n';
  out += experiment::quality_lines(r.trace.quality.rows());
  if (!lost_something(r.trace)) out += "mora: nothing recorded was lost\n";
  out += fmt::format("mora: pattern: {}\nmora: next: mora pattern matrix {}\n", r.directory, r.directory);
  return out;
}

std::string recordings_json(const std::vector<Recording>& recordings, int launcher_exit) {
  JsonDocument json("mora-pattern-record", JsonDocument::Form::one_line);
  std::vector<QualityRow> quality;
  json.fields("launcher_exit", launcher_exit, "patterns", list(recordings, [&](const Recording& r) {
                for (QualityRow& row : r.trace.quality.rows()) quality.push_back(std::move(row));
                json.begin_object().fields("pattern", r.directory, "program", r.trace.definitions.program);
                write_totals(json, r);
                json.fields("lost_something", lost_something(r.trace)).end_object();
              }));
  return json.finish(quality);
}

}  // namespace mora::predict
