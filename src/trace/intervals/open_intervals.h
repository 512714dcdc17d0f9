/// The intervals that are open on one location, and the stream with their enters and leaves in it.
///
/// Regions nest, and intervals must nest in them (rule `intervals-nest`). So an interval that was begun in a region
/// ends at the latest when that region is left; and an interval that is ended deeper than where it was begun ends where
/// the stream is back at that depth. Both are errors of the program, or marks in functions that are recorded
/// themselves; they are counted. Iterations that were found (phases.h) give way to marks: where both cross, an
/// iteration goes on until the next one can begin.
/// Cost: O(open intervals) per mark, O(1) per other event. Not thread-safe: one object per location.
#pragma once

#include <utility>
#include <vector>

#include "trace/intervals/phases.h"
#include "trace/intervals/region_classes.h"
#include "trace/source.h"

namespace mora::trace {

/// What was wrong with the marks of one location.
struct MarkDamage {
  std::uint64_t end_without_begin = 0, without_end = 0, crossing = 0, half_marks = 0, unknown_marks = 0,
                unknown_sites = 0, negative_ids = 0, search_cut = 0;
};

class OpenIntervals {
 public:
  /// `sites`: interval_sites(regions). `phases`: as this location executes them, or null. All outlive the object.
  OpenIntervals(const std::vector<RegionClass>& classes, const std::vector<RegionId>& sites,
                const std::vector<Region>& regions, bool split, const LocationPhases* phases, EventSink& sink);

  RegionClass class_of(RegionId region) const {
    return region < classes_.size() ? classes_[region] : RegionClass::plain;
  }
  /// Whether the stream is inside an MPI call.
  bool in_call() const { return call_depth_ != 0; }

  // The events of the stream, in order: enters, leaves, and all others.
  void enter(const Event& event);
  void leave(const Event& event);
  void other(const Event& event) { sink_.on_event(event); }

  /// Kinds that who gets the stream wants.
  std::uint64_t kinds() const { return sink_.kinds(); }

  /// A mark begins an interval; `where`: the region of the call that was the mark.
  void begin(RegionId where, std::uint32_t id, Nanoseconds time);
  /// A mark ends the innermost open interval of this number.
  void end(std::uint32_t id, Nanoseconds time);
  /// The stream is over: closes what is open.
  void finish(Nanoseconds time);

  std::uint64_t found() const { return found_; }  ///< intervals begun by marks and regions, not by phases
  MarkDamage damage;

 private:
  enum class Made : std::uint8_t { by_mark, by_region, by_phase };
  struct Interval {
    RegionId region = no_id;
    std::uint32_t id = 0;      ///< the program's
    std::uint32_t number = 0;  ///< Event::interval
    std::uint32_t depth = 0;   ///< regions around it; made by a region: that one too
    Made made = Made::by_mark;
    bool is_over = false;  ///< ended in a deeper region
  };

  Interval& open(RegionId region, std::uint32_t id, Made made);
  void close_top(Nanoseconds time, bool mended);
  void close_over(Nanoseconds time);
  void enter_interval(const Event& event, RegionClass c);
  void leave_with_intervals(const Event& event);
  void visit_head(const Event& event);
  bool close_phase(Nanoseconds time);  ///< false: an interval stands in the way

  const std::vector<RegionClass>& classes_;
  const std::vector<RegionId>& sites_;
  const std::vector<Region>& regions_;
  EventSink& sink_;
  const bool split_;
  LocationPhases phases_;
  bool in_phase_ = false;
  std::uint64_t head_visits_ = 0, tail_visits_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t call_depth_ = 0;  ///< depth of the outermost open MPI call; 0 = none
  std::uint64_t found_ = 0;
  std::vector<Interval> open_;
  std::vector<std::uint32_t> crossed_;  ///< ids closed by the end of another, whose own end comes later
  /// By number of intervals around: how often each region began an interval there (split).
  std::vector<std::vector<std::pair<RegionId, std::uint32_t>>> executions_;
};

}  // namespace mora::trace
