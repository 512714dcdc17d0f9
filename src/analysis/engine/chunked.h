/// Chunked<T>: an append-only array that never moves its elements, so that growing costs no second copy.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace mora::analysis {

template <class T>
class Chunked {
 public:
  static constexpr std::size_t chunk_shift = 10;
  static constexpr std::size_t chunk_size = std::size_t{1} << chunk_shift;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  const T& operator[](std::size_t i) const { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  T& push_back(const T& value) {
    if ((size_ & (chunk_size - 1)) == 0) chunks_.push_back(std::make_unique_for_overwrite<T[]>(chunk_size));
    T& place = chunks_.back()[size_++ & (chunk_size - 1)];
    place = value;
    return place;
  }
  void clear() {
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace mora::analysis
