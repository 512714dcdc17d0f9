/// Messages: from halves to Late Sender and Late Receiver, in two exchanges. Idea, source, cost and limits:
/// messages.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/core/scores.h"
#include "analysis/core/sync_points.h"
#include "analysis/core/timeline.h"
#include "analysis/engine/wrong_order.h"
#include "analysis/match/halves.h"
#include "base/data_quality.h"

namespace mora::analysis {

/// Which partition holds a rank's halves; no_id: the trace does not hold the rank.
struct RankPlaces {
  std::vector<std::uint32_t> partition_of_rank;
  std::uint32_t partition(std::uint32_t rank) const {
    return rank < partition_of_rank.size() ? partition_of_rank[rank] : no_id;
  }
};

/// The longest wait of a call that completed several operations.
struct CallWait {
  Nanoseconds amount = 0;
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path : 31 = 0;
  bool has_bytes : 1 = false;
};
struct LateSenderCallWait : CallWait {
  Nanoseconds sent = 0;          ///< enter of the call that sent
  std::uint32_t source = no_id;  ///< world rank
};

/// A send that returned when the receiving process had entered MPI (patterns/point_to_point/progress.cpp).
struct ProgressWait {
  std::uint32_t call = no_id;
  cube::LocationId receiver = cube::no_id;
  TimeInterval interval;
  cube::CallPathId entered = cube::no_id;  ///< the receiver's call that ended it
};

/// The messages of one rank while they are scored. Not thread-safe; ranks of different partitions are independent.
class RankMessages {
 public:
  /// `global` maps (thread, local node) to call paths. All references outlive this object.
  RankMessages(RankHalves& halves, const std::vector<std::vector<std::uint32_t>>& global_of_location, Scores& scores,
               DataQuality& quality);

  std::uint32_t rank() const { return halves_.rank; }
  /// Notes every message as a synchronisation point of its two ends. Before step 2; all ranks or none.
  /// With timelines (by location) sends to a rank of one location may wait for its progress.
  void note_sync_points(SyncPoints& sync_points, const std::vector<std::unique_ptr<Timeline>>& timelines) {
    sync_points_ = &sync_points;
    const bool is_known = halves_.locations.size() == 1 && halves_.locations.front() < timelines.size();
    timeline_ = is_known ? timelines[halves_.locations.front()].get() : nullptr;
    wrong_order_.note_sync_points(sync_points);
  }

  /// Step 1 at the sender, channel by channel, a channel in one or more blocks.
  std::uint32_t send_channels() const { return halves_.send_channels.size(); }
  std::uint32_t receiver_of(std::uint32_t channel) const { return halves_.send_channels.keys[channel].peer; }
  std::uint32_t sends_of(std::uint32_t channel) const {
    return send_groups_.first[channel + 1] - send_groups_.first[channel];
  }
  void leave_out(std::uint32_t channel);
  /// Of a half in a block, and of its answer.
  std::size_t bytes_a_message() const;
  /// Halves [offset, offset + count) of the channel.
  void send_block(std::uint32_t channel, std::uint32_t offset, std::uint32_t count, Buffer& out) const;
  /// Step 2 at the receiver: pairs a block with its receives, scores Late Sender, answers with the posting times.
  void pair_block(std::uint32_t source, BufferReader& block, Buffer& answer);
  /// Step 2, after all blocks: counts receives without a send.
  void finish_receives();
  /// Step 3 at the sender: Late Receiver.
  void take_answer(BufferReader& answer);
  /// Step 3, after all answers: what the calls with several operations waited.
  void finish_calls();

 private:
  struct Groups {                      ///< halves ordered by channel
    std::vector<std::uint32_t> first;  ///< per channel, index into `order`; one more at the end
    SpillVector<std::uint32_t> order;
  };
  template <class Halves>
  Groups group(const Halves& halves, std::size_t channels) const;
  cube::CallPathId path(const Call& call) const;
  cube::LocationId location(const Call& call) const { return halves_.locations[call.thread]; }
  void late_sender_of(std::uint32_t receive, Nanoseconds send_enter, cube::CallPathId send_path,
                      cube::LocationId sender);
  /// The calls in which `call` waited before (PriorCall): a range of RankHalves::priors.
  std::pair<std::size_t, std::size_t> priors_of(std::uint32_t call) const;
  void prior_late_sender_of(std::uint32_t call, Nanoseconds send_enter, LateSenderCallWait wait);
  Nanoseconds met_at(const ReceiveHalf& half, Nanoseconds send_enter) const;
  void late_receiver_of(const SendHalf& half, Nanoseconds post_enter, cube::CallPathId post_path,
                        cube::LocationId receiver);
  std::size_t several(std::uint32_t call) const;
  void charge_late_sender(std::uint32_t call, const LateSenderCallWait& wait);
  void add_progress_waits();
  /// The calls of the halves order[begin, end) have no partner.
  template <class Halves>
  void lacks_partner(const Halves& halves, const Groups& groups, std::uint32_t begin, std::uint32_t end);
  void add_unknown_waits();
  void count_instance(cube::MetricId with_bytes, cube::MetricId without_bytes, const Call& call, const CallWait& wait);
  void charge_late_receiver(const Call& call, const CallWait& wait);

  RankHalves& halves_;
  std::vector<const std::vector<std::uint32_t>*> global_;
  Scores& scores_;
  DataQuality& quality_;
  SyncPoints* sync_points_ = nullptr;
  const Timeline* timeline_ = nullptr;
  std::size_t timeline_guess_ = 0;
  Groups send_groups_;
  Groups receive_groups_;
  std::vector<bool> channel_paired_;
  SpillVector<std::uint32_t> several_calls_;           ///< that may wait for several messages, increasing
  SpillVector<LateSenderCallWait> late_sender_waits_;  ///< parallel to several_calls_
  SpillVector<CallWait> late_receiver_waits_;
  SpillVector<ProgressWait> progress_waits_;
  SpillVector<std::uint32_t> alone_;  ///< calls of halves without partner
  WrongOrder wrong_order_;
  std::uint64_t unmatched_receives_ = 0;
  std::uint64_t unmatched_sends_ = 0;
  std::uint64_t across_gap_ = 0;
};

/// What a partition has still to send, by destination: step 1 in slices. The same halves go out whatever the slices
/// are.
class SendQueues {
 public:
  explicit SendQueues(std::size_t partitions) : queues_(partitions) {}
  void add(RankMessages& rank, const RankPlaces& places);
  /// At most `most` halves to each destination.
  void fill(std::uint64_t most, std::vector<Buffer>& outgoing);
  bool is_empty() const;

 private:
  struct Channel {
    RankMessages* rank = nullptr;
    std::uint32_t channel = 0;
  };
  struct Queue {
    std::vector<Channel> channels;
    std::size_t next = 0;
    std::uint32_t offset = 0;  ///< halves of the next channel that are sent
    std::uint64_t halves = 0;  ///< left
  };
  std::vector<Queue> queues_;
};

/// Step 2 for a whole partition: gives every block to its receiver; `answers` by partition. `rank` never returns
/// nullptr for a rank of this partition.
void pair_messages(const std::vector<Buffer>& incoming, const std::function<RankMessages*(std::uint32_t rank)>& rank,
                   std::vector<Buffer>& answers);
/// Step 3 for a whole partition.
void take_answers(const std::vector<Buffer>& incoming, const std::function<RankMessages*(std::uint32_t rank)>& rank);

}  // namespace mora::analysis
