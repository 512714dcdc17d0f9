/// Buffer: what partitions send each other. Plain bytes, so that a carrier may cross address spaces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include "analysis/storage/storage.h"

namespace mora::analysis {

using Buffer = SpillVector<std::byte>;

/// Appends plain values to a buffer. Not thread-safe.
class BufferWriter {
 public:
  explicit BufferWriter(Buffer& buffer) : buffer_(buffer) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(more(sizeof(T)), &value, sizeof(T));
  }
  /// Length, then bytes.
  void put_text(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    std::memcpy(more(text.size()), text.data(), text.size());
  }

 private:
  /// Where `bytes` more bytes go. A vector with an allocator of its own would move byte by byte when it grows.
  std::byte* more(std::size_t bytes) {
    const std::size_t at = buffer_.size();
    if (buffer_.capacity() - at < bytes) {
      Buffer larger;
      larger.reserve(std::max(at + bytes, 2 * at));
      larger.resize(at);
      if (at > 0) std::memcpy(larger.data(), buffer_.data(), at);
      buffer_.swap(larger);
    }
    buffer_.resize(at + bytes);
    return buffer_.data() + at;
  }

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
