/// PackedTimes: many times, one after the other, in 4 bytes each where those of 64 that follow each other lie within
/// two seconds of the first of them, else in 8. Any time by its place, O(1); times that were put do not change. The
/// memory is that of Chunked. Not thread-safe while it grows; then read by any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "analysis/storage/chunked.h"
#include "base/time.h"

namespace mora::analysis {

class PackedTimes {
 public:
  std::size_t size() const { return low_.size(); }
  bool empty() const { return low_.empty(); }

  void push_back(Nanoseconds time) {
    const std::size_t at = low_.size();
    if (at % block == 0) blocks_.push_back({static_cast<std::uint64_t>(time) - half});
    Block& here = blocks_.back();
    const std::uint64_t after = static_cast<std::uint64_t>(time) - here.base;
    low_.push_back(static_cast<std::uint32_t>(after));
    const auto above = static_cast<std::uint32_t>(after >> 32);
    if (above == 0 && here.wide == none) return;
    if (here.wide == none) {
      here.wide = static_cast<std::uint32_t>(high_.size() / block);
      for (std::size_t i = 0; i < block; ++i) high_.push_back(0);
    }
    high_[here.wide * block + at % block] = above;
  }

  Nanoseconds operator[](std::size_t i) const {
    const Block& here = blocks_[i / block];
    std::uint64_t time = here.base + low_[i];
    if (here.wide != none) [[unlikely]]
      time += std::uint64_t{high_[here.wide * block + i % block]} << 32;
    return static_cast<Nanoseconds>(time);
  }

 private:
  static constexpr std::size_t block = 64;
  static constexpr std::uint64_t half = std::uint64_t{1} << 31;
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Block {
    std::uint64_t base = 0;     ///< modulo 2^64, as all that is added to it
    std::uint32_t wide = none;  ///< which 64 of high_ are its; none: all are 0
  };
  Chunked<Block> blocks_;
  Chunked<std::uint32_t> low_;
  Chunked<std::uint32_t> high_;
};

}  // namespace mora::analysis
