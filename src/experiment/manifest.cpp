/// manifest.json and journal/run.json as JSON (docs/formats/manifest.md); totals over ranks.
#include "experiment/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json/json_document.h"
#include "base/storage/file_checksum.h"
#include "base/text/rank_words.h"
#include "base/text/source_place.h"

namespace mora::experiment {
namespace {

template <class Field>
std::uint64_t sum(const std::vector<RankFacts>& ranks, Field field) {
  std::uint64_t total = 0;
  for (const auto& r : ranks) total += field(r);
  return total;
}

Seconds seconds_of(std::uint64_t ns) { return {static_cast<Nanoseconds>(ns)}; }

void write_request_fields(JsonWriter& json, const RunRequest& request) {
  const auto& wall = request.launcher_wall_ns;
  json.fields("command", request.command, "launched_realtime_ns", request.start_realtime_ns, "launcher_exit",
              request.launcher_exit, "launcher_wall_s", wall ? std::optional(seconds_of(*wall)) : std::nullopt,
              "flavour_evidence", request.flavour_evidence, "configuration", request.configuration);
}

}  // namespace

static void write_json(JsonWriter& json, const ProcessIo& io) {
  json.line("read_bytes", io.read, "written_bytes", io.written, "storage_read_bytes", io.from_storage,
            "storage_written_bytes", io.to_storage);
}

static void write_json(JsonWriter& json, const ProcessUsage& usage) {
  json.line("user_s", seconds_of(usage.user_ns), "system_s", seconds_of(usage.system_ns), "page_faults",
            usage.page_faults, "input_page_faults", usage.input_page_faults, "voluntary_switches",
            usage.voluntary_switches, "involuntary_switches", usage.involuntary_switches, "resident_bytes",
            usage.resident_bytes, "throttled_s", seconds_of(usage.throttled_ns), "core_mhz",
            if_any(static_cast<double>(usage.core_khz) / 1000), "io", usage.io);
}

std::uint64_t Manifest::calls() const {
  return sum(ranks, [](const auto& r) { return r.calls; });
}
std::uint64_t Manifest::events() const {
  return sum(ranks, [](const auto& r) { return r.events; });
}
std::uint64_t Manifest::lost_calls() const {
  return sum(ranks, [](const auto& r) { return r.lost_calls; });
}
std::uint64_t Manifest::mpi_ns() const {
  return sum(ranks, [](const auto& r) { return r.mpi_ns; });
}
std::uint64_t Manifest::lifetime_ns() const {
  return sum(ranks, [](const auto& r) { return r.end - r.begin; });
}
std::uint64_t Manifest::overhead_ns() const {
  return sum(ranks, [](const auto& r) { return r.recorder_ns + r.calls * ns_per_call; });
}
std::uint64_t Manifest::archive_bytes() const {
  std::uint64_t total = 0;
  for (const auto& f : files) total += f.bytes;
  return total;
}
std::uint32_t Manifest::worst_rank() const {
  std::uint32_t worst = 0;
  for (std::uint32_t r = 1; r < ranks.size(); ++r)
    if (ranks[r].mpi_ns > ranks[worst].mpi_ns) worst = r;
  return worst;
}
std::uint32_t Manifest::recorded_ranks() const {
  return static_cast<std::uint32_t>(sum(ranks, [](const auto& r) { return r.recorded ? 1u : 0u; }));
}

void Manifest::name_programs(const std::vector<std::string>& paths) {
  std::map<std::string, std::set<std::string>> by_name;
  for (const std::string& path : paths) by_name[std::string(base_name(path))].insert(path);
  ranks.resize(paths.size());
  std::set<std::string> named;
  for (std::size_t r = 0; r < paths.size(); ++r) {
    if (paths[r].empty()) continue;
    const std::string name(base_name(paths[r]));
    ranks[r].program = by_name[name].size() > 1 ? paths[r] : name;
    if (named.insert(ranks[r].program).second) program += (program.empty() ? "" : ", ") + ranks[r].program;
  }
}

std::string Manifest::programs() const {
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> all;  // in order of the first rank
  for (std::uint32_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].recorded) continue;
    auto it = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.first == ranks[r].program; });
    if (it == all.end()) it = all.insert(all.end(), {ranks[r].program, {}});
    it->second.push_back(r);
  }
  if (all.size() < 2) return program;
  std::string text;
  for (const auto& [name, of] : all)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name, ranks_in_words(of));
  return text;
}

bool asks_for_profile(const RunRequest& request) {
  const auto& settings = request.configuration;
  return std::find(settings.begin(), settings.end(), std::pair<std::string, std::string>{"MORA_STATS", "1"}) !=
         settings.end();
}

Result<void> write_request(const std::string& path, const RunRequest& request) {
  JsonWriter json;
  json.begin_object();
  write_request_fields(json, request);
  json.end_object();
  return write_file_atomically(path, json.str() + "\n");
}

Result<RunRequest> read_request(const std::string& path) {
  MORA_TRY(const auto text, read_file(path));
  const auto json = nlohmann::json::parse(text, nullptr, false);
  RunRequest request;
  if (!json.is_object())
    return fail(ErrorKind::unreadable, "cannot read what was run", path, "it is not a JSON object");
  if (const auto it = json.find("command"); it != json.end() && it->is_array())
    for (const auto& word : *it)
      if (word.is_string()) request.command.push_back(word.get<std::string>());
  if (const auto it = json.find("launched_realtime_ns"); it != json.end() && it->is_number_unsigned())
    request.start_realtime_ns = it->get<std::uint64_t>();
  if (const auto it = json.find("flavour_evidence"); it != json.end() && it->is_string())
    request.flavour_evidence = it->get<std::string>();
  if (const auto it = json.find("configuration"); it != json.end() && it->is_object())
    for (const auto& [name, value] : it->items())
      if (value.is_string()) request.configuration.emplace_back(name, value.get<std::string>());
  return request;
}

Result<ArchiveFile> describe_file(const std::string& directory, const std::string& relative) {
  MORA_TRY(const auto mapped, MappedFile::open(directory + "/" + relative));
  return ArchiveFile{relative, mapped.bytes().size(), checksum_of(mapped)};
}

std::string manifest_json(const Manifest& m) {
  JsonDocument json("mora-manifest");
  json.fields("program", m.program, "programs", m.programs());
  write_request_fields(json, m.request);
  json.fields("recovered", m.recovered, "ending", m.ending, "processors", m.processors, "binding", m.binding, "run_tag",
              fmt::format("{:016x}", m.run_tag), "started_realtime_ns", m.start_realtime_ns);
  json.key("mpi").object("flavour", m.mpi_flavour, "library", m.mpi_library);
  json.key("clock").object("kind", m.clock, "ns_per_tick", m.ns_per_tick);
  json.fields("hosts", m.hosts);
  json.key("totals").object("ranks", m.ranks.size(), "recorded_ranks", m.recorded_ranks(), "wall_s",
                            seconds_of(m.wall_ns()), "mpi_s", seconds_of(m.mpi_ns()), "lifetime_s",
                            seconds_of(m.lifetime_ns()), "worst_rank", m.worst_rank(), "calls", m.calls(), "events",
                            m.events(), "lost_calls", m.lost_calls(), "archive_bytes", m.archive_bytes());
  const std::uint64_t measured = sum(m.ranks, [](const auto& r) { return r.recorder_ns; });
  json.key("overhead")
      .object("estimate_s", seconds_of(m.overhead_ns()), "measured_s", seconds_of(measured), "assumed_ns_per_call",
              ns_per_call);
  std::uint32_t rank = 0;
  json.fields("ranks", list(m.ranks, [&](const RankFacts& r) {
                json.line("rank", rank++, "recorded", r.recorded, "ended", r.ended, "finalized", r.finalized, "host",
                          r.host, "program", r.program, "pid", r.pid, "calls", r.calls, "events", r.events,
                          "lost_calls", r.lost_calls, "open_calls", r.open_calls, "lifetime_s",
                          seconds_of(r.end - r.begin), "mpi_s", seconds_of(r.mpi_ns), "recorder_s",
                          seconds_of(r.recorder_ns), "processors", ranges_text(r.processors), "processor_limit",
                          if_any(static_cast<double>(r.processor_limit) / 1000), "usage", r.usage);
              }));
  json.key("archive").object("files", list(m.files, [&](const ArchiveFile& f) {
                               json.line("path", f.path, "bytes", f.bytes, "xxh3", f.xxh3);
                             }));
  return json.finish(m.quality);
}

}  // namespace mora::experiment
