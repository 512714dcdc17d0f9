/// Which message a receive takes: the k-th posted receive of an envelope takes its k-th message (MPI-3.1, 3.5;
/// trace/links/channel.h).
///
/// Idea: the envelope of a posted receive is known when it completes, so its k is known when every receive posted
/// before it is complete or cancelled. Postings leave in order. Cost: amortised O(1); memory: what lies after the
/// oldest open request. As trace/index/item_collector.h's PostingOrder, but nothing is kept of receives that are done.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "replay/action.h"

namespace mora::replay {

class PostingOrder {
 public:
  /// `leave` gets every receive in the order of posting, and when it was posted.
  explicit PostingOrder(std::function<void(const Posting&, Nanoseconds)> leave) : leave_(std::move(leave)) {}

  void posted(std::uint64_t request, Nanoseconds time);
  void cancelled(std::uint64_t request);
  /// A receive on the sequence `key` is complete. The number of its posting if it was posted before; nothing: it was
  /// posted now.
  std::optional<std::uint32_t> received(std::uint32_t key, std::optional<std::uint64_t> request, Nanoseconds time);
  /// What is still open took no message.
  void finish();

 private:
  struct Open {
    std::uint32_t key = no_id;
    bool resolved = false;
    Nanoseconds posted = 0;
  };
  void settle();
  std::function<void(const Posting&, Nanoseconds)> leave_;
  std::deque<Open> open_;
  std::uint64_t first_ = 0;  ///< number of open_.front()
  std::unordered_map<std::uint64_t, std::uint64_t> requests_;
  std::vector<std::uint32_t> next_;  ///< per key
};

}  // namespace mora::replay
