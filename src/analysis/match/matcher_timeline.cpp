/// What the location is doing, for the timeline (core/timeline.h).
#include "analysis/match/matcher.h"

#include <utility>

namespace mora::analysis {

/// Notes in the timeline what goes on from here. Computation is noted when it has lasted: where iterations change at a
/// call, most of what begins has no length. What keeps two calls apart stands there all the same.
void Matcher::mark(Nanoseconds time) {
  if (timeline_ == nullptr) return;
  Frame& top = stack_.back();
  const bool is_computing = interruption_ == Interruption::none && !top.is_mpi;
  if (std::exchange(has_mark_, is_computing) && !is_computing && top.is_mpi && timeline_->is_in_mpi())
    timeline_->change(time, top.node, false);
  marked_ = time;
  if (is_computing) return;
  if (interruption_ != Interruption::none) {
    const std::uint32_t what = interruption_ == Interruption::overhead ? measurement : not_recorded;
    timeline_->change_to_nothing(time, tree_.compute(top.node, not_observed, what));
  } else {
    timeline_->change(time, top.node, true);
  }
}

void Matcher::begin_segment() {
  has_mark_ = false;
  timeline_->change_to_unknown(marked_, stack_.back().chain);
}

}  // namespace mora::analysis
