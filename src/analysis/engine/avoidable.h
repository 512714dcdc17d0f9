/// Late Sender waits that the receiver could have avoided by taking messages in another order. See avoidable.cpp.
#pragma once

#include "analysis/core/sync_points.h"
#include "analysis/match/halves.h"

namespace mora::analysis {

/// A message that was received: the call that completed it, the sender, and the enter of the call that sent it.
struct Received {
  std::uint32_t call = 0;
  std::uint32_t source = 0;
  Nanoseconds sent = 0;
};

/// The order in which one rank takes its messages. Not thread-safe.
class ReceiveOrder {
 public:
  /// `received`: all of the rank, ascending by call. References outlive this object.
  ReceiveOrder(const RankHalves& halves, const SyncPoints& sync_points, const SpillVector<Received>& received);

  /// How much of a wait of `call` until `sent` was avoidable: its last part, at most `amount`. Ask in ascending order
  /// of calls: what a message was good for once does not count again.
  Nanoseconds avoidable(std::uint32_t call, Nanoseconds sent, Nanoseconds amount);

 private:
  struct Taken {
    std::size_t message = 0;
    Nanoseconds work = 0;  ///< computation after it
  };
  /// The receives after `call` up to the next operation that others see, with the work after each.
  void collect(std::uint32_t call);
  Nanoseconds next_group_begin(Nanoseconds time) const;
  Nanoseconds gap_after(std::uint32_t call) const;
  std::uint32_t next_call(std::uint32_t call) const;

  const RankHalves& halves_;
  std::vector<Nanoseconds> group_begins_;  ///< begins of collective calls, ascending
  const SpillVector<Received>& received_;
  std::vector<bool> sends_;       ///< by call: it starts a send
  std::vector<bool> is_used_;     ///< by message
  std::vector<Taken> following_;  ///< of the call that is asked about
};

}  // namespace mora::analysis
