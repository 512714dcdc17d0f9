/// What each rank does, in its own order, while a program is replayed: how long it is busy, and the messages that it
/// sends and receives, collectives as those of their algorithms. For who writes the program down for another simulator.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::replay {

/// Calls of one rank come in its order, those of different ranks in any. A message has the same `id` at both ends,
/// and no other has it. A rank first posts a receive, then it waits for it; a send is handed over, and may be waited
/// for later.
class MessageListener {
 public:
  /// Why a call, or a part of one, is not told as messages.
  enum class Untold : std::uint8_t {
    no_message,         ///< it is none between two ranks
    without_other_end,  ///< the send whose receive, or the receive whose send, is not in the trace
    synchronous,        ///< told as a send that the network does not let wait; this one waits for its receive
  };

  virtual ~MessageListener() = default;
  virtual void busy(std::uint32_t rank, Nanoseconds time) = 0;
  virtual void send(std::uint32_t rank, std::uint64_t id, std::uint32_t to, std::uint64_t bytes) = 0;
  virtual void await_sent(std::uint32_t rank, std::uint64_t id) = 0;
  virtual void post(std::uint32_t rank, std::uint64_t id, std::uint32_t from) = 0;
  virtual void await_received(std::uint32_t rank, std::uint64_t id, std::uint64_t bytes) = 0;
  /// A call that is no message between two ranks: a collective whose messages are not known, windows, files, probes,
  /// and what other threads than the first of a rank do; or see `why`.
  virtual void other(std::uint32_t rank, trace::RegionId call, Untold why = Untold::no_message) = 0;
};

}  // namespace mora::replay
