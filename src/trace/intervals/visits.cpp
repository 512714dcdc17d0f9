#include "trace/intervals/visits.h"

namespace mora::trace {
namespace {

/// What the process itself decides to send: what it receives may be larger than the message.
constexpr std::uint64_t sending_kinds = kind_bit(EventKind::send) | kind_bit(EventKind::send_request) |
                                        kind_bit(EventKind::collective_end) | kind_bit(EventKind::collective_request) |
                                        kind_bit(EventKind::put) | kind_bit(EventKind::get) |
                                        kind_bit(EventKind::atomic);

}  // namespace

std::uint64_t VisitCollector::kinds() const {
  return kind_bit(EventKind::enter) | kind_bit(EventKind::leave) | sending_kinds;
}

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
    if (inside_task_ != 0 || is_task_[event.region]) {
      ++inside_task_;
      return;
    }
    if (regions_[event.region].kind == RegionKind::mpi) inside_call_ = 1;
    if (visits_.size() == limit_ && !is_cut_) cut(event.time);
    if (is_cut_) {
      ++counts_[event.region];
      return;
    }
    if (open_count_[event.region]++ != 0) recursive_[event.region] = true;
    if (closed_ == visits_.size() && closed_ != 0 && visits_.back().region == event.region && is_poll(event.region)) {
      visits_.back().number = counts_[event.region]++;
      open_.push_back(static_cast<std::uint32_t>(visits_.size() - 1));
      return;
    }
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
    if (inside_task_ != 0) {
      --inside_task_;
      return;
    }
    inside_call_ = 0;
    if (open_.empty()) return;
    closed_ = open_.back() + 1;
    Visit& visit = visits_[open_.back()];
    visit.leave = event.time;
    visit.end = static_cast<std::uint32_t>(visits_.size());
    --open_count_[visit.region];
    open_.pop_back();
  } else if (inside_call_ != 0 && !open_.empty() && (sending_kinds & kind_bit(event.kind)) != 0) {
    std::uint32_t& amounts = visits_[open_.back()].amounts;
    amounts = (amounts + static_cast<std::uint32_t>(event.bytes ^ (event.bytes >> 32)) + 1) * 0x9E3779B1U;
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
