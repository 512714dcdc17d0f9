/// The timeline of an experiment or trace, opened by a thread of its own while the server already answers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/site.h"

namespace mora::cli {

class OpenedTimeline {
 public:
  /// Begins to open the trace at `path`.
  explicit OpenedTimeline(const std::string& path);
  /// Stops what is under way.
  ~OpenedTimeline();

  /// Adds the answers below "timeline/". "timeline/info" always has one: {"state": "opening", "preparing" or "ready"},
  /// with "done" and "all", or {"state": "none", "error": text}. This must outlive the site.
  void add_to(serve::Site& site);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mora::cli
