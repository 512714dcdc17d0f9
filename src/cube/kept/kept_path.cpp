#include "cube/kept/kept_path.h"

#include <algorithm>

#include "cube/kept/kept_file.h"

namespace mora::cube {

namespace {

constexpr KeptKind kept_critical_path{"MORAPATH", "the critical path"};
constexpr std::uint64_t pieces_of_mark = 1024;

/// Small differences either way become small numbers.
std::uint64_t folded(std::int64_t difference) {
  return static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63);
}
std::int64_t unfolded(std::uint64_t number) { return static_cast<std::int64_t>(number >> 1 ^ (~(number & 1) + 1)); }

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
  return kept_file_text(kept_critical_path, {size_, start_, bytes_}, findings);
}

Result<KeptPath> KeptPath::read(std::string_view text, const std::string& path, std::string_view findings) {
  MORA_TRY(const KeptBody body, read_kept_file(kept_critical_path, text, path, findings));
  KeptPath kept;
  kept.bytes_ = body.bytes;
  kept.start_ = body.measure;
  for (Reader reader{body.bytes, {0, body.measure, body.measure}}; !reader.bytes.empty();) {
    kept.mark(body.bytes.size() - reader.bytes.size(), reader.piece);
    if (!reader.next()) return damaged_kept_file(kept_critical_path, path);
  }
  if (kept.size_ != body.count) return damaged_kept_file(kept_critical_path, path);
  return kept;
}

}  // namespace mora::cube
