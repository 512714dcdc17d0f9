#include "trace/readers/building/spooled_source.h"

namespace mora::trace {
namespace {

/// Makes the spool's events those of the finished trace.
class Finish : public EventSink {
 public:
  Finish(const SpooledSource::Parts& parts, EventSink& sink) : parts_(parts), sink_(sink) {}
  void on_event(const Event& stored) override {
    Event event = stored;
    event.time = time_since(parts_.origin, event.time);
    if (event.end_time != 0 && event.end_time != at_leave) event.end_time = time_since(parts_.origin, event.end_time);
    if (parts_.mend_references) mend_references(event, parts_.definitions, parts_.undefined_region);
    sink_.on_event(event);
  }

 private:
  const SpooledSource::Parts& parts_;
  EventSink& sink_;
};

}  // namespace

Nanoseconds time_since(Nanoseconds origin, Nanoseconds time) {
  Nanoseconds difference = 0;
  if (!__builtin_sub_overflow(time, origin, &difference) && difference != at_leave) return difference;
  return time > origin ? INT64_MAX : INT64_MIN + 1;
}

bool mend_references(Event& event, const Definitions& d, RegionId undefined_region) {
  bool mended = false;
  const auto check = [&](std::uint32_t& id, std::size_t count, std::uint32_t instead = no_id) {
    if (id < count || id == instead) return;
    id = instead;
    mended = true;
  };
  const bool in_region = event.kind == EventKind::enter || event.kind == EventKind::leave;
  check(event.region, d.regions.size(), in_region ? undefined_region : no_id);
  check(event.comm, d.communicators.size());
  check(event.window, d.windows.size());
  check(event.group, d.groups.size());
  check(event.file, d.files.size());
  if (event.kind == EventKind::metric) check(event.vector, d.metrics.size());
  if (event.kind == EventKind::sample) check(event.vector, d.callers.size());
  if (event.kind == EventKind::user) check(event.vector, d.user_types.size());
  return mended;
}

Result<void> SpooledSource::read_location(LocationId location, EventSink& sink) {
  if (location >= parts_.stream_of.size()) return {};
  const std::uint32_t stream = parts_.stream_of[location];
  const LostLeaves& lost = parts_.lost[stream];
  Finish finish(parts_, sink);
  if (lost.empty()) return parts_.spool.read(stream, finish);
  EndLostRegions end_lost(lost, finish);
  return parts_.spool.read(stream, end_lost);
}

std::uint64_t SpooledSource::event_count_hint(LocationId location) const {
  return location < parts_.stream_of.size() ? parts_.spool.size(parts_.stream_of[location]) : 0;
}

}  // namespace mora::trace
