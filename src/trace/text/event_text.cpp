#include "trace/text/event_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/json/json_document.h"
#include "base/numbers/read_number.h"
#include "base/text/quality_by_cause.h"
#include "base/text/source_place.h"
#include "trace/assertion.h"
#include "trace/metrics/metric_value.h"
#include "trace/mpi_function.h"
#include "trace/readers/text/lexer.h"

namespace mora::trace {
namespace {

template <class Things>
std::string name_of(const Things& things, std::uint32_t id, const char* kind) {
  if (id < things.size() && !things[id].name.empty()) return things[id].name;
  return id == no_id ? std::string("?") : fmt::format("{}{}", kind, id);
}

std::string group_name(const Definitions& d, GroupId group) {
  if (group >= d.groups.size()) return "?";
  return fmt::format("{}", fmt::join(d.groups[group].members, ","));
}

/// The pointer to an earlier event is named after what it points to.
const char* pointer_name(EarlType type) {
  switch (type) {
    case EarlType::recv:
      return "send";
    case EarlType::get_1ts:
      return "origin";
    case EarlType::join:
      return "fork";
    case EarlType::wlock:
      return "previous";  // `lock` is its kind
    case EarlType::wunlock:
    case EarlType::alock:
    case EarlType::rlock:
      return "lock";
    case EarlType::mpicexit:
    case EarlType::mpiwcexit:
    case EarlType::ompcexit:
      return "chain";
    default:
      return "start";
  }
}

const std::string& text_at(const std::vector<std::string>& texts, std::uint64_t index) {
  static const std::string unknown = "?";
  return index < texts.size() ? texts[index] : unknown;
}

/// The attributes of every event type, in their documented order: the only place that lists them. `out` takes the name
/// and the value of each: a text or a number.
template <class Out>
void attributes(const View& view, const ViewEvent& e, const Out& out) {
  const Definitions& d = view.definitions();
  const auto window = [&] { out("win", name_of(d.windows, e.window, "window")); };
  const auto comm = [&] { out("comm", name_of(d.communicators, e.comm, "comm")); };
  const auto target = [&] {
    if (e.peer != no_id) out("target", e.peer);  // else all
  };
  const auto assertion = [&] {
    if (e.assertion != 0) out("assert", assertion_text(e.assertion));
  };
  const auto range = [&] {
    if (e.target_offset == no_offset) return;
    out("offset", e.target_offset);
    out("extent", e.target_extent);
  };
  const auto reduction = [&] {
    if (e.reduction != Reduction::unknown) out("op", to_string(e.reduction));
  };
  if (e.region != no_id) out("region", name_of(d.regions, e.region, "region"));
  if ((e.type == EarlType::enter || e.type == EarlType::exit) && e.region < d.regions.size() &&
      !d.regions[e.region].group.empty())
    out("group", d.regions[e.region].group);
  switch (e.type) {
    case EarlType::enter: {
      if (e.region >= d.regions.size()) break;
      const Region& r = d.regions[e.region];
      if (!r.call_site_file.empty())
        out("site", r.call_site_line ? fmt::format("{}:{}", r.call_site_file, r.call_site_line) : r.call_site_file);
      if (r.caller != no_id) out("path", call_path_text(d, e.region));
      if (e.tag != 0)
        out(r.role == RegionRole::interval        ? "id"
            : r.kind != RegionKind::mpi           ? "team"
            : mpi::polls_messages(function_of(r)) ? "polls"
                                                  : "level",
            e.tag);
      break;
    }
    case EarlType::exit:
      break;
    case EarlType::mpicexit:
      comm();
      if (e.root != no_id) out("root", e.root);
      out("sent", e.bytes);
      out("recvd", e.received);
      break;
    case EarlType::mpiwcexit:
      window();
      comm();
      assertion();
      break;
    case EarlType::mpiwexit:
      window();
      out("group", group_name(d, e.group));
      out("synex", e.synex ? 1 : 0);
      assertion();
      break;
    case EarlType::send:
    case EarlType::recv:
      out(e.type == EarlType::send ? "dest" : "src", e.peer);
      out("tag", e.tag);
      if (e.comm != no_id) comm();  // else the format has none
      out("bytes", e.bytes);
      break;
    case EarlType::put_1ts:
    case EarlType::get_1ts:
    case EarlType::atomic_1ts:
      out("dest", e.peer);
      window();
      out("rmaid", e.id);
      out("sent", e.bytes);
      reduction();
      range();
      break;
    case EarlType::put_1te:
    case EarlType::get_1te:
    case EarlType::atomic_1te:
      out("src", e.peer);
      window();
      out("rmaid", e.id);
      out("recvd", e.received);
      break;
    case EarlType::get_1to:
      window();
      out("rmaid", e.id);
      break;
    case EarlType::wlock:
    case EarlType::wunlock:
      target();
      window();
      if (e.type == EarlType::wlock) out("lock", e.exclusive ? "exclusive" : "shared");
      assertion();
      break;
    case EarlType::ompcexit:
    case EarlType::join:
      break;
    case EarlType::fork:
      if (e.peer != no_id) out("threads", e.peer);
      break;
    case EarlType::alock:
    case EarlType::rlock:
      out("lockid", e.id);
      break;
    case EarlType::nbc_start:
    case EarlType::nbc_end:
      out("operation", to_string(e.collective));
      if (e.comm != no_id) comm();
      if (e.root != no_id) out("root", e.root);
      out("sent", e.bytes);
      out("recvd", e.received);
      out("request", e.id);
      break;
    case EarlType::wflush:
      target();
      window();
      if (e.local) out("local", 1);
      break;
    case EarlType::io_start:
    case EarlType::io_end:
      out("file", text_at(d.files, e.index));
      out("bytes", e.bytes);
      out("id", e.id);
      break;
    case EarlType::metric:
      out("metric", name_of(d.metrics, e.index, "metric"));
      metric_value_of(e).visit([&](auto number) { out("value", number); });
      if (e.index < d.metrics.size() && !d.metrics[e.index].unit.empty()) out("unit", d.metrics[e.index].unit);
      break;
    case EarlType::sample: {
      if (e.index >= d.callers.size()) break;
      const Caller& caller = d.callers[e.index];
      if (caller.region < d.regions.size()) {
        const Region& r = d.regions[caller.region];
        out("function", r.name);
        if (!r.call_site_file.empty())
          out("site", r.call_site_line ? fmt::format("{}:{}", r.call_site_file, r.call_site_line) : r.call_site_file);
      }
      if (caller.parent != no_id) out("path", caller_text(d, caller.parent));
      if (caller.place < d.call_places.size())
        out("called_at", source_place(d.call_places[caller.place].file, d.call_places[caller.place].line));
      break;
    }
    case EarlType::user:
      out("name", text_at(d.user_types, e.index));
      if (e.id < d.strings.size() && !d.strings[e.id].empty()) out("data", d.strings[e.id]);
      if (e.bytes != 0) out("number", e.bytes);
      break;
  }
  if (e.enter != 0) out("enter", e.enter);
  if (e.link != 0) out(pointer_name(e.type), e.link);
}

/// " name=value", quoted where blanks would end it.
std::string as_word(const std::string& value) {
  const bool plain =
      !value.empty() && std::none_of(value.begin(), value.end(), [](unsigned char c) { return c <= ' ' || c == '"'; });
  return plain ? value : json_quote(value);
}

constexpr std::size_t piece = 64 << 10;
constexpr Position forget_every = 1 << 20;

/// `act` returns false to stop.
template <class Act>
void each_accepted(const View& view, const EventFilter& filter, const Act& act) {
  std::uint64_t left = filter.limit;
  const Position first = filter.from ? view.at_time(*filter.from - 1) + 1 : 1;
  const Position last = filter.to ? view.at_time(*filter.to) : view.size();
  for (Position p = first; p <= last && left > 0; ++p) {
    if (p % forget_every == 0) view.forget_before(p);
    if (!filter.accepts(view.definitions(), view.location(p), view.type(p), view.time(p))) continue;
    if (!act(p)) return;
    --left;
  }
}

}  // namespace

std::string call_path_text(const Definitions& definitions, RegionId region) {
  return region < definitions.regions.size() ? caller_text(definitions, definitions.regions[region].caller) : "";
}

std::string caller_text(const Definitions& definitions, CallerId caller) {
  std::string path;
  for (const RegionId function : definitions.functions_to(caller))
    path += (path.empty() ? "" : " > ") +
            (function < definitions.regions.size() ? definitions.regions[function].name : "?");
  return path;
}

std::string location_name(const Location& location) {
  return location.thread == 0 ? fmt::format("P{}", location.rank)
                              : fmt::format("P{}.{}", location.rank, location.thread);
}

bool EventFilter::accepts(const Definitions& definitions, LocationId location, EarlType type, Nanoseconds time) const {
  return (!ranks || ranks->holds(definitions.locations[location].rank)) && (types.empty() || types.count(type) != 0) &&
         (!from || time >= *from) && (!to || time <= *to);
}

Result<std::set<EarlType>> parse_types(const std::string& input) {
  std::set<EarlType> types;
  std::size_t at = 0;
  while (at <= input.size()) {
    const auto comma = std::min(input.find(',', at), input.size());
    std::string name = input.substr(at, comma - at);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    bool known = false;
    std::string all;
    for (std::size_t i = 0; i < earl_type_count; ++i) {
      const auto type = static_cast<EarlType>(i);
      all += (i ? ", " : "") + std::string(to_string(type));
      if (name != to_string(type)) continue;
      types.insert(type);
      known = true;
    }
    if (!known) return fail(ErrorKind::usage, "there is no event type '" + name + "'", "", "", "known types: " + all);
    at = comma + 1;
  }
  return types;
}

Result<Nanoseconds> parse_duration(const std::string& input) {
  const auto unit_at = input.find_first_not_of("0123456789.-");
  std::string unit = unit_at == std::string::npos ? "ns" : input.substr(unit_at);
  unit.erase(0, unit.find_first_not_of(' '));
  const Nanoseconds scale = unit == "ns"   ? 1
                            : unit == "us" ? 1000
                            : unit == "ms" ? 1000000
                            : unit == "s"  ? 1000000000
                                           : 0;
  Nanoseconds time = 0;
  std::string why = "unknown unit '" + unit + "'";
  if (scale == 0 || !text::parse_time(std::string_view(input).substr(0, unit_at), scale, time, why))
    return fail(ErrorKind::usage, "cannot understand the time", input, why,
                "write a number with a unit, for example 1.5us, 20ms or 2s");
  return time;
}

Result<void> parse_min_latencies(std::string text, const std::string& where, ClockOptions& options) {
  const std::string all = text;
  Nanoseconds* const wanted[] = {&options.between_nodes, &options.inside_node, &options.between_threads};
  for (std::size_t i = 0;; ++i) {
    const std::size_t comma = text.find(',');
    MORA_TRY(const Nanoseconds value, parse_duration(text.substr(0, comma)));
    if (i == 3 || value < 0)
      return fail(
          ErrorKind::usage, "these are not minimum latencies: " + all, where, "",
          "give up to three durations: between nodes, inside a node, between threads; for example 3us,1us,100ns");
    *wanted[i] = value;
    if (comma == std::string::npos) return {};
    text.erase(0, comma + 1);
  }
}

std::string event_line(const View& view, Position position, Nanoseconds origin) {
  const ViewEvent e = view.event(position);
  std::string line = fmt::format("{} {} {} {}", position, e.time + origin,
                                 location_name(view.definitions().locations[e.location]), to_string(e.type));
  attributes(view, e, [&]<class T>(const char* name, const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      line += fmt::format(" {}={}", name, value);
    } else {
      line += fmt::format(" {}={}", name, as_word(value));
    }
  });
  return line;
}

void event_json(JsonWriter& json, const View& view, Position position, Nanoseconds origin) {
  const ViewEvent e = view.event(position);
  json.begin_line_object().fields("event", position, "time_ns", e.time + origin, "location",
                                  location_name(view.definitions().locations[e.location]), "type", to_string(e.type));
  attributes(view, e, [&](const char* name, const auto& value) { json.fields(name, value); });
  json.end_object();
}

std::string quality_lines(const DataQuality& quality) {
  std::string text;
  for (const QualityRow& row : by_cause(quality.rows()))
    text += fmt::format("! {} [{}] {}: {}\n", row.kind, row.where, row.count, row.what);
  return text;
}

void print_text(const View& view, const EventFilter& filter, const TextSink& write) {
  std::string text;
  bool open = true;
  each_accepted(view, filter, [&](Position p) {
    text += event_line(view, p, filter.origin) + "\n";
    if (text.size() < piece) return true;
    open = write(text);
    text.clear();
    return open;
  });
  if (open) write(text + quality_lines(view.quality()));
}

void print_json(const View& view, const EventFilter& filter, const TextSink& write) {
  JsonDocument json("mora-print");
  json.fields("rma_model", view.model() == RmaModel::basic ? "basic" : "extended", "size",
              filter.events == 0 ? view.size() : filter.events);
  json.key("events").begin_array();
  bool open = true;
  each_accepted(view, filter, [&](Position p) {
    event_json(json, view, p, filter.origin);
    if (json.str().size() >= piece) open = write(json.take());
    return open;
  });
  if (!open) return;
  json.end_array();
  write(json.finish(view.quality().rows()));
}

}  // namespace mora::trace
