/// A recorded program as what each rank computes and the messages that it sends and receives, for other simulators.
///
/// Idea: the replay tells what each rank does in its order (replay/actions/message_listener.h), collectives as the
/// messages of the algorithms that the machine's library takes; whoever reads the result needs no collectives, no
/// communicators and no matching rules: each message has a number of its own between its two ranks. Two formats: GOAL
/// (Hoefler 2009), and the time-independent traces of SimGrid's SMPI (Desprez 2011). Memory: 24 bytes for each
/// operation. Rule: messages-for-other-simulators.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "predict/prediction/prediction.h"
#include "replay/actions/message_listener.h"

namespace mora::predict {

struct MessageOperation {
  enum Kind : std::uint8_t { compute, send, await_sent, post, await_received } kind = compute;
  std::uint32_t peer = 0;    ///< rank; not of compute
  std::uint32_t number = 0;  ///< of the message, between its two ranks in its direction, from 0; not of compute
  std::uint64_t amount = 0;  ///< ns of compute, bytes of a message
};

class MessageProgram final : public replay::MessageListener {
 public:
  explicit MessageProgram(const trace::Definitions& definitions)
      : definitions_(definitions), ranks_(definitions.world_size) {}
  void busy(std::uint32_t rank, Nanoseconds time) override;
  void send(std::uint32_t rank, std::uint64_t id, std::uint32_t to, std::uint64_t bytes) override;
  void await_sent(std::uint32_t rank, std::uint64_t id) override;
  void post(std::uint32_t rank, std::uint64_t id, std::uint32_t from) override;
  void await_received(std::uint32_t rank, std::uint64_t id, std::uint64_t bytes) override;
  void other(std::uint32_t rank, trace::RegionId call, Untold why) override;

  const std::vector<std::vector<MessageOperation>>& ranks() const { return ranks_; }
  /// Calls that are not in the program, and how often; by name.
  const std::map<std::string, std::uint64_t>& left_out() const { return left_out_; }
  std::uint64_t messages() const { return messages_; }

 private:
  struct Open {
    std::uint32_t number = 0, peer = 0;
    std::size_t operation = 0;  ///< index in its rank
  };
  std::uint32_t number_of(std::uint64_t id, std::uint32_t from, std::uint32_t to);

  const trace::Definitions& definitions_;
  std::vector<std::vector<MessageOperation>> ranks_;
  std::unordered_map<std::uint64_t, std::uint32_t> half_known_;  ///< messages of which one end was told
  std::unordered_map<std::uint64_t, std::uint32_t> next_;        ///< by pair of ranks
  std::unordered_map<std::uint64_t, Open> sent_, posted_;
  std::map<std::string, std::uint64_t> left_out_;
  std::uint64_t messages_ = 0;
};

/// Of a run whose prediction ended: with the machine's algorithms, the protocol of each message and the factors
/// of the computation. Errors: as predict().
Result<MessageProgram> messages_of(trace::Source& source, const PredictionRequest& request);

/// The whole schedule: `send 8b to 1 tag 0`, `recv`, `calc 100` (ns) with labels and `requires`.
std::string goal_text(const MessageProgram& program);
/// One rank's trace; a flop stands for a nanosecond, so simulate on hosts of 1 Gf.
std::string simgrid_text(const MessageProgram& program, std::uint32_t rank);

}  // namespace mora::predict
