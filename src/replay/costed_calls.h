/// Calls on a network that costs something: messages with overheads, latency and rendezvous, collectives as the
/// messages of their algorithms.
///
/// Idea: each call spends the time of its own location, and leaves two times for the other end of each message: when it
/// was handed over, when its receive was posted. So the times stay the least solution of equations in max and plus, as
/// on the ideal network (simulation.h); what one rank's processor and ports do depends on its own calls only. A
/// collective is a list of steps for each member (collective_plan.h); all its messages are under way like others.
/// A window's collectives are barriers, its other synchronisation is empty messages (costs/window_transfers.h), where
/// the network does not know what they cost.
/// Collectives whose sizes are not known and non-blocking ones wait for whom they need, as on the
/// ideal network; non-blocking ones then take what their algorithm takes from a common start. Plans are kept: a loop
/// makes each once. Where messages share something, their ends also wait until they are served (shared_transfers.h),
/// and non-blocking collectives are messages, too (asides.h). Cost: O(1) per message, O(log n) where it shares
/// something. Limits (Mora's rule predicted-messages): a rendezvous does not occupy the sender's port.
#pragma once

#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "replay/actions/message_listener.h"
#include "replay/costs/shared_transfers.h"
#include "replay/names.h"
#include "replay/runner.h"
#include "trace/links/joined_sequences.h"
#include "trace/source.h"

namespace mora::replay {

/// Of a message: whether its sender asks when its receive is posted.
enum class SenderWaits : std::uint8_t { if_rendezvous, always, never };

class CostedCalls {
 public:
  /// `first_free`: no sequence has this number or a larger one.
  CostedCalls(const Network& network, const trace::Source& source, std::uint32_t first_free, InFlight& messages,
              MessageListener* listener)
      : network_(network),
        shares_(network.shares()),
        source_(source),
        next_sequence_(first_free),
        messages_(messages),
        listener_(listener) {}

  bool is_rendezvous(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    return cost_of(from, to, bytes).rendezvous;
  }

  /// A message of `rank` is sent; a name that does not exist: nobody receives it.
  void send(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer, std::uint64_t bytes,
            SenderWaits waits, ReplayedNode& node, Woken& woken);
  /// The sender waits until its buffer is free.
  Outcome sent(std::uint32_t rank, const MessageName& name, std::uint32_t peer, std::uint64_t bytes, bool waits,
               trace::LocationId l);
  Outcome receive(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer, std::uint64_t bytes,
                  Nanoseconds posted, trace::LocationId l);
  /// Of a message that is known to be handed over, as a matched probe has found it.
  Outcome take(std::uint32_t rank, CallState& r, const MessageName& name, std::uint32_t peer, std::uint64_t bytes,
               Nanoseconds handed_over, Nanoseconds posted);
  /// The receive of the message was posted; of a rendezvous or a synchronous send.
  void posted(const MessageName& name, Nanoseconds time, Woken& woken) {
    messages_.post(name.sequence, name.number, time, woken);
    if (shares_) shared_.posted(name.id(), time);
  }
  SharedTransfers& shared() { return shared_; }

  /// An empty message: that an epoch is posted or complete. Returns when it is handed over. `spends`: what the call is
  /// known to cost by itself passes before it.
  Nanoseconds say(std::uint32_t rank, Runner& r, std::uint32_t peer, bool spends, ReplayedNode& node);
  /// … that `peer` handed over then; `spends`: … passes behind it.
  Outcome hear(std::uint32_t rank, Runner& r, std::uint32_t peer, bool spends, Nanoseconds handed_over);
  void ask_lock(std::uint32_t rank, Runner& r, std::uint32_t target, ReplayedNode& node);
  /// When the call goes on: `asks`, the one that asks for it; else one that had it when it was `released`.
  Outcome granted(std::uint32_t rank, const Runner& r, std::uint32_t target, bool asks, Nanoseconds released);
  /// Returns when the next one may have it.
  Nanoseconds give_back(std::uint32_t rank, Runner& r, std::uint32_t target, ReplayedNode& node);
  void transfer(std::uint32_t rank, Runner& r, ReplayedNode& node);
  /// The call waits for transfers.
  Outcome transferred(std::uint32_t rank, Runner& r);
  /// A collective of a window whose cost is known apart from messages: it is none of begin().
  bool is_whole(std::uint32_t rank, const Runner& r) const {
    const WindowCall call = r.detail.window_call;
    return (call == WindowCall::fence || call == WindowCall::create || call == WindowCall::free) &&
           network_.window(call, rank, no_id, 0).has_value();
  }
  /// … ends so long after the last of its members has come.
  Nanoseconds whole_time(std::uint32_t rank, const Runner& r, std::uint32_t members) const;

  /// A member of the collective `name` has come. False: it is not run as messages. `position`, `members`: in the
  /// communicator.
  bool begin(std::uint32_t rank, Runner& r, const MessageName& name, std::uint32_t position, std::uint32_t members,
             trace::LocationId l);
  /// Does what can be done of it; blocked, or done.
  Outcome go_on(std::uint32_t rank, CallState& r, ReplayedNode& node, Woken& woken, trace::LocationId l);
  /// For whom the member waits when it is blocked: a world rank; no_id: for nobody.
  std::uint32_t awaited(const CallState& r) const;
  void leave(const MessageName& name);
  /// What a non-blocking collective lasts for this member beyond the waiting for those it needs.
  Nanoseconds asynchronous_time(std::uint32_t rank, const Detail& call, std::uint32_t position, trace::LocationId l);

  /// The messages of all `members` of the collective; nullptr: they are not known. `l`: of the member `rank`.
  std::shared_ptr<const CollectivePlan> plan_of_all(std::uint32_t rank, const Detail& call, std::uint32_t members,
                                                    trace::LocationId l) {
    const trace::Communicator* comm = communicator(call);
    return comm != nullptr && comm->members.size() == members ? plan(rank, call, l) : nullptr;
  }
  /// Its member at the position. Precondition: there is one.
  std::uint32_t rank_at(const Detail& call, std::uint32_t position) const {
    return source_.definitions().communicators[call.comm].members[position];
  }

  std::uint64_t collectives_by_need() const { return by_need_; }
  /// Collectives, transfers that share something.
  std::uint64_t under_way() const { return instances_.size() + shared_.under_way(); }

 private:
  struct Instance {
    std::shared_ptr<const CollectivePlan> plan;
    bool is_straight = false;
    std::uint32_t messages = no_id, told_sequence = no_id;  ///< as Runner's
    std::uint32_t members = 0, left = 0;
  };
  /// What the network said of a message lately.
  struct KnownCost {
    std::uint64_t distance = 0, bytes = 0;
    bool is_known = false;
    MessageCost cost;
  };
  using PlanKey = std::tuple<std::uint32_t, mpi::Collective, std::uint32_t, std::uint64_t, std::uint64_t>;

  /// What the network says; it is asked once for many messages. Valid until the next call.
  const MessageCost& cost_of(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    const std::uint64_t distance = network_.distance(from, to);
    const std::uint64_t hash = (distance + bytes * 0x9E3779B97F4A7C15U) * 0xC2B2AE3D27D4EB4FU;
    KnownCost& known = known_[hash >> (64 - std::bit_width(known_.size() - 1))];
    if (!known.is_known || known.distance != distance || known.bytes != bytes)
      known = {distance, bytes, true, network_.message(from, to, bytes)};
    return known.cost;
  }
  /// The call has the processor say something to `target`; returns when it is there.
  Nanoseconds ask_other(WindowCall call, std::uint32_t rank, Runner& r, std::uint32_t target, ReplayedNode& node);
  const trace::Communicator* communicator(const Detail& call) const;
  std::vector<std::uint64_t> counts(const Detail& call, trace::LocationId l) const;
  std::shared_ptr<const CollectivePlan> plan(std::uint32_t rank, const Detail& call, trace::LocationId l);

  const Network& network_;
  const bool shares_;
  SharedTransfers shared_;
  std::vector<SharedUse> uses_;  ///< of the message at hand
  const trace::Source& source_;
  std::uint32_t next_sequence_;
  InFlight& messages_;
  std::array<KnownCost, 1024> known_;
  MessageListener* const listener_;  ///< of steps of collectives
  std::unordered_map<std::uint64_t, Instance> instances_;
  std::map<PlanKey, std::shared_ptr<const CollectivePlan>> plans_;
  std::map<std::pair<const CollectivePlan*, std::uint32_t>, std::vector<Nanoseconds>>
      asynchronous_;  ///< by plan, communicator
  std::uint64_t by_need_ = 0;
};

/// By sequence, at any of its ends; `costed`: nullptr where the network is free.
std::vector<SequenceTraits> traits_of(const Actions& actions, CostedCalls* costed);

/// Gives the time from `before` to `after` to waiting and to transfer: the network was at work from `begins` on.
void spend(ReplayedNode& node, Nanoseconds before, Nanoseconds begins, Nanoseconds after);
/// … to the processor.
void spend_overhead(ReplayedNode& node, Nanoseconds amount);
/// … to none of them.
inline void add_own_time(ReplayedNode& node, Nanoseconds amount) { node.own = saturated_sum(node.own, amount); }

}  // namespace mora::replay
