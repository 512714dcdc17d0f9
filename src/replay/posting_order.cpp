/// A queue of open postings; what is resolved leaves from its front. Idea and cost: posting_order.h.
#include "replay/posting_order.h"

namespace mora::replay {

void PostingOrder::posted(std::uint64_t request, Nanoseconds time) {
  requests_[request] = first_ + open_.size();
  open_.push_back({no_id, false, time});
}

void PostingOrder::cancelled(std::uint64_t request) {
  const auto at = requests_.find(request);
  if (at == requests_.end()) return;
  open_[at->second - first_].resolved = true;
  requests_.erase(at);
  settle();
}

std::optional<std::uint32_t> PostingOrder::received(std::uint32_t key, std::optional<std::uint64_t> request,
                                                    Nanoseconds time) {
  const auto at = request ? requests_.find(*request) : requests_.end();
  if (at == requests_.end()) {
    open_.push_back({key, true, time});
    settle();
    return {};
  }
  const std::uint64_t number = at->second;
  Open& open = open_[number - first_];
  open.key = key;
  open.resolved = true;
  requests_.erase(at);
  settle();
  return static_cast<std::uint32_t>(number);
}

void PostingOrder::settle() {
  for (; !open_.empty() && open_.front().resolved; open_.pop_front(), ++first_) {
    Posting posting{open_.front().key, 0};
    if (posting.key != no_id) {
      if (posting.key >= next_.size()) next_.resize(posting.key + 1, 0);
      posting.serial = next_[posting.key]++;
    }
    leave_(posting, open_.front().posted);
  }
}

void PostingOrder::finish() {
  for (Open& o : open_) o.resolved = true;
  settle();
  requests_.clear();
}

}  // namespace mora::replay
