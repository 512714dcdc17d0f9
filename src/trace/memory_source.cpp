#include "trace/memory_source.h"

#include <algorithm>

namespace mora::trace {

Result<void> MemorySource::read_location(LocationId location, EventSink& sink) {
  if (location >= events.size()) return {};
  for (const Event& event : events[location]) sink.on_event(event);
  return {};
}

std::uint64_t MemorySource::event_count_hint(LocationId location) const {
  return location < events.size() ? events[location].size() : 0;
}

Nanoseconds MemorySource::duration_hint() const {
  Nanoseconds last = 0;
  for (const auto& stream : events) {
    if (!stream.empty()) last = std::max(last, stream.back().time);
  }
  return last;
}

std::vector<std::uint64_t> MemorySource::vector(LocationId location, std::uint32_t index) const {
  if (location >= vectors.size() || index >= vectors[location].size()) return {};
  return vectors[location][index];
}

}  // namespace mora::trace
