/// What the timeline asks of a trace: pictures of any stretch at any level of detail, messages, single calls, jumps.
///
/// Idea. A stretch with few calls is answered call by call; one with some million events by bins filled from the index
/// just then; a longer one from levels of bins that prepare() fills once (bins.h). Rows are locations, or groups of
/// them where the page has less height than the trace has locations. Times are ns since the start of the trace. Cost:
/// prepare(): one pass over the index, or take(): a file. A picture: at most `scan_at_most` events or twice the bins
/// drawn. Thread safety: prepare() by one thread; the rest by any, also before prepare() has ended (ready() is false,
/// and all but info_json() fail).
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "cube/kept/kept_path.h"
#include "serve/site.h"
#include "serve/timeline/bins.h"
#include "serve/timeline/counters.h"
#include "serve/timeline/relations.h"
#include "serve/timeline/rows.h"
#include "serve/timeline/stretch.h"
#include "serve/traffic/traffic.h"
#include "trace/view/view.h"

namespace mora::serve {

class Timeline {
 public:
  /// The view must outlive it.
  explicit Timeline(const trace::View& view);
  /// `done`: events so far, for progress.
  void prepare(std::atomic<std::uint64_t>& done);
  /// Instead: what prepare() made is read from the file, written by keep() of the same version of Mora for a trace with
  /// this fingerprint. False: there is none; then nothing but prepare() may follow on another Timeline of the view.
  bool take(const std::string& file, std::uint64_t fingerprint);
  /// After prepare(). Errors: the file cannot be written.
  Result<void> keep(const std::string& file, std::uint64_t fingerprint);
  bool ready() const { return ready_.load(std::memory_order_acquire); }

  /// Duration, rows, regions with their categories and their longest calls.
  std::string info_json() const;
  /// Query: `from`, `until`, `columns`, `rows` (how many fit), `first`, `count` (which rows), `ranks` and `sort` (what
  /// the rows are, rows.h), `calls` (at most so many one by one). A block of bytes, docs/formats/timeline.md.
  Result<std::string> picture(const Query& query) const;
  /// The same query: the numbers of the ENTERs that this picture shows one by one; nothing if it is one of bins.
  Result<std::optional<std::vector<trace::Position>>> shown_calls(const Query& query) const;
  Nanoseconds duration() const { return duration_; }
  std::uint32_t rows() const { return rows_; }
  std::uint64_t events() const { return view_.size(); }
  bool has_windows() const { return !view_.definitions().windows.empty(); }
  /// The first location of the rank; 0 if there is none.
  std::uint32_t row_of(std::uint32_t rank) const;
  /// Query: `from`, `until`, `first`, `count`, `ranks`, `sort`, `limit`. Messages and transfers that are under way
  /// there. `transfers`: "closed", "logical" or "dependencies" draws one-sided ones so (export/arrows/).
  Result<std::string> messages_json(const Query& query) const;
  /// Query: `at` (number of an ENTER). The call with all that it sent, received and started.
  Result<std::string> call_json(const Query& query) const;
  /// Query: `location` and `time`: the innermost call there; or `at` and `step` 1 or -1: the next or previous call of
  /// the same location; or `region`, `after` [, `location`]: the next call of the region. {"call": number or null}
  Result<std::string> find_json(const Query& query) const;
  /// Query: as messages_json(). Samples of computation: {"samples": [[location, time, caller] …], "callers": [[caller,
  /// region, the functions to it] …], "all", "complete"}. Of more than `limit` an even choice: every second, fourth ….
  Result<std::string> samples_json(const Query& query) const;
  /// Query: that of asked_traffic() and of Traffic::json(). Whatever is less than all is counted now, in one pass.
  Result<std::string> traffic_json(const Query& query, const Executions* executions = nullptr) const;
  /// Query: `from`, `until`. {"from", "until", "share": [… of 255]}: the part of all locations' time that is not user
  /// code, in equal parts of the stretch.
  Result<std::string> activity_json(const Query& query) const;
  Result<std::string> counters_json(const Query& query) const;
  /// Queries as messages_json(): relations.h.
  Result<std::string> epochs_json(const Query& query) const;
  Result<std::string> collectives_json(const Query& query) const;
  /// The same, of the critical path that the analysis found. {"pieces": [[location, from, to] …], "all"}: if there are
  /// more than `limit`, of each column of time the location that has most of it.
  Result<std::string> path_json(const cube::KeptPath& path, const Query& query) const;
  Result<std::string> rows_json(const Query& query) const { return order_.json(query); }
  /// Before it answers: rows.h.
  void set_waiting(std::vector<std::int64_t> waiting) { order_.set_waiting(std::move(waiting)); }

 private:
  struct Call {
    trace::Position enter = 0;
    Nanoseconds begin = 0, end = 0;
    trace::RegionId region = 0;
    std::uint32_t location = 0, depth = 0;
  };
  void keep(KeptBytes& bytes);
  Result<Stretch> stretch(const Query& query) const;
  Nanoseconds end_of(trace::Position enter) const;
  Category category(trace::RegionId region) const;
  /// Nothing if they are more than fit.
  std::optional<std::vector<Call>> calls(const Stretch& stretch, std::size_t at_most) const;
  std::vector<Bin> scanned(const Stretch& stretch, const std::vector<std::vector<std::uint32_t>>& groups,
                           std::size_t columns, Nanoseconds width) const;
  trace::Position innermost(std::uint32_t location, trace::Position at) const;
  trace::Position neighbour(trace::Position enter, int step) const;

  const trace::View& view_;
  const std::uint32_t rows_;
  const Nanoseconds duration_;
  std::vector<Category> category_of_region_;
  BinLevels levels_;
  Traffic traffic_;
  RowOrder order_;
  Relations relations_;
  Counters counters_;
  std::uint64_t samples_ = 0;  ///< in the trace
  struct Lifetime {
    Nanoseconds begin = 0, end = 0;  ///< first and last event
  };
  std::vector<Lifetime> lifetimes_;  ///< by location
  struct Longest {
    trace::Position enter = 0;  ///< 0: the region is never entered
    Nanoseconds length = 0;
    void meet(trace::Position call, Nanoseconds long_as) {
      if (enter == 0 || long_as > length) enter = call, length = long_as;
    }
  };
  std::vector<Longest>
      longest_;  ///< call of each region, the first of equal ones; calls without an end last until the run's
  std::atomic<bool> ready_{false};
};

}  // namespace mora::serve
