#include "replay/times/replayed_source.h"

#include <algorithm>

#include "base/numbers/saturated.h"

namespace mora::replay {

namespace {

/// Moves the times of events on their way to another sink.
class MovingSink : public trace::EventSink {
 public:
  MovingSink(const ReplayedTimes& times, trace::LocationId location, trace::EventSink& sink)
      : places_(times.places, location), ends_(times.ends, location), time_(times.begins[location]), sink_(sink) {
    last_ = time_;
  }

  void on_event(const trace::Event& event) override {
    const EventPlace* place = places_.next();
    if (place != nullptr) {
      for (std::uint64_t i = 0; i < place->added; ++i) {
        const Nanoseconds* end = ends_.next();
        if (end != nullptr) time_ = *end;
      }
      last_ = std::max(last_, saturated_sum(time_, place->kept));
    }
    trace::Event moved = event;
    moved.time = last_;
    if (event.end_time != trace::at_leave) moved.end_time = last_;
    sink_.on_event(moved);
  }
  bool failed() const { return places_.failed() || ends_.failed(); }

 private:
  Spool<EventPlace>::Cursor places_;
  Spool<Nanoseconds>::Cursor ends_;
  Nanoseconds time_ = 0;  ///< end of the last action
  Nanoseconds last_ = 0;  ///< time of the last event
  trace::EventSink& sink_;
};

}  // namespace

Result<void> ReplayedSource::read_location(trace::LocationId location, trace::EventSink& sink) {
  if (location >= times_->begins.size()) return source_.read_location(location, sink);
  MovingSink moving(*times_, location, sink);
  MORA_CHECK_OK(source_.read_location(location, moving));
  if (moving.failed()) return fail(ErrorKind::system, "cannot read the times back that were spooled");
  return {};
}

}  // namespace mora::replay
