/// One line of a .prv body as numbers (Paraver, trace records). Nothing is checked against the header here. Pure,
/// thread-safe, O(line).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "trace/readers/paraver/syntax/numbers.h"

namespace mora::trace::paraver {

/// Who a record is about; all count from 1. The CPU that stands before them is not used: Mora has no CPUs.
struct Object {
  std::uint64_t application = 0, task = 0, thread = 0;
};

struct Record {
  enum class Kind : std::uint8_t {
    nothing,  ///< comment or empty line
    state,    ///< 1: object, time, end, state
    events,   ///< 2: object, time, pairs
    message,  ///< 3: object (sender), time and physical send, receiver, posted and end (physical receive), bytes, tag
    communicator,       ///< c: object.application, id, members
    intercommunicator,  ///< i: object.application, id, members = {communicator, leader, communicator, leader}
    unknown,            ///< a line of another kind
    damaged,
  };
  struct Pair {
    std::uint64_t type = 0;
    Number value;
  };

  Kind kind = Kind::nothing;
  Object object, receiver;
  Nanoseconds time = 0, end = 0, posted = 0;
  std::uint64_t state = 0, id = 0, bytes = 0;
  std::int32_t tag = 0;
  std::vector<Pair> pairs;
  std::vector<std::uint64_t> members;  ///< tasks, from 1
};

/// Reads `line` into `record`, whose vectors are reused. `tick`: nanoseconds per unit of time; times that do not fit 64
/// bits then make a record damaged.
void parse_record(std::string_view line, std::int64_t tick, Record& record);

}  // namespace mora::trace::paraver
