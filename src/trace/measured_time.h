/// The measured time of a trace: from its first record to its last, of all locations and whatever the records are (the
/// begin of a process counts, although no event of a view stands there); the recorded end of a transfer is one, too.
/// One definition for all: the time span of `mora info`, the wall time of reports, Python's `trace.info.begin`, `end`
/// and `duration`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/event.h"

namespace mora::trace {

struct MeasuredTime {
  Nanoseconds first = INT64_MAX, last = INT64_MIN;  ///< of no record: first > last

  void add(Nanoseconds time) {
    first = std::min(first, time);
    last = std::max(last, time);
  }
  void add(const Event& event) {
    add(event.time);
    const bool transfer =
        event.kind == EventKind::put || event.kind == EventKind::get || event.kind == EventKind::atomic;
    if (transfer && event.end_time != at_leave) last = std::max(last, event.end_time);
  }
  void add(const MeasuredTime& other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
  // Without records all are 0.
  Nanoseconds begin() const { return first > last ? 0 : first; }
  Nanoseconds end() const { return first > last ? 0 : last; }
  Nanoseconds length() const { return end() - begin(); }
};

}  // namespace mora::trace
