/// trace.mpt: magic, version, then sections (header, zstd bytes): definitions, blocks of up to 64 ranks, the end. A
/// block can be read without the others, so damage costs its ranks only. Cost: linear in the folded trace; memory: the
/// trace and one block.
#include "predict/pattern/archive.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>

#include "base/file.h"
#include "predict/pattern/archive_bytes.h"

namespace mora::predict {
namespace {

using namespace archive;

constexpr int compression_level = 19;
constexpr std::size_t quick_bytes = std::size_t{4} << 20;  ///< longer sections are compressed faster

void append_number(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> 8 * i));
}

void append_section(std::string& out, SectionHeader header, const std::string& raw) {
  std::string packed(ZSTD_compressBound(raw.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(),
                              raw.size() > quick_bytes ? ZSTD_CLEVEL_DEFAULT : compression_level));
  header.raw_bytes = raw.size();
  header.packed_bytes = packed.size();
  header.checksum = XXH3_64bits(packed.data(), packed.size());
  for (const auto word : {header.kind, header.first_rank, header.ranks, header.reserved}) append_number(out, word, 4);
  for (const auto word : {header.raw_bytes, header.packed_bytes, header.checksum}) append_number(out, word, 8);
  out += packed;
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

/// Empty if the bytes are damaged. Memory grows with the bytes that come out, not with the number in the header.
bool unpack(std::string_view packed, const SectionHeader& header, std::string& raw) {
  if (XXH3_64bits(packed.data(), packed.size()) != header.checksum) return false;
  raw.clear();
  auto* stream = ZSTD_createDStream();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream, &out, &in);
    if (ZSTD_isError(left) || raw.size() + out.pos > header.raw_bytes ||
        (out.pos == 0 && in.pos == in.size && left != 0))
      break;
    raw.append(piece, 0, out.pos);
  }
  ZSTD_freeDStream(stream);
  return left == 0 && raw.size() == header.raw_bytes;
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
  std::string raw;
  if (!unpack(packed, header, raw)) {
    add_damage(trace, header.first_rank, header.ranks);
    return header.ranks;
  }
  ByteReader in(raw);
  for (std::uint32_t i = 0; i < header.ranks; ++i) {
    RankTrace rank;
    const bool ascending =
        read_rank(in, trace.definitions, rank) && (trace.ranks.empty() || trace.ranks.back().rank < rank.rank);
    if (!ascending) {
      add_damage(trace, header.first_rank + i, header.ranks - i);
      return header.ranks - i;
    }
    trace.ranks.push_back(std::move(rank));
  }
  if (!in.at_end()) add_damage(trace, header.first_rank, 1);
  return 0;
}

}  // namespace

Result<std::uint64_t> write_archive(const PatternTrace& trace, const std::string& path) {
  std::string out(magic);
  append_number(out, version, 4);
  append_section(out, {.kind = section_definitions}, definitions_json(trace));
  for (std::size_t first = 0; first < trace.ranks.size();) {
    ByteWriter block;
    std::size_t end = first;
    while (end < trace.ranks.size() && end - first < ranks_per_block && block.bytes().size() < block_bytes)
      write_rank(trace.ranks[end++], block);
    append_section(out,
                   {.kind = section_ranks,
                    .first_rank = trace.ranks[first].rank,
                    .ranks = static_cast<std::uint32_t>(end - first)},
                   block.bytes());
    first = end;
  }
  append_section(out, {.kind = section_end, .ranks = static_cast<std::uint32_t>(trace.ranks.size())}, "");
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
  if (found != version)
    return fail(ErrorKind::unreadable, "a pattern trace of another version", path,
                fmt::format("it has version {}, this Mora reads version {}", found, version),
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
    } else if (header.kind == section_ranks && defined) {
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
