#include "trace/clock/corrected_source.h"

#include <algorithm>

namespace mora::trace {

namespace {

/// Moves the times of events on their way to another sink.
class CorrectingSink : public EventSink {
 public:
  CorrectingSink(const ClockOptions& options, const Corrections& corrections, LocationId location, EventSink& sink)
      : clock_(options, corrections.jumps, corrections.knots, location), sink_(sink) {}

  void on_event(const Event& event) override {
    const auto gap = std::min<std::uint64_t>(
        ordinal_ == 0 ? 0 : static_cast<std::uint64_t>(event.time) - static_cast<std::uint64_t>(last_), UINT32_MAX);
    last_ = event.time;
    const Nanoseconds time = clock_.advance(ordinal_++, event.time, static_cast<std::uint32_t>(gap));
    const bool has_end = event.end_time != at_leave && (event.kind == EventKind::put || event.kind == EventKind::get ||
                                                        event.kind == EventKind::atomic);
    if (time == event.time && !has_end) return sink_.on_event(event);
    moved_ += time != event.time ? 1 : 0;
    Event corrected = event;
    corrected.time = time;
    if (has_end) corrected.end_time = event.end_time <= event.time ? time : std::max(time, clock_.at(event.end_time));
    sink_.on_event(corrected);
  }
  std::uint64_t moved() const { return moved_; }
  bool failed() const { return clock_.failed(); }

 private:
  CorrectedClock clock_;
  EventSink& sink_;
  std::uint64_t ordinal_ = 0, moved_ = 0;
  Nanoseconds last_ = 0;
};

}  // namespace

Result<void> CorrectedSource::read_location(LocationId location, EventSink& sink) {
  if (corrections_ == nullptr || corrections_->jumps.count(location) == 0)
    return source_->read_location(location, sink);
  CorrectingSink correcting(options_, *corrections_, location, sink);
  MORA_CHECK_OK(source_->read_location(location, correcting));
  report_->locations[location].moved = correcting.moved();
  if (correcting.failed()) return unreadable_spool();
  return {};
}

}  // namespace mora::trace
