#include "trace/text/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/json_writer.h"
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
      info_.bytes_sent += e.bytes;
    }
    if (!seen_) info_.first = info_.last = e.time;
    seen_ = true;
    info_.first = std::min(info_.first, e.time);
    info_.last = std::max(info_.last, e.time);
  }

 private:
  TraceInfo& info_;
  bool seen_ = false;
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
  const auto ranks = [](std::size_t n) { return fmt::format("{} rank{}", n, n == 1 ? "" : "s"); };
  return c.inter() ? fmt::format("{} and {}", ranks(c.members.size()), ranks(c.remote_members.size()))
                   : ranks(c.members.size());
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

std::string info_text(const std::string& path, Source& source, const TraceInfo& info) {
  const Definitions& d = source.definitions();
  const std::size_t threads = d.locations.size();
  std::string text;
  const auto line = [&](const char* name, const std::string& value) { text += fmt::format("{:<14}{}\n", name, value); };
  line("trace", path);
  line("format", source.format());
  line("program", d.program);
  line("ranks", fmt::format("{} on {} host{}", d.world_size, d.nodes.size(), d.nodes.size() == 1 ? "" : "s"));
  if (threads != d.world_size) line("locations", location_text(d));
  line("clock origin", fmt::format("{} s of the trace's own clock", seconds_exact(d.time_origin)));
  line("time span", time_for_people(info.last - info.first));
  line("regions", fmt::format("{}", d.regions.size()));
  const auto groups = region_groups(d);
  if (!groups.empty()) line("groups", fmt::format("{}", groups.size()));
  text += rows(groups.size(), [&](std::size_t i) {
    const auto& [name, n] = *std::next(groups.begin(), static_cast<std::ptrdiff_t>(i));
    return std::pair(name, fmt::format("{} region{}", n, n == 1 ? "" : "s"));
  });
  line("communicators", fmt::format("{}", d.communicators.size()));
  text += rows(d.communicators.size(), [&](std::size_t i) {
    return std::pair(named(d.communicators[i].name, "comm", i), communicator_text(d.communicators[i]));
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
                     fmt::format("{} value{}", info.by_metric[i], info.by_metric[i] == 1 ? "" : "s"));
  });
  line("messages", fmt::format("{} ({})", info.messages, bytes_for_people(info.bytes_sent)));
  line("events", fmt::format("{}", info.events));
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
  line("data quality",
       quality.empty() ? "nothing lost or repaired while reading; mora analyze also pairs messages" : "");
  return text + quality;
}

namespace {

void definitions_json(JsonWriter& json, const Definitions& d, const TraceInfo& info) {
  json.key("definitions").begin_object();
  json.key("groups").begin_array();
  for (const auto& [name, n] : region_groups(d)) {
    json.begin_line_object();
    json.key("name").string(name);
    json.key("regions").unsigned_integer(n);
    json.end_object();
  }
  json.end_array();
  json.key("communicators").begin_array();
  for (const Communicator& c : d.communicators) {
    json.begin_line_object();
    json.key("name").string(c.name);
    json.key("ranks").unsigned_integer(c.members.size());
    json.key("remote_ranks").unsigned_integer(c.remote_members.size());
    json.key("self").boolean(c.self);
    json.end_object();
  }
  json.end_array();
  json.key("windows").begin_array();
  for (const Window& w : d.windows) {
    json.begin_line_object();
    json.key("name").string(w.name);
    json.key("communicator");
    if (w.comm < d.communicators.size())
      json.unsigned_integer(w.comm);
    else
      json.null();
    json.end_object();
  }
  json.end_array();
  json.key("metrics").begin_array();
  for (std::size_t i = 0; i < d.metrics.size(); ++i) {
    json.begin_line_object();
    json.key("name").string(d.metrics[i].name);
    json.key("unit").string(d.metrics[i].unit);
    json.key("values").unsigned_integer(info.by_metric[i]);
    json.end_object();
  }
  json.end_array();
  json.key("files").begin_line_array();
  for (const std::string& file : d.files) json.string(file);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string info_json(const std::string& path, Source& source, const TraceInfo& info) {
  const Definitions& d = source.definitions();
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-info-1");
  json.key("trace").string(path);
  json.key("format").string(source.format());
  json.key("program").string(d.program);
  json.key("ranks").unsigned_integer(d.world_size);
  json.key("locations").unsigned_integer(d.locations.size());
  json.key("hosts").begin_line_array();
  for (const Node& node : d.nodes) json.string(node.name);
  json.end_array();
  json.key("location_kinds").begin_line_object();
  json.key("threads").unsigned_integer(count_locations(d, LocationKind::cpu));
  json.key("devices").unsigned_integer(count_locations(d, LocationKind::device));
  json.key("counters").unsigned_integer(count_locations(d, LocationKind::metric));
  json.end_object();
  json.key("clock_origin_s").seconds(d.time_origin);
  json.key("first_s").seconds(info.first);
  json.key("last_s").seconds(info.last);
  json.key("regions").unsigned_integer(d.regions.size());
  json.key("communicators").unsigned_integer(d.communicators.size());
  json.key("windows").unsigned_integer(d.windows.size());
  json.key("messages").unsigned_integer(info.messages);
  json.key("bytes_sent").unsigned_integer(info.bytes_sent);
  json.key("events").unsigned_integer(info.events);
  json.key("events_by_kind").begin_object();
  for (std::size_t k = 0; k < TraceInfo::kinds; ++k) {
    if (info.by_kind[k] != 0) json.key(to_string(static_cast<EventKind>(k))).unsigned_integer(info.by_kind[k]);
  }
  json.end_object();
  json.key("user_events").begin_object();
  for (std::size_t i = 0; i < info.by_user_type.size(); ++i) {
    if (info.by_user_type[i] != 0) json.key(named(d.user_types[i], "type", i)).unsigned_integer(info.by_user_type[i]);
  }
  json.end_object();
  definitions_json(json, d, info);
  json.key("data_quality");
  quality_json(json, source.quality());
  json.end_object();
  return json.str() + "\n";
}

std::string formats_text() {
  std::string text;
  for (const TraceFormat& format : trace_formats()) text += fmt::format("{:<14}{}\n", format.name, format.description);
  return text;
}

std::string formats_json() {
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-formats-1");
  json.key("formats").begin_array();
  for (const TraceFormat& format : trace_formats()) {
    json.begin_line_object();
    json.key("name").string(format.name);
    json.key("description").string(format.description);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.str() + "\n";
}

}  // namespace mora::trace
