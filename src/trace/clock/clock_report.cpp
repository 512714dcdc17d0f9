#include "trace/clock/clock_report.h"

#include <fmt/format.h>

#include "base/json/json_document.h"
#include "base/names.h"
#include "base/table/table.h"
#include "base/table/wrapped.h"

namespace mora::trace {

namespace {

std::string name_of(const Definitions& d, std::uint32_t location) {
  return location < d.locations.size() ? d.locations[location].name : "unknown";
}

std::string slope_text(const Slope& slope) {
  if (slope.recorded == 0) return "nothing stretched";
  return fmt::format("x {:.4g} ({} became {})", slope.ratio(), time_for_people(slope.recorded),
                     time_for_people(slope.corrected));
}

void write_errors(JsonWriter& json, const EdgeErrors& e) {
  json.line("edges", e.edges, "reversed", e.reversed, "reversed_between_nodes", e.reversed_between, "too_short",
            e.too_short);
}

void write_check(JsonWriter& json, const EdgeCheck& check) {
  json.begin_object();
  for (std::size_t k = 0; k < edge_kinds; ++k)
    json.fields(to_string(static_cast<EdgeKind>(k)), [&] { write_errors(json, check.kinds[k]); });
  json.fields("total", [&] { write_errors(json, check.total()); }).end_object();
}

}  // namespace

const char* to_string(EdgeKind kind) {
  static constexpr const char* names[] = {"messages", "collectives", "one-sided", "threads"};
  return name_in(names, kind);
}

const char* to_string(ClockMode mode) {
  static constexpr const char* names[] = {"never", "auto", "always"};
  return name_in(names, mode);
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
                                counted(r.nodes, "node"));
  if (!r.checked) return out;
  out +=
      fmt::format("latencies   at least {} between nodes, {} inside a node, {} between threads\n",
                  time_for_people(r.between_nodes), time_for_people(r.inside_node), time_for_people(r.between_threads));
  Table edges({{"edges", 12, 0, true},
               {"all", 12, 0},
               {"reversed", 12, 0},
               {"too short", 12, 0},
               {"reversed after", 16, 0},
               {"too short after", 16, 0}});
  const auto row = [&](const char* name, const EdgeErrors& before, const EdgeErrors& after) {
    edges.add({name, before.edges, before.reversed, before.too_short, after.reversed, after.too_short});
  };
  for (std::size_t k = 0; k < edge_kinds; ++k) {
    if (r.before.kinds[k].edges != 0) row(to_string(static_cast<EdgeKind>(k)), r.before.kinds[k], r.after.kinds[k]);
  }
  row("total", r.before.total(), r.after.total());
  out += text_of(edges);
  if (r.unused != 0)
    out += fmt::format("not used    {} of edges that could not be matched with certainty\n", counted(r.unused, "end"));
  if (r.corrected) {
    out += fmt::format(
        "correction  {}, {} lifted, {} moved{}\n", counted(r.passes, "pass"), counted(r.jumps, "event"),
        counted(r.moved(), "event"),
        r.circular == 0 ? "" : fmt::format("; {} in a circle left as they were", counted(r.circular, "edge")));
    out += fmt::format("shift       {} at most, {} at most at the end\n", time_for_people(r.largest_shift),
                       time_for_people(r.largest_final_shift));
    out += fmt::format(
        "slope       {}{}\n", slope_text(r.largest_slope),
        r.without_room == 0 ? "" : fmt::format("; {} without room before them", counted(r.without_room, "step")));
  }
  if (!r.worst.empty()) out += "worst edges, by the clocks of the trace\n";
  for (const WrongEdge& e : r.worst) {
    out += fmt::format("  {:<12}{} at {} s -> {} at {} s: {} too early\n", to_string(e.kind), name_of(d, e.from),
                       seconds_exact(e.begin), name_of(d, e.to), seconds_exact(e.end), time_for_people(e.error()));
  }
  Table locations({{"location", 20, 0, true},
                   {"violated", 10, 0},
                   {"after", 10, 0},
                   {"lifted", 10, 0},
                   {"moved", 10, 0},
                   {"largest shift", 14, 0},
                   {"final shift", 14, 0}});
  for (std::size_t l = 0; l < r.locations.size(); ++l) {
    const LocationCorrection& c = r.locations[l];
    if (c.before.violated() == 0 && c.after.violated() == 0 && c.jumps == 0 && c.largest_shift == 0) continue;
    locations.add({name_of(d, static_cast<std::uint32_t>(l)), c.before.violated(), c.after.violated(), c.jumps, c.moved,
                   time_for_people(c.largest_shift), time_for_people(c.final_shift)});
  }
  if (!locations.rows().empty()) out += text_of(locations);
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
  JsonDocument json("mora-clocks");
  json.fields("mode", to_string(r.mode), "nodes", r.nodes, "checked", r.checked, "corrected", r.corrected, "reason",
              r.reason);
  if (r.checked) {
    json.key("min_latency_s")
        .line("between_nodes", Seconds{r.between_nodes}, "inside_node", Seconds{r.inside_node}, "between_threads",
              Seconds{r.between_threads});
    json.fields(
        "before", [&] { write_check(json, r.before); }, "after", [&] { write_check(json, r.after); });
    json.fields("unused_ends", r.unused, "passes", r.passes, "circular_edges", r.circular, "lifted_events", r.jumps,
                "moved_events", r.moved(), "largest_shift_s", Seconds{r.largest_shift}, "largest_final_shift_s",
                Seconds{r.largest_final_shift});
    json.key("largest_slope")
        .line("corrected_s", Seconds{r.largest_slope.corrected}, "recorded_s", Seconds{r.largest_slope.recorded});
    json.fields("steps_without_room", r.without_room, "worst_edges", list(r.worst, [&](const WrongEdge& e) {
                  json.line("kind", to_string(e.kind), "from", name_of(d, e.from), "begin_s", Seconds{e.begin}, "to",
                            name_of(d, e.to), "end_s", Seconds{e.end}, "error_s", Seconds{e.error()});
                }));
    std::uint32_t location = 0;
    json.fields("locations", list(r.locations, [&](const LocationCorrection& c) {
                  json.line("name", name_of(d, location++), "violated_before", c.before.violated(), "violated_after",
                            c.after.violated(), "lifted_events", c.jumps, "moved_events", c.moved, "largest_shift_s",
                            Seconds{c.largest_shift}, "final_shift_s", Seconds{c.final_shift});
                }));
  }
  DataQuality quality;
  clock_report_quality(r, d, quality);
  return json.finish(quality.rows());
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
