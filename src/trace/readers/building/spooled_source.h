/// SpooledSource: a trace that was parsed once into an EventSpool. TraceBuilder::finish() makes it.
///
/// The spool holds the events as they were appended; what depends on the whole trace is done while they are read: times
/// become relative to `origin`, locations are renumbered, references to what was never defined are replaced, regions
/// that lost their leaves end early. So no event is held twice. Memory: the spool's budget. Thread safety: as Source
/// says; several threads may read the same location.
#pragma once

#include <string>
#include <vector>

#include "trace/event_spool.h"
#include "trace/readers/building/lost_leaves.h"
#include "trace/source.h"

namespace mora::trace {

class SpooledSource : public Source {
 public:
  struct Parts {
    Definitions definitions;
    DataQuality quality;
    std::string format;
    EventSpool spool;
    std::vector<std::uint32_t> stream_of;  ///< per location
    std::vector<LostLeaves> lost;          ///< per stream of the spool
    Nanoseconds origin = 0;                ///< subtracted from every time
    Nanoseconds duration = 0;              ///< last time, after that
    bool mend_references = false;          ///< some event refers to what is not defined
    RegionId undefined_region = no_id;     ///< what enters and leaves of undefined regions get
  };
  explicit SpooledSource(Parts parts) : parts_(std::move(parts)) {}

  const Definitions& definitions() const override { return parts_.definitions; }
  Result<void> read_location(LocationId location, EventSink& sink) override;
  std::uint64_t event_count_hint(LocationId location) const override;
  Nanoseconds duration_hint() const override { return parts_.duration; }
  DataQuality& quality() override { return parts_.quality; }
  std::string format() const override { return parts_.format; }
  const EventSpool& spool() const { return parts_.spool; }

 private:
  Parts parts_;
};

/// time - origin, cut to what 64 bits hold: an event more than 292 years after the first stands at 292 years. Never
/// at_leave.
Nanoseconds time_since(Nanoseconds origin, Nanoseconds time);

/// Replaces references that are no valid index by no_id, or `undefined_region` for enter and leave. True if there were
/// any.
bool mend_references(Event& event, const Definitions& definitions, RegionId undefined_region);

}  // namespace mora::trace
