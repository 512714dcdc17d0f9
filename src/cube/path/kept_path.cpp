#include "cube/path/kept_path.h"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace mora::cube {

namespace {

constexpr std::string_view magic = "MORAPATH";
constexpr std::uint64_t version = 1, pieces_of_mark = 1024;

struct Head {  ///< little endian, after the magic
  std::uint64_t version = 0, findings = 0, pieces = 0, checksum = 0;
  std::int64_t start = 0;
};

std::uint64_t hash(std::string_view text, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

void put_number(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

bool take_number(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Small differences either way become small numbers.
std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unfolded(std::uint64_t number) { return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1)); }

tl::unexpected<Error> unusable(const std::string& path, const std::string& why) {
  return fail(ErrorKind::unreadable, "the critical path cannot be read", path, why, "run `mora analyze` again");
}

}  // namespace

void KeptPath::add(const PathPiece& piece) {
  if (size_ == 0) start_ = piece.from, last_ = {0, start_, start_};
  mark(bytes_.size(), last_);
  put_number(bytes_, folded(std::int64_t{piece.location} - std::int64_t{last_.location}));
  put_number(bytes_, static_cast<std::uint64_t>(piece.to - piece.from));
  last_ = piece;
}

void KeptPath::mark(std::size_t byte, const PathPiece& before) {
  if (size_++ % pieces_of_mark == 0) marks_.push_back({byte, before.location, before.to});
}

bool KeptPath::Reader::next() {
  std::uint64_t location = 0, duration = 0;
  if (!take_number(bytes, location) || !take_number(bytes, duration)) return false;
  const std::int64_t to = std::int64_t{piece.location} + unfolded(location);
  if (to < 0 || to >= no_id || duration > static_cast<std::uint64_t>(INT64_MAX - std::max<std::int64_t>(0, piece.to)))
    return false;
  piece = {static_cast<LocationId>(to), piece.to, piece.to + static_cast<Nanoseconds>(duration)};
  return true;
}

KeptPath::Reader KeptPath::at(Nanoseconds from) const {
  auto mark = std::partition_point(marks_.begin(), marks_.end(), [&](const Mark& m) { return m.from <= from; });
  if (mark != marks_.begin()) --mark;
  if (mark == marks_.end()) return {};
  return {std::string_view(bytes_).substr(mark->byte), {mark->location, mark->from, mark->from}};
}

std::string KeptPath::file_text(std::string_view findings) const {
  const Head head{version, hash(findings), size_, hash(bytes_, static_cast<std::uint64_t>(start_)), start_};
  std::string text(magic);
  text.append(reinterpret_cast<const char*>(&head), sizeof head);
  return text + bytes_;
}

Result<KeptPath> KeptPath::read(std::string_view text, const std::string& path, std::string_view findings) {
  Head head;
  if (!text.starts_with(magic)) return unusable(path, "it is no critical path of Mora");
  text.remove_prefix(magic.size());
  if (text.size() < sizeof head) return unusable(path, "it is cut");
  std::memcpy(&head, text.data(), sizeof head);
  text.remove_prefix(sizeof head);
  if (head.version != version) return unusable(path, "it is of another version of Mora");
  if (head.findings != hash(findings)) return unusable(path, "it belongs to an older or newer findings.json");
  if (head.checksum != hash(text, static_cast<std::uint64_t>(head.start)))
    return unusable(path, "its bytes are damaged");
  KeptPath kept;
  kept.bytes_ = text;
  kept.start_ = head.start;
  for (Reader reader{text, {0, head.start, head.start}}; !reader.bytes.empty();) {
    kept.mark(text.size() - reader.bytes.size(), reader.piece);
    if (!reader.next()) return unusable(path, "its bytes are damaged");
  }
  if (kept.size_ != head.pieces) return unusable(path, "its bytes are damaged");
  return kept;
}

}  // namespace mora::cube
