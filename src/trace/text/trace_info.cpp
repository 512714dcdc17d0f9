#include "trace/text/trace_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

}  // namespace

Result<TraceInfo> gather_info(Source& source) {
  TraceInfo info;
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
  if (threads != d.world_size) line("locations", fmt::format("{}", threads));
  line("time span", time_for_people(info.last - info.first));
  line("regions", fmt::format("{}", d.regions.size()));
  line("communicators", fmt::format("{}", d.communicators.size()));
  if (!d.windows.empty()) line("windows", fmt::format("{}", d.windows.size()));
  line("messages", fmt::format("{} ({})", info.messages, bytes_for_people(info.bytes_sent)));
  line("events", fmt::format("{}", info.events));
  for (std::size_t k = 0; k < TraceInfo::kinds; ++k) {
    if (info.by_kind[k] != 0)
      text += fmt::format("  {:<22}{}\n", to_string(static_cast<EventKind>(k)), info.by_kind[k]);
  }
  const std::string quality = quality_lines(source.quality());
  line("data quality", quality.empty() ? "nothing lost or mended while reading; mora analyze also pairs messages" : "");
  return text + quality;
}

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
  json.key("data_quality");
  quality_json(json, source.quality());
  json.end_object();
  return json.str() + "\n";
}

}  // namespace mora::trace
