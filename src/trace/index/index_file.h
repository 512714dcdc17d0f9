/// An index, mapped: pointers into the file, checked block by block before the first use.
///
/// A block that differs from its hash is never used: sound() returns false, and the view builds a new index. The
/// mapping is shared and read-only; pages of a file count as memory only while they are in use. Thread safety: const
/// members may be called from several threads.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/index/event_store.h"
#include "trace/index/index_format.h"

namespace mora::trace {

class IndexFile {
 public:
  /// Takes over `file`. `trusted`: just written by us, blocks need no check. Errors: not an index, another version, cut
  /// off, header, hashes or frames of packed columns damaged.
  static Result<std::unique_ptr<IndexFile>> map(int file, bool trusted);
  /// An index with sections of the same sizes in which every value is 0. It takes address space, but no memory. Null if
  /// there is none.
  static std::unique_ptr<IndexFile> zeros(const IndexHeader& header);
  ~IndexFile();

  const IndexHeader& header() const { return header_; }
  const EventColumns& columns() const { return columns_; }
  std::span<const std::uint64_t> location_begin() const { return numbers<std::uint64_t>(IndexSection::location_begin); }
  std::span<const std::uint32_t> location_events() const {
    return numbers<std::uint32_t>(IndexSection::location_events);
  }
  std::span<const std::uint32_t> snapshot_at() const { return numbers<std::uint32_t>(IndexSection::snapshot_at); }
  std::span<const std::uint64_t> snapshot_begin() const { return numbers<std::uint64_t>(IndexSection::snapshot_begin); }
  std::span<const std::uint32_t> snapshot_open() const { return numbers<std::uint32_t>(IndexSection::snapshot_open); }
  std::span<const TransferRange> ranges() const { return numbers<TransferRange>(IndexSection::range); }
  std::span<const EnterArgument> arguments() const { return numbers<EnterArgument>(IndexSection::argument); }
  /// The stored data-quality rows (JSON, index_build.cpp). Precondition: sound(IndexSection::quality).
  std::string quality() const;

  /// Is the block that holds this byte of the section what was written? O(1) after the first time.
  bool sound(IndexSection section, std::uint64_t byte) const {
    if (trusted_) return true;
    const std::size_t block = first_block_[static_cast<std::size_t>(section)] + byte / index_block;
    return checked_[block].load(std::memory_order_relaxed) || check(section, byte / index_block);
  }
  bool sound(IndexSection section) const;  ///< the whole section
  /// Is what the frame holds? A frame lies within one block.
  bool sound(const PackedFrame& frame) const { return sound(IndexSection::packed, frame.byte()); }
  /// All frames of the row's fields.
  bool sound_row(std::uint64_t row) const;
  /// Gives back the memory of the columns' pages before event `position` (they are read again when needed).
  void forget_before(std::uint64_t position) const;

 private:
  IndexFile() = default;
  bool check(IndexSection section, std::uint64_t block) const;
  void point_columns();
  template <class T>
  std::span<const T> numbers(IndexSection section) const {
    const IndexExtent& e = header_.sections[static_cast<std::size_t>(section)];
    return {reinterpret_cast<const T*>(data_ + e.offset), e.bytes / sizeof(T)};
  }

  int file_ = -1;
  const std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  IndexHeader header_;
  EventColumns columns_;
  bool trusted_ = false;
  std::array<std::size_t, index_sections> first_block_{};
  mutable std::unique_ptr<std::atomic<bool>[]> checked_;
};

}  // namespace mora::trace
