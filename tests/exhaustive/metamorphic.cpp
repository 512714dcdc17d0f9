#include "metamorphic.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <numeric>

#include "analysis/metric_info.h"
#include "base/core_counters.h"
#include "base/file.h"
#include "support/trace/random_trace.h"
#include "trace/mpi_function.h"
#include "trace/readers/text/text_source.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

/// Monotone: the times of a program become others, in the same order. Multiples of 4096 ns, so that there is room
/// between them.
class Clock {
 public:
  void know(const std::vector<Event>& events) {
    for (const Event& e : events) {
      times_[e.time];
      if (has_end(e)) times_[e.end_time];
    }
  }
  void draw(std::uint64_t seed) {
    trace::naive::Random random(seed);
    Nanoseconds now = 0;
    for (auto& [before, after] : times_)
      after = now += Nanoseconds{4096} * (random.one_in(5) ? 1 + random.below(500) : 1 + random.below(9));
  }
  Nanoseconds at(Nanoseconds time) const { return times_.at(time); }
  static bool has_end(const Event& e) {
    return (e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic) &&
           e.end_time != trace::at_leave;
  }

 private:
  std::map<Nanoseconds, Nanoseconds> times_;
};

void stretch(trace::MemorySource& source, std::uint64_t seed, bool together) {
  Clock common;
  for (const auto& events : source.events) common.know(events);
  common.draw(seed);
  for (std::size_t l = 0; l < source.events.size(); ++l) {
    Clock own;
    own.know(source.events[l]);
    own.draw(seed * 16 + l);
    const Clock& clock = together ? common : own;
    const auto here = static_cast<Nanoseconds>(l % 8);
    Nanoseconds before = INT64_MIN, number = 0;  // of events at this time: 8 ns each, and the location in between
    for (Event& e : source.events[l]) {
      number = e.time == before ? std::min<Nanoseconds>(number + 1, 500) : 0;
      before = e.time;
      if (Clock::has_end(e)) e.end_time = clock.at(e.end_time) + 4088 + here;
      e.time = clock.at(before) + number * 8 + here;
      if (e.mended && number > 0) e.time = (&e)[-1].time;
    }
  }
}

class Keeper : public trace::EventSink {
 public:
  Keeper(std::vector<Event>& events, std::uint32_t& vectors) : events_(events), vectors_(vectors) {}
  void on_event(const Event& e) override {
    events_.push_back(e);
    const bool is_other = e.kind == EventKind::metric || e.kind == EventKind::user;
    if (e.vector != trace::no_id && !is_other) vectors_ = std::max(vectors_, e.vector + 1);
  }

 private:
  std::vector<Event>& events_;
  std::uint32_t& vectors_;
};

trace::MemorySource in_memory(trace::Source& source) {
  trace::MemorySource copy;
  copy.defs = source.definitions();
  copy.events.resize(copy.defs.locations.size());
  copy.vectors.resize(copy.defs.locations.size());
  for (trace::LocationId l = 0; l < copy.events.size(); ++l) {
    std::uint32_t vectors = 0;
    Keeper keeper(copy.events[l], vectors);
    if (!source.read_location(l, keeper)) return copy;
    for (std::uint32_t v = 0; v < vectors; ++v) copy.vectors[l].push_back(source.vector(l, v));
  }
  return copy;
}

std::string path_name(const cube::Cube& cube, cube::CallPathId path) {
  std::string text;
  for (; path != cube::no_id; path = cube.call_paths[path].parent) {
    text = "/" + cube.call_paths[path].name + (cube.call_paths[path].kind == cube::CallPathKind::compute ? "*" : "") +
           text;
  }
  return text;
}

std::string text_of(const analysis::WorstInstance& w, Nanoseconds shift) {
  return " [" + std::to_string(w.begin - shift) + "," + std::to_string(w.end - shift) + ") @" +
         std::to_string(w.location) + " " + std::to_string(w.call_path) + " by " + std::to_string(w.cause) + " " +
         std::to_string(w.cause_call_path);
}

std::string text_of(const analysis::WaitStatistics& s) {
  std::string text = " statistics";
  for (const Nanoseconds n :
       {static_cast<Nanoseconds>(s.count), s.sum, s.min, s.lower_quartile, s.median, s.upper_quartile, s.max}) {
    text += " " + std::to_string(n);
  }
  return text;
}

std::string text_of(const analysis::CheckedCall& c, Nanoseconds shift) {
  if (c.location == cube::no_id) return " nobody";
  return " " + std::to_string(c.location) + " " + std::to_string(c.call_path) + " " + std::to_string(c.begin - shift) +
         "-" + std::to_string(c.end - shift);
}

/// Waits of the wait graph at a call path, each looked at: who waits for itself (a message to oneself, by wrong clocks)
/// is not in it.
std::int64_t waiting_for_others(const analysis::AnalysisResult& result, const trace::MemorySource& source,
                                cube::CallPathId path) {
  std::int64_t sum = 0;
  for (const analysis::WaitSummary& summary : result.waits) {
    if (summary.call_path != path || analysis::all_metrics()[summary.metric].delay == analysis::DelayClass::none)
      continue;
    analysis::AnalyzeOptions options;
    options.workers = 1;
    options.follow = analysis::FollowedCell{summary.metric, {path}};
    trace::MemorySource again = source;
    const auto followed = analysis::analyze(again, "again", options);
    if (!followed) return -1;
    for (const analysis::WorstInstance& w : followed->followed) {
      if (w.cause != cube::no_id && w.cause != w.location) sum += w.end - w.begin;
    }
  }
  return sum;
}

}  // namespace

trace::MemorySource random_program(std::uint64_t seed, Ticks ticks, bool damage) {
  trace::naive::RandomTraceOptions options;
  options.seed = seed;
  options.steps = 20 + static_cast<std::uint32_t>(seed % 7) * 20;
  options.damage = damage;
  trace::MemorySource source = *trace::naive::random_trace(options);
  for (trace::Region& region : source.defs.regions) {
    region.function = mpi::find(region.name);
  }
  return varied(std::move(source), seed, ticks);
}

std::vector<GoldenProgram> golden_programs() {
  std::vector<GoldenProgram> programs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MORA_GOLDEN_PATTERNS)) {
    if (entry.path().extension() != ".test") continue;
    const auto content = read_file(entry.path().string());
    if (!content) continue;
    const auto source = trace::read_trace_text(content->substr(0, content->find("\n---") + 1));
    if (source) programs.push_back({entry.path().filename().string(), in_memory(**source)});
  }
  std::sort(programs.begin(), programs.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return programs;
}

trace::MemorySource varied(trace::MemorySource source, std::uint64_t seed, Ticks ticks) {
  if (ticks != Ticks::few) stretch(source, seed, ticks == Ticks::together);
  return source;
}

/// Whether it counts nanoseconds, which grow with the times around them.
static bool counts_time(const trace::Metric& metric) {
  return std::any_of(core_counters.begin(), core_counters.end(), [&](const CoreCounter& counter) {
    return metric.name == counter.name && std::string_view(counter.unit) == "ns";
  });
}

void change_times(trace::MemorySource& source, Nanoseconds factor, Nanoseconds shift) {
  for (auto& events : source.events) {
    for (Event& e : events) {
      e.time = e.time * factor + shift;
      if (Clock::has_end(e)) e.end_time = e.end_time * factor + shift;
      if (e.kind == EventKind::metric && counts_time(source.defs.metrics[e.vector])) {
        e.bytes = std::bit_cast<std::uint64_t>(std::bit_cast<double>(e.bytes) * static_cast<double>(factor));
      }
    }
  }
}

std::vector<trace::LocationId> permute_ranks(trace::MemorySource& source, const std::vector<std::uint32_t>& to) {
  const auto moved = [&](std::uint32_t& rank) {
    if (rank < to.size()) rank = to[rank];
  };
  trace::Definitions& defs = source.defs;
  for (trace::Location& l : defs.locations) moved(l.rank);
  for (trace::Communicator& c : defs.communicators) {
    std::for_each(c.members.begin(), c.members.end(), moved);
    std::for_each(c.remote_members.begin(), c.remote_members.end(), moved);
  }
  for (trace::Group& g : defs.groups) std::for_each(g.members.begin(), g.members.end(), moved);
  for (auto& events : source.events) {
    for (Event& e : events) {
      if (e.kind != EventKind::fork && e.kind != EventKind::join) moved(e.peer);
      moved(e.root);
    }
  }
  std::vector<trace::LocationId> order(defs.locations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return std::tie(defs.locations[a].rank, defs.locations[a].thread) <
           std::tie(defs.locations[b].rank, defs.locations[b].thread);
  });
  std::vector<trace::LocationId> place(order.size());
  std::vector<trace::Location> locations;
  std::vector<std::vector<Event>> events;
  auto vectors = source.vectors;
  vectors.resize(order.size());
  source.vectors.assign(order.size(), {});
  for (const trace::LocationId old : order) {
    source.vectors[locations.size()] = std::move(vectors[old]);
    place[old] = static_cast<trace::LocationId>(locations.size());
    locations.push_back(defs.locations[old]);
    events.push_back(std::move(source.events[old]));
  }
  defs.locations = std::move(locations);
  source.events = std::move(events);
  defs.index_ranks();
  return place;
}

bool is_of_the_world(const trace::MemorySource& source) {
  return std::any_of(source.defs.regions.begin(), source.defs.regions.end(), [](const trace::Region& r) {
    return r.name.starts_with("MPI_Init") || r.name.starts_with("MPI_Finalize") || r.name.starts_with("shmem_");
  });
}

void add_idle_rank(trace::MemorySource& source) {
  trace::Region idle;
  idle.name = "idle";
  source.defs.regions.push_back(idle);
  trace::Location location;
  location.rank = source.defs.world_size++;
  location.name = "rank " + std::to_string(location.rank);
  source.defs.locations.push_back(location);
  source.defs.index_ranks();
  Event e;
  e.kind = EventKind::enter;
  e.region = static_cast<trace::RegionId>(source.defs.regions.size() - 1);
  Nanoseconds first = INT64_MAX, last = INT64_MIN;
  for (std::size_t l = 0; l < source.events.size(); ++l) {
    const auto& events = source.events[l];
    // A counter may live longer than its process: then the idle rank would end last, and the critical path be its.
    if (events.empty() || source.defs.locations[l].kind != trace::LocationKind::cpu) continue;
    first = std::min(first, events.front().time);
    last = std::max(last, events.back().time);
  }
  if (first > last) first = last = 0;
  e.time = first;
  Event end = e;
  end.kind = EventKind::leave;
  end.time = first + (last - first) / 2;
  source.events.push_back({e, end});
}

NamedCells named_cells(const cube::Cube& cube) {
  NamedCells cells;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const std::string path = path_name(cube, c);
    for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
      const auto& row = cube.row(m, c);
      for (std::uint32_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) cells[{cube.metrics[m].id, path, l}] += row[l];
      }
    }
  }
  return cells;
}

std::string text_of(const NamedCells& cells) {
  std::string text;
  for (const auto& [where, amount] : cells) {
    text += std::get<0>(where) + " " + std::get<1>(where) + " @" + std::to_string(std::get<2>(where)) + " = " +
            std::to_string(amount) + "\n";
  }
  return text;
}

std::string difference(const NamedCells& one, const NamedCells& other) {
  NamedCells first, second;
  for (const auto& cell : one) {
    const auto found = other.find(cell.first);
    if (found == other.end() || found->second != cell.second) first.insert(cell);
  }
  for (const auto& cell : other) {
    const auto found = one.find(cell.first);
    if (found == one.end() || found->second != cell.second) second.insert(cell);
  }
  if (first.empty() && second.empty()) return "";
  return "only here:\n" + text_of(first).substr(0, 1500) + "only there:\n" + text_of(second).substr(0, 1500);
}

std::string everything(const analysis::AnalysisResult& r, Nanoseconds shift) {
  std::string text;  // call paths by their numbers, whose names and parents follow
  for (cube::MetricId m = 0; m < r.cube.metrics.size(); ++m) {
    for (cube::CallPathId c = 0; c < r.cube.call_paths.size(); ++c) {
      const auto& row = r.cube.row(m, c);
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (row[l] == 0) continue;
        text += r.cube.metrics[m].id;
        text += " " + std::to_string(c) + " @" + std::to_string(l) + " = " + std::to_string(row[l]) + "\n";
      }
    }
  }
  for (const cube::CallPath& path : r.cube.call_paths)
    text += path.name + " " + std::to_string(path.parent) + " " + std::to_string(static_cast<int>(path.kind)) + "\n";
  const auto severe = [&](const std::vector<analysis::WorstInstance>& instances) {
    for (const analysis::WorstInstance& w : instances) text += text_of(w, shift);
    text += "\n";
  };
  for (const analysis::WaitSummary& w : r.waits) {
    text += "wait " + std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.instances) +
            " " + std::to_string(w.total) + text_of(w.worst, shift) + text_of(w.statistics);
    for (const auto& [location, amount] : w.caused_by)
      text += " " + std::to_string(location) + ":" + std::to_string(amount);
    text += " others " + std::to_string(w.caused_by_others);
    for (const analysis::CausedWaiting& c : w.caused_by_calls) {
      text += " " + std::to_string(c.location) + "/" + std::to_string(c.call_path) + ":" + std::to_string(c.amount);
    }
    text += " others " + std::to_string(w.caused_by_other_calls);
    severe(w.most_severe);
  }
  for (const analysis::MetricWaits& w : r.wait_metrics) {
    text += "metric " + std::to_string(w.metric) + text_of(w.statistics);
    severe(w.most_severe);
  }
  text += "followed";
  severe(r.followed);
  for (const analysis::CheckFinding& f : r.checks) {
    text += "check " + std::to_string(static_cast<int>(f.rule)) + " " + std::to_string(f.window) + " " +
            std::to_string(f.partner_rank) + text_of(f.call, shift) + text_of(f.partner, shift) + " " +
            std::to_string(f.instances) + "\n";
  }
  for (const analysis::TransferCell& t : r.transfers) {
    text += "transfer " + std::to_string(t.origin) + " " + std::to_string(t.target) + " " +
            std::to_string(static_cast<int>(t.kind)) + " " + std::to_string(t.operations) + " " +
            std::to_string(t.bytes) + "\n";
  }
  for (const QualityRow& q : r.quality.rows()) {
    text += q.kind + " " + q.where + " " + std::to_string(q.count) + " " +
            std::to_string(static_cast<int>(q.severity)) + " " + q.what + "\n";
  }
  text += "events " + std::to_string(r.run.events) + " wall " + std::to_string(r.run.wall) + "\n";
  return text;
}

std::map<std::string, std::uint64_t> damage_counts(const analysis::AnalysisResult& result) {
  std::map<std::string, std::uint64_t> counts;
  for (const QualityRow& row : result.quality.rows()) counts[row.kind] += row.count;
  return counts;
}

std::string broken_account(const analysis::AnalysisResult& result, const trace::MemorySource& source) {
  const cube::Cube& cube = result.cube;
  const std::size_t locations = cube.locations.size();
  const auto time = cube.by_location(cube.find_metric("time"));
  for (std::uint32_t l = 0; l < locations; ++l) {
    if (cube.locations[l].thread != 0) continue;  // lifetimes of workers are those of their process
    const auto& events = source.events[l];
    const Nanoseconds lifetime = events.empty() ? 0 : events.back().time - events.front().time;
    if (time[l] != lifetime)
      return "time of location " + std::to_string(l) + " is not its lifetime: " + std::to_string(time[l]);
  }
  const cube::MetricId origin = cube.find_metric("waits-by-origin"), effect = cube.find_metric("waits-by-effect");
  const cube::MetricId whole = cube.find_metric("time");
  std::vector<std::int64_t> children(cube.metrics.size() * locations);
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const std::string at = " at " + path_name(cube, c);
    std::fill(children.begin(), children.end(), 0);
    for (cube::MetricId m = static_cast<cube::MetricId>(cube.metrics.size()); m-- > 0;) {  // children before parents
      const auto& row = cube.row(m, c);
      for (std::size_t l = 0; l < locations; ++l) {
        const std::int64_t cell = row.empty() ? 0 : row[l];
        const bool is_exceeded = children[m * locations + l] > cell;
        if (cell < 0 || is_exceeded) {
          return (is_exceeded ? "children exceed " : "negative: ") + cube.metrics[m].id + at + " @" + std::to_string(l);
        }
        if (cube.metrics[m].parent != cube::no_id) children[cube.metrics[m].parent * locations + l] += cell;
      }
    }
    for (cube::LocationId l = 0; l < locations; ++l) {
      const std::int64_t waits = cube.get(origin, c, l);
      if (waits != cube.get(effect, c, l) || waits > cube.get(whole, c, l))
        return "waits by origin are not those by effect, or exceed their call" + at + " @" + std::to_string(l);
    }
    std::int64_t caused = 0;
    for (const analysis::WaitSummary& w : result.waits) {
      if (w.call_path != c || analysis::all_metrics()[w.metric].delay == analysis::DelayClass::none) continue;
      caused += w.caused_by_others;
      for (const auto& [location, amount] : w.caused_by) caused += amount;
    }
    if (caused != cube.call_path_total(origin, c)) caused = waiting_for_others(result, source, c);
    if (caused != cube.call_path_total(origin, c)) {
      return "waits with a cause are " + std::to_string(caused) + ", waits by origin " +
             std::to_string(cube.call_path_total(origin, c)) + at;
    }
  }
  for (const analysis::WaitSummary& w : result.waits) {
    const std::string which = cube.metrics[w.metric].id + " at " + path_name(cube, w.call_path);
    if (w.total != cube.call_path_total(w.metric, w.call_path)) return "summary is not the cube's row: " + which;
    if (w.statistics.sum != w.total || w.statistics.count != w.instances) return "statistics miss waits: " + which;
  }
  if (cube.total(cube.find_metric("delay-costs")) > cube.total(origin)) return "costs exceed the waits";
  return "";
}

bool is_of_causes(const std::string& metric) {
  for (const char* start : {"delay-costs", "waits-by-", "direct-waits", "indirect-waits", "propagating-waits",
                            "terminal-waits", "critical-", "performance-impact", "activity-impact", "intra-partition",
                            "inter-partition", "non-critical-path", "late-sender-avoidable", "send-progress"}) {
    if (metric.starts_with(start)) return true;
  }
  return false;
}

bool is_of_means(const std::string& metric) {
  for (const char* start :
       {"imbalance", "critical-path-imbalance", "critical-path-activities", "critical-imbalance", "performance-impact",
        "activity-impact", "intra-partition", "inter-partition", "non-critical-path"}) {
    if (metric.starts_with(start)) return true;
  }
  return false;
}

}  // namespace mora::exhaustive
