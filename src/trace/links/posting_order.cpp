/// A queue of open postings; what is resolved leaves from its front. Idea and cost: posting_order.h.
#include "trace/links/posting_order.h"

namespace mora::trace {

std::uint32_t PostingOrder::posted(Nanoseconds enter) {
  Open open;
  open.receive.enter = enter;
  open_.push_back(open);
  return first_ + static_cast<std::uint32_t>(open_.size()) - 1;
}

void PostingOrder::complete(std::uint32_t posting, std::uint32_t sequence) {
  Open& open = open_[posting - first_];
  open.receive.completion = next_completion();
  open.receive.sequence = sequence;
  open.is_resolved = true;
  settle();
}

void PostingOrder::drop(std::uint32_t posting) {
  open_[posting - first_].is_resolved = true;
  settle();
}

void PostingOrder::received(std::uint32_t sequence, Nanoseconds enter) {
  const Receive receive{next_completion(), sequence, 0, enter};
  if (open_.empty()) {
    ++first_;
    return pass(receive);
  }
  open_.push_back({receive, true});
}

void PostingOrder::pass(Receive receive) {
  if (receive.sequence != no_id) {
    if (receive.sequence >= next_.size()) next_.resize(receive.sequence + 1, 0);
    receive.serial = next_[receive.sequence]++;
  }
  leave_(receive);
}

void PostingOrder::settle() {
  for (; !open_.empty() && open_.front().is_resolved; open_.pop_front(), ++first_) pass(open_.front().receive);
}

void PostingOrder::finish() {
  for (Open& open : open_) open.is_resolved = true;
  settle();
}

PostingOrder::Leave numbers_of_completions(std::vector<std::uint32_t>& serials) {
  return [&serials](const PostingOrder::Receive& receive) {
    if (receive.completion == serials.size()) return serials.push_back(receive.serial);
    if (receive.completion == no_id) return;
    if (receive.completion > serials.size()) serials.resize(receive.completion + 1);
    serials[receive.completion] = receive.serial;
  };
}

PostingOrder::Leave numbers_in_order(std::function<void(std::uint32_t serial)> next) {
  return [next = std::move(next), first = std::uint32_t{0},
          waiting = std::deque<std::uint32_t>()](const PostingOrder::Receive& receive) mutable {
    if (receive.completion == no_id) return;
    const std::uint32_t at = receive.completion - first;
    if (at >= waiting.size()) waiting.resize(at + 1, no_id);  // not known yet
    waiting[at] = receive.serial;
    for (; !waiting.empty() && waiting.front() != no_id; waiting.pop_front(), ++first) next(waiting.front());
  };
}

}  // namespace mora::trace
