/// PendingHalves: halves of messages that wait for their place in one location's stream.
///
/// A communication line stands at the time of its send, but tells of a receive that lies in the future, and among
/// records of equal time its place is arbitrary. So both halves wait here until the stream has passed their time, or,
/// at equal time, until the call they belong to ends. Two heaps, one per direction, since a call's end asks for one
/// direction only and must not search the other. O(log n) a half.
///
/// A line may also stand behind the end of its call: at the same time, where order means nothing, or later in a file
/// that is not sorted. One pass finds such halves (late_halves.h), a second one has them pending in time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "trace/readers/paraver/syntax/record.h"

namespace mora::trace::paraver {

/// One side of a message.
struct Half {
  Nanoseconds time = 0;     ///< where it belongs: logical send, physical receive
  Nanoseconds posted = 0;   ///< receive: logical receive
  std::uint64_t order = 0;  ///< of the line in the file
  std::uint64_t bytes = 0;
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
};

class PendingHalves {
 public:
  bool empty() const { return heap_.empty(); }
  const Half& first() const { return heap_.front(); }  ///< the earliest; ties: the first in the file
  void add(const Half& half) {
    heap_.push_back(half);
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  Half take() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Half half = heap_.back();
    heap_.pop_back();
    return half;
  }

 private:
  static bool later(const Half& a, const Half& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  std::vector<Half> heap_;
};

}  // namespace mora::trace::paraver
