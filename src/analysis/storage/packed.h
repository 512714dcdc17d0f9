/// Packed: many whole numbers, one after the other, in 2, 4 or 10 bytes each (base/numbers/short_number.h). For records
/// of numbers that are mostly small - durations, indices - and are read in order, or each by where it begins. Pieces of
/// 64 KiB from the current Storage (storage.h), which do not move, but for the first one, which starts small: thousands
/// of ranks with few numbers each. Not thread-safe while it grows; then read by any.
///
/// Numbers that were put together lie in one piece, and none begins where a piece may have no room for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analysis/storage/buffer.h"
#include "base/numbers/short_number.h"

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
    if (room(at_) < sizeof...(numbers) * longest_number) [[unlikely]]
      add_piece();
    std::byte* at = at_;
    ((at = store_number(at, static_cast<std::uint64_t>(numbers))), ...);
    at_ = at;
  }
  /// Where the next number will be.
  Place end() const {
    return pieces_.empty() ? 0 : (pieces_.size() - 1) * piece + static_cast<Place>(at_ - pieces_.back().data());
  }

  /// Takes numbers in order; no more than were put.
  class Reader {
   public:
    explicit Reader(const Packed& packed, Place place = 0) : packed_(packed), piece_(place / piece) {
      if (piece_ < packed.pieces_.size()) go_to(place % piece);
    }
    /// As many as were put together.
    template <std::size_t count>
    std::array<std::uint64_t, count> take() {
      if (static_cast<std::size_t>(end_ - at_) < count * longest_number) [[unlikely]] {
        ++piece_;
        go_to(0);
      }
      std::array<std::uint64_t, count> numbers;
      const std::byte* at = at_;
      for (std::uint64_t& number : numbers) at = load_number(at, number);
      at_ = at;
      return numbers;
    }

   private:
    void go_to(std::size_t offset) {
      at_ = packed_.pieces_[piece_].data() + offset;
      end_ = packed_.pieces_[piece_].data() + packed_.pieces_[piece_].capacity();
    }
    const Packed& packed_;
    std::size_t piece_;
    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
  };

 private:
  static constexpr std::size_t piece = (std::size_t{1} << 16) - SpillBlock::head, smallest = 256;
  std::size_t room(const std::byte* at) const { return static_cast<std::size_t>(end_ - at); }
  void add_piece() {
    if (pieces_.size() == 1 && pieces_.back().capacity() < piece) {
      Buffer& first = pieces_.back();
      first.resize(static_cast<std::size_t>(at_ - first.data()));  // what is to be moved
      first.reserve(std::min(2 * first.capacity(), piece));
      at_ = first.end();
    } else {
      pieces_.emplace_back();
      pieces_.back().reserve(pieces_.size() == 1 ? smallest : piece);
      at_ = pieces_.back().data();
    }
    end_ = pieces_.back().data() + pieces_.back().capacity();
  }
  std::vector<Buffer> pieces_;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;  ///< of the last piece
};

}  // namespace mora::analysis
