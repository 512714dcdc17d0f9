#include "trace/clock/correct_clocks.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/worker_pool.h"
#include "trace/clock/corrected_source.h"

namespace mora::trace {

namespace {

constexpr std::size_t worst_edges = 10;

std::uint32_t count_nodes(const Definitions& definitions) {
  std::vector<std::uint32_t> nodes;
  for (const Location& l : definitions.locations) nodes.push_back(l.node);
  std::sort(nodes.begin(), nodes.end());
  return static_cast<std::uint32_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

struct Gathered {
  Gathered(std::size_t n, std::size_t memory) : links(n, memory), locations(n) {}
  Spool<Link> links;
  std::vector<LocationLinks> locations;
};

/// Reads all locations, several at a time. A location that cannot be read has no edges; all of them: an error.
Result<void> gather(Source& source, const ClockOptions& options, const ProgressCallback& progress, Gathered& into) {
  const Definitions& definitions = source.definitions();
  const std::size_t n = definitions.locations.size();
  std::vector<std::uint32_t> threads(definitions.world_size, 0);
  std::uint64_t all = 0, done = 0;
  for (LocationId l = 0; l < n; ++l) {
    const Location& location = definitions.locations[l];
    if (location.rank < threads.size() && location.kind == LocationKind::cpu) ++threads[location.rank];
    all += source.event_count_hint(l);
  }
  std::mutex mutex;
  std::size_t failed = 0;
  std::vector<std::optional<Error>> errors(n);
  std::optional<Error> full;
  run_tasks(n, options.workers, [&](std::size_t task) {
    const auto l = static_cast<LocationId>(task);
    const Location& location = definitions.locations[l];
    const bool several =
        location.kind == LocationKind::cpu && location.rank < threads.size() && threads[location.rank] > 1;
    LinkCollector collector(definitions, l, several, into.links, into.locations[task]);
    auto read = source.read_location(l, collector);
    auto kept = collector.finish();
    const std::lock_guard lock(mutex);
    done += source.event_count_hint(l);
    if (progress) progress("clocks", done, all);
    if (!kept && !full) full = kept.error();
    if (read) return;
    ++failed;
    errors[task] = read.error();
  });
  if (full) return tl::unexpected(*full);
  if (failed > 0 && failed == n) return tl::unexpected(*errors.back());
  return {};
}

/// One look at all edges, by any clock: `reading(location)` makes something that maps links in order to times.
class Check {
 public:
  Check(const Gathered& gathered, Junctions& junctions) : gathered_(gathered), junctions_(junctions) {}

  /// `on_sink(location, link, reading, junction, source time)`; `on_link(location, link, reading, clock)`.
  template <class MakeClock, class OnSink, class OnLink>
  Result<void> run(const MakeClock& make_clock, const OnSink& on_sink, const OnLink& on_link) {
    junctions_.forget_values();
    MORA_CHECK_OK(
        each(make_clock, [&](std::uint32_t l, const Link&, Nanoseconds reading, EdgeEnd end, const auto&, bool) {
          if (end.junction != no_id && !end.sink) junctions_.at(end.junction).offer(reading, l);
        }));
    for (std::uint32_t j = 1; j < junctions_.size(); ++j) {
      const Junction& before = junctions_.at(j - 1);
      if (junctions_.at(j).follows && before.first != Junction::nothing)
        junctions_.at(j).offer(before.first, before.location);
    }
    return each(make_clock, [&](std::uint32_t l, const Link& link, Nanoseconds reading, EdgeEnd end, const auto& clock,
                                bool first) {
      if (first) on_link(l, link, reading, clock);
      if (end.junction == no_id || !end.sink) return;
      const Junction& j = junctions_.at(end.junction);
      const Nanoseconds begin = j.value_for(l);
      if (begin != Junction::nothing) on_sink(l, reading, j, begin);
    });
  }

  EdgeErrors errors_of(const Junction& j, Nanoseconds begin, Nanoseconds end) const {
    EdgeErrors e;
    e.edges = 1;
    e.reversed = end < begin ? 1 : 0;
    e.reversed_between = e.reversed != 0 && j.distance == Distance::between ? 1 : 0;
    e.too_short = end >= begin && end < later(begin, junctions_.latency(j)) ? 1 : 0;
    return e;
  }

 private:
  template <class MakeClock, class Use>
  Result<void> each(const MakeClock& make_clock, const Use& use) {
    for (std::uint32_t l = 0; l < gathered_.locations.size(); ++l) {
      auto clock = make_clock(l);
      auto cursor = gathered_.links.cursor(l);
      std::uint64_t ordinal = UINT64_MAX;
      Nanoseconds reading = 0;
      while (const Link* link = cursor.next()) {
        const bool first = link->ordinal != ordinal;
        if (first) reading = clock.advance(link->ordinal, link->time, link->gap);
        ordinal = link->ordinal;
        use(l, *link, reading, junctions_.end(l, *link), clock, first);
      }
      if (cursor.failed() || clock.failed()) return unreadable_spool();
    }
    return {};
  }

  const Gathered& gathered_;
  Junctions& junctions_;
};

/// The trace's own times.
struct RecordedClock {
  Nanoseconds advance(std::uint64_t, Nanoseconds time, std::uint32_t) const { return time; }
  bool failed() const { return false; }
};

/// Keeps the ten largest errors, largest first; ties by time and location, so that the order never depends on chance.
void keep_worst(std::vector<WrongEdge>& worst, const WrongEdge& edge) {
  const auto is_worse = [](const WrongEdge& a, const WrongEdge& b) {
    if (a.error() != b.error()) return a.error() > b.error();
    return std::pair(a.end, a.to) < std::pair(b.end, b.to);
  };
  if (worst.size() == worst_edges && !is_worse(edge, worst.back())) return;
  worst.insert(std::upper_bound(worst.begin(), worst.end(), edge, is_worse), edge);
  if (worst.size() > worst_edges) worst.pop_back();
}

/// Counts the edges that the recorded times contradict, and keeps the worst ones.
Result<void> check_before(Check& check, const Junctions& junctions, ClockReport& report) {
  return check.run([](std::uint32_t) { return RecordedClock{}; },
                   [&](std::uint32_t l, Nanoseconds end, const Junction& j, Nanoseconds begin) {
                     const EdgeErrors errors = check.errors_of(j, begin, end);
                     report.before.kinds[static_cast<std::size_t>(j.kind)] += errors;
                     report.locations[l].before += errors;
                     if (errors.violated() == 0) return;
                     const std::uint32_t from = j.location == l ? no_id : j.location;
                     keep_worst(report.worst, {j.kind, from, l, begin, end, junctions.latency(j)});
                   },
                   [](std::uint32_t, const Link&, Nanoseconds, const RecordedClock&) {});
}

/// Keeps the steepest interval; compared by products, exactly.
void steeper(Slope& slope, Nanoseconds corrected, Nanoseconds recorded) {
  __extension__ using Wide = __int128;
  if (recorded <= 0 || corrected <= recorded) return;
  if (slope.recorded == 0 || Wide{corrected} * slope.recorded > Wide{slope.corrected} * recorded)
    slope = {corrected, recorded};
}

Result<void> check_after(Check& check, const ClockOptions& options, const Corrections& corrections,
                         ClockReport& report) {
  MORA_CHECK_OK(
      check.run([&](std::uint32_t l) { return CorrectedClock(options, corrections.jumps, corrections.knots, l); },
                [&](std::uint32_t l, Nanoseconds end, const Junction& j, Nanoseconds begin) {
                  const EdgeErrors errors = check.errors_of(j, begin, end);
                  report.after.kinds[static_cast<std::size_t>(j.kind)] += errors;
                  report.locations[l].after += errors;
                },
                [&](std::uint32_t l, const Link& link, Nanoseconds reading, const CorrectedClock& clock) {
                  LocationCorrection& here = report.locations[l];
                  const Nanoseconds shift = reading - link.time;
                  here.largest_shift = std::max(here.largest_shift, shift);
                  here.final_shift = shift;  // links end with the last event
                  if (!clock.jumped() || link.ordinal == 0) return;
                  if (link.gap == 0 && reading > clock.before()) ++report.without_room;
                  steeper(report.largest_slope, reading - clock.before(), link.gap);
                }));
  // Between the corners of a curve the slope is the curve's own.
  for (std::uint32_t l = 0; l < report.locations.size(); ++l) {
    auto cursor = corrections.knots.cursor(l);
    std::optional<Knot> last;
    while (const Knot* knot = cursor.next()) {
      if (last && last->before == knot->before)
        steeper(report.largest_slope, knot->at - last->at + knot->raise - last->raise, knot->at - last->at);
      last = *knot;
    }
    report.locations[l].jumps = corrections.jumps.count(l);
    report.largest_shift = std::max(report.largest_shift, report.locations[l].largest_shift);
    report.largest_final_shift = std::max(report.largest_final_shift, report.locations[l].final_shift);
  }
  return {};
}

std::string why(const ClockReport& r) {
  const EdgeErrors before = r.before.total();
  if (r.mode == ClockMode::always)
    return before.violated() == 0 ? "no edge contradicts the clocks: nothing to correct" : "asked for";
  if (before.reversed_between == 0)
    return before.violated() == 0 ? "no edge contradicts the clocks"
                                  : "nothing was received before it was sent between nodes";
  return "something was received before it was sent, by clocks of different nodes";
}

Result<std::unique_ptr<Corrections>> correct(const ClockOptions& options, const Gathered& gathered,
                                             Junctions& junctions, ClockReport& report) {
  const std::size_t n = gathered.locations.size();
  auto corrections = std::make_unique<Corrections>(n, options.memory / 2);
  junctions.forget_values();
  MORA_TRY(const SweepResult sweep, sweep_forward(options, gathered.links, junctions, n, corrections->jumps));
  report.jumps = sweep.jumps;
  report.circular = sweep.circular;
  report.passes = 1;
  MORA_CHECK_OK(amortise(options, gathered.links, junctions, n, corrections->jumps, corrections->knots));
  report.corrected = true;
  return corrections;
}

}  // namespace

Result<ClockCorrection> correct_clocks(std::unique_ptr<Source> source, const ClockOptions& options,
                                       const ProgressCallback& progress) {
  const Definitions& definitions = source->definitions();
  auto report = std::make_shared<ClockReport>();
  report->mode = options.mode;
  report->nodes = count_nodes(definitions);
  report->inside_node = options.inside_node;
  report->between_nodes = options.between_nodes;
  report->between_threads = options.between_threads;
  if (options.loss_denominator == 0 || std::uint64_t{options.loss_numerator} * 2 > options.loss_denominator)
    return fail(ErrorKind::usage, "a corrected clock must keep at least half the speed of the recorded one");
  if (options.mode == ClockMode::never || (options.mode == ClockMode::automatic && report->nodes < 2)) {
    report->reason = options.mode == ClockMode::never ? "switched off" : "all locations share one node's clock";
    return ClockCorrection{std::move(source), std::move(report)};
  }
  report->locations.resize(definitions.locations.size());
  Gathered gathered(definitions.locations.size(), options.memory / 2);
  MORA_CHECK_OK(gather(*source, options, progress, gathered));
  MORA_TRY(Junctions junctions, Junctions::make(definitions, options, gathered.links, gathered.locations));
  report->checked = true;
  report->unused = junctions.unused();
  Check check(gathered, junctions);
  MORA_CHECK_OK(check_before(check, junctions, *report));
  report->after = report->before;
  report->reason = why(*report);
  std::unique_ptr<Corrections> corrections;
  const EdgeErrors before = report->before.total();
  if (options.mode == ClockMode::always ? before.violated() > 0 : before.reversed_between > 0) {
    MORA_TRY(corrections, correct(options, gathered, junctions, *report));
    report->after = {};
    MORA_CHECK_OK(check_after(check, options, *corrections, *report));
  } else {
    for (LocationCorrection& l : report->locations) l.after = l.before;
  }
  const DataQuality counted = source->quality();
  auto result = std::make_unique<CorrectedSource>(std::move(source), options, std::move(corrections), report, counted);
  clock_report_quality(*report, result->definitions(), result->quality());
  return ClockCorrection{std::move(result), std::move(report)};
}

}  // namespace mora::trace
