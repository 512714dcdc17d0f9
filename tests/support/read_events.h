/// The events of a location as a list, for tests of sources.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "trace/source.h"

namespace mora::trace {

class EventCollector : public EventSink {
 public:
  std::vector<Event> events;
  void on_event(const Event& event) override { events.push_back(event); }
};

/// A failure of the test if the source cannot read the location.
inline std::vector<Event> read_events(Source& source, LocationId location) {
  EventCollector sink;
  const auto done = source.read_location(location, sink);
  EXPECT_TRUE(done) << done.error().text();
  return sink.events;
}

}  // namespace mora::trace
