/// RequestMap: the open requests of one location, from start to completion.
///
/// The life of a request, for everything that starts one (non-blocking messages, collectives, transfers, files): its
/// number names it from its start to its completion or cancellation on the same location; then the number is free. A
/// start under a number in use takes it over: what was open under it is never completed. Sends and receives share their
/// numbers; collectives, transfers and files have numbers of their own. A completion without a start is no partner of
/// anything.
///
/// A small open-addressing table from 64-bit numbers to 32-bit slots; linear probing, deletion by shifting back, no
/// allocation once it has grown to the number of requests open at one time. O(1) on average. Not thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace mora::trace {

class RequestMap {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// `slot` is not `none`. Replaces an existing entry and returns its slot; `none` if there was none.
  std::uint32_t set(std::uint64_t number, std::uint32_t slot) {
    if ((size_ + 1) * 2 > entries_.size()) grow();
    std::size_t i = home(number);
    while (entries_[i].second != none && entries_[i].first != number) i = next(i);
    const std::uint32_t before = entries_[i].second;
    if (before == none) ++size_;
    entries_[i] = {number, slot};
    return before;
  }
  /// Removes the entry and returns its slot; `none` if there is none.
  std::uint32_t take(std::uint64_t number) {
    if (size_ == 0) return none;
    std::size_t i = home(number);
    while (entries_[i].second != none && entries_[i].first != number) i = next(i);
    const std::uint32_t slot = entries_[i].second;
    if (slot != none) erase(i);
    return slot;
  }
  std::size_t size() const { return size_; }

 private:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::size_t home(std::uint64_t number) const {
    return (number * 0x9E3779B97F4A7C15ULL >> 32) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t i) const { return (i + 1) & (entries_.size() - 1); }
  void erase(std::size_t hole) {
    std::size_t i = hole;
    for (;;) {
      i = next(i);
      if (entries_[i].second == none) break;
      const std::size_t mask = entries_.size() - 1;
      if (((i - home(entries_[i].first)) & mask) >= ((i - hole) & mask)) {
        entries_[hole] = entries_[i];
        hole = i;
      }
    }
    entries_[hole].second = none;
    --size_;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 8 : entries_.size() * 2, Entry{0, none});
    old.swap(entries_);
    size_ = 0;
    for (const Entry& entry : old) {
      if (entry.second != none) set(entry.first, entry.second);
    }
  }
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace mora::trace
