/// ForwardClock: the controlled logical clock of one location, forward (Rabenseifner 1997; Becker 2009).
///
/// LC(e) = max(LC(prev) + δ, LC(prev) + γ·(t(e) − t(prev)), t(e)), and at the receiving end of an edge at least
/// LC(sending end) + minimum latency. Here in integers, without accumulated rounding: after a jump to LC(a) the clock
/// reads t + max(0, (LC(a) − t(a)) − ⌊(1 − γ)(t − t(a))⌋) until the next jump. δ = 1 ns keeps events apart that were
/// apart; events with equal times keep equal times (δ is 0 there), otherwise a trace without any contradiction would
/// change.
/// δ decides only between events 1 ns apart: over 2 ns and more the second term gains at least ⌊γ·2⌋ = 1 for γ ≥ 1/2.
/// So the reading at an event depends on the last jump and on whether the event before it is 1 ns away, on nothing
/// else: events that are no ends of edges need not be stored.
/// Cost: O(1) per reading. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace mora::trace {

/// Corrected times stay within ±2^62 of 0 unless the trace's own are beyond.
inline constexpr Nanoseconds latest_time = std::int64_t{1} << 62;

/// a + b, b ≥ 0, not beyond latest_time unless a is.
inline Nanoseconds later(Nanoseconds a, Nanoseconds b) {
  return a >= latest_time ? a : a + std::min(b, latest_time - std::max<Nanoseconds>(a, 0));
}

class ForwardClock {
 public:
  ForwardClock(std::uint32_t loss_numerator, std::uint32_t loss_denominator)
      : numerator_(loss_numerator), denominator_(loss_denominator) {}

  /// The reading at `time`, which is not before the anchor.
  Nanoseconds at(Nanoseconds time) const {
    if (shift_ == 0) return time;
    const std::uint64_t away = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(anchor_);
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t back = away <= UINT32_MAX ? away * numerator_ / denominator_
                                                  : static_cast<std::uint64_t>(Wide{away} * numerator_ / denominator_);
    if (back >= shift_) return time;
    const std::uint64_t room = static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(time);
    return static_cast<Nanoseconds>(static_cast<std::uint64_t>(time) + std::min(shift_ - back, room));
  }

  /// The reading at the next event; `close`: the event before it is exactly 1 ns earlier.
  Nanoseconds advance(Nanoseconds time, bool close) {
    const Nanoseconds reading = at(time);
    if (!close || shift_ == 0) return reading;
    const Nanoseconds apart = later(at(time - 1), 1);
    if (apart <= reading) return reading;
    jump(time, apart);
    return apart;
  }

  /// An edge moves the event at `time` to `reading`; the clock goes on from there.
  void jump(Nanoseconds time, Nanoseconds reading) {
    anchor_ = time;
    shift_ = static_cast<std::uint64_t>(reading) - static_cast<std::uint64_t>(time);
  }

 private:
  std::uint64_t numerator_, denominator_;
  Nanoseconds anchor_ = 0;
  std::uint64_t shift_ = 0;
};

}  // namespace mora::trace
