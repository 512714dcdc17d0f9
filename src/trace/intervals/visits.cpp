#include "trace/intervals/visits.h"

namespace mora::trace {

void VisitCollector::on_event(const Event& event) {
  if (event.interval != 0 || is_full_) return;
  if (event.kind == EventKind::enter) {
    if (inside_call_ != 0) {
      ++inside_call_;
      return;
    }
    if (event.region >= regions_.size() || visits_.size() == most_visits) {  // nothing to be sure of
      is_full_ = true;
      return;
    }
    if (regions_[event.region].kind == RegionKind::mpi) inside_call_ = 1;
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

}  // namespace mora::trace
