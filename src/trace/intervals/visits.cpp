#include "trace/intervals/visits.h"

namespace mora::trace {

// An MPI call is a visit, what lies inside it is not. Recursive regions are marked: their visits do not end in the
// order in which they began.
void VisitCollector::on_event(const Event& event) {
  if (event.interval != 0 || is_damaged_) return;
  if (event.kind == EventKind::enter) {
    if (inside_call_ != 0) {
      ++inside_call_;
      return;
    }
    if (event.region >= regions_.size()) {
      is_damaged_ = true;
      return;
    }
    if (regions_[event.region].kind == RegionKind::mpi) inside_call_ = 1;
    if (visits_.size() == limit_ && !is_cut_) cut(event.time);
    if (is_cut_) {
      ++counts_[event.region];
      return;
    }
    if (open_count_[event.region]++ != 0) recursive_[event.region] = true;
    Visit visit;
    visit.enter = visit.leave = event.time;
    visit.region = event.region;
    visit.number = counts_[event.region]++;
    open_.push_back(static_cast<std::uint32_t>(visits_.size()));
    visits_.push_back(visit);
  } else if (event.kind == EventKind::leave) {
    if (inside_call_ > 1) {
      --inside_call_;
      return;
    }
    inside_call_ = 0;
    if (open_.empty()) return;
    Visit& visit = visits_[open_.back()];
    visit.leave = event.time;
    visit.end = static_cast<std::uint32_t>(visits_.size());
    --open_count_[visit.region];
    open_.pop_back();
  }
}

/// What is open ends here.
void VisitCollector::cut(Nanoseconds time) {
  is_cut_ = true;
  for (const std::uint32_t one : open_) {
    visits_[one].leave = time;
    visits_[one].end = static_cast<std::uint32_t>(visits_.size());
  }
  open_.clear();
}

}  // namespace mora::trace
