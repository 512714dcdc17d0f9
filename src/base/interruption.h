/// Gives up a long reading from outside: whoever reads content record by record asks now and then and then takes it as
/// if it ended there; whoever has asked for the reading throws the result away.
///
/// Idea: the flag belongs to the thread that reads, so that nothing has to be handed through readers that know nothing
/// of who waits for them. Cost: two loads. Limit: threads that a reader starts itself are not told.
#pragma once

#include <atomic>

namespace mora {

/// As long as it lives, is_interrupted() of this thread is what `flag` says. `flag` outlives it.
class InterruptedBy {
 public:
  explicit InterruptedBy(const std::atomic<bool>& flag) : before_(current) { current = &flag; }
  ~InterruptedBy() { current = before_; }
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

  static bool is_interrupted() { return current != nullptr && current->load(std::memory_order_relaxed); }

 private:
  static inline thread_local const std::atomic<bool>* current = nullptr;
  const std::atomic<bool>* before_;
};

/// The reading on this thread is to end: its result is not wanted any more.
inline bool is_interrupted() { return InterruptedBy::is_interrupted(); }

}  // namespace mora
