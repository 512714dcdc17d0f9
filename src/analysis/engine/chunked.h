/// Chunked<T>: an append-only array that never moves its elements, so that growing costs no second copy. Its chunks
/// come from the Storage that was current when it was made, so that halves may outgrow memory.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/engine/storage.h"

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
        size_(std::exchange(other.size_, 0)) {}
  Chunked& operator=(Chunked&& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(chunks_, other.chunks_);
    std::swap(heap_from_, other.heap_from_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Chunked() { clear(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  const T& operator[](std::size_t i) const { return chunks_[i >> chunk_shift][i & (chunk_size - 1)]; }
  T& push_back(const T& value) {
    if ((size_ & (chunk_size - 1)) == 0) add_chunk();
    T& place = chunks_.back()[size_++ & (chunk_size - 1)];
    place = value;
    return place;
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
  }

 private:
  static constexpr std::size_t bytes = chunk_size * sizeof(T);

  void add_chunk() {
    void* memory = storage_ != nullptr ? storage_->take(bytes) : nullptr;
    if (memory != nullptr) {
      heap_from_ = chunks_.size() + 1;
    } else {
      memory = ::operator new(bytes);
    }
    chunks_.push_back(static_cast<T*>(memory));
  }

  Storage* storage_;
  std::vector<T*> chunks_;
  std::size_t heap_from_ = 0;  ///< a storage that has failed once never gives again: later chunks are the heap's
  std::size_t size_ = 0;
};

}  // namespace mora::analysis
