#include "cli/viewing/opened_timeline.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "base/json/json_writer.h"
#include "cli/options/clock_option.h"
#include "serve/timeline/timeline.h"

namespace mora::cli {

struct OpenedTimeline::State {
  std::string path;
  trace::BuildWatch watch;
  std::atomic<std::uint64_t> prepared{0};
  std::atomic<const serve::Timeline*> timeline{nullptr};
  std::mutex guards_error;
  std::string error;
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
  });
}

OpenedTimeline::~OpenedTimeline() {
  state_->watch.stop = true;
  state_->thread.join();
}

void OpenedTimeline::add_to(serve::Site& site) {
  State* const state = state_.get();
  site.add("timeline/info", "application/json",
           [state](const serve::Query&) -> Result<std::string> { return state->info(); });
  using Answers = Result<std::string> (serve::Timeline::*)(const serve::Query&) const;
  const auto add = [&](const std::string& name, const std::string& type, Answers answers) {
    site.add(name, type, [state, answers](const serve::Query& query) -> Result<std::string> {
      const serve::Timeline* here = state->timeline.load(std::memory_order_acquire);
      if (here == nullptr || !here->ready()) return fail(ErrorKind::system, "the timeline is not ready");
      return (here->*answers)(query);
    });
  };
  add("timeline/picture", "application/octet-stream", &serve::Timeline::picture);
  add("timeline/messages", "application/json", &serve::Timeline::messages_json);
  add("timeline/call", "application/json", &serve::Timeline::call_json);
  add("timeline/find", "application/json", &serve::Timeline::find_json);
  add("timeline/traffic", "application/json", &serve::Timeline::traffic_json);
}

}  // namespace mora::cli
