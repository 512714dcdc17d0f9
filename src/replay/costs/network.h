/// What the network costs. Everything the replay asks of a network goes through here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "mpi/schedules/algorithm.h"
#include "replay/actions/window_call.h"

namespace mora::replay {

/// One message of b bytes, as the replay spends it. Times in ns, none negative.
///
///     sender    |send_overhead| handed over; the next one not before `gap`
///     between                 |latency|port|                of a rendezvous: after both have come, sender and receive
///     receiver                             |receive_overhead|
///
/// The processor of the sender is busy for send_overhead, that of the receiver for receive_overhead. `port` is the time
/// in which the message's bytes enter the receiver, one message after the other. Source: LogGP (Alexandrov 1995) with
/// rendezvous (Ino 2001) and overheads of both ends (Hoefler 2010); the receiver's port is Mora's rule
/// predicted-messages.
struct MessageCost {
  Nanoseconds send_overhead = 0, gap = 0, latency = 0, port = 0, receive_overhead = 0;
  bool rendezvous = false;  ///< the transfer begins when the receive is posted, too, and the sender waits for its end
};

/// Something that a message shares with others while it passes: bytes / `time` is its rate.
struct SharedUse {
  std::uint64_t resource = 0;
  Nanoseconds time = 0;  ///< for which the message keeps it
};

/// Pure functions, thread-safe. Ranks are world ranks.
class Network {
 public:
  virtual ~Network() = default;
  /// Nothing costs anything: then nothing else is asked, and collectives wait only for those whose data they need.
  virtual bool is_free() const { return false; }
  virtual MessageCost message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const = 0;
  /// Between pairs of ranks with the same distance messages of the same size cost the same.
  virtual std::uint64_t distance(std::uint32_t from, std::uint32_t to) const { return std::uint64_t{from} << 32 | to; }
  /// Whether any message shares anything: then, and only then, uses() is asked.
  virtual bool shares() const { return false; }
  /// What the message shares, in the order in which it comes there (shared_transfers.h); `into` is empty.
  virtual void uses(std::uint32_t /*from*/, std::uint32_t /*to*/, std::uint64_t /*bytes*/,
                    std::vector<SharedUse>& /*into*/) const {}
  /// What a call on a window costs, where that is known apart from messages; else nothing (rule predicted-windows). Of
  /// a transfer `bytes` keep the port for `port`, and it is complete a latency later, with its result if it has one. Of
  /// fence, create and free all of it is what one of two ranks lasts. `to`: no_id: of all others, so that the farthest
  /// counts.
  virtual std::optional<MessageCost> window(WindowCall /*call*/, std::uint32_t /*from*/, std::uint32_t /*to*/,
                                            std::uint64_t /*bytes*/) const {
    return {};
  }
  /// The messages of a collective operation of equal members.
  virtual mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase& c) const = 0;
};

/// Costs nothing (POP metrics, Transfer Efficiency; Mora's rule ideal-network).
class IdealNetwork final : public Network {
 public:
  bool is_free() const override { return true; }
  MessageCost message(std::uint32_t, std::uint32_t, std::uint64_t) const override { return {}; }
  mpi::schedule::Algorithm collective(const mpi::schedule::CollectiveCase&) const override {
    return {"none", [](const mpi::schedule::Sink&) {}};
  }
};

}  // namespace mora::replay
