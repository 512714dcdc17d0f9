/// Waits of one location that are kept for causes/, in the order in which they were found.
///
/// Waits of one call that follow each other without a gap - a queue for a lock: each holder's part is a wait of its own
/// - share a head: 16 bytes each, 24 more for the first, 8 more where the location could have avoided something. Not
/// thread-safe.
#pragma once

#include <cstdint>

#include "analysis/core/waits.h"
#include "analysis/storage/chunked.h"

namespace mora::analysis {

class KeptWaits {
 public:
  /// Of always the same location.
  void add(const Wait& wait) {
    const bool goes_on = may_go_on_ && wait.begin == end_ && heads_.back().metric == wait.metric &&
                         heads_.back().call_path == wait.call_path;
    if (!goes_on) heads_.push_back({wait.begin, wait.metric, wait.call_path, 0, none});
    Head& head = heads_.back();
    ++head.parts;
    if (wait.own != 0) {
      head.own = static_cast<std::uint32_t>(owns_.size());
      owns_.push_back(wait.own);
    }
    parts_.push_back({wait.amount, wait.cause, wait.cause_call_path});
    end_ = wait.begin + wait.amount;
    may_go_on_ = wait.own == 0;  // only the last one of a head has it
  }

  std::size_t size() const { return parts_.size(); }
  /// take(wait), in order.
  template <class Take>
  void each(cube::LocationId location, const Take& take) const {
    std::size_t part = 0;
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const Head& head = heads_[h];
      Wait wait;
      wait.metric = head.metric;
      wait.location = location;
      wait.call_path = head.call_path;
      wait.begin = head.begin;
      for (const std::size_t end = part + head.parts; part < end; ++part) {
        wait.amount = parts_[part].amount;
        wait.cause = parts_[part].cause;
        wait.cause_call_path = parts_[part].cause_call_path;
        if (part + 1 == end && head.own != none) wait.own = owns_[head.own];
        take(static_cast<const Wait&>(wait));
        wait.begin += wait.amount;
      }
    }
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  struct Head {
    Nanoseconds begin = 0;
    cube::MetricId metric = 0;
    cube::CallPathId call_path = 0;
    std::uint32_t parts = 0;
    std::uint32_t own = none;  ///< in owns_: of the last part
  };
  struct Part {
    Nanoseconds amount = 0;
    cube::LocationId cause = 0;
    cube::CallPathId cause_call_path = 0;
  };
  Chunked<Head> heads_;
  Chunked<Part> parts_;
  Chunked<Nanoseconds> owns_;
  Nanoseconds end_ = 0;  ///< of the last one
  bool may_go_on_ = false;
};

}  // namespace mora::analysis
