#include "report/intervals/executions.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "base/worker_pool.h"
#include "trace/intervals/interval_source.h"

namespace mora::report {
namespace {

using trace::Event;
using trace::EventKind;

struct Place {
  std::string name, file;
  std::uint32_t line = 0, id = 0;

  /// Marks and found iterations are named by what they are, regions of the program by their own names.
  bool is(const trace::Region& region, std::uint32_t interval) const {
    const bool has_name = region.kind == trace::RegionKind::user && (interval & trace::found_phase) == 0;
    return file == region.call_site_file && line == region.call_site_line &&
           id == (interval & ~trace::found_phase) - 1 && (!has_name || name == region.name);
  }
};

/// From the outermost interval in the program to the one that is looked for.
std::vector<Place> way_to(const analysis::IntervalTable& table, std::size_t interval) {
  std::vector<Place> way;
  for (std::size_t i = interval; i < table.intervals.size() && table.intervals[i].parent != SIZE_MAX;
       i = table.intervals[i].parent) {
    way.push_back({table.intervals[i].name, table.intervals[i].file, table.intervals[i].line, table.intervals[i].id});
  }
  std::reverse(way.begin(), way.end());
  return way;
}

class Follower : public trace::EventSink {
 public:
  Follower(const trace::Definitions& definitions, const std::vector<Place>& way)
      : definitions_(definitions), way_(way) {}

  void on_event(const Event& event) override {
    last_ = event.time;
    if (event.interval == 0 || event.region >= definitions_.regions.size()) return;
    if (event.kind == EventKind::enter) {
      const bool is_next =
          open_ == agreed_ && open_ < way_.size() && way_[open_].is(definitions_.regions[event.region], event.interval);
      ++open_;
      agreed_ += is_next;
      if (is_next && agreed_ == way_.size()) begin_ = event.time;
    } else if (event.kind == EventKind::leave && open_ > 0) {
      if (open_ == agreed_) {
        end(event.time);
        --agreed_;
      }
      --open_;
    }
  }
  /// What is open at the end of the stream ends with it.
  std::vector<std::pair<Nanoseconds, Nanoseconds>> take() {
    end(last_);
    return std::move(stretches_);
  }

 private:
  void end(Nanoseconds time) {
    if (begin_) stretches_.emplace_back(*begin_, time);
    begin_.reset();
  }

  const trace::Definitions& definitions_;
  const std::vector<Place>& way_;
  std::size_t open_ = 0, agreed_ = 0;  ///< intervals; of them, from the outermost, those on the way
  std::optional<Nanoseconds> begin_;
  Nanoseconds last_ = 0;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> stretches_;
};

}  // namespace

Result<std::vector<std::vector<std::pair<Nanoseconds, Nanoseconds>>>> executions_of(
    trace::Source& source, const analysis::IntervalTable& table, std::size_t interval) {
  const trace::Definitions& definitions = source.definitions();
  const std::vector<Place> way = way_to(table, interval);
  std::vector<std::vector<std::pair<Nanoseconds, Nanoseconds>>> all(definitions.locations.size());
  std::mutex guards_failure;
  std::size_t failed = 0;
  std::optional<Error> failure;
  run_tasks(all.size(), 0, [&](std::size_t l) {
    Follower follower(definitions, way);
    const auto read = source.read_location(static_cast<trace::LocationId>(l), follower);
    all[l] = follower.take();
    if (read) return;
    const std::lock_guard lock(guards_failure);
    ++failed;
    if (!failure) failure = read.error();
  });
  if (failure && failed == all.size()) return tl::unexpected(*failure);
  return all;
}

}  // namespace mora::report
