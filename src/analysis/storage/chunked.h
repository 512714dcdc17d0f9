/// Chunked<T>: an append-only array that does not move its elements (but for the first chunk, which starts small:
/// thousands of ranks with few halves each), so that growing costs no second copy. Its chunks come from the Storage
/// that was current when it was made, so that halves may outgrow memory. Not thread-safe while it grows; then read by
/// any.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/storage/storage.h"

namespace mora::analysis {

template <class T>
class Chunked {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t chunk_shift = 10;
  static constexpr std::size_t chunk_size = std::size_t{1} << chunk_shift;

  Chunked() : storage_(Storage::current()) {}
  Chunked(Chunked&& other) noexcept
      : storage_(other.storage_),
        chunks_(std::exchange(other.chunks_, {})),
        heap_from_(std::exchange(other.heap_from_, 0)),
        size_(std::exchange(other.size_, 0)),
        first_capacity_(std::exchange(other.first_capacity_, chunk_size)) {}
  Chunked& operator=(Chunked&& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(chunks_, other.chunks_);
    std::swap(heap_from_, other.heap_from_);
    std::swap(size_, other.size_);
    std::swap(first_capacity_, other.first_capacity_);
    return *this;
  }
  ~Chunked() { clear(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  const T& operator[](std::size_t i) const { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  T& push_back(const T& value) {
    if ((size_ & (chunk_size - 1)) == 0) add_chunk();
    if (size_ == first_capacity_) grow_first();
    T& place = chunks_.back()[size_++ & (chunk_size - 1)];
    place = value;
    return place;
  }
  T& back() { return (*this)[size_ - 1]; }
  void append(const T* values, std::size_t count) {
    while (count > 0) {
      const std::size_t at = size_ & (chunk_size - 1);
      if (at == 0) add_chunk();
      if (size_ == first_capacity_) grow_first();
      const std::size_t some = std::min(count, (chunks_.size() == 1 ? first_capacity_ : chunk_size) - at);
      std::copy_n(values, some, chunks_.back() + at);
      size_ += some;
      values += some;
      count -= some;
    }
  }
  void clear() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (i < heap_from_) {
        storage_->give_back(chunks_[i], bytes);
      } else {
        ::operator delete(chunks_[i]);
      }
    }
    chunks_.clear();
    chunks_.shrink_to_fit();
    size_ = 0;
    heap_from_ = 0;
    first_capacity_ = chunk_size;
  }

 private:
  static constexpr std::size_t bytes = chunk_size * sizeof(T);
  static constexpr std::size_t smallest = 16;

  void add_chunk() {
    void* memory = storage_ != nullptr ? storage_->take(bytes) : nullptr;
    if (memory != nullptr) {
      heap_from_ = chunks_.size() + 1;
    } else if (chunks_.empty()) {
      first_capacity_ = smallest;
      memory = ::operator new(smallest * sizeof(T));
    } else {
      memory = ::operator new(bytes);
    }
    chunks_.push_back(static_cast<T*>(memory));
  }
  void grow_first() {
    if (first_capacity_ == chunk_size) return;  // the second chunk begins here
    T* larger = static_cast<T*>(::operator new(2 * first_capacity_ * sizeof(T)));
    std::copy_n(chunks_[0], first_capacity_, larger);
    ::operator delete(chunks_[0]);
    chunks_[0] = larger;
    first_capacity_ *= 2;
  }

  Storage* storage_;
  std::vector<T*> chunks_;
  std::size_t heap_from_ = 0;  ///< a storage that has failed once never gives again: later chunks are the heap's
  std::size_t size_ = 0;
  std::size_t first_capacity_ = chunk_size;  ///< of the first chunk; less only while it is the heap's and the only one
};

}  // namespace mora::analysis
