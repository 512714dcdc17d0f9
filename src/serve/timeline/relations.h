/// What belongs together across ranks: lines of messages and one-sided transfers, epochs and locks, collectives.
///
/// Transfers are drawn in one of the ways of export/arrows/ (Hermanns 2004, chapter 7): closed, logical, or as
/// dependencies, which may run backwards. Epochs are those of trace/rma/epoch_kinds.h, locks those of
/// trace/rma/lock_epochs.h, as `mora print --epochs` and `--locks` print them. What needs a pass over the trace is made
/// when it is first asked for, once; traces without windows and non-blocking collectives need none. Thread safety:
/// const members from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json/json_writer.h"
#include "export/arrows/arrows.h"
#include "export/arrows/dependencies.h"
#include "serve/kept_bytes.h"
#include "serve/site.h"
#include "serve/timeline/stretch.h"
#include "trace/view/nonblocking_instances.h"

namespace mora::serve {

class Relations {
 public:
  explicit Relations(const trace::View& view) : view_(view) {}
  /// Of every event in order, before any question: lines that are under way for long are kept.
  void pass(const trace::EventColumns& events, std::uint64_t i);
  void keep(KeptBytes& bytes) { bytes(long_from_), bytes(long_lines_); }

  /// Query: `transfers`, `limit`. {"lines": [{"kind", "from", "to", "begin", "end", "bytes", "tag", "from_call",
  /// "to_call", "window"} …], "joined": fences as in collectives_json(), "all", "complete"}. Of more than
  /// `limit` lines, and of more than `limit` / 8 fences, an even choice. Not complete: only pieces of the stretch were
  /// looked at (Stretch::for_each_event), `all` are those that were found there.
  Result<std::string> messages_json(const Stretch& stretch, const Query& query) const;
  /// Query: `limit`. {"bars": [[location, lane, begin, end, kind, window, target, queued since, call, is open] …],
  /// "kinds", "windows": names, "all"}. `queued since` < begin: the time in the lock's queue.
  Result<std::string> epochs_json(const Stretch& stretch, const Query& query) const;
  /// Query: `limit`, `points`. {"instances": [{"name", "communicator", "begin", "end", "members", "root", "points":
  /// [[location, enter] …], "nonblocking": true, "completions": [[location, enter, completed, call, completing call]
  /// …]} …], "all", "complete"}: who came when; of non-blocking operations who started them when, and where each member
  /// completed it (null: nowhere). Of more than `points` members, the last of each group of neighbouring rows, and no
  /// completions.
  Result<std::string> collectives_json(const Stretch& stretch, const Query& query) const;

 private:
  struct Bar {
    std::uint32_t location = 0, lane = 0, kind = 0, window = 0, target = trace::no_id;
    Nanoseconds begin = 0, end = 0, queued = 0;
    trace::Position call = 0;
    bool is_open = false;  ///< the trace ends first
  };
  const std::vector<exports::Dependency>& dependencies() const;
  const std::vector<Bar>& bars() const;
  struct Operation {
    trace::NonblockingInstance instance;
    Nanoseconds begin = 0, end = 0;  ///< from the first start to the last completion
  };
  /// Non-blocking collective operations, by begin.
  const std::vector<Operation>& operations() const;
  void write_operation(const Stretch& stretch, const Operation& operation, std::size_t at_most, JsonWriter& json) const;
  void add_epochs(std::vector<Bar>& bars) const;
  void add_locks(std::vector<Bar>& bars) const;
  using Point = std::pair<std::uint32_t, Nanoseconds>;  ///< location, time
  std::vector<Point> points_of(const Stretch& stretch, const std::vector<trace::Position>& members,
                               std::size_t at_most) const;
  void write_points(const std::vector<Point>& points, JsonWriter& json) const;

  /// Starts of lines that begin before the stretch and end after it.
  std::vector<trace::Position> crossing(const Stretch& stretch) const;

  const trace::View& view_;
  std::uint64_t long_from_ = std::uint64_t{1} << 16;  ///< events under way, from which a line is kept
  struct LongLine {
    trace::Position start = 0, end = 0;
  };
  std::vector<LongLine> long_lines_;  ///< ascending by end
  mutable std::once_flag made_dependencies_, made_bars_, made_logical_, made_operations_;
  mutable std::vector<exports::Dependency> dependencies_;
  mutable std::vector<Bar> bars_;
  mutable std::vector<Operation> operations_;
  mutable std::unique_ptr<exports::Arrows> logical_;
};

}  // namespace mora::serve
