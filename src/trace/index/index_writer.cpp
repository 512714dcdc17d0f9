#include "trace/index/index_writer.h"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace mora::trace {
namespace {

constexpr std::size_t forward_per_block = index_block / sizeof(std::uint32_t);
constexpr std::size_t location_buffer = 512;                   // events
constexpr std::size_t memory_of_kept = std::size_t{16} << 20;  // of each spool

std::size_t at(IndexSection section) { return static_cast<std::size_t>(section); }

}  // namespace

tl::unexpected<Error> lost_intermediate_data() {
  return fail(ErrorKind::system, "cannot make an index of the trace", "a temporary file in $TMPDIR",
              "its intermediate data cannot be read back", "check that disk, or set TMPDIR to another one");
}

IndexWriter::IndexWriter(int file, std::uint64_t details, const std::vector<std::uint64_t>& per_location,
                         std::size_t kept)
    : file_(file),
      kept_(kept),
      enter_{IndexSection::enter, nullptr, 0, 0},
      location_{IndexSection::location, nullptr, 0, 0},
      type_{IndexSection::type, nullptr, 0, 0},
      packed_{IndexSection::packed, nullptr, 0, 0},
      frames_(first_detail_frames + detail_fields, memory_of_kept),
      location_buffers_(per_location.size()),
      snapshot_open_(1, memory_of_kept),
      ranges_(1, memory_of_kept),
      arguments_(1, memory_of_kept) {
  const std::uint64_t events = std::accumulate(per_location.begin(), per_location.end(), std::uint64_t{0});
  header_.events = events;
  header_.details = details;
  header_.locations = per_location.size();
  for (const IndexSection s : {IndexSection::enter, IndexSection::forward, IndexSection::location})
    place(s, events * 4);
  place(IndexSection::type, events);
  begins_.push_back(0);
  for (const std::uint64_t n : per_location) begins_.push_back(begins_.back() + n);
  next_.assign(begins_.begin(), begins_.end() - 1);
  place(IndexSection::location_begin, begins_.size() * 8);
  place(IndexSection::location_events, events * 4);
  place(IndexSection::packed, 0);  // the rest lies behind it, once it is complete
}

IndexWriter::~IndexWriter() = default;

void IndexWriter::place(IndexSection section, std::uint64_t bytes) {
  header_.sections[at(section)] = {end_, bytes};
  hashes_[at(section)].assign(blocks_of(bytes), 0);
  end_ = (end_ + bytes + 4095) / 4096 * 4096;
}

void IndexWriter::write(const void* data, std::size_t bytes, std::uint64_t offset) {
  if (error_) return;
  const auto* from = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pwrite(file_, from + done, bytes - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ =
          Error{ErrorKind::system, "cannot write the index of the trace", "", system_reason(n == 0 ? ENOSPC : errno),
                "free some space, or set MORA_INDEX_DIR to a directory that has some"};
      return;
    }
    done += static_cast<std::size_t>(n);
  }
}

bool IndexWriter::read(void* data, std::size_t bytes, std::uint64_t offset) {
  auto* into = static_cast<char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t n = ::pread(file_, into + done, bytes - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (!error_)
        error_ = Error{ErrorKind::system, "cannot read back the index of the trace", "",
                       system_reason(n == 0 ? EIO : errno), ""};
      return false;
    }
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void IndexWriter::add(Column& column, const void* value, std::size_t bytes) {
  if (column.block == nullptr) column.block = std::make_unique_for_overwrite<std::byte[]>(index_block);
  const std::size_t fits = std::min(bytes, index_block - column.filled);
  std::memcpy(column.block.get() + column.filled, value, fits);
  column.filled += fits;
  if (column.filled < index_block) return;
  flush(column);
  std::memcpy(column.block.get(), static_cast<const std::byte*>(value) + fits, bytes - fits);
  column.filled = bytes - fits;
}

void IndexWriter::flush(Column& column) {
  if (column.filled == 0) return;
  const auto& extent = header_.sections[at(column.section)];
  write(column.block.get(), column.filled, extent.offset + column.written);
  auto& hashes = hashes_[at(column.section)];
  const std::size_t block = column.written / index_block;
  if (hashes.size() <= block) hashes.resize(block + 1);
  hashes[block] = XXH3_64bits(column.block.get(), column.filled);
  column.written += column.filled;
  column.filled = 0;
}

/// A frame lies within one block, so that one hash tells whether it is sound.
std::uint64_t IndexWriter::add_frame(const std::vector<std::uint64_t>& words) {
  const std::size_t bytes = words.size() * sizeof(words[0]);
  static constexpr std::array<std::byte, 1024> nothing{};
  for (std::size_t left = index_block - packed_.filled; left < bytes && packed_.filled != 0;) {
    const std::size_t some = std::min(left, nothing.size());
    add(packed_, nothing.data(), some);
    left -= some;
  }
  const std::uint64_t place = packed_.written + packed_.filled;
  if (bytes != 0) add(packed_, words.data(), bytes);
  return place;
}

template <class T>
void IndexWriter::put(IndexSection section, const Spool<T>& spool, std::size_t first, std::size_t streams) {
  std::vector<typename Spool<T>::Cursor> cursors;
  for (std::size_t s = first; s < first + streams; ++s) cursors.push_back(spool.cursor(s));
  const std::uint64_t records = spool.count(first);
  place(section, records * streams * sizeof(T));
  Column column{section, nullptr, 0, 0};
  for (std::uint64_t i = 0; i < records; ++i) {
    for (auto& cursor : cursors) {
      const T* record = cursor.next();
      if (record == nullptr) {
        if (!error_) error_ = lost_intermediate_data().value();
        return;
      }
      add(column, record, sizeof(T));
    }
  }
  flush(column);
}

/// The last frames, and where all are.
void IndexWriter::finish_packed() {
  time_.flush(FramesOut{*this, time_frames});
  ordinal_.flush(FramesOut{*this, ordinal_frames});
  code_.flush(FramesOut{*this, code_frames});
  for (std::size_t f = 0; f < detail_fields; ++f) detail_[f].flush(FramesOut{*this, first_detail_frames + f});
  add_frame({0});  // a last frame without bits reads 8 bytes, too
  flush(packed_);
  const IndexExtent& packed = header_.sections[at(IndexSection::packed)];
  header_.sections[at(IndexSection::packed)].bytes = packed_.written;
  end_ = (packed.offset + packed_.written + 4095) / 4096 * 4096;
  put(IndexSection::time, frames_, time_frames);
  put(IndexSection::ordinal, frames_, ordinal_frames);
  put(IndexSection::code, frames_, code_frames);
  place(IndexSection::first_row, first_row_.size() * 4);
  whole(IndexSection::first_row, first_row_.data(), first_row_.size() * 4);
  put(IndexSection::detail, frames_, first_detail_frames, detail_fields);
}

void IndexWriter::append(Nanoseconds time, EarlType type, std::uint32_t location, std::uint32_t ordinal,
                         std::uint32_t enter, std::uint32_t code) {
  if (events_ % packed_per_frame == 0) first_row_.push_back(static_cast<std::uint32_t>(details_));
  const bool is_plain = type == EarlType::enter || type == EarlType::exit;
  time_.add(static_cast<std::uint64_t>(time), FramesOut{*this, time_frames});
  ordinal_.add(ordinal, FramesOut{*this, ordinal_frames});
  code_.add(is_plain ? code : code - first_row_.back(), FramesOut{*this, code_frames});
  add(type_, &type, 1);
  add(location_, &location, 4);
  add(enter_, &enter, 4);
  if (events_ % forward_per_block == 0) {
    forward_.emplace_back();
    if (forward_.size() > kept_) retire_forward_block();
  }
  forward_.back().push_back(0);
  ++events_;
  auto& buffer = location_buffers_[location];
  if (buffer.capacity() == 0) buffer.reserve(location_buffer);
  buffer.push_back(static_cast<std::uint32_t>(events_));
  if (buffer.size() == location_buffer) {
    write(buffer.data(), buffer.size() * 4,
          header_.sections[at(IndexSection::location_events)].offset + next_[location] * 4);
    next_[location] += buffer.size();
    buffer.clear();
  }
}

void IndexWriter::append(const EventDetail& detail) {
  const auto put = [&](DetailField field, std::uint64_t value) {
    const auto f = static_cast<std::size_t>(field);
    detail_[f].add(value, FramesOut{*this, first_detail_frames + f});
  };
  const auto put_id = [&](DetailField field, std::uint32_t id) { put(field, static_cast<std::uint32_t>(id + 1)); };
  put(DetailField::bytes, detail.bytes);
  put(DetailField::received, detail.received);
  put(DetailField::id, detail.id);
  put(DetailField::link, detail.link);
  put_id(DetailField::peer, detail.peer);
  put_id(DetailField::comm, detail.comm);
  put_id(DetailField::window, detail.window);
  put_id(DetailField::kind, detail.kind);
  put(DetailField::marks,
      detail.assertion | std::uint64_t{detail.collective} << 16 | std::uint64_t{detail.flags} << 24);
  ++details_;
}

void IndexWriter::append(const TransferRange& range) { keep(ranges_, 0, range); }

void IndexWriter::append(const EnterArgument& argument) { keep(arguments_, 0, argument); }

void IndexWriter::retire_forward_block() {
  const auto& block = forward_.front();
  const std::uint64_t offset = header_.sections[at(IndexSection::forward)].offset + forward_first_ * index_block;
  write(block.data(), block.size() * 4, offset);
  hashes_[at(IndexSection::forward)][forward_first_] = XXH3_64bits(block.data(), block.size() * 4);
  forward_.pop_front();
  ++forward_first_;
}

void IndexWriter::set_forward(std::uint32_t position, std::uint32_t target) {
  const std::size_t block = (position - 1) / forward_per_block;
  if (block >= forward_first_) {
    forward_[block - forward_first_][(position - 1) % forward_per_block] = target;
    return;
  }
  write(&target, 4, header_.sections[at(IndexSection::forward)].offset + (std::uint64_t{position} - 1) * 4);
  forward_stale_.insert(block);
}

bool IndexWriter::has_forward(std::uint32_t position) {
  const std::size_t block = (position - 1) / forward_per_block;
  if (block >= forward_first_) return forward_[block - forward_first_][(position - 1) % forward_per_block] != 0;
  std::uint32_t value = 0;
  read(&value, 4, header_.sections[at(IndexSection::forward)].offset + (std::uint64_t{position} - 1) * 4);
  return value != 0;
}

void IndexWriter::snapshot(const std::vector<std::uint32_t>& open) {
  snapshot_at_.push_back(static_cast<std::uint32_t>(events_));
  for (const std::uint32_t position : open) keep(snapshot_open_, 0, position);
  snapshot_begin_.push_back(snapshot_begin_.back() + open.size());
}

void IndexWriter::whole(IndexSection section, const void* data, std::uint64_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  write(from, bytes, header_.sections[at(section)].offset);
  for (std::uint64_t done = 0; done < bytes; done += index_block)
    hashes_[at(section)][done / index_block] =
        XXH3_64bits(from + done, std::min<std::uint64_t>(index_block, bytes - done));
}

void IndexWriter::rehash(IndexSection section, std::size_t block) {
  const auto& extent = header_.sections[at(section)];
  const std::uint64_t from = block * index_block;
  std::vector<std::byte> bytes(std::min<std::uint64_t>(index_block, extent.bytes - from));
  if (read(bytes.data(), bytes.size(), extent.offset + from))
    hashes_[at(section)][block] = XXH3_64bits(bytes.data(), bytes.size());
}

Result<void> IndexWriter::finish(std::uint32_t model, std::uint64_t fingerprint, const MeasuredTime& measured,
                                 const std::string& quality) {
  for (Column* column : {&enter_, &location_, &type_}) flush(*column);
  while (!forward_.empty()) retire_forward_block();
  for (const std::size_t block : forward_stale_) rehash(IndexSection::forward, block);
  for (std::size_t l = 0; l < location_buffers_.size(); ++l) {
    auto& buffer = location_buffers_[l];
    write(buffer.data(), buffer.size() * 4, header_.sections[at(IndexSection::location_events)].offset + next_[l] * 4);
  }
  whole(IndexSection::location_begin, begins_.data(), begins_.size() * 8);
  for (std::size_t b = 0; b < hashes_[at(IndexSection::location_events)].size() && !error_; ++b)
    rehash(IndexSection::location_events, b);
  finish_packed();
  header_.snapshots = snapshot_at_.size();
  place(IndexSection::snapshot_at, snapshot_at_.size() * 4);
  whole(IndexSection::snapshot_at, snapshot_at_.data(), snapshot_at_.size() * 4);
  place(IndexSection::snapshot_begin, snapshot_begin_.size() * 8);
  whole(IndexSection::snapshot_begin, snapshot_begin_.data(), snapshot_begin_.size() * 8);
  put(IndexSection::snapshot_open, snapshot_open_);
  put(IndexSection::range, ranges_);
  put(IndexSection::argument, arguments_);
  place(IndexSection::quality, quality.size());
  whole(IndexSection::quality, quality.data(), quality.size());
  std::vector<std::uint64_t> hashes;
  for (std::size_t s = 0; s < at(IndexSection::hashes); ++s)
    hashes.insert(hashes.end(), hashes_[s].begin(), hashes_[s].end());
  place(IndexSection::hashes, hashes.size() * 8);
  write(hashes.data(), hashes.size() * 8, header_.sections[at(IndexSection::hashes)].offset);
  if (events_ != header_.events || details_ != header_.details)
    return fail(ErrorKind::internal, "the index of the trace came out with another number of events than were read");
  header_.model = model;
  header_.fingerprint = fingerprint;
  header_.measured = measured;
  header_.file_bytes = end_;
  header_.hash_of_hashes = XXH3_64bits(hashes.data(), hashes.size() * 8);
  header_.hash_of_header = XXH3_64bits(&header_, offsetof(IndexHeader, hash_of_header));
  if (!error_ && ::ftruncate(file_, static_cast<off_t>(end_)) != 0)
    error_ = Error{ErrorKind::system, "cannot write the index of the trace", "", system_reason(errno), ""};
  write(&header_, sizeof(header_), 0);  // last: an interrupted build leaves no header
  if (error_) return tl::unexpected(*error_);
  return {};
}

}  // namespace mora::trace
