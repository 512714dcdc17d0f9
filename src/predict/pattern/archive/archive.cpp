/// trace.mpt: magic, version, then sections (header, zstd bytes): definitions, blocks of up to 64 ranks, the end. A
/// block can be read without the others, so damage costs its ranks only. A block is written as one string, or by
/// columns where that is shorter: ranks that repeat each other are shorter as one string, irregular ones by columns,
/// and these still shorter by mixed predictions. Cost: linear in the folded trace (irregular ranks: in the calls);
/// memory: the trace and one block.
#include "predict/pattern/archive/archive.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "predict/pattern/archive/bytes.h"
#include "predict/pattern/archive/mixing_coder.h"
#include "predict/pattern/archive/under_way.h"

namespace mora::predict {
namespace {

using namespace archive;

constexpr int compression_level = 19;
constexpr std::size_t quick_bytes = std::size_t{4} << 20;  ///< longer sections are compressed faster

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> 8 * i));
}

std::string zstd(const std::string& raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(),
                              raw.size() > quick_bytes ? ZSTD_CLEVEL_DEFAULT : compression_level));
  return packed;
}

void append_section(std::string& out, SectionHeader header, std::uint64_t raw_bytes, const std::string& packed) {
  header.raw_bytes = raw_bytes;
  header.packed_bytes = packed.size();
  header.checksum = XXH3_64bits(packed.data(), packed.size());
  for (const auto word : {header.kind, header.first_rank, header.ranks, header.reserved}) append_number(out, word, 4);
  for (const auto word : {header.raw_bytes, header.packed_bytes, header.checksum}) append_number(out, word, 8);
  out += packed;
}

/// The form, then each column: its length, the length of its zstd frame (0: it stands as it is), the bytes.
std::string pack_columns(const RankBytes<ByteWriter>& block, std::uint32_t form) {
  ByteWriter all;
  all.number(form);
  for (const ByteWriter& column : block.columns()) {
    const std::string& raw = column.bytes();
    const std::string packed = zstd(raw);
    const bool shorter = packed.size() < raw.size();
    all.number(raw.size());
    all.number(shorter ? packed.size() : 0);
    all.append(shorter ? packed : raw);
  }
  return all.take();
}

/// The form, then each column: its length, how it is packed, the length of what follows, the bytes.
std::string mix_columns(const RankBytes<ByteWriter>& block, std::uint32_t form) {
  ByteWriter all;
  all.number(form | says_how);
  for (const ByteWriter& column : block.columns()) {
    const std::string& raw = column.bytes();
    PackedHow how = packed_not;
    std::string shortest = raw;
    const auto take_if_shorter = [&](PackedHow other, std::string packed) {
      if (packed.size() >= shortest.size()) return;
      how = other;
      shortest = std::move(packed);
    };
    take_if_shorter(packed_by_zstd, zstd(raw));
    if (raw.size() <= most_mixed_bytes) take_if_shorter(packed_by_mixing, mix_pack(raw));
    all.number(raw.size());
    all.number(how);
    all.number(shortest.size());
    all.append(shortest);
  }
  return all.take();
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int n) {
  std::uint64_t value = 0;
  for (int i = 0; i < n; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])} << 8 * i;
  return value;
}

SectionHeader header_at(std::string_view bytes, std::size_t at) {
  SectionHeader h;
  h.kind = static_cast<std::uint32_t>(number_at(bytes, at, 4));
  h.first_rank = static_cast<std::uint32_t>(number_at(bytes, at + 4, 4));
  h.ranks = static_cast<std::uint32_t>(number_at(bytes, at + 8, 4));
  h.raw_bytes = number_at(bytes, at + 16, 8);
  h.packed_bytes = number_at(bytes, at + 24, 8);
  h.checksum = number_at(bytes, at + 32, 8);
  return h;
}

/// False if the frame is damaged or does not give `raw_bytes`. Memory grows with the bytes that come out.
bool unpack_frame(std::string_view packed, std::uint64_t raw_bytes, std::string& raw) {
  raw.clear();
  auto* stream = ZSTD_createDStream();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left) || raw.size() + out.pos > raw_bytes || (out.pos == 0 && in.pos == in.size && left != 0))
      break;
    raw.append(piece, 0, out.pos);
  }
  ZSTD_freeDStream(stream);
  return left == 0 && raw.size() == raw_bytes;
}

bool is_whole(std::string_view packed, const SectionHeader& header) {
  return XXH3_64bits(packed.data(), packed.size()) == header.checksum;
}

bool unpack(std::string_view packed, const SectionHeader& header, std::string& raw) {
  return is_whole(packed, header) && unpack_frame(packed, header.raw_bytes, raw);
}

/// `columns` keeps the bytes that `in` reads.
bool unpack_columns(std::string_view packed, const SectionHeader& header, std::vector<std::string>& columns,
                    RankBytes<ByteReader>& in, bool& is_placed) {
  if (!is_whole(packed, header)) return false;
  ByteReader all(packed);
  const std::uint64_t form = all.number();
  is_placed = (form & told_by_place) != 0;
  columns.resize(in.columns().size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::uint64_t raw = all.number(), second = all.number();
    std::uint64_t how = second == 0 ? packed_not : packed_by_zstd, length = second == 0 ? raw : second;
    if ((form & says_how) != 0) {
      how = second;
      length = all.number();
    }
    const std::string_view bytes = all.take(length);
    if (all.failed() || how > packed_by_mixing || (how == packed_not && length != raw) ||
        (how == packed_by_mixing && raw > most_mixed_bytes) ||
        (how == packed_by_zstd && !unpack_frame(bytes, raw, columns[c])))
      return false;
    if (how == packed_by_mixing) columns[c] = mix_unpack(bytes, raw);
    in.columns()[c] = ByteReader(how == packed_not ? bytes : std::string_view(columns[c]));
  }
  return all.at_end();
}

/// Ranks that stand in the file but cannot be read.
void add_damage(PatternTrace& trace, std::uint32_t first, std::uint32_t ranks) {
  trace.quality.add("pattern-damaged-block", Severity::loss,
                    ranks > 1 ? fmt::format("ranks {}-{}", first, first + ranks - 1) : fmt::format("rank {}", first),
                    ranks, "ranks whose part of trace.mpt is damaged are left out",
                    "copy the file again, or record the program again");
}

/// Returns how many ranks were left out.
std::uint64_t read_block(std::string_view packed, const SectionHeader& header, PatternTrace& trace) {
  const bool by_columns = header.kind == section_columns;
  bool is_placed = false;
  RankBytes<ByteReader> in(by_columns);
  std::vector<std::string> bytes(1);
  if (by_columns ? !unpack_columns(packed, header, bytes, in, is_placed) : !unpack(packed, header, bytes[0])) {
    add_damage(trace, header.first_rank, header.ranks);
    return header.ranks;
  }
  if (!by_columns) in.columns()[0] = ByteReader(bytes[0]);
  for (std::uint32_t i = 0; i < header.ranks; ++i) {
    RankTrace rank;
    const bool ascending = read_rank(in, trace.definitions, rank) &&
                           (trace.ranks.empty() || trace.ranks.back().rank < rank.rank) &&
                           (!is_placed || rank.order.size() <= most_placed_calls);
    if (!ascending) {
      add_damage(trace, header.first_rank + i, header.ranks - i);
      return header.ranks - i;
    }
    trace.ranks.push_back(is_placed ? by_age(rank, trace.definitions) : std::move(rank));
  }
  if (!in.columns()[0].at_end()) add_damage(trace, header.first_rank, 1);
  return 0;
}

}  // namespace

Result<std::uint64_t> write_archive(const PatternTrace& trace, const std::string& path) {
  std::string sections;
  std::uint32_t needs = version;
  const std::string definitions = definitions_json(trace);
  append_section(sections, {.kind = section_definitions}, definitions.size(), zstd(definitions));
  for (std::size_t first = 0; first < trace.ranks.size();) {
    RankBytes<ByteWriter> block(false), columns(true), placed(true);
    std::size_t end = first;
    bool all_placed = true;
    while (end < trace.ranks.size() && end - first < ranks_per_block &&
           block.columns()[0].bytes().size() < block_bytes) {
      const RankTrace& rank = trace.ranks[end++];
      write_rank(rank, trace.definitions, block);
      write_rank(rank, trace.definitions, columns);
      const auto by_places = all_placed ? by_place(rank, trace.definitions) : std::nullopt;
      all_placed = by_places.has_value();
      if (all_placed) write_rank(*by_places, trace.definitions, placed);
    }
    SectionHeader header{
        .kind = section_ranks, .first_rank = trace.ranks[first].rank, .ranks = static_cast<std::uint32_t>(end - first)};
    const std::uint64_t raw_bytes = block.columns()[0].bytes().size();
    std::string packed = zstd(block.columns()[0].bytes());
    const RankBytes<ByteWriter>* shortest = nullptr;
    const auto take_if_shorter = [&](std::string other, const RankBytes<ByteWriter>& of) {
      if (other.size() >= packed.size()) return false;
      packed = std::move(other);
      header.kind = section_columns;
      shortest = &of;
      return true;
    };
    if (take_if_shorter(pack_columns(columns, 0), columns)) needs = std::max(needs, version_of_columns);
    if (all_placed && take_if_shorter(pack_columns(placed, told_by_place), placed))
      needs = std::max(needs, version_of_columns);
    if (shortest != nullptr &&
        take_if_shorter(mix_columns(*shortest, shortest == &placed ? told_by_place : 0), *shortest))
      needs = version_of_mixing;
    append_section(sections, header, raw_bytes, packed);
    first = end;
  }
  const std::string nothing;
  append_section(sections, {.kind = section_end, .ranks = static_cast<std::uint32_t>(trace.ranks.size())}, 0,
                 zstd(nothing));
  std::string out(magic);
  append_number(out, needs, 4);
  out += sections;
  MORA_CHECK_OK(write_file_atomically(path, out));
  return out.size();
}

Result<PatternTrace> read_archive(const std::string& path) {
  MORA_TRY(const auto file, MappedFile::open(path));
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (bytes.size() < magic.size() + 4 || bytes.substr(0, magic.size()) != magic)
    return fail(ErrorKind::unreadable, "not a pattern trace", path, "it does not begin with " + std::string(magic),
                "give the directory that `mora pattern record` or `dryrun` left, or its trace.mpt");
  const auto found = number_at(bytes, magic.size(), 4);
  if (found < version || found > version_of_mixing)
    return fail(ErrorKind::unreadable, "a pattern trace of another version", path,
                fmt::format("it has version {}, this Mora reads versions {} to {}", found, version, version_of_mixing),
                "use the Mora that wrote it, or record again");
  PatternTrace trace;
  bool defined = false, ended = false;
  std::uint32_t promised = 0;
  std::uint64_t damaged = 0;
  std::size_t at = magic.size() + 4;
  while (!ended && at + sizeof(SectionHeader) <= bytes.size()) {
    const SectionHeader header = header_at(bytes, at);
    at += sizeof(SectionHeader);
    if (header.packed_bytes > bytes.size() - at) break;
    const auto packed = bytes.substr(at, header.packed_bytes);
    at += header.packed_bytes;
    if (header.kind == section_definitions && !defined) {
      std::string raw;
      if (!unpack(packed, header, raw))
        return fail(ErrorKind::unreadable, "the definitions of the pattern trace are damaged", path,
                    "its checksum or length is wrong", "copy the file again, or record the program again");
      if (auto read = read_definitions_json(raw, trace); !read) {
        read.error().where = path;
        return tl::unexpected(read.error());
      }
      defined = true;
    } else if ((header.kind == section_ranks || header.kind == section_columns) && defined) {
      damaged += read_block(packed, header, trace);
    } else if (header.kind == section_end && defined) {
      ended = true;
      promised = header.ranks;
    } else {
      break;
    }
  }
  if (!defined)
    return fail(ErrorKind::unreadable, "the pattern trace is cut", path,
                fmt::format("{} bytes, no definitions", bytes.size()),
                "copy the file again, or record the program again");
  if (!ended)
    trace.quality.add("pattern-cut", Severity::loss, "trace.mpt", 1,
                      "the file ends before its end mark: ranks may be missing", "record the program again");
  else if (promised > trace.ranks.size() + damaged)
    trace.quality.add("pattern-cut", Severity::loss, "trace.mpt", promised - trace.ranks.size() - damaged,
                      "ranks are missing from the file", "record the program again");
  return trace;
}

}  // namespace mora::predict
