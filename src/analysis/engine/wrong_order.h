/// Late Sender, and which of a rank's instances of it are in wrong order. See wrong_order.cpp.
#pragma once

#include <functional>
#include <vector>

#include "analysis/core/scores.h"
#include "analysis/engine/avoidable.h"
#include "analysis/match/halves.h"

namespace mora::analysis {

/// One Late Sender instance: the call that waited and the message that it waited for.
/// How long follows from both. 24 bytes.
struct LateSenderInstance {
  std::uint32_t call = no_id;    ///< index of RankHalves::calls
  std::uint32_t source = no_id;  ///< world rank of the sender
  Nanoseconds sent = 0;          ///< E(enclosing(send)), not clamped
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path : 31 = 0;
  bool has_bytes : 1 = false;
};

/// A wait for a message in `call`, which may have completed other things, too.
inline void add_wait(const Wait& wait, const Call& call, WaitSink& sink) {
  if ((call.flags & call_is_mixed) != 0) {
    sink.add_part(wait, {call.enter, completes_message, completes_message});
  } else {
    sink.add(wait);
  }
}

/// Collects while messages are paired, decides at the end. One thread; 8 bytes per receive, 24 per instance.
class WrongOrder {
 public:
  explicit WrongOrder(const RankHalves& halves) : halves_(halves) {}
  /// With them it is known what was avoidable; without, nothing is said of it.
  void note_sync_points(const SyncPoints& sync_points) { sync_points_ = &sync_points; }

  /// A receive was paired with its send, which was entered at `sent`.
  void note_receive(std::uint32_t receive, Nanoseconds sent);
  void note_instance(const LateSenderInstance& instance);
  /// After all messages: charges all instances as Late Sender, and those that were in wrong order as such.
  void finish(const std::function<cube::CallPathId(const Call& call)>& path, Scores& scores);

 private:
  void charge_late_senders(const std::function<cube::CallPathId(const Call&)>& path,
                           const SpillVector<Received>& received, Scores& scores) const;

  Nanoseconds amount(const LateSenderInstance& instance) const;

  const RankHalves& halves_;
  const SyncPoints* sync_points_ = nullptr;
  SpillVector<Nanoseconds> sent_;  ///< by receive
  SpillVector<LateSenderInstance> instances_;
};

}  // namespace mora::analysis
