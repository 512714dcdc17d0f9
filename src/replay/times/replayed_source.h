/// ReplayedSource: the events of another source at the times at which a replay had them happen. So whatever reads a
/// trace reads the run on another network.
///
/// What an event says is what was recorded; only its time is another one. An event that makes a rank wait stands at the
/// end of the wait; what passes in a call after its last action has no time, as in the replay. Transfers of one-sided
/// communication end where they begin. Limits: a blocking probe that found a message waits in the receive behind it;
/// between two events nothing is before the one or after the other. Cost: O(1) per event. Thread safety: as the given
/// source.
#pragma once

#include <memory>

#include "replay/times/replayed_times.h"
#include "trace/source.h"

namespace mora::replay {

class ReplayedSource final : public trace::Source {
 public:
  /// `source` outlives it; `times` are a replay's of that source.
  ReplayedSource(trace::Source& source, std::unique_ptr<ReplayedTimes> times)
      : source_(source), times_(std::move(times)) {}

  const trace::Definitions& definitions() const override { return source_.definitions(); }
  Result<void> read_location(trace::LocationId location, trace::EventSink& sink) override;
  std::uint64_t event_count_hint(trace::LocationId location) const override {
    return source_.event_count_hint(location);
  }
  Nanoseconds duration_hint() const override { return 0; }
  DataQuality& quality() override { return source_.quality(); }
  std::vector<std::uint64_t> vector(trace::LocationId location, std::uint32_t index) const override {
    return source_.vector(location, index);
  }
  std::string format() const override { return source_.format(); }

 private:
  trace::Source& source_;
  const std::unique_ptr<ReplayedTimes> times_;
};

}  // namespace mora::replay
