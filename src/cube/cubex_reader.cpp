/// Reads .cubex: container, anchor, then metric by metric its index (which call paths have a row, byte order) and data
/// (rows of one number per location, plain or zlib-compressed row by row). Every size is checked before it is used:
/// a cut or foreign file gives an Error that names the member, never a crash or a huge allocation.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "base/file.h"
#include "base/numbers/saturated.h"
#include "cube/cubex.h"
#include "cube/cubex_anchor.h"
#include "cube/cubex_values.h"
#include "cube/tar.h"

namespace mora::cube {
namespace {

using Bytes = std::span<const std::byte>;
constexpr std::string_view plain_marker = "CUBEX.DATA", packed_marker = "ZCUBEX.DATA";

tl::unexpected<Error> bad_member(const std::string& member, std::string why) {
  return fail(ErrorKind::unreadable, "cannot read a metric's values", member, std::move(why),
              "the file is cut or damaged: write it again with the tool it came from");
}

std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// A cursor that never leaves its bytes.
class Cursor {
 public:
  Cursor(Bytes bytes, bool swap_bytes) : bytes_(bytes), swap_(swap_bytes) {}
  bool skip(std::string_view marker) {
    if (!as_text(bytes_).starts_with(marker)) return false;
    bytes_ = bytes_.subspan(marker.size());
    return true;
  }
  template <class Integer>
  bool read(Integer& value) {
    if (bytes_.size() < sizeof value) return false;
    std::byte copy[sizeof value];
    std::memcpy(copy, bytes_.data(), sizeof value);
    if (swap_) std::reverse(copy, copy + sizeof value);
    std::memcpy(&value, copy, sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return true;
  }
  void set_swap(bool swap_bytes) { swap_ = swap_bytes; }
  Bytes rest() const { return bytes_; }

 private:
  Bytes bytes_;
  bool swap_;
};

/// gzip or zlib to plain; refuses more than `limit` bytes.
Result<std::string> inflate_all(Bytes packed, std::uint64_t limit, const std::string& member) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return bad_member(member, "zlib cannot start");
  struct End {
    z_stream* s;
    ~End() { inflateEnd(s); }
  } end{&stream};
  std::string out;
  std::string buffer(1 << 18, '\0');
  std::size_t fed = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0 && fed < packed.size()) {
      const std::size_t piece = std::min<std::size_t>(packed.size() - fed, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + fed));
      stream.avail_in = static_cast<uInt>(piece);
      fed += piece;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (out.size() > limit) return bad_member(member, fmt::format("it unpacks to more than {} bytes", limit));
  }
  if (status != Z_STREAM_END) return bad_member(member, "its compressed data are damaged");
  return out;
}

struct Index {
  std::vector<std::uint32_t> positions;
  bool swap_bytes = false;
};

/// CubeLib writes no number of rows where there is none: neither index nor data hold more than their header.
Result<Index> read_index(Bytes bytes, std::size_t call_paths, bool has_values, const std::string& member) {
  constexpr std::uint8_t sparse = 1, dense = 3;
  Cursor cursor(bytes, false);
  Index index;
  std::uint32_t one = 0;
  std::uint16_t version = 0;
  std::uint8_t format = 0;
  if (!cursor.skip("CUBEX.INDEX")) return bad_member(member, "it does not begin with CUBEX.INDEX");
  if (!cursor.read(one)) return bad_member(member, "it ends within its header");
  if (one != 1 && one != 0x01000000) return bad_member(member, "its byte order mark is not 1");
  index.swap_bytes = one != 1;
  cursor.set_swap(index.swap_bytes);
  if (!cursor.read(version) || !cursor.read(format)) return bad_member(member, "it ends within its header");
  if (version != 0) return bad_member(member, fmt::format("its version is {}; only 0 is known", version));
  if (format == dense) {
    index.positions.resize(call_paths);
    for (std::uint32_t i = 0; i < call_paths; ++i) index.positions[i] = i;
    return index;
  }
  if (format != sparse) return bad_member(member, fmt::format("its index format {} is not known", format));
  std::uint32_t count = 0;
  if (cursor.rest().empty() && !has_values) return index;
  if (!cursor.read(count)) return bad_member(member, "it ends within its header");
  if (count > call_paths || cursor.rest().size() < std::size_t{4} * count) {
    return bad_member(member, fmt::format("it announces {} rows, but the file can hold only {}", count,
                                          std::min(call_paths, cursor.rest().size() / 4)));
  }
  std::vector<char> seen(call_paths, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t position = 0;
    cursor.read(position);
    if (position >= call_paths || seen[position] != 0) {
      return bad_member(member, fmt::format("row {} is for call path position {}: out of range or twice", i, position));
    }
    seen[position] = 1;
    index.positions.push_back(position);
  }
  return index;
}

/// Plain rows, one after the other. `storage` keeps unpacked ones alive.
Result<Bytes> plain_rows(Bytes data, const Index& index, std::uint64_t row_bytes, std::string& storage,
                         const std::string& member) {
  const std::uint64_t rows = index.positions.size();
  const std::uint64_t expected = rows * row_bytes;  // < 2^32 * (locations of an in-memory XML) * 8: no overflow
  Cursor cursor(data, index.swap_bytes);
  if (cursor.skip(plain_marker)) {
    if (cursor.rest().size() < expected) {
      return bad_member(member, fmt::format("{} bytes of values instead of {}", cursor.rest().size(), expected));
    }
    return cursor.rest().first(expected);
  }
  if (!cursor.skip(packed_marker)) return bad_member(member, "it begins with neither CUBEX.DATA nor ZCUBEX.DATA");
  std::uint64_t count = 0;
  if (!cursor.read(count) || count != rows) return bad_member(member, "its number of compressed rows is wrong");
  struct Piece {
    std::uint64_t plain_at, packed_at, packed_size;
  };
  if (cursor.rest().size() / sizeof(Piece) < count) return bad_member(member, "its table of rows is cut");
  std::vector<Piece> pieces(count);
  for (Piece& piece : pieces) cursor.read(piece.plain_at), cursor.read(piece.packed_at), cursor.read(piece.packed_size);
  const Bytes packed = cursor.rest();
  // zlib packs at most about 1032 : 1, so this bounds memory by the file's size before anything is allocated.
  if (expected / 1100 > packed.size() + rows * 16) return bad_member(member, "its rows cannot fit into its bytes");
  storage.assign(expected, '\0');
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.packed_size == 0) continue;  // never written: zeros
    if (piece.packed_at > packed.size() || piece.packed_size > packed.size() - piece.packed_at ||
        piece.plain_at % std::max<std::uint64_t>(row_bytes, 1) != 0 || piece.plain_at > expected - row_bytes) {
      return bad_member(member, fmt::format("compressed row {} lies outside of the file", i));
    }
    uLongf unpacked = row_bytes;
    const int status = uncompress(reinterpret_cast<Bytef*>(storage.data() + piece.plain_at), &unpacked,
                                  reinterpret_cast<const Bytef*>(packed.data() + piece.packed_at), piece.packed_size);
    if (status != Z_OK || unpacked != row_bytes) {
      return bad_member(member, fmt::format("compressed row {} is damaged", i));
    }
  }
  return Bytes(reinterpret_cast<const std::byte*>(storage.data()), storage.size());
}

/// Counts of cells that lost something on the way into an integer.
struct ConversionLosses {
  std::uint64_t rounded = 0, too_large = 0, not_a_number = 0;
  void count(Conversion how) {
    rounded += how == Conversion::rounded;
    too_large += how == Conversion::too_large;
    not_a_number += how == Conversion::not_a_number;
  }
  void report(DataQuality& quality, const std::string& where) const {
    quality.add("cubex-rounded-value", Severity::info, where, rounded,
                "values were rounded to whole nanoseconds, counts or bytes",
                "nothing to do: cells of Mora are whole numbers");
    quality.add("cubex-large-value", Severity::loss, where, too_large,
                "values beyond the range of a cell were set to its limit",
                "look at this metric with the tool that wrote it");
    quality.add("cubex-not-a-number", Severity::warning, where, not_a_number,
                "values were not numbers and were read as 0", "look at this metric with the tool that wrote it");
  }
};

/// Rows of an inclusive metric become exclusive: own = inclusive - sum of the children's inclusive. What is not a sum
/// stays as it is: the least of a call path and of those below it is the least of them again.
void add_exclusive(Cube& cube, MetricId metric, std::vector<std::vector<std::int64_t>>& inclusive) {
  std::vector<std::vector<std::int64_t>> own = inclusive;
  for (CallPathId c = 0; c < cube.call_paths.size() && cube.metrics[metric].fold == Fold::sum; ++c) {
    const CallPathId parent = cube.call_paths[c].parent;
    if (parent == no_id || inclusive[c].empty()) continue;
    if (own[parent].empty()) own[parent].resize(cube.locations.size());
    for (std::size_t l = 0; l < inclusive[c].size(); ++l)
      own[parent][l] = saturated_difference(own[parent][l], inclusive[c][l]);
  }
  for (CallPathId c = 0; c < own.size(); ++c) {
    for (LocationId l = 0; l < own[c].size(); ++l) cube.add(metric, c, l, own[c][l]);
  }
}

Result<void> read_metric(const Anchor& anchor, MetricId m, Bytes index_bytes, Bytes data_bytes, CubexFile& out) {
  const AnchorMetric& file = anchor.metrics[m];
  Cube& cube = out.cube;
  const Metric& metric = cube.metrics[m];
  const std::string index_name = fmt::format("{}.index", file.file_id),
                    data_name = fmt::format("{}.data", file.file_id);
  const auto type = number_type(file.number_type);
  if (!type) {
    out.quality.add("cubex-unsupported-type", Severity::warning, metric.unique_name, 1,
                    "metric of type " + file.number_type + " is not one number per cell and was not read",
                    "look at this metric with the tool that wrote it");
    return {};
  }
  const bool has_values = as_text(data_bytes) != plain_marker && as_text(data_bytes) != packed_marker;
  MORA_TRY(const Index index, read_index(index_bytes, cube.call_paths.size(), has_values, index_name));
  if (index.positions.empty() && !has_values) return {};
  const std::uint64_t row_bytes = type->size * anchor.column.size();
  std::string storage;
  MORA_TRY(const Bytes rows, plain_rows(data_bytes, index, row_bytes, storage, data_name));
  const auto& order = file.layout == MetricLayout::inclusive ? anchor.wide
                      : file.layout == MetricLayout::simple  ? anchor.by_id
                                                             : anchor.deep;
  ConversionLosses losses;
  std::vector<std::vector<std::int64_t>> inclusive;
  if (file.layout == MetricLayout::inclusive) inclusive.resize(cube.call_paths.size());
  for (std::size_t r = 0; r < index.positions.size(); ++r) {
    const CallPathId call_path = order[index.positions[r]];
    if (!inclusive.empty()) inclusive[call_path].resize(cube.locations.size());
    for (std::size_t column = 0; column < anchor.column.size(); ++column) {
      const std::byte* at = rows.data() + r * row_bytes + column * type->size;
      const ConvertedCell cell = cell_from_bytes(at, *type, index.swap_bytes, metric.unit);
      losses.count(cell.how);
      if (!inclusive.empty()) {
        inclusive[call_path][anchor.column[column]] = cell.value;
      } else {
        cube.add(m, call_path, anchor.column[column], cell.value);
      }
    }
  }
  if (!inclusive.empty()) add_exclusive(cube, m, inclusive);
  losses.report(out.quality, metric.unique_name);
  return {};
}

/// `forget`: gives back the pages of what has been read, so that a file and its cells are never in memory together.
Result<CubexFile> read_archive(Bytes archive, bool packed, const std::function<void()>& forget) {
  std::string unpacked;
  if (!packed && as_text(archive).starts_with("\x1f\x8b")) {
    MORA_TRY(unpacked, inflate_all(archive, std::uint64_t{1100} * archive.size(), "the whole file"));
    return read_archive(Bytes(reinterpret_cast<const std::byte*>(unpacked.data()), unpacked.size()), true, forget);
  }
  const std::string_view start = as_text(archive).substr(0, 4096);
  if (const std::size_t cube = start.find("<cube"); start.starts_with("<") && cube != std::string_view::npos) {
    const bool is_3 = start.find("version=\"3", cube) != std::string_view::npos;
    return fail(ErrorKind::unreadable, is_3 ? "this is a result of CUBE 3" : "this is a result of CUBE in one XML file",
                "", "Mora reads results of CUBE 4 (.cubex)", "convert it with CubeLib's tool: cube3to4 -o NEW FILE");
  }
  MORA_TRY(const TarListing listing, list_tar(archive));
  const auto member = [&](const std::string& name) -> const TarMember* {
    for (const TarMember& m : listing.members) {
      if (m.name == name) return &m;
    }
    return nullptr;
  };
  const TarMember* anchor_member = member("anchor.xml");
  if (anchor_member == nullptr) {
    return fail(ErrorKind::unreadable, "not a CUBE4 result", "", "the archive has no member anchor.xml",
                "give a .cubex file: analysis.cubex of an experiment, or one written by CubeLib 4");
  }
  std::string_view xml = as_text(anchor_member->content);
  std::string xml_storage;
  if (xml.starts_with("\x1f\x8b")) {
    MORA_TRY(xml_storage, inflate_all(anchor_member->content, std::uint64_t{1100} * xml.size(), "anchor.xml"));
    xml = xml_storage;
  }
  if (!listing.has_end && xml.find("\"mora:id\"") != std::string_view::npos) {
    return fail(ErrorKind::unreadable, "the .cubex file is cut off", "",
                "Mora wrote it with an end mark, which is missing", "make it again: mora analyze EXP");
  }
  MORA_TRY(Anchor anchor, parse_anchor(xml));
  forget();
  CubexFile out;
  out.cube = std::move(anchor.dimensions);
  out.quality.add("cubex-tar-checksum", Severity::info, "", listing.bad_checksums,
                  "tar headers have a wrong checksum (CubeLib before 4.5 wrote such)",
                  "nothing to do: the members were read");
  for (MetricId m = 0; m < anchor.metrics.size(); ++m) {
    if (anchor.metrics[m].layout == MetricLayout::derived) {
      out.quality.add("cubex-derived-metric", Severity::info, out.cube.metrics[m].unique_name, 1,
                      "metric is computed by a CubePL expression, which Mora does not evaluate; its cells read as 0",
                      "look at this metric with the tool that wrote it");
      continue;
    }
    const TarMember* index = member(fmt::format("{}.index", anchor.metrics[m].file_id));
    const TarMember* data = member(fmt::format("{}.data", anchor.metrics[m].file_id));
    if (index == nullptr && data == nullptr) continue;  // a metric without values
    if (index == nullptr || data == nullptr) {
      return bad_member(fmt::format("metric {}", anchor.metrics[m].file_id), "one of its two members is missing");
    }
    MORA_CHECK_OK(read_metric(anchor, m, index->content, data->content, out));
    forget();
  }
  return out;
}

}  // namespace

Result<CubexFile> read_cubex_bytes(std::span<const std::byte> bytes) {
  return read_archive(bytes, false, [] {});
}

Result<CubexFile> read_cubex(const std::string& path) {
  MORA_TRY(const MappedFile file, MappedFile::open(path));
  auto result = read_archive(file.bytes(), false, [&] { file.forget(); });
  if (!result) {
    Error& error = result.error();
    error.where = error.where.empty() ? path : path + ": " + error.where;
  }
  return result;
}

}  // namespace mora::cube
