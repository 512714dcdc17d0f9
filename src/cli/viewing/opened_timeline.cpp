#include "cli/viewing/opened_timeline.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "analysis/analyze.h"
#include "base/interruption.h"
#include "base/json/json_writer.h"
#include "base/storage/spool.h"
#include "cli/options/clock_option.h"
#include "cli/terminal/progress_line.h"
#include "cli/viewing/interval_band.h"

namespace mora::cli {

namespace {

constexpr std::uint64_t path_memory = 192 << 20;   ///< of an analysis beside the server
constexpr std::uint64_t index_memory = 512 << 20;  ///< a fifth of it for what an index is made of

/// How the analysis found intervals: the critical path and the band must be of the same ones.
trace::IntervalOptions intervals_of(const Results& results) {
  const auto& attributes = results.analysed.cube->attributes;
  const auto made_with = attributes.find("intervals");
  return made_with == attributes.end() ? trace::IntervalOptions() : trace::interval_options(made_with->second);
}

/// ns that each location waited.
std::vector<std::int64_t> waiting_of(const cube::Cube& cube) {
  std::vector<std::int64_t> waiting(cube.locations.size());
  for (const cube::MetricId metric : analysis::waiting_metrics(cube)) {
    const auto row = cube.by_location(metric);
    for (std::size_t l = 0; l < row.size(); ++l) waiting[l] += row[l];
  }
  return waiting;
}

}  // namespace

struct OpenedTimeline::State {
  State(std::string where, const Results& of) : path(std::move(where)), results(of), band(of.table) {}

  const std::string path;
  const Results& results;
  IntervalBand band;
  trace::BuildWatch watch;
  std::atomic<std::uint64_t> prepared{0};
  std::atomic<const serve::Timeline*> timeline{nullptr};
  std::mutex guards_error;
  std::string error;
  std::atomic<bool> ended{false};
  ExecutionsOf executions_of;
  std::mutex guards_reading;  ///< of the trace, and what comes of it
  std::map<std::string, std::shared_ptr<const serve::Executions>> executions;
  // In this order: each refers to the one before.
  trace::ClockCorrection correction;
  std::unique_ptr<trace::MarkedSource> with_intervals;  ///< when it is first needed
  std::unique_ptr<trace::View> view;
  std::unique_ptr<serve::Timeline> made;
  std::thread thread;

  std::mutex guards_path;
  std::thread path_thread;  ///< if the results have no path: started when it is first asked for
  std::atomic<bool> path_begun{false}, path_ended{false}, path_unwanted{false};
  std::atomic<std::uint64_t> path_done{0}, path_all{1};
  std::optional<cube::KeptPath> found_path;  ///< once path_ended
  std::string path_error;

  /// That of the results, or what was found.
  const cube::KeptPath* critical_path() const {
    const auto& kept = results.analysed.critical_path;
    return kept ? &*kept : path_ended && found_path ? &*found_path : nullptr;
  }

  /// The metric critical-path of an analysis like that of the results, piece by piece, in bounded memory.
  Result<void> look_for_path() {
    Arguments arguments;
    arguments.positionals = {path};
    const InterruptedBy until_unwanted(path_unwanted);
    MORA_TRY(const auto at_times, open_at_corrected_times(arguments, "auto"));
    analysis::AnalyzeOptions options;
    options.intervals = intervals_of(results);
    options.ideal_network = false;
    options.path = true;
    options.memory = path_memory;
    options.stop = &path_unwanted;
    options.progress = [this](const std::string&, std::uint64_t done, std::uint64_t all) {
      path_done = done;
      path_all = std::max<std::uint64_t>(1, all);
    };
    MORA_TRY(const auto found, analysis::analyze(*at_times.source, path, options));
    found_path = kept_path(found);
    return {};
  }
  void begin_path() {
    const std::lock_guard lock(guards_path);
    if (critical_path() != nullptr || path_begun.exchange(true)) return;
    path_thread = std::thread([this] {
      if (auto done = look_for_path(); !done) path_error = done.error().text();
      path_ended = true;
    });
  }

  Result<void> open() {
    Arguments arguments;
    arguments.positionals = {path};
    MORA_TRY(correction, open_at_corrected_times(arguments, "auto"));
    trace::ViewOptions options = view_of(arguments, trace::RmaModel::extended, correction);
    options.watch = &watch;
    if (SpoolFile::has_room(index_memory)) options.memory = index_memory;  // else it is made in memory
    MORA_TRY(view, trace::View::make(*correction.source, options));
    ::malloc_trim(0);  // what an index was made of lay in small pieces, which would stay
    const bool is_kept = !options.index_file.empty() && view->size() >= options.keep_from;
    const std::string levels = options.index_file + ".levels";
    const auto begin = [&] {
      made = std::make_unique<serve::Timeline>(*view);
      made->set_waiting(waiting_of(*results.analysed.cube));
    };
    begin();
    const bool is_taken = is_kept && made->take(levels, options.fingerprint);
    if (is_kept && !is_taken) begin();
    timeline.store(made.get(), std::memory_order_release);
    if (is_taken) return view->intact();
    made->prepare(prepared);
    MORA_CHECK_OK(view->intact());
    if (is_kept) static_cast<void>(made->keep(levels, options.fingerprint));  // where it cannot, it is made each time
    return {};
  }

  Result<const serve::Timeline*> prepared_timeline() const {
    const serve::Timeline* here = timeline.load(std::memory_order_acquire);
    if (here == nullptr || !here->ready()) return fail(ErrorKind::system, "the timeline is not ready");
    return here;
  }

  Result<std::string> traffic(const serve::Query& query) {
    MORA_TRY(const serve::Timeline* const here, prepared_timeline());
    MORA_TRY(const auto asked, asked_executions(query));
    return here->traffic_json(query, asked.get());
  }

  /// Of the interval that the query names; nullptr: it names none.
  Result<std::shared_ptr<const serve::Executions>> asked_executions(const serve::Query& query) {
    const std::string number = query.text("interval");
    if (number.empty()) return nullptr;
    if (!executions_of) return fail(ErrorKind::usage, "intervals are not known here", number);
    const std::lock_guard lock(guards_reading);
    auto& kept = executions[number];
    if (kept == nullptr) {
      MORA_TRY(trace::MarkedSource* const marked, marked_source());
      MORA_TRY(serve::Executions found, executions_of(*marked, number));
      kept = std::make_shared<const serve::Executions>(std::move(found));
    }
    return kept;
  }

  /// With guards_reading. Found intervals are searched for once.
  Result<trace::MarkedSource*> marked_source() {
    if (with_intervals == nullptr) {
      MORA_TRY(with_intervals, trace::with_intervals(*correction.source, intervals_of(results)));
    }
    return with_intervals.get();
  }

  Result<std::string> intervals(const serve::Query& query) {
    MORA_CHECK_OK(prepared_timeline());
    const std::lock_guard lock(guards_reading);
    MORA_TRY(trace::MarkedSource* const marked, marked_source());
    return band.json(*marked, query);
  }

  std::string info() {
    if (const serve::Timeline* here = timeline.load(std::memory_order_acquire); here != nullptr && here->ready()) {
      return here->info_json();
    }
    JsonWriter json;
    const std::lock_guard lock(guards_error);
    if (!error.empty()) {
      json.line("state", "none", "error", error);
    } else if (timeline.load(std::memory_order_acquire) != nullptr) {
      json.line("state", "preparing", "done", prepared.load(), "all", view->size());
    } else {
      json.line("state", "opening", "done", watch.done.load(), "all", watch.all.load());
    }
    return json.take();
  }
};

OpenedTimeline::OpenedTimeline(const std::string& path, const Results& results)
    : state_(std::make_unique<State>(path, results)) {
  state_->thread = std::thread([state = state_.get()] {
    if (auto done = state->open(); !done) {
      const std::lock_guard lock(state->guards_error);
      state->error = done.error().text();
    }
    state->ended = true;
  });
}

OpenedTimeline::~OpenedTimeline() {
  state_->watch.stop = true;
  if (state_->thread.joinable()) state_->thread.join();
  state_->path_unwanted = true;
  if (state_->path_thread.joinable()) state_->path_thread.join();
}

Result<void> OpenedTimeline::find_path() {
  state_->begin_path();
  if (state_->path_thread.joinable()) state_->path_thread.join();
  if (!state_->path_error.empty()) return fail(ErrorKind::unreadable, state_->path_error);
  return {};
}

const serve::Timeline* OpenedTimeline::wait() {
  ProgressLine line(true);
  const ProgressCallback draw = line.callback();
  while (draw && !state_->ended) {
    draw("reading the trace", state_->watch.done, std::max<std::uint64_t>(1, state_->watch.all));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  state_->thread.join();
  return state_->error.empty() ? state_->made.get() : nullptr;
}

void OpenedTimeline::add_to(serve::Site& site, const std::string& prefix, ExecutionsOf executions) {
  State* const state = state_.get();
  state->executions_of = std::move(executions);
  site.add(prefix + "timeline/info", "application/json",
           [state](const serve::Query&) -> Result<std::string> { return state->info(); });
  using Answers = Result<std::string> (serve::Timeline::*)(const serve::Query&) const;
  const auto answer = [state](Answers answers) {
    return [state, answers](const serve::Query& query) -> Result<std::string> {
      MORA_TRY(const serve::Timeline* const here, state->prepared_timeline());
      return (here->*answers)(query);
    };
  };
  site.add_question(prefix + "timeline/picture", "application/octet-stream", answer(&serve::Timeline::picture));
  site.add_question(prefix + "timeline/messages", "application/json", answer(&serve::Timeline::messages_json));
  site.add_question(prefix + "timeline/call", "application/json", answer(&serve::Timeline::call_json));
  site.add_question(prefix + "timeline/find", "application/json", answer(&serve::Timeline::find_json));
  site.add_question(prefix + "timeline/rows", "application/json", answer(&serve::Timeline::rows_json));
  site.add_question(prefix + "timeline/epochs", "application/json", answer(&serve::Timeline::epochs_json));
  site.add_question(prefix + "timeline/collectives", "application/json", answer(&serve::Timeline::collectives_json));
  site.add_question(prefix + "timeline/intervals", "application/json",
                    [state](const serve::Query& query) { return state->intervals(query); });
  site.add_question(prefix + "timeline/path", "application/json",
                    [state](const serve::Query& query) -> Result<std::string> {
                      const serve::Timeline* here = state->timeline.load(std::memory_order_acquire);
                      if (here == nullptr || !here->ready())
                        return fail(ErrorKind::system, "the timeline is not ready");
                      state->begin_path();
                      if (state->path_ended && !state->path_error.empty())
                        return fail(ErrorKind::unreadable, state->path_error);
                      if (const auto* found = state->critical_path()) return here->path_json(*found, query);
                      JsonWriter json;
                      json.line("state", "computing", "done", state->path_done.load(), "all", state->path_all.load());
                      return json.take();
                    });
  site.add_question(prefix + "timeline/counters", "application/json", answer(&serve::Timeline::counters_json));
  site.add_question(prefix + "timeline/samples", "application/json", answer(&serve::Timeline::samples_json));
  site.add_question(prefix + "timeline/activity", "application/json", answer(&serve::Timeline::activity_json));
  site.add_question(prefix + "timeline/traffic", "application/json",
                    [state](const serve::Query& query) { return state->traffic(query); });
}

}  // namespace mora::cli
