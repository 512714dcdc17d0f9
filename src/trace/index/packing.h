/// Packed columns of an index: numbers of 1024 events, or of 1024 rows of details, with as few bits as they need.
///
/// Idea. The numbers of a frame lie close together: its times span a millisecond, its region numbers are small, the
/// fields of its details mostly have one value. A frame stores the least number and of each number the difference to
/// it, all with the same width, so that each is found by itself (PackedFrame). In sparse columns 0, "none", does not
/// count as the least; ids have 1 added for that, because their "none" is no_id.
/// Cost: a number is read with one load, a shift and a mask, O(1); packing is two passes over a frame. A width of 58 to
/// 63 bits is stored as 64: one load of 8 bytes from any byte has at least 57.
/// Limits: one number far from the others widens its frame, and only that.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "trace/index/event_store.h"

namespace mora::trace {

/// Packs the numbers of one column, `Sparse` as said above. `Out` has put(words), with the words of a frame, none if
/// all its numbers are the least one (else the last is only there so that 8 bytes can be read from any byte of a
/// number), which returns the byte of the section `packed` where the first lies; and then keep(frame).
template <bool Sparse>
class FramePacker {
 public:
  template <class Out>
  void add(std::uint64_t value, const Out& out) {
    values_[count_++] = value;
    if (count_ == packed_per_frame) flush(out);
  }
  /// Ends a frame that is not full.
  template <class Out>
  void flush(const Out& out) {
    if (count_ == 0) return;
    PackedFrame frame;
    std::uint64_t least = UINT64_MAX, most = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (Sparse && values_[i] == 0) continue;
      least = std::min(least, values_[i] ^ sign);
      most = std::max(most, values_[i] ^ sign);
    }
    const bool is_none = least > most;
    if (!is_none) frame.base = (least ^ sign) - (Sparse ? 1 : 0);
    const auto bits = static_cast<std::uint64_t>(is_none ? 0 : std::bit_width((most ^ sign) - frame.base));
    const std::uint64_t width = bits > 57 ? 64 : bits;
    words_.clear();
    if (width != 0) {
      frame.mask = ~std::uint64_t{0} >> (64 - width);
      words_.assign((count_ * width + 63) / 64 + 1, 0);
      for (std::size_t i = 0; i < count_; ++i) {
        const std::uint64_t value = Sparse && values_[i] == 0 ? 0 : values_[i] - frame.base;
        const std::uint64_t bit = i * width, shift = bit % 64;
        words_[bit / 64] |= value << shift;
        if (shift + width > 64) words_[bit / 64 + 1] |= value >> (64 - shift);
      }
    }
    frame.place = out.put(words_) << 7 | width;
    out.keep(frame);
    count_ = 0;
  }

 private:
  /// Times are signed: the order of their bits with the sign turned is theirs. Others are far below that bit or not
  /// ordered by size.
  static constexpr std::uint64_t sign = std::uint64_t{Sparse ? 0U : 1U} << 63;
  std::array<std::uint64_t, packed_per_frame> values_;
  std::size_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace mora::trace
