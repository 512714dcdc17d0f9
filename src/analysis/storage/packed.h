/// Packed: many whole numbers, one after the other: 2 bytes for those below 2^15, 4 below 2^30, else 10. For records of
/// numbers that are mostly small - durations, indices - and are read in order, or each by where it begins. Pieces of 64
/// KiB from the current Storage (storage.h), which do not move. Cost: four to seven instructions a number. Not
/// thread-safe while it grows; then read by any.
///
/// The lowest bits say the size: 0, 01, or 11 and eight bytes behind these two.
/// Numbers that were put together lie in one piece, and none begins where a piece may have no room for them.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "analysis/storage/buffer.h"

namespace mora::analysis {

class Packed {
 public:
  using Place = std::uint64_t;

  Packed() = default;
  Packed(Packed&&) = default;
  Packed& operator=(Packed&&) = default;

  /// Adds numbers, which are taken together, too. Those less than 0 take 10 bytes (but see folded()).
  template <class... Numbers>
  void put(Numbers... numbers) {
    if (room(at_) < sizeof...(numbers) * most) [[unlikely]]
      add_piece();
    std::byte* at = at_;
    ((at = store(at, static_cast<std::uint64_t>(numbers))), ...);
    at_ = at;
  }
  /// Where the next number will be.
  Place end() const { return pieces_.size() * piece - room(at_); }

  /// Takes numbers in order; no more than were put.
  class Reader {
   public:
    explicit Reader(const Packed& packed, Place place = 0) : packed_(packed), piece_(place / piece) {
      if (piece_ < packed.pieces_.size()) go_to(place % piece);
    }
    /// As many as were put together.
    template <std::size_t count>
    std::array<std::uint64_t, count> take() {
      if (static_cast<std::size_t>(end_ - at_) < count * most) [[unlikely]] {
        ++piece_;
        go_to(0);
      }
      std::array<std::uint64_t, count> numbers;
      const std::byte* at = at_;
      for (std::uint64_t& number : numbers) at = load(at, number);
      at_ = at;
      return numbers;
    }

   private:
    void go_to(std::size_t offset) {
      at_ = packed_.pieces_[piece_].data() + offset;
      end_ = packed_.pieces_[piece_].data() + piece;
    }
    const Packed& packed_;
    std::size_t piece_;
    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
  };

 private:
  static constexpr std::size_t piece = (std::size_t{1} << 16) - SpillBlock::head;
  static constexpr std::size_t most = 10;

  static std::byte* store(std::byte* at, std::uint64_t value) {
    if (value < 1U << 15) {
      const auto word = static_cast<std::uint16_t>(value << 1);
      std::memcpy(at, &word, sizeof word);
      return at + sizeof word;
    }
    if (value < 1U << 30) {
      const auto word = static_cast<std::uint32_t>(value << 2 | 1);
      std::memcpy(at, &word, sizeof word);
      return at + sizeof word;
    }
    constexpr std::uint16_t whole = 3;
    std::memcpy(at, &whole, sizeof whole);
    std::memcpy(at + sizeof whole, &value, sizeof value);
    return at + most;
  }
  static const std::byte* load(const std::byte* at, std::uint64_t& value) {
    std::uint32_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if ((word & 1) == 0) {
      value = static_cast<std::uint16_t>(word) >> 1;
      return at + 2;
    }
    if ((word & 2) == 0) {
      value = word >> 2;
      return at + 4;
    }
    std::memcpy(&value, at + 2, sizeof value);
    return at + most;
  }
  std::size_t room(const std::byte* at) const { return static_cast<std::size_t>(end_ - at); }
  void add_piece() {
    pieces_.emplace_back().reserve(piece);
    at_ = pieces_.back().data();
    end_ = at_ + piece;
  }
  std::vector<Buffer> pieces_;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;  ///< of the last piece
};

/// A number of either sign as one that is small if it is near 0, and back.
constexpr std::uint64_t folded(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1 ^ (0 - (number & 1)));
}

}  // namespace mora::analysis
