/// A long reading and whoever waits for it: gives it up from outside, and says how far it has come. Whoever reads
/// content record by record asks now and then whether to end and then takes the content as if it ended there; whoever
/// has asked for the reading throws the result away.
///
/// Idea: flag and count belong to the thread that reads, so that nothing has to be handed through readers that know
/// nothing of who waits for them. Cost: two loads; of has_read a store more. Limit: threads that a reader starts itself
/// are not told.
#pragma once

#include <atomic>
#include <cstdint>

namespace mora {

/// Bytes of the files being read. A file that is read twice counts twice. 0 of 0: the reader does not say.
struct ReadBytes {
  std::atomic<std::uint64_t> done{0}, all{0};
};

/// As long as it lives, is_interrupted() of this thread is what `flag` says, and what is read is counted in `bytes`
/// (nullptr: nowhere). Both outlive it.
class InterruptedBy {
 public:
  explicit InterruptedBy(const std::atomic<bool>& flag, ReadBytes* bytes = nullptr)
      : before_(current), bytes_before_(counted) {
    current = &flag;
    counted = bytes;
  }
  ~InterruptedBy() {
    current = before_;
    counted = bytes_before_;
  }
  InterruptedBy(const InterruptedBy&) = delete;
  InterruptedBy& operator=(const InterruptedBy&) = delete;

  static bool is_interrupted() { return current != nullptr && current->load(std::memory_order_relaxed); }
  static void add(std::atomic<std::uint64_t> ReadBytes::*what, std::uint64_t bytes) {
    if (counted != nullptr)  // no other thread writes
      (counted->*what).store((counted->*what).load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

 private:
  static inline thread_local const std::atomic<bool>* current = nullptr;
  static inline thread_local ReadBytes* counted = nullptr;
  const std::atomic<bool>* before_;
  ReadBytes* bytes_before_;
};

/// The reading on this thread is to end: its result is not wanted any more.
inline bool is_interrupted() { return InterruptedBy::is_interrupted(); }

/// So many bytes more are going to be read on this thread, and were read.
inline void will_read(std::uint64_t bytes) { InterruptedBy::add(&ReadBytes::all, bytes); }
inline void has_read(std::uint64_t bytes) { InterruptedBy::add(&ReadBytes::done, bytes); }

}  // namespace mora
