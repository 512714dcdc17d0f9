#include "trace/intervals/open_intervals.h"

#include <algorithm>

#include "trace/intervals/interval_source.h"

namespace mora::trace {

/// So many ids of crossed intervals are remembered; the ends of more are counted as ends without begin.
constexpr std::size_t most_crossed = 1024;

OpenIntervals::OpenIntervals(const std::vector<RegionClass>& classes, const std::vector<RegionId>& sites,
                             const std::vector<Region>& regions, bool split, const LocationPhases* phases,
                             EventSink& sink)
    : classes_(classes), sites_(sites), regions_(regions), sink_(sink), split_(split) {
  if (phases != nullptr) phases_ = *phases;
  open_.reserve(16);
  executions_.resize(1);
}

void OpenIntervals::enter(const Event& event) {
  const RegionClass c = class_of(event.region);
  if (event.region == phases_.head && event.region != no_id && call_depth_ == 0) visit_head(event);
  ++depth_;
  if (c == RegionClass::plain) return sink_.on_event(event);
  if (!is_call(c)) return enter_interval(event, c);
  if (call_depth_ == 0) call_depth_ = depth_;
  sink_.on_event(event);
}

void OpenIntervals::enter_interval(const Event& event, RegionClass c) {
  std::int32_t given = c == RegionClass::interval ? event.tag : 0;
  constexpr std::int32_t largest = INT32_MAX - 1;  // the bit above is found_phase
  if (given < 0 || given > largest) {
    ++damage.negative_ids;
    given = std::min(given & INT32_MAX, largest);
  }
  ++found_;
  Event begin = event;
  const Interval& made = open(event.region, static_cast<std::uint32_t>(given), Made::by_region);
  begin.region = made.region;
  begin.interval = made.number;
  sink_.on_event(begin);
}

void OpenIntervals::leave(const Event& event) {
  if (open_.empty() || depth_ == 0)
    sink_.on_event(event);
  else
    leave_with_intervals(event);
  if (depth_ == 0) return;
  const bool is_outermost = call_depth_ == 0 || call_depth_ == depth_;
  if (call_depth_ == depth_) call_depth_ = 0;
  --depth_;
  if (event.region == phases_.tail && is_outermost && tail_visits_++ == phases_.tail_visit) close_phase(event.time);
  if (!open_.empty()) close_over(event.time);
}

void OpenIntervals::leave_with_intervals(const Event& event) {
  // What was begun inside this region, and not ended.
  while (!open_.empty() && open_.back().depth == depth_ && open_.back().made != Made::by_region) {
    damage.without_end += open_.back().made == Made::by_mark ? 1 : 0;
    close_top(event.time, false);
  }
  if (open_.empty() || open_.back().depth != depth_) return sink_.on_event(event);
  Event end = event;
  end.region = open_.back().region;
  end.interval = open_.back().number;
  sink_.on_event(end);
  open_.pop_back();
}

OpenIntervals::Interval& OpenIntervals::open(RegionId region, std::uint32_t id, Made made) {
  const std::size_t around = open_.size();
  Interval interval;
  interval.region = region < sites_.size() ? sites_[region] : region;
  interval.id = id;
  interval.number = id + 1;
  interval.depth = depth_;
  interval.made = made;
  if (split_) {
    if (executions_.size() < around + 2) executions_.resize(around + 2);
    executions_[around + 1].clear();
    if (id == 0) {  // the program's own numbers stay
      auto& siblings = executions_[around];
      auto known =
          std::find_if(siblings.begin(), siblings.end(), [&](const auto& one) { return one.first == interval.region; });
      if (known == siblings.end()) known = siblings.insert(known, {interval.region, 0});
      interval.number = ++known->second + 1;
    }
  }
  if (made == Made::by_phase) interval.number |= found_phase;
  open_.push_back(interval);
  return open_.back();
}

void OpenIntervals::close_top(Nanoseconds time, bool mended) {
  const Interval& top = open_.back();
  Event event;
  event.kind = EventKind::leave;
  event.time = time;
  event.region = top.region;
  event.interval = top.number;
  event.mended = mended;
  if (top.made == Made::by_phase) in_phase_ = false;
  open_.pop_back();
  sink_.on_event(event);
}

/// Closes what was ended deeper down, now that the stream is back where it was begun.
void OpenIntervals::close_over(Nanoseconds time) {
  while (!open_.empty() && open_.back().is_over && open_.back().depth == depth_ && open_.back().made != Made::by_region)
    close_top(time, false);
}

void OpenIntervals::begin(RegionId where, std::uint32_t id, Nanoseconds time) {
  if (where < regions_.size() && regions_[where].call_site_line == 0 && regions_[where].call_site_file.empty())
    ++damage.unknown_sites;  // module+offset is a place, too
  ++found_;
  Event event;
  event.kind = EventKind::enter;
  event.time = time;
  const Interval& made = open(where, id, Made::by_mark);
  event.region = made.region;
  event.interval = made.number;
  sink_.on_event(event);
}

void OpenIntervals::end(std::uint32_t id, Nanoseconds time) {
  const auto meant = [id](const Interval& one) { return one.made == Made::by_mark && one.id == id && !one.is_over; };
  const auto found = std::find_if(open_.rbegin(), open_.rend(), meant);
  if (found == open_.rend()) {
    const auto crossed = std::find(crossed_.begin(), crossed_.end(), id);
    if (crossed == crossed_.end())
      ++damage.end_without_begin;
    else
      crossed_.erase(crossed);
    return;
  }
  // Phases give way to marks; anything else above the interval, a region or an interval, is crossed by this end.
  const bool crosses = found->depth != depth_ || std::any_of(open_.rbegin(), found, [](const Interval& one) {
                         return one.made != Made::by_phase;
                       });
  damage.crossing += crosses ? 1 : 0;
  for (auto above = open_.rbegin(); above != found; ++above) {
    if (above->made == Made::by_mark && !above->is_over && crossed_.size() < most_crossed)
      crossed_.push_back(above->id);
    above->is_over = true;
  }
  found->is_over = true;
  close_over(time);
}

void OpenIntervals::finish(Nanoseconds time) {
  while (!open_.empty()) {
    damage.without_end += open_.back().made == Made::by_mark && !open_.back().is_over ? 1 : 0;
    close_top(time, true);
  }
}

void OpenIntervals::visit_head(const Event& event) {
  const std::uint64_t visit = head_visits_++;
  if (visit < phases_.first || (visit - phases_.first) % phases_.calls_apart != 0) return;
  const std::uint64_t iteration = (visit - phases_.first) / phases_.calls_apart;
  if (!close_phase(event.time) || iteration >= phases_.iterations) return;
  Event begin;
  begin.kind = EventKind::enter;
  begin.time = event.time;
  const Interval& made = open(phases_.head, 0, Made::by_phase);
  begin.region = made.region;
  begin.interval = made.number;
  in_phase_ = true;
  sink_.on_event(begin);
}

bool OpenIntervals::close_phase(Nanoseconds time) {
  if (!in_phase_) return true;
  if (open_.back().made != Made::by_phase || open_.back().depth != depth_) return false;  // phases give way to marks
  close_top(time, false);
  return true;
}

}  // namespace mora::trace
