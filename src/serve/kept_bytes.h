/// Plain data as bytes and back, by one description for both ways: `bytes(x)` writes x, or reads it. Of this machine
/// and program only: for caches. Not thread-safe.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mora::serve {

class KeptBytes {
 public:
  KeptBytes() = default;  ///< writes
  /// Reads `text`, which outlives it.
  explicit KeptBytes(std::string_view text) : rest_(text), reads_(true) {}

  template <class T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    raw(&value, sizeof value);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::uint64_t count = values.size();
    (*this)(count);
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (reads_ && count > rest_.size() / sizeof(T)) fail();
      if (failed_) return;
      values.resize(count);
      raw(values.data(), count * sizeof(T));
    } else {
      if (reads_ && count > rest_.size()) fail();
      if (failed_) return;
      values.resize(count);
      for (T& value : values) (*this)(value);
    }
  }

  bool reads() const { return reads_; }
  void fail() { failed_ = true; }
  /// Everything was there, and nothing more.
  bool is_whole() const { return !failed_ && rest_.empty(); }
  const std::string& written() const { return written_; }

 private:
  void raw(void* value, std::size_t size) {
    if (size == 0) return;  // of an empty vector, whose place may be null
    if (!reads_) {
      written_.append(static_cast<const char*>(value), size);
    } else if (failed_ || size > rest_.size()) {
      fail();
    } else {
      std::memcpy(value, rest_.data(), size);
      rest_.remove_prefix(size);
    }
  }

  std::string written_;
  std::string_view rest_;
  bool reads_ = false, failed_ = false;
};

}  // namespace mora::serve
