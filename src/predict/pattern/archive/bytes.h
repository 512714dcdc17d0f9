/// The bytes of trace.mpt, shared by its writer and its reader (docs/formats/pattern-trace.md is the prose of this
/// header).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/pattern/trace.h"

namespace mora::predict::archive {

inline constexpr std::string_view magic = "MORAPTN1";
inline constexpr std::uint32_t version = 1, version_of_columns = 2, version_of_mixing = 3;
/// ^ 2: there are blocks by columns; 3: of which some columns are mixed (mixing_coder.h)
inline constexpr std::uint32_t ranks_per_block = 64;
inline constexpr std::size_t block_bytes = std::size_t{64} << 20;  ///< a block is closed when it is longer than this

enum SectionKind : std::uint32_t { section_definitions = 1, section_ranks = 2, section_end = 3, section_columns = 4 };

/// Little endian, before the compressed bytes of each section.
struct SectionHeader {
  std::uint32_t kind = 0;
  std::uint32_t first_rank = 0;  ///< of section_ranks
  std::uint32_t ranks = 0;       ///< how many ranks it holds; section_end: of the whole file
  std::uint32_t reserved = 0;
  std::uint64_t raw_bytes = 0, packed_bytes = 0;
  std::uint64_t checksum = 0;  ///< XXH3 of the packed bytes
};
static_assert(sizeof(SectionHeader) == 40);
/// Bits of the form of a block by columns.
inline constexpr std::uint32_t told_by_place =
    1;                                        ///< completions are told by their place (under_way.h), not by their age
inline constexpr std::uint32_t says_how = 2;  ///< each column says how it is packed (PackedHow)
enum PackedHow : std::uint32_t { packed_not, packed_by_zstd, packed_by_mixing };

/// Which fields of a Call differ from their defaults; the fields follow in this order.
enum Field : std::uint32_t {
  field_flags = 1 << 0,  ///< in_place, posted_any_source, posted_any_tag
  field_thread = 1 << 1,
  field_communicator = 1 << 2,
  field_peer = 1 << 3,
  field_tag = 1 << 4,
  field_peer2 = 1 << 5,
  field_tag2 = 1 << 6,
  field_sent = 1 << 7,
  field_received = 1 << 8,
  field_bytes_received = 1 << 9,
  field_sent_vector = 1 << 10,
  field_received_vector = 1 << 11,
  field_completions = 1 << 12,
  field_argument = 1 << 13,
};

/// Peers of messages are written relative to the rank, so that ranks that do the same have the same bytes.
inline bool has_relative_peer(Operation operation) {
  switch (info(operation).kind) {
    case OperationClass::rooted:
    case OperationClass::window:
    case OperationClass::communicator:
      return false;
    default:
      return true;
  }
}

/// Unsigned numbers in groups of seven bits, signed ones folded (0, -1, 1, -2, …).
class ByteWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value | 128));
    bytes_.push_back(static_cast<char>(value));
  }
  void signed_number(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void append(std::string_view bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Every read is checked; after the first failure all numbers are 0.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    failed_ = true;
    at_ = bytes_.size();
    return 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t n = number();
    return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
  }
  /// That many bytes as they are; empty if there are fewer.
  std::string_view take(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) failed_ = true;
    if (failed_) return {};
    at_ += bytes;
    return bytes_.substr(at_ - bytes, bytes);
  }
  /// A number of items that stand in `items`: each needs at least one byte there, so a damaged number cannot ask for
  /// all memory.
  std::size_t count(const ByteReader& items) {
    const std::uint64_t n = number();
    if (n > items.bytes_.size() - items.at_) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(n);
  }
  /// A number below `limit`, or no_id (written as 0; others are one higher).
  std::uint32_t id(std::size_t limit) {
    const std::uint64_t n = number();
    if (n == 0) return no_id;
    if (n > limit) failed_ = true;
    return failed_ ? no_id : static_cast<std::uint32_t>(n - 1);
  }
  template <class T>
  T narrow(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(T(-1))) failed_ = true;
    return static_cast<T>(value);
  }
  std::int32_t narrow_signed(std::int64_t value) {
    if (value < INT32_MIN || value > INT32_MAX) failed_ = true;
    return static_cast<std::int32_t>(value);
  }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// The definitions section.
std::string definitions_json(const PatternTrace& trace);
/// Errors: `where` is left to the caller.
Result<void> read_definitions_json(std::string_view text, PatternTrace& trace);

/// What stands together in a block by columns. In a block without columns everything is one string.
enum Column : std::uint8_t {
  column_rank,
  column_vector_length,
  column_vector,
  column_list_length,
  column_completion,
  column_age,
  column_source,
  column_completed_tag,
  column_arrived,
  column_operation,
  column_fields,
  column_first_field,  ///< a column for each Field, in their order
  column_type = column_first_field + 14,
  column_loop_length,
  column_items,
  column_times,
  column_count,
};

/// The bytes of ranks, in one string or by columns.
template <class Bytes>
class RankBytes {
 public:
  explicit RankBytes(bool by_columns) : columns_(by_columns ? column_count : 1) {}
  bool by_columns() const { return columns_.size() > 1; }
  Bytes& operator()(Column column) { return columns_[by_columns() ? column : 0]; }
  Bytes& field(Field field) {
    return (*this)(static_cast<Column>(column_first_field + std::countr_zero(std::uint32_t{field})));
  }
  std::vector<Bytes>& columns() { return columns_; }
  const std::vector<Bytes>& columns() const { return columns_; }

 private:
  std::vector<Bytes> columns_;
};

/// Appends a rank as bytes; read_rank reads them back. By columns, what arrived is told by its difference from what was
/// asked for, and a call that the order reaches for the first time is "the next one".
void write_rank(const RankTrace& rank, const Definitions& definitions, RankBytes<ByteWriter>& out);
/// False if the bytes are not those of a rank; ids are checked against the definitions.
bool read_rank(RankBytes<ByteReader>& in, const Definitions& definitions, RankTrace& rank);

}  // namespace mora::predict::archive
