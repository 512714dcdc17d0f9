/// The timeline of an experiment or trace, opened by a thread of its own while the server already answers.
#pragma once

#include <memory>
#include <string>

#include "cli/viewing/results.h"
#include "serve/site.h"
#include "serve/timeline/timeline.h"

namespace mora::cli {

class OpenedTimeline {
 public:
  /// Begins to open the trace at `path`, of which `results` came, which must outlive this.
  OpenedTimeline(const std::string& path, const Results& results);
  /// Stops what is under way.
  ~OpenedTimeline();

  /// Adds the answers below `prefix` + "timeline/". "timeline/info" always has one: {"state": "opening", "preparing" or
  /// "ready"}, with "done" and "all", or {"state": "none", "error": text}. This must outlive the site. `executions`:
  /// for questions about one interval, whose answers are kept.
  void add_to(serve::Site& site, const std::string& prefix = "", ExecutionsOf executions = {});

  /// Returns when it is open, with progress on a terminal; nullptr: there is none, and "timeline/info" says why.
  const serve::Timeline* wait();

  /// Returns when the critical path is there: that of the results, or, if an older Mora analysed, that of an analysis
  /// beside the server, which begins when the path is first asked for; "timeline/path" answers {"state": "computing",
  /// "done", "all"} until then. Errors: those of the analysis.
  Result<void> find_path();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mora::cli
