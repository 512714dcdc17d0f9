/// A wait knows its interval, location and cause; the calls are looked up in the view: the waiting call is the one of
/// the call path's region that was open when the waiting began; the cause's call is the one open when it ended, else
/// the next one, else the last one before.
#include "report/findings/trace_finding.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/metric_info.h"
#include "base/json/json_document.h"
#include "report/findings/statistics.h"
#include "trace/text/event_text.h"

namespace mora::report {
namespace {

using trace::Position;

class CallFinder {
 public:
  CallFinder(const trace::View& view, const cube::Cube& cube) : view_(view), cube_(cube) {}

  /// The call of this path on the location that is open at `time`.
  std::optional<TracedCall> open_at(cube::LocationId location, cube::CallPathId path, Nanoseconds time) const {
    const Position last = view_.last_on(location, view_.at_time(time));
    if (last == 0) return std::nullopt;
    for (const Position enter : view_.stack(location, last)) {
      if (is_call_of(enter, path)) return call(location, enter);
    }
    return std::nullopt;
  }

  /// The call of this path that has to do with something that happened at `time`.
  std::optional<TracedCall> near(cube::LocationId location, cube::CallPathId path, Nanoseconds time) const {
    if (path >= cube_.call_paths.size()) return std::nullopt;
    if (auto found = open_at(location, path, time)) return found;
    constexpr std::uint64_t steps = 4096;
    const std::uint64_t behind = index_behind(location, view_.at_time(time));
    for (std::uint64_t i = behind; i < view_.count_on(location) && i < behind + steps; ++i) {
      if (is_call_of(view_.nth_on(location, i), path)) return call(location, view_.nth_on(location, i));
    }
    for (std::uint64_t i = behind; i > 0 && i + steps > behind; --i) {
      if (is_call_of(view_.nth_on(location, i - 1), path)) return call(location, view_.nth_on(location, i - 1));
    }
    return std::nullopt;
  }

 private:
  bool is_call_of(Position enter, cube::CallPathId path) const {
    if (view_.type(enter) != trace::EarlType::enter) return false;
    const trace::Region& region = view_.definitions().regions[view_.region(enter)];
    const cube::CallPath& wanted = cube_.call_paths[path];
    return region.name == wanted.name &&
           (wanted.kind != cube::CallPathKind::mpi || wanted.line == 0 || region.call_site_line == wanted.line);
  }

  /// How many events of the location stand at or before `position`.
  std::uint64_t index_behind(cube::LocationId location, Position position) const {
    std::uint64_t low = 0, high = view_.count_on(location);
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (view_.nth_on(location, middle) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  TracedCall call(cube::LocationId location, Position enter) const {
    constexpr std::uint64_t shown_at_each_end = 8;
    TracedCall found;
    found.location = location;
    found.enter = found.leave = view_.time(enter);
    const std::uint64_t first = index_behind(location, enter) - 1;
    const Position exit = view_.forward(enter);
    const std::uint64_t end = exit == 0 ? first + 1 : index_behind(location, exit);
    if (exit != 0) found.leave = view_.time(exit);
    for (std::uint64_t i = first; i < end; ++i) {
      if (i >= first + shown_at_each_end && i + shown_at_each_end < end) {
        ++found.left_out;
      } else {
        found.events.push_back(view_.nth_on(location, i));
      }
    }
    return found;
  }

  const trace::View& view_;
  const cube::Cube& cube_;
};

/// The rule with the numbers filled in, where it is one of enters and leaves of both calls; else the interval.
std::string arithmetic_of(const TracedWait& traced, const std::string& metric) {
  const Nanoseconds amount = traced.wait.end - traced.wait.begin;
  if (traced.call && traced.cause && traced.wait.begin == traced.call->enter) {
    const Nanoseconds until =
        analysis::cause_did(metric) == analysis::CauseDid::held_lock ? traced.cause->leave : traced.cause->enter;
    if (std::min(until, traced.call->leave) - traced.call->enter == amount) {
      return fmt::format("min({}, {}) - {} = {}", until, traced.call->leave, traced.call->enter, amount);
    }
  }
  return fmt::format("{} - {} = {}", traced.wait.end, traced.wait.begin, amount);
}

std::string location_words(const trace::View& view, cube::LocationId location) {
  const trace::Location& l = view.definitions().locations[location];
  return l.thread == 0 ? fmt::format("rank {}", l.rank) : fmt::format("rank {} thread {}", l.rank, l.thread);
}

void call_text(const trace::View& view, const TracedCall& call, std::string& out) {
  for (std::size_t i = 0; i < call.events.size(); ++i) {
    if (call.left_out > 0 && i == call.events.size() / 2) out += fmt::format("      … {} more\n", call.left_out);
    const trace::ViewEvent event = view.event(call.events[i]);
    out += fmt::format("      {}  (record {} of {})\n", trace::event_line(view, call.events[i]), event.ordinal,
                       trace::location_name(view.definitions().locations[event.recorded_on]));
  }
}

void call_json(JsonWriter& json, const trace::View& view, const TracedCall& call) {
  const trace::Location& location = view.definitions().locations[call.location];
  json.object("rank", location.rank, "thread", location.thread, "enter_s", Seconds{call.enter}, "leave_s",
              Seconds{call.leave}, "events",
              list(call.events,
                   [&](Position position) {
                     const trace::ViewEvent event = view.event(position);
                     json.line("location", event.recorded_on, "ordinal", event.ordinal, "event",
                               [&] { trace::event_json(json, view, position); });
                   }),
              "events_left_out", call.left_out);
}

}  // namespace

Result<TracedFinding> trace_finding(const trace::View& view, const analysis::AnalysisResult& result,
                                    const Finding& finding, std::uint64_t limit) {
  TracedFinding traced;
  traced.finding = finding;
  const CallFinder calls(view, result.cube);
  for (const analysis::WorstInstance& wait : result.followed) {
    ++traced.count;
    traced.sum += wait.end - wait.begin;
    if (limit != 0 && traced.waits.size() >= limit) continue;
    TracedWait one;
    one.wait = wait;
    one.call = calls.open_at(wait.location, wait.call_path, wait.begin);
    if (wait.cause < result.cube.locations.size()) one.cause = calls.near(wait.cause, wait.cause_call_path, wait.end);
    one.arithmetic = arithmetic_of(one, finding.metric);
    traced.waits.push_back(std::move(one));
  }
  if (traced.sum != finding.severity) {
    return fail(ErrorKind::internal, "the single waits do not sum to the finding's severity", finding.id,
                fmt::format("{} ns in {} waits, but {} ns", traced.sum, traced.count, finding.severity));
  }
  return traced;
}

std::string traced_finding_text(const trace::View& view, const TracedFinding& traced) {
  const Finding& f = traced.finding;
  std::string out = fmt::format(
      "{}: {} at {}\n{}: {} ns in {} {}. Times are ns from the start of the trace; numbers of "
      "events as in mora print.\n",
      f.id, f.name, joined(f.call_path), f.metric, f.severity, traced.count, traced.count == 1 ? "wait" : "waits");
  for (std::size_t i = 0; i < traced.waits.size(); ++i) {
    const TracedWait& one = traced.waits[i];
    out += fmt::format("\n{:>4}. {} waits from {} to {}: {} ns\n", i + 1, location_words(view, one.wait.location),
                       one.wait.begin, one.wait.end, one.arithmetic);
    if (one.call) call_text(view, *one.call, out);
    if (one.wait.cause == cube::no_id) {
      out += "      for an unknown cause\n";
    } else {
      out += fmt::format("      for {}{}\n", location_words(view, one.wait.cause), one.cause ? ":" : "");
      if (one.cause) call_text(view, *one.cause, out);
    }
  }
  if (traced.waits.size() < traced.count) {
    out += fmt::format("\n… {} of {} waits shown; --limit 0 shows all\n", traced.waits.size(), traced.count);
  }
  return out + fmt::format("\nSum of {} waits: {} ns = severity of {}.\n", traced.count, traced.sum, f.id);
}

std::string traced_finding_json(const trace::View& view, const TracedFinding& traced) {
  const Finding& f = traced.finding;
  const auto& locations = view.definitions().locations;
  JsonDocument json("mora-finding-events");
  const auto call = [&](const std::optional<TracedCall>& one) {
    return [&] { one ? call_json(json, view, *one) : static_cast<void>(json.null()); };
  };
  json.fields("id", f.id, "metric", f.metric, "name", f.name, "call_path", f.call_path, "severity_s",
              Seconds{f.severity}, "count", traced.count, "sum_s", Seconds{traced.sum});
  json.fields("waits", list(traced.waits, [&](const TracedWait& one) {
                const trace::Location& location = locations[one.wait.location];
                std::optional<std::uint32_t> cause_rank;
                if (one.wait.cause < locations.size()) cause_rank = locations[one.wait.cause].rank;
                json.object("begin_s", Seconds{one.wait.begin}, "end_s", Seconds{one.wait.end}, "rank", location.rank,
                            "thread", location.thread, "arithmetic_ns", one.arithmetic, "cause_rank", cause_rank,
                            "call", call(one.call), "cause_call", call(one.cause));
              }));
  return json.finish(view.quality().rows());
}

}  // namespace mora::report
