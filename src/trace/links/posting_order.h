/// The receives of one location in the order of their posting, while its stream is read.
///
/// Idea: which channel a posted receive is on is known when it is complete, so its number there is known when every
/// receive posted before it is complete or will take no message. Postings leave in order. Cost: amortised O(1); memory:
/// what lies behind the oldest open posting. Not thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "base/time.h"
#include "trace/definitions.h"

namespace mora::trace {

class PostingOrder {
 public:
  /// A receive whose place among the location's receives is known.
  struct Receive {
    std::uint32_t completion =
        no_id;                       ///< which of the location's completed receives, from 0; no_id: it took no message
    std::uint32_t sequence = no_id;  ///< its channel, by whatever numbers the user has
    std::uint32_t serial = 0;        ///< k on the channel, from 0
    Nanoseconds enter = 0;           ///< as given to posted() or received()
  };
  using Leave = std::function<void(const Receive&)>;

  /// `leave` gets all receives in the order of posting.
  explicit PostingOrder(Leave leave) : leave_(std::move(leave)) {}

  /// A receive is posted; returns the number of the posting on the location, from 0.
  std::uint32_t posted(Nanoseconds enter);
  /// The posted receive is complete.
  void complete(std::uint32_t posting, std::uint32_t sequence);
  /// The posted receive takes no message: cancelled, or its partner is not known.
  void drop(std::uint32_t posting);
  /// A receive is posted and complete at once.
  void received(std::uint32_t sequence, Nanoseconds enter);
  /// The stream is over: what is open takes no message.
  void finish();

 private:
  struct Open {
    Receive receive;
    bool is_resolved = false;
  };
  void settle();
  void pass(Receive receive);
  std::uint32_t next_completion() { return completions_++; }

  Leave leave_;
  std::deque<Open> open_;
  std::uint32_t first_ = 0;  ///< number of open_.front()
  std::uint32_t completions_ = 0;
  std::vector<std::uint32_t> next_;  ///< serial, per sequence
};

/// For users that only want to know the serial of each completed receive: it goes to serials[completion].
PostingOrder::Leave numbers_of_completions(std::vector<std::uint32_t>& serials);
/// The same, told one after the other in the order of completion, each as soon as all before it are known.
PostingOrder::Leave numbers_in_order(std::function<void(std::uint32_t serial)> next);

}  // namespace mora::trace
