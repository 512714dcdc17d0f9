/// The texts about a recording: manifest.json, the banner, one line of JSON.
#include "predict/pattern/recording_report.h"

#include <fmt/format.h>

#include <set>

#include "base/json_writer.h"
#include "base/quality_json.h"
#include "base/time.h"
#include "base/version.h"
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

void totals(JsonWriter& json, const Recording& r) {
  const auto& t = r.totals;
  json.key("world_size").unsigned_integer(r.trace.definitions.world_size);
  json.key("ranks").unsigned_integer(r.trace.ranks.size());
  json.key("incomplete_ranks").unsigned_integer(incomplete_ranks(r.trace));
  json.key("calls").unsigned_integer(t.calls);
  json.key("messages").unsigned_integer(t.messages);
  json.key("message_bytes").unsigned_integer(t.message_bytes);
  json.key("collective_calls").unsigned_integer(t.collectives);
  json.key("one_sided_calls").unsigned_integer(t.one_sided);
  json.key("one_sided_bytes").unsigned_integer(t.one_sided_bytes);
  json.key("file_bytes_read").unsigned_integer(t.read_bytes);
  json.key("file_bytes_written").unsigned_integer(t.written_bytes);
  json.key("dropped_tests").unsigned_integer(t.dropped_tests);
  json.key("trace_bytes").unsigned_integer(r.archive_bytes);
  json.key("text_bytes").unsigned_integer(r.text_bytes);
}

}  // namespace

std::string pattern_manifest(const Recording& r, const RecordingOptions& options) {
  const auto& d = r.trace.definitions;
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-pattern");
  json.key("schema_version").integer(1);
  json.key("creator").string(std::string("mora ") + version());
  json.key("origin").string(options.origin == Origin::dryrun ? "dryrun" : "record");
  json.key("program").string(d.program);
  json.key("command").begin_line_array();
  for (const auto& word : options.request.command) json.string(word);
  json.end_array();
  json.key("launched_realtime_ns").unsigned_integer(options.request.start_realtime_ns);
  json.key("launcher_exit");
  if (options.request.launcher_exit)
    json.integer(*options.request.launcher_exit);
  else
    json.null();
  json.key("recovered").boolean(options.recovered);
  json.key("mpi").string(d.mpi);
  json.key("flavour_evidence").string(options.request.flavour_evidence);
  json.key("configuration").begin_object();
  for (const auto& [name, value] : options.request.configuration) json.key(name).string(value);
  json.end_object();
  json.key("hosts").begin_line_array();
  for (const auto& host : std::set<std::string>(d.hosts.begin(), d.hosts.end()))
    if (!host.empty()) json.string(host);
  json.end_array();
  json.key("totals").begin_object();
  totals(json, r);
  json.end_object();
  json.key("calls").begin_object();
  for (std::size_t i = 0; i < r.totals.by_operation.size(); ++i)
    if (r.totals.by_operation[i] != 0)
      json.key(info(static_cast<Operation>(i)).mpi_name).unsigned_integer(r.totals.by_operation[i]);
  json.end_object();
  json.key("phases").begin_line_array();
  for (const auto& name : d.phases) json.string(name);
  json.end_array();
  json.key("communicators").unsigned_integer(d.communicators.size());
  json.key("data_quality");
  write_quality(json, r.trace.quality.rows());
  json.end_object();
  return json.str() + "\n";
}

std::string recording_banner(const Recording& r) {
  const auto& d = r.trace.definitions;
  const auto& t = r.totals;
  const auto plural = [](std::uint64_t n) { return n == 1 ? "" : "s"; };
  std::string out = fmt::format("mora: {} with {} rank{}", d.program, d.world_size, plural(d.world_size));
  if (r.trace.ranks.size() != d.world_size) out += fmt::format(" ({} of them in the trace)", r.trace.ranks.size());
  if (!d.mpi.empty()) out += ", " + experiment::library_for_people(flavour_of(d), d.mpi);
  out +=
      fmt::format(": {} call{}, {} message{} of {} in all, {} collective call{}", t.calls, plural(t.calls), t.messages,
                  plural(t.messages), bytes_for_people(t.message_bytes), t.collectives, plural(t.collectives));
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
  JsonWriter json;
  json.begin_line_object();
  json.key("launcher_exit").integer(launcher_exit);
  json.key("patterns").begin_line_array();
  for (const auto& r : recordings) {
    json.begin_line_object();
    json.key("pattern").string(r.directory);
    json.key("program").string(r.trace.definitions.program);
    totals(json, r);
    json.key("lost_something").boolean(lost_something(r.trace));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.str() + "\n";
}

}  // namespace mora::predict
