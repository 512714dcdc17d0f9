/// Buffer: what partitions send each other. Plain bytes, so that a carrier may cross address spaces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include "analysis/storage/storage.h"

namespace mora::analysis {

/// A vector of bytes that is not asked byte by byte to grow. Bytes that were not written have any value.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }
  Buffer(const Buffer& other) { append(other.begin_, other.size_); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (begin_ != nullptr) Memory().deallocate(begin_, capacity_);
  }
  void swap(Buffer& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::byte* data() { return begin_; }
  const std::byte* data() const { return begin_; }
  std::byte* begin() { return begin_; }
  std::byte* end() { return begin_ + size_; }
  const std::byte* begin() const { return begin_; }
  const std::byte* end() const { return begin_ + size_; }
  void clear() { size_ = 0; }
  void reserve(std::size_t bytes) {
    if (bytes > capacity_) move_to(bytes);
  }
  void resize(std::size_t bytes) {
    reserve(bytes);
    size_ = bytes;
  }
  /// Where `bytes` more bytes go.
  std::byte* more(std::size_t bytes) {
    if (capacity_ - size_ < bytes) [[unlikely]]
      grow(bytes);
    std::byte* place = begin_ + size_;
    size_ += bytes;
    return place;
  }
  void append(const std::byte* bytes, std::size_t count) {
    if (count > 0) std::memcpy(more(count), bytes, count);
  }

 private:
  using Memory = SpillAllocator<std::byte>;
  __attribute__((noinline)) void grow(std::size_t bytes) { move_to(std::max(size_ + bytes, 2 * size_)); }
  void move_to(std::size_t capacity) {
    std::byte* larger = Memory().allocate(capacity);
    if (size_ > 0) std::memcpy(larger, begin_, size_);
    if (begin_ != nullptr) Memory().deallocate(begin_, capacity_);
    begin_ = larger;
    capacity_ = capacity;
  }

  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Appends plain values to a buffer. Not thread-safe.
class BufferWriter {
 public:
  explicit BufferWriter(Buffer& buffer) : buffer_(buffer) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(buffer_.more(sizeof(T)), &value, sizeof(T));
  }
  /// Length, then bytes.
  void put_text(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    buffer_.append(reinterpret_cast<const std::byte*>(text.data()), text.size());
  }

 private:
  Buffer& buffer_;
};

/// Takes values off the front, in the order they were put. The content comes from our own writer, so that reading
/// past the end is a defect of Mora.
class BufferReader {
 public:
  explicit BufferReader(const Buffer& buffer) : at_(buffer.data()), end_(buffer.data() + buffer.size()) {}

  bool empty() const { return at_ == end_; }
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::string take_text() {
    const auto size = static_cast<std::size_t>(take<std::uint64_t>());
    std::string text(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return text;
  }
  /// The next `bytes` bytes, unaligned, valid as long as the buffer.
  const std::byte* skip(std::size_t bytes) {
    const std::byte* here = at_;
    at_ += bytes;
    return here;
  }

 private:
  const std::byte* at_;
  const std::byte* end_;
};

/// The i-th T of an unaligned array.
template <class T>
T element(const std::byte* array, std::size_t i) {
  T value;
  std::memcpy(&value, array + i * sizeof(T), sizeof(T));
  return value;
}

}  // namespace mora::analysis
