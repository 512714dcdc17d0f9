#include "trace/readers/building/lost_leaves.h"

#include <algorithm>

namespace mora::trace {

LostLeaves FindLostLeaves::take() && {
  std::sort(found_.begin(), found_.end());
  return std::move(found_);
}

void EndLostRegions::on_event(const Event& event) {
  const bool is_enter = event.kind == EventKind::enter;
  if (!is_enter && event.kind != EventKind::leave) return sink_.on_event(event);
  // A lost region that is left here itself needs nothing: its leave stands where it ends.
  if (is_enter && !open_.empty() && open_.back().state == State::lost) {
    Event end;
    end.kind = EventKind::leave;
    end.time = event.time;
    end.region = open_.back().region;
    open_.back().state = State::ended;
    sink_.on_event(end);
  }
  if (is_enter) {
    open_.push_back({event.region, lost_.next() ? State::lost : State::usual});
  } else {
    const bool is_over = open_.back().state == State::ended;
    open_.pop_back();
    if (is_over) return;
  }
  sink_.on_event(event);
}

void NestingRepairs::report(DataQuality& quality, const std::string& location) const {
  const auto count = quality.at(location);
  count("clock-went-backwards", Severity::warning, clamped,
        "time stamps lay before their predecessor on the same location; the predecessor's time is used",
        "check how the recording tool reads and corrects its clocks");
  count("stray-leave", Severity::warning, stray, "leaves of regions that were never entered; they are dropped",
        "the recording tool lost events: check its settings and record again");
  count("missing-leave", Severity::warning, missing,
        "regions that were not left before their caller; they are closed with it",
        "the recording tool lost events: check its settings and record again");
  count("lost-leave", Severity::warning, lost,
        "regions were entered again and again and never left; each ends where the location next enters or leaves a "
        "region, so that their own times are lower bounds",
        "the recording tool lost events, or ends on one thread what began on another: check its settings");
  count("unclosed-region", Severity::warning, unclosed,
        "regions are open at the end of the trace; they are closed at the location's last time",
        "the trace is cut off: record the program to its end");
}

}  // namespace mora::trace
