#include "trace/text/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/json/json_document.h"
#include "base/numbers/cartesian_grid_text.h"
#include "base/table/table.h"
#include "base/table/wrapped.h"
#include "trace/readers/open_trace.h"
#include "trace/text/event_text.h"

namespace mora::trace {
namespace {

class Counter : public EventSink {
 public:
  explicit Counter(TraceInfo& info) : info_(info) {}
  void on_event(const Event& e) override {
    ++info_.events;
    ++info_.by_kind[static_cast<std::size_t>(e.kind)];
    if (e.kind == EventKind::user && e.vector < info_.by_user_type.size()) ++info_.by_user_type[e.vector];
    if (e.kind == EventKind::metric && e.vector < info_.by_metric.size()) ++info_.by_metric[e.vector];
    if (e.kind == EventKind::send || e.kind == EventKind::send_request) {
      ++info_.messages;
      info_.message_bytes += e.bytes;
    }
    info_.measured.add(e);
  }

 private:
  TraceInfo& info_;
};

/// Regions per group, by name; those without one are left out.
std::map<std::string, std::size_t> region_groups(const Definitions& d) {
  std::map<std::string, std::size_t> groups;
  for (const Region& region : d.regions) {
    if (!region.group.empty()) ++groups[region.group];
  }
  return groups;
}

std::size_t count_locations(const Definitions& d, LocationKind kind) {
  return static_cast<std::size_t>(std::count_if(d.locations.begin(), d.locations.end(),
                                                [&](const Location& location) { return location.kind == kind; }));
}

std::string communicator_text(const Communicator& c) {
  if (c.self) return "each rank alone";
  const auto ranks = [](std::size_t n) { return counted(n, "rank"); };
  return c.inter() ? fmt::format("{} and {}", ranks(c.members.size()), ranks(c.remote_members.size()))
                   : ranks(c.members.size());
}

/// Those that something of the trace ran on: a Paraver file names all of its machine.
std::vector<std::string> hosts_of(const Definitions& d) {
  std::vector<char> is_used(d.nodes.size());
  for (const Location& location : d.locations) {
    if (location.node < is_used.size()) is_used[location.node] = 1;
  }
  std::vector<std::string> hosts;
  for (std::size_t n = 0; n < d.nodes.size(); ++n) {
    if (is_used[n] != 0) hosts.push_back(d.nodes[n].name);
  }
  return hosts;
}

std::string location_text(const Definitions& d) {
  const std::size_t devices = count_locations(d, LocationKind::device);
  const std::size_t metrics = count_locations(d, LocationKind::metric);
  std::string text = fmt::format("{}", d.locations.size());
  if (devices > 0) text += fmt::format(", {} of them device streams", devices);
  if (metrics > 0) text += fmt::format(", {} {}for counters only", metrics, devices > 0 ? "" : "of them ");
  return text;
}

/// "  name   what" for each of a list, at most so many.
template <class Text>
std::string rows(std::size_t n, const Text& row) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < n && i < most; ++i) {
    const auto [name, what] = row(i);
    text += what.empty() ? fmt::format("  {}\n", name) : fmt::format("  {:<21} {}\n", name, what);
  }
  if (n > most) text += fmt::format("  … and {} more (--json lists all)\n", n - most);
  return text;
}

/// The name, or "comm3" for what has none.
std::string named(const std::string& name, const char* kind, std::size_t number) {
  return name.empty() ? fmt::format("{}{}", kind, number) : name;
}

}  // namespace

Result<TraceInfo> gather_info(Source& source) {
  TraceInfo info;
  info.by_user_type.resize(source.definitions().user_types.size());
  info.by_metric.resize(source.definitions().metrics.size());
  Counter counter(info);
  std::optional<Error> last;
  const std::size_t n = source.definitions().locations.size();
  for (LocationId location = 0; location < n; ++location) {
    auto done = source.read_location(location, counter);
    if (done) continue;
    last = done.error();
    ++info.unreadable_locations;
    source.quality().add("unreadable-location", Severity::loss, source.definitions().locations[location].name, 1,
                         "the events of a location cannot be read: " + last->why,
                         "the archive is damaged; use a copy or record again");
  }
  if (last && info.unreadable_locations == n) return tl::unexpected(*last);
  return info;
}

namespace {

std::uint64_t promised_events(const Source& source) {
  std::uint64_t events = 0;
  for (LocationId l = 0; l < source.definitions().locations.size(); ++l) events += source.event_count_hint(l);
  return events;
}

}  // namespace

TraceInfo promised_info(const Source& source) {
  TraceInfo info;
  info.is_counted = false;
  info.by_user_type.resize(source.definitions().user_types.size());
  info.by_metric.resize(source.definitions().metrics.size());
  info.events = promised_events(source);
  info.measured.add(0);
  info.measured.add(source.duration_hint());
  return info;
}

bool counts_quickly(const Source& source) {
  constexpr std::uint64_t most = 1'000'000;
  return promised_events(source) <= most;
}

std::string info_text(const std::string& path, Source& source, const TraceInfo& info) {
  const Definitions& d = source.definitions();
  const std::size_t threads = d.locations.size();
  std::string text;
  const auto line = [&](const char* name, const std::string& value) { text += fmt::format("{:<14}{}\n", name, value); };
  line("trace", path);
  line("format", source.format());
  line("program", info.programs.empty() ? d.program : info.programs);
  line("ranks", fmt::format("{} on {}", d.world_size, counted(hosts_of(d).size(), "host")));
  if (threads != d.world_size) line("locations", location_text(d));
  line("clock origin", fmt::format("{} s of the trace's own clock", seconds_exact(d.time_origin)));
  line("time span", time_for_people(info.measured.length()));
  line("regions", fmt::format("{}", d.regions.size()));
  const auto groups = region_groups(d);
  if (!groups.empty()) line("groups", fmt::format("{}", groups.size()));
  text += rows(groups.size(), [&](std::size_t i) {
    const auto& [name, n] = *std::next(groups.begin(), static_cast<std::ptrdiff_t>(i));
    return std::pair(name, counted(n, "region"));
  });
  line("communicators", fmt::format("{}", d.communicators.size()));
  text += rows(d.communicators.size(), [&](std::size_t i) {
    return std::pair(named(d.communicators[i].name, "comm", i), communicator_text(d.communicators[i]));
  });
  if (!d.grids.empty()) line("grids", fmt::format("{}", d.grids.size()));
  text += rows(d.grids.size(), [&](std::size_t i) {
    const auto& [comm, grid] = d.grids[i];
    return std::pair(named(grid.name, "grid", i),
                     fmt::format("{} of {}", extents_text(grid), counted(grid.ranks.size(), "rank")));
  });
  if (!d.windows.empty()) line("windows", fmt::format("{}", d.windows.size()));
  text += rows(d.windows.size(), [&](std::size_t i) {
    const CommId comm = d.windows[i].comm;
    return std::pair(
        named(d.windows[i].name, "window", i),
        comm < d.communicators.size() ? "on " + named(d.communicators[comm].name, "comm", comm) : std::string());
  });
  if (!d.metrics.empty()) line("metrics", fmt::format("{}", d.metrics.size()));
  text += rows(d.metrics.size(), [&](std::size_t i) {
    const std::string unit = d.metrics[i].unit.empty() ? "" : " (" + d.metrics[i].unit + ")";
    return std::pair(named(d.metrics[i].name, "metric", i) + unit,
                     info.is_counted ? counted(info.by_metric[i], "value") : std::string());
  });
  if (info.is_counted) line("messages", fmt::format("{} ({})", info.messages, bytes_for_people(info.message_bytes)));
  line("events", fmt::format("{}{}", info.events,
                             info.is_counted ? "" : " records, as the definitions say; --count always reads them"));
  for (std::size_t k = 0; k < TraceInfo::kinds; ++k) {
    if (info.by_kind[k] != 0)
      text += fmt::format("  {:<22}{}\n", to_string(static_cast<EventKind>(k)), info.by_kind[k]);
    if (static_cast<EventKind>(k) != EventKind::user) continue;
    for (std::size_t i = 0; i < info.by_user_type.size(); ++i) {
      if (info.by_user_type[i] != 0)
        text += fmt::format("    {:<19} {}\n", named(d.user_types[i], "type", i), info.by_user_type[i]);
    }
  }
  const std::string quality = quality_lines(source.quality());
  line("data quality", !info.is_counted  ? "of the definitions only: the events were not read"
                       : quality.empty() ? "nothing lost or repaired while reading; mora analyze also pairs messages"
                                         : "");
  return text + quality;
}

namespace {

/// null in JSON for what was not counted.
std::optional<std::uint64_t> counted_in(const TraceInfo& info, std::uint64_t n) {
  return info.is_counted ? std::optional(n) : std::nullopt;
}

void write_definitions(JsonWriter& json, const Definitions& d, const TraceInfo& info) {
  std::size_t metric = 0;
  json.object("groups", list(region_groups(d), [&](const auto& g) { json.line("name", g.first, "regions", g.second); }),
              "communicators",
              list(d.communicators,
                   [&](const Communicator& c) {
                     json.line("name", c.name, "ranks", c.members.size(), "remote_ranks", c.remote_members.size(),
                               "self", c.self);
                   }),
              "grids",
              list(d.grids,
                   [&](const auto& g) {
                     std::vector<std::uint32_t> extents;
                     for (const auto& dimension : g.second.dimensions) extents.push_back(dimension.extent);
                     json.line("name", g.second.name, "communicator", g.first, "extents", extents, "ranks",
                               g.second.ranks.size());
                   }),
              "windows",
              list(d.windows,
                   [&](const Window& w) {
                     json.line("name", w.name, "communicator",
                               w.comm < d.communicators.size() ? std::optional(w.comm) : std::nullopt);
                   }),
              "metrics",
              list(d.metrics,
                   [&](const auto& m) {
                     json.line("name", m.name, "unit", m.unit, "values", counted_in(info, info.by_metric[metric++]));
                   }),
              "files", d.files);
}

}  // namespace

std::string info_json(const std::string& path, Source& source, const TraceInfo& info) {
  const Definitions& d = source.definitions();
  JsonDocument json("mora-info");
  json.fields("trace", path, "format", source.format(), "program", d.program, "programs", info.programs, "ranks",
              d.world_size, "locations", d.locations.size(), "hosts", hosts_of(d));
  json.key("location_kinds")
      .line("threads", count_locations(d, LocationKind::cpu), "devices", count_locations(d, LocationKind::device),
            "counters", count_locations(d, LocationKind::metric));
  json.fields("clock_origin_s", Seconds{d.time_origin}, "first_s", Seconds{info.measured.begin()}, "last_s",
              Seconds{info.measured.end()}, "regions", d.regions.size(), "communicators", d.communicators.size(),
              "windows", d.windows.size(), "messages", counted_in(info, info.messages), "message_bytes",
              counted_in(info, info.message_bytes), "events", info.events, "events_counted", info.is_counted);
  json.key("events_by_kind").begin_object();
  for (std::size_t k = 0; k < TraceInfo::kinds; ++k) {
    if (info.by_kind[k] != 0) json.fields(to_string(static_cast<EventKind>(k)), info.by_kind[k]);
  }
  json.end_object().key("user_events").begin_object();
  for (std::size_t i = 0; i < info.by_user_type.size(); ++i) {
    if (info.by_user_type[i] != 0) json.fields(named(d.user_types[i], "type", i), info.by_user_type[i]);
  }
  json.end_object().fields("definitions", [&] { write_definitions(json, d, info); });
  return json.finish(source.quality().rows());
}

namespace {

Table formats_table() {
  return {{{"name", 14, 0, true}, {"description", 0, 0, true}}, trace_formats(), [](const TraceFormat& format) {
            return Cells{format.name, format.description};
          }};
}

}  // namespace

std::string formats_text() { return text_of(formats_table(), {.has_heading = false}); }

std::string formats_json() {
  JsonDocument json("mora-formats");
  json.fields("formats", formats_table());
  return json.finish();
}

}  // namespace mora::trace
