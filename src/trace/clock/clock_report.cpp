#include "trace/clock/clock_report.h"

#include <fmt/format.h>

#include "base/json_writer.h"

namespace mora::trace {

namespace {

std::string name_of(const Definitions& d, std::uint32_t location) {
  return location < d.locations.size() ? d.locations[location].name : "unknown";
}

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string slope_text(const Slope& slope) {
  if (slope.recorded == 0) return "nothing stretched";
  return fmt::format("x {:.4g} ({} became {})", slope.ratio(), time_for_people(slope.recorded),
                     time_for_people(slope.corrected));
}

void errors_json(JsonWriter& json, const EdgeErrors& e) {
  json.begin_line_object().key("edges").unsigned_integer(e.edges).key("reversed").unsigned_integer(e.reversed);
  json.key("reversed_between_nodes").unsigned_integer(e.reversed_between);
  json.key("too_short").unsigned_integer(e.too_short).end_object();
}

void check_json(JsonWriter& json, const EdgeCheck& check) {
  json.begin_object();
  for (std::size_t k = 0; k < edge_kinds; ++k) {
    json.key(to_string(static_cast<EdgeKind>(k)));
    errors_json(json, check.kinds[k]);
  }
  json.key("total");
  errors_json(json, check.total());
  json.end_object();
}

}  // namespace

const char* to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::message:
      return "messages";
    case EdgeKind::collective:
      return "collectives";
    case EdgeKind::rma:
      return "one-sided";
    case EdgeKind::threads:
      return "threads";
  }
  return "";
}

const char* to_string(ClockMode mode) {
  switch (mode) {
    case ClockMode::never:
      return "never";
    case ClockMode::automatic:
      return "auto";
    case ClockMode::always:
      return "always";
  }
  return "";
}

EdgeErrors& EdgeErrors::operator+=(const EdgeErrors& o) {
  edges += o.edges;
  reversed += o.reversed;
  reversed_between += o.reversed_between;
  too_short += o.too_short;
  return *this;
}

EdgeErrors EdgeCheck::total() const {
  EdgeErrors sum;
  for (const EdgeErrors& e : kinds) sum += e;
  return sum;
}

std::uint64_t ClockReport::moved() const {
  std::uint64_t sum = 0;
  for (const LocationCorrection& l : locations) sum += l.moved;
  return sum;
}

std::string clock_report_text(const ClockReport& r, const Definitions& d) {
  std::string out = fmt::format("clocks      {} ({}), {}\n", r.corrected ? "corrected" : "not corrected", r.reason,
                                plural(r.nodes, "node", "nodes"));
  if (!r.checked) return out;
  out +=
      fmt::format("latencies   at least {} between nodes, {} inside a node, {} between threads\n",
                  time_for_people(r.between_nodes), time_for_people(r.inside_node), time_for_people(r.between_threads));
  out += fmt::format("{:<12}{:>12}{:>12}{:>12}{:>16}{:>16}\n", "edges", "all", "reversed", "too short",
                     "reversed after", "too short after");
  const auto row = [&](const char* name, const EdgeErrors& before, const EdgeErrors& after) {
    out += fmt::format("{:<12}{:>12}{:>12}{:>12}{:>16}{:>16}\n", name, before.edges, before.reversed, before.too_short,
                       after.reversed, after.too_short);
  };
  for (std::size_t k = 0; k < edge_kinds; ++k) {
    if (r.before.kinds[k].edges != 0) row(to_string(static_cast<EdgeKind>(k)), r.before.kinds[k], r.after.kinds[k]);
  }
  row("total", r.before.total(), r.after.total());
  if (r.unused != 0)
    out += fmt::format("not used    {} of edges that could not be matched with certainty\n",
                       plural(r.unused, "end", "ends"));
  if (r.corrected) {
    out += fmt::format(
        "correction  {}, {} lifted, {} moved{}\n", plural(r.passes, "pass", "passes"),
        plural(r.jumps, "event", "events"), plural(r.moved(), "event", "events"),
        r.circular == 0 ? "" : fmt::format("; {} in a circle left as they were", plural(r.circular, "edge", "edges")));
    out += fmt::format("shift       {} at most, {} at most at the end\n", time_for_people(r.largest_shift),
                       time_for_people(r.largest_final_shift));
    out += fmt::format("slope       {}{}\n", slope_text(r.largest_slope),
                       r.without_room == 0
                           ? ""
                           : fmt::format("; {} without room before them", plural(r.without_room, "step", "steps")));
  }
  if (!r.worst.empty()) out += "worst edges, by the clocks of the trace\n";
  for (const WrongEdge& e : r.worst) {
    out += fmt::format("  {:<12}{} at {} s -> {} at {} s: {} too early\n", to_string(e.kind), name_of(d, e.from),
                       seconds_exact(e.begin), name_of(d, e.to), seconds_exact(e.end), time_for_people(e.error()));
  }
  bool title = false;
  for (std::size_t l = 0; l < r.locations.size(); ++l) {
    const LocationCorrection& c = r.locations[l];
    if (c.before.violated() == 0 && c.after.violated() == 0 && c.jumps == 0 && c.largest_shift == 0) continue;
    if (!title)
      out += fmt::format("{:<20}{:>10}{:>10}{:>10}{:>10}{:>14}{:>14}\n", "location", "violated", "after", "lifted",
                         "moved", "largest shift", "final shift");
    title = true;
    out += fmt::format("{:<20}{:>10}{:>10}{:>10}{:>10}{:>14}{:>14}\n", name_of(d, static_cast<std::uint32_t>(l)),
                       c.before.violated(), c.after.violated(), c.jumps, c.moved, time_for_people(c.largest_shift),
                       time_for_people(c.final_shift));
  }
  return out;
}

std::string clock_report_line(const ClockReport& r) {
  const EdgeErrors before = r.before.total(), after = r.after.total();
  if (r.corrected)
    return fmt::format(
        "clocks corrected: {} of {} edges contradicted them, {} after; times moved by up to {}, intervals stretched by "
        "up "
        "to {} (mora info --clocks)\n",
        before.violated(), before.edges, after.violated(), time_for_people(r.largest_shift),
        slope_text(r.largest_slope));
  if (before.reversed == 0) return {};
  return fmt::format("clocks not corrected ({}): {} of {} edges end before they begin (mora info --clocks)\n", r.reason,
                     before.reversed, before.edges);
}

std::string clock_report_json(const ClockReport& r, const Definitions& d) {
  JsonWriter json;
  json.begin_object();
  json.key("mode").string(to_string(r.mode)).key("nodes").unsigned_integer(r.nodes);
  json.key("checked").boolean(r.checked).key("corrected").boolean(r.corrected).key("reason").string(r.reason);
  if (r.checked) {
    json.key("min_latency_s").begin_line_object().key("between_nodes").seconds(r.between_nodes);
    json.key("inside_node").seconds(r.inside_node).key("between_threads").seconds(r.between_threads).end_object();
    json.key("before");
    check_json(json, r.before);
    json.key("after");
    check_json(json, r.after);
    json.key("unused_ends").unsigned_integer(r.unused).key("passes").unsigned_integer(r.passes);
    json.key("circular_edges").unsigned_integer(r.circular).key("lifted_events").unsigned_integer(r.jumps);
    json.key("moved_events").unsigned_integer(r.moved()).key("largest_shift_s").seconds(r.largest_shift);
    json.key("largest_final_shift_s").seconds(r.largest_final_shift).key("largest_slope").begin_line_object();
    json.key("corrected_s")
        .seconds(r.largest_slope.corrected)
        .key("recorded_s")
        .seconds(r.largest_slope.recorded)
        .end_object();
    json.key("steps_without_room").unsigned_integer(r.without_room).key("worst_edges").begin_array();
    for (const WrongEdge& e : r.worst) {
      json.begin_line_object().key("kind").string(to_string(e.kind)).key("from").string(name_of(d, e.from));
      json.key("begin_s").seconds(e.begin).key("to").string(name_of(d, e.to)).key("end_s").seconds(e.end);
      json.key("error_s").seconds(e.error()).end_object();
    }
    json.end_array().key("locations").begin_array();
    for (std::size_t l = 0; l < r.locations.size(); ++l) {
      const LocationCorrection& c = r.locations[l];
      json.begin_line_object().key("name").string(name_of(d, static_cast<std::uint32_t>(l)));
      json.key("violated_before").unsigned_integer(c.before.violated());
      json.key("violated_after").unsigned_integer(c.after.violated()).key("lifted_events").unsigned_integer(c.jumps);
      json.key("moved_events").unsigned_integer(c.moved).key("largest_shift_s").seconds(c.largest_shift);
      json.key("final_shift_s").seconds(c.final_shift).end_object();
    }
    json.end_array();
  }
  json.end_object();
  return json.take() + "\n";
}

void clock_report_quality(const ClockReport& r, const Definitions& d, DataQuality& quality) {
  if (r.corrected) {
    for (std::size_t l = 0; l < r.locations.size(); ++l) {
      const LocationCorrection& c = r.locations[l];
      if (c.jumps == 0) continue;
      quality.add(
          "clock-corrected", Severity::warning, name_of(d, static_cast<std::uint32_t>(l)), c.before.violated(),
          fmt::format("messages or other edges arrived too early by the clocks; times were moved by up to {}, by {} "
                      "at the end; waits are estimates there",
                      time_for_people(c.largest_shift), time_for_people(c.final_shift)),
          "let the job reach MPI_Finalize, so that clock offsets are measured; mora info --clocks says more");
    }
  }
  const EdgeErrors after = r.after.total();
  if (r.corrected && after.violated() != 0)
    quality.add(
        "clock-uncorrectable", Severity::warning, "", after.violated(),
        "messages or other edges that no clocks can satisfy: they form circles, or times are at the end of their range",
        "the trace is damaged: record again");
}

}  // namespace mora::trace
