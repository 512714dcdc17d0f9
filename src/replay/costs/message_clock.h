/// When the messages of one rank leave and come, on a network that costs something.
///
/// A message is handed over when the sender's processor is through with it and its port is free; it may travel from
/// then on, of a rendezvous also not before its receive is posted; its bytes enter the receiver when the latency is
/// over and the receiver's port is free. All of this depends on the rank's own calls and on two times of the other end,
/// so the times are the same whatever the order in which ranks run. Formulas: network.h; Mora's rule
/// predicted-messages.
#pragma once

#include <algorithm>

#include "replay/costs/network.h"
#include "replay/costs/port.h"

namespace mora::replay {

/// Something that a rank waits for. From `begins` on the network is what makes it last; until then another rank did.
struct Arrival {
  Nanoseconds begins = 0, time = 0;
};

class MessageClock {
 public:
  /// The sender comes to the call at `now`, which becomes when its processor is free again. Returns when the message is
  /// handed over.
  Nanoseconds hand_over(Nanoseconds& now, const MessageCost& cost) {
    now = saturated_sum(now, cost.send_overhead);
    const Nanoseconds time = std::max(now, free_);
    free_ = saturated_sum(time, cost.rendezvous ? 0 : cost.gap);
    return time;
  }
  /// At the receiver; once for each message.
  Arrival arrive(Nanoseconds handed_over, Nanoseconds posted, const MessageCost& cost) {
    const Nanoseconds begins = cost.rendezvous ? std::max(handed_over, posted) : handed_over;
    return {begins, port_.take(saturated_sum(begins, cost.latency), cost.port)};
  }
  /// At the sender of a rendezvous: when its buffer is free.
  static Arrival sent(Nanoseconds handed_over, Nanoseconds posted, const MessageCost& cost) {
    const Nanoseconds begins = std::max(handed_over, posted);
    return {begins, saturated_sum(begins, saturated_sum(cost.latency, cost.port))};
  }

 private:
  Nanoseconds free_ = INT64_MIN;
  Port port_;
};

}  // namespace mora::replay
