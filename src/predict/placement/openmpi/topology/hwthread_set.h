/// A set of hardware threads of one node, numbered by their place in the topology.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace mora::predict::openmpi {

class HwthreadSet {
 public:
  void add(std::uint32_t thread) {
    if (thread / 64 >= words_.size()) words_.resize(thread / 64 + 1);
    words_[thread / 64] |= std::uint64_t{1} << (thread % 64);
  }
  void add(const HwthreadSet& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (std::size_t w = 0; w < other.words_.size(); ++w) words_[w] |= other.words_[w];
  }
  bool has(std::uint32_t thread) const {
    return thread / 64 < words_.size() && (words_[thread / 64] >> (thread % 64) & 1) != 0;
  }
  bool meets(const HwthreadSet& other) const {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t w = 0; w < common; ++w) {
      if ((words_[w] & other.words_[w]) != 0) return true;
    }
    return false;
  }
  /// Every member of `other` is one of this.
  bool contains(const HwthreadSet& other) const {
    for (std::size_t w = 0; w < other.words_.size(); ++w) {
      if ((other.words_[w] & ~(w < words_.size() ? words_[w] : 0)) != 0) return false;
    }
    return true;
  }
  bool empty() const { return size() == 0; }
  std::uint32_t size() const {
    std::uint32_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::uint32_t>(std::popcount(word));
    return count;
  }
  /// Ascending.
  std::vector<std::uint32_t> members() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t thread = 0; thread < words_.size() * 64; ++thread) {
      if (has(thread)) all.push_back(thread);
    }
    return all;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace mora::predict::openmpi
