#include "cli/viewing/opened_timeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "base/json/json_writer.h"
#include "cli/options/clock_option.h"
#include "cli/terminal/progress_line.h"

namespace mora::cli {

struct OpenedTimeline::State {
  std::string path;
  trace::BuildWatch watch;
  std::atomic<std::uint64_t> prepared{0};
  std::atomic<const serve::Timeline*> timeline{nullptr};
  std::mutex guards_error;
  std::string error;
  std::atomic<bool> ended{false};
  ExecutionsOf executions_of;
  std::mutex guards_executions;
  std::map<std::string, std::shared_ptr<const serve::Executions>> executions;
  // In this order: each refers to the one before.
  trace::ClockCorrection correction;
  std::unique_ptr<trace::View> view;
  std::unique_ptr<serve::Timeline> made;
  std::thread thread;

  Result<void> open() {
    Arguments arguments;
    arguments.positionals = {path};
    MORA_TRY(correction, open_at_corrected_times(arguments, "auto"));
    trace::ViewOptions options = view_of(arguments, trace::RmaModel::extended, correction);
    options.watch = &watch;
    MORA_TRY(view, trace::View::make(*correction.source, options));
    made = std::make_unique<serve::Timeline>(*view);
    timeline.store(made.get(), std::memory_order_release);
    made->prepare(prepared);
    return view->intact();
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
    const std::lock_guard lock(guards_executions);
    auto& kept = executions[number];
    if (kept == nullptr) {
      MORA_TRY(serve::Executions found, executions_of(*correction.source, number));
      kept = std::make_shared<const serve::Executions>(std::move(found));
    }
    return kept;
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
    return json.str();
  }
};

OpenedTimeline::OpenedTimeline(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
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
  site.add_question(prefix + "timeline/counters", "application/json", answer(&serve::Timeline::counters_json));
  site.add_question(prefix + "timeline/samples", "application/json", answer(&serve::Timeline::samples_json));
  site.add_question(prefix + "timeline/activity", "application/json", answer(&serve::Timeline::activity_json));
  site.add_question(prefix + "timeline/traffic", "application/json",
                    [state](const serve::Query& query) { return state->traffic(query); });
}

}  // namespace mora::cli
