/// manifest.json and journal/run.json as JSON (docs/formats/manifest.md); totals over ranks.
#include "experiment/manifest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/quality_json.h"
#include "base/version.h"

namespace mora::experiment {
namespace {

template <class Field>
std::uint64_t sum(const std::vector<RankFacts>& ranks, Field field) {
  std::uint64_t total = 0;
  for (const auto& r : ranks) total += field(r);
  return total;
}

void write_request_fields(JsonWriter& json, const RunRequest& request) {
  json.key("command").begin_line_array();
  for (const auto& word : request.command) json.string(word);
  json.end_array();
  json.key("launched_realtime_ns").unsigned_integer(request.start_realtime_ns);
  json.key("launcher_exit");
  if (request.launcher_exit)
    json.integer(*request.launcher_exit);
  else
    json.null();
  json.key("launcher_wall_s");
  if (request.launcher_wall_ns)
    json.seconds(static_cast<Nanoseconds>(*request.launcher_wall_ns));
  else
    json.null();
  json.key("flavour_evidence").string(request.flavour_evidence);
  json.key("configuration").begin_object();
  for (const auto& [name, value] : request.configuration) json.key(name).string(value);
  json.end_object();
}

}  // namespace

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
  const auto bytes = mapped.bytes();
  return ArchiveFile{relative, bytes.size(), fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()))};
}

std::string manifest_json(const Manifest& m) {
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-manifest");
  json.key("schema_version").integer(1);
  json.key("creator").string(std::string("mora ") + version());
  json.key("program").string(m.program);
  write_request_fields(json, m.request);
  json.key("recovered").boolean(m.recovered);
  json.key("run_tag").string(fmt::format("{:016x}", m.run_tag));
  json.key("started_realtime_ns").unsigned_integer(m.start_realtime_ns);
  json.key("mpi").begin_object();
  json.key("flavour").string(m.mpi_flavour);
  json.key("library").string(m.mpi_library);
  json.end_object();
  json.key("clock").begin_object();
  json.key("kind").string(m.clock);
  json.key("ns_per_tick").number(m.ns_per_tick);
  json.end_object();
  json.key("hosts").begin_line_array();
  for (const auto& h : m.hosts) json.string(h);
  json.end_array();
  json.key("totals").begin_object();
  json.key("ranks").unsigned_integer(m.ranks.size());
  json.key("recorded_ranks").unsigned_integer(m.recorded_ranks());
  json.key("wall_s").seconds(static_cast<Nanoseconds>(m.wall_ns()));
  json.key("mpi_s").seconds(static_cast<Nanoseconds>(m.mpi_ns()));
  json.key("lifetime_s").seconds(static_cast<Nanoseconds>(m.lifetime_ns()));
  json.key("worst_rank").unsigned_integer(m.worst_rank());
  json.key("calls").unsigned_integer(m.calls());
  json.key("events").unsigned_integer(m.events());
  json.key("lost_calls").unsigned_integer(m.lost_calls());
  json.key("archive_bytes").unsigned_integer(m.archive_bytes());
  json.end_object();
  json.key("overhead").begin_object();
  json.key("estimate_s").seconds(static_cast<Nanoseconds>(m.overhead_ns()));
  json.key("measured_s").seconds(static_cast<Nanoseconds>(sum(m.ranks, [](const auto& r) { return r.recorder_ns; })));
  json.key("assumed_ns_per_call").unsigned_integer(ns_per_call);
  json.end_object();
  json.key("ranks").begin_array();
  for (std::size_t rank = 0; rank < m.ranks.size(); ++rank) {
    const auto& r = m.ranks[rank];
    json.begin_line_object();
    json.key("rank").unsigned_integer(rank);
    json.key("recorded").boolean(r.recorded);
    json.key("ended").boolean(r.ended);
    json.key("finalized").boolean(r.finalized);
    json.key("host").string(r.host);
    json.key("pid").unsigned_integer(r.pid);
    json.key("calls").unsigned_integer(r.calls);
    json.key("events").unsigned_integer(r.events);
    json.key("lost_calls").unsigned_integer(r.lost_calls);
    json.key("open_calls").unsigned_integer(r.open_calls);
    json.key("lifetime_s").seconds(static_cast<Nanoseconds>(r.end - r.begin));
    json.key("mpi_s").seconds(static_cast<Nanoseconds>(r.mpi_ns));
    json.key("recorder_s").seconds(static_cast<Nanoseconds>(r.recorder_ns));
    json.end_object();
  }
  json.end_array();
  json.key("data_quality");
  write_quality(json, m.quality);
  json.key("archive").begin_object();
  json.key("files").begin_array();
  for (const auto& f : m.files) {
    json.begin_line_object();
    json.key("path").string(f.path);
    json.key("bytes").unsigned_integer(f.bytes);
    json.key("xxh3").string(f.xxh3);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  return json.str() + "\n";
}

}  // namespace mora::experiment
