/// Waits of one location that are kept for causes/, in the order in which they were found.
///
/// Waits of one call that follow each other without a gap - a queue for a lock: each holder's part is a wait of its own
/// - share a head. Numbers are packed: 8 to 12 bytes each, 4 to 8 more for the first and where the location could have
/// avoided something; more where times are above a second. Not thread-safe.
#pragma once

#include <cstdint>

#include "analysis/core/waits.h"
#include "analysis/storage/packed.h"

namespace mora::analysis {

class KeptWaits {
 public:
  /// Of always the same location.
  void add(const Wait& wait) {
    const bool goes_on = may_go_on_ && wait.begin == end_ && metric_ == wait.metric && call_path_ == wait.call_path;
    const std::uint64_t kind =
        std::uint64_t{wait.metric} << 2 | (wait.own != 0 ? has_own : 0) | (goes_on ? 0 : is_first);
    packed_.put(kind, wait.amount, wait.cause, wait.cause_call_path);
    if (!goes_on) {  // modulo 2^64: clocks may be anything
      const auto later = static_cast<std::uint64_t>(wait.begin) - static_cast<std::uint64_t>(end_);
      packed_.put(folded(static_cast<std::int64_t>(later)), wait.call_path);
    }
    if (wait.own != 0) packed_.put(wait.own);
    ++count_;
    metric_ = wait.metric;
    call_path_ = wait.call_path;
    end_ = wait.begin + wait.amount;
    may_go_on_ = wait.own == 0;  // only the last one of a head has it
  }

  std::size_t size() const { return count_; }
  /// take(wait), in order.
  template <class Take>
  void each(cube::LocationId location, const Take& take) const {
    Packed::Reader in(packed_);
    Wait wait;
    wait.location = location;
    for (std::size_t left = count_; left > 0; --left) {
      const auto [kind, amount, cause, cause_call_path] = in.take<4>();
      wait.begin += wait.amount;
      wait.metric = static_cast<cube::MetricId>(kind >> 2);
      wait.amount = static_cast<Nanoseconds>(amount);
      wait.cause = static_cast<cube::LocationId>(cause);
      wait.cause_call_path = static_cast<cube::CallPathId>(cause_call_path);
      if ((kind & is_first) != 0) {
        const auto [later, call_path] = in.take<2>();
        wait.begin = static_cast<Nanoseconds>(static_cast<std::uint64_t>(wait.begin) +
                                              static_cast<std::uint64_t>(unfolded(later)));
        wait.call_path = static_cast<cube::CallPathId>(call_path);
      }
      wait.own = (kind & has_own) != 0 ? static_cast<Nanoseconds>(in.take<1>()[0]) : 0;
      take(static_cast<const Wait&>(wait));
    }
  }

 private:
  static constexpr std::uint64_t is_first = 1, has_own = 2;  ///< of what is told of a wait
  Packed packed_;
  std::size_t count_ = 0;
  cube::MetricId metric_ = 0;  ///< of the last one, as what follows
  cube::CallPathId call_path_ = 0;
  Nanoseconds end_ = 0;
  bool may_go_on_ = false;
};

}  // namespace mora::analysis
