/// Reading the numbers of Paraver's lines: fields of decimal digits between colons. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace mora::trace::paraver {

/// An integer of up to 64 bits as it stands in the file: values are written signed by some tools, unsigned by others.
struct Number {
  std::uint64_t bits = 0;
  bool negative = false;
  bool fits_signed() const { return negative || bits <= static_cast<std::uint64_t>(INT64_MAX); }
  std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

/// Takes fields off the front of a line.
class Fields {
 public:
  explicit Fields(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return at_ == end_; }
  /// "[-]digits" and the separator behind it, or the end. False: no such field, or it does not fit 64 bits.
  bool take(Number& number, char separator = ':') {
    const bool negative = at_ != end_ && *at_ == '-';
    const char* p = at_ + (negative ? 1 : 0);
    const char* const digits = p;
    std::uint64_t value = 0;
    for (; p != end_ && *p >= '0' && *p <= '9'; ++p) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(*p - '0'), &value))
        return false;
    }
    if (p == digits || (p != end_ && *p != separator)) return false;
    if (negative && value > std::uint64_t{1} << 63) return false;
    number = {negative ? 0 - value : value, negative && value != 0};
    at_ = p == end_ ? p : p + 1;
    return true;
  }
  bool take(std::uint64_t& value, char separator = ':') {
    Number number;
    if (!take(number, separator) || number.negative) return false;
    value = number.bits;
    return true;
  }
  bool take(std::int64_t& value, char separator = ':') {
    Number number;
    if (!take(number, separator) || !number.fits_signed()) return false;
    value = number.as_signed();
    return true;
  }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace mora::trace::paraver
