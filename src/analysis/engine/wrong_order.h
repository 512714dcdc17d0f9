/// Late Sender in wrong order: which of a rank's Late Sender instances could have been spared by receiving in another
/// order. See wrong_order.cpp.
#pragma once

#include <functional>
#include <vector>

#include "analysis/engine/halves.h"
#include "analysis/engine/scores.h"

namespace mora::analysis {

/// One Late Sender instance: the call that waited and the message that it waited for.
struct LateSenderInstance {
  std::uint32_t call = no_id;    ///< index of RankHalves::calls
  std::uint32_t source = no_id;  ///< world rank of the sender
  Nanoseconds sent = 0;          ///< E(enclosing(send)), not clamped
  Nanoseconds amount = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
  bool has_bytes = false;
};

/// Collects while messages are paired, decides at the end. One thread; 8 bytes per receive, 40 per instance.
class WrongOrder {
 public:
  explicit WrongOrder(const RankHalves& halves) : halves_(halves) {}

  /// A receive was paired with its send, which was entered at `sent`.
  void note_receive(std::uint32_t receive, Nanoseconds sent);
  void note_instance(const LateSenderInstance& instance) { instances_.push_back(instance); }
  /// After all messages: charges the instances that were in wrong order.
  void finish(const std::function<cube::CallPathId(const Call& call)>& path, Scores& scores);

 private:
  const RankHalves& halves_;
  SpillVector<Nanoseconds> sent_;  ///< by receive
  SpillVector<LateSenderInstance> instances_;
};

}  // namespace mora::analysis
