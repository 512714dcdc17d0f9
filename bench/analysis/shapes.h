/// Shapes of synthetic programs: what a rank does in one step, with the call sites it uses.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "archive/archive_writer.h"

namespace bench {

/// Regions, in the order of names().
enum Site : std::uint32_t {
  send,
  receive,
  irecv,
  isend,
  waitall,
  allreduce,
  barrier,
  init,
  finalize,
  fence,
  put,
  post,
  start,
  complete,
  wait,
  lock,
  unlock,
  iallreduce,
  wait_one,
  win_create,
  sendrecv,
};
const std::vector<const char*>& names();

/// One rank's writer and clock.
struct Rank {
  mora::archive::LocationWriter& out;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint64_t time = 0;
  std::uint64_t request = 0;
  std::uint64_t written = 0;  ///< events

  /// Pseudo-random computation, the same for everybody who asks with the same numbers.
  void compute(std::uint64_t step);
  void call(Site site, std::uint64_t duration);  ///< enter; leave `duration` later
};

struct Shape {
  std::string_view name;
  std::string_view description;
  /// Steps in which this rank writes about `events` events.
  std::uint64_t (*steps)(std::uint64_t events, std::uint32_t ranks);
  void (*step)(Rank& rank, std::uint64_t step);
  bool has_window = false;
};
const std::vector<Shape>& shapes();

}  // namespace bench
