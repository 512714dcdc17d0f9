#include "trace/index/index_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mora::trace {
namespace {

/// Whether the sections have the sizes that the header's numbers ask for.
bool sizes_fit(const IndexHeader& h) {
  const auto bytes = [&](IndexSection s) { return h.sections[static_cast<std::size_t>(s)].bytes; };
  const auto holds = [&](IndexSection s, std::uint64_t items, std::uint64_t size) {
    return bytes(s) % size == 0 && bytes(s) / size == items;
  };
  for (const IndexSection s :
       {IndexSection::enter, IndexSection::forward, IndexSection::location, IndexSection::location_events})
    if (!holds(s, h.events, 4)) return false;
  for (const IndexSection s : {IndexSection::time, IndexSection::ordinal, IndexSection::code})
    if (!holds(s, frames_of(h.events), sizeof(PackedFrame))) return false;
  return holds(IndexSection::type, h.events, 1) && holds(IndexSection::first_row, frames_of(h.events), 4) &&
         holds(IndexSection::detail, frames_of(h.details) * detail_fields, sizeof(PackedFrame)) &&
         holds(IndexSection::location_begin, h.locations + 1, 8) && holds(IndexSection::snapshot_at, h.snapshots, 4) &&
         holds(IndexSection::snapshot_begin, h.snapshots + 1, 8);
}

tl::unexpected<Error> unfit(const std::string& why) {
  return fail(ErrorKind::unreadable, "cannot use the index of the trace", "", why, "it is rebuilt");
}

}  // namespace

Result<std::unique_ptr<IndexFile>> IndexFile::map(int file, bool trusted) {
  std::unique_ptr<IndexFile> index(new IndexFile);
  index->file_ = file;
  index->trusted_ = trusted;
  struct stat status {};
  if (::fstat(file, &status) != 0) return unfit(system_reason(errno));
  index->bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (index->bytes_ < 4096) return unfit("it is shorter than its header");
  void* data = ::mmap(nullptr, index->bytes_, PROT_READ, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) return unfit(system_reason(errno));
  index->data_ = static_cast<const std::byte*>(data);
  IndexHeader& h = index->header_;
  std::memcpy(&h, index->data_, sizeof(h));
  if (h.magic != index_magic) return unfit("it is no index");
  if (h.version != index_version) return unfit("it is of another version");
  if (h.hash_of_header != XXH3_64bits(&h, offsetof(IndexHeader, hash_of_header))) return unfit("its header is damaged");
  if (h.file_bytes != index->bytes_) return unfit("it is cut off");
  if (!sizes_fit(h)) return unfit("its sections do not have the sizes that its header says");
  std::size_t blocks = 0;
  for (std::size_t s = 0; s < index_sections; ++s) {
    const IndexExtent& e = h.sections[s];
    if (e.offset > index->bytes_ || e.bytes > index->bytes_ - e.offset) return unfit("a section lies outside the file");
    if (e.offset % 4096 != 0) return unfit("a section does not start where sections do");
    index->first_block_[s] = blocks;
    if (s != static_cast<std::size_t>(IndexSection::hashes)) blocks += blocks_of(e.bytes);
  }
  const IndexExtent& hashes = h.sections[static_cast<std::size_t>(IndexSection::hashes)];
  if (hashes.bytes != blocks * 8 || XXH3_64bits(index->data_ + hashes.offset, hashes.bytes) != h.hash_of_hashes)
    return unfit("its checksums are damaged");
  index->checked_ = std::make_unique<std::atomic<bool>[]>(blocks);
  for (const IndexSection s :
       {IndexSection::time, IndexSection::ordinal, IndexSection::code, IndexSection::first_row, IndexSection::detail})
    if (!index->sound(s)) return unfit("its frames are damaged");
  index->point_columns();
  return index;
}

std::unique_ptr<IndexFile> IndexFile::zeros(const IndexHeader& header) {
  void* data = ::mmap(nullptr, header.file_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  std::unique_ptr<IndexFile> index(new IndexFile);
  index->data_ = static_cast<const std::byte*>(data);
  index->bytes_ = header.file_bytes;
  index->header_ = header;
  index->trusted_ = true;
  index->point_columns();
  return index;
}

void IndexFile::point_columns() {
  const auto at = [&](IndexSection s) { return data_ + header_.sections[static_cast<std::size_t>(s)].offset; };
  EventColumns& c = columns_;
  c.size = header_.events;
  c.details = header_.details;
  c.enter = reinterpret_cast<const std::uint32_t*>(at(IndexSection::enter));
  c.forward = reinterpret_cast<const std::uint32_t*>(at(IndexSection::forward));
  c.location = reinterpret_cast<const std::uint32_t*>(at(IndexSection::location));
  c.type = reinterpret_cast<const EarlType*>(at(IndexSection::type));
  c.first_row = reinterpret_cast<const std::uint32_t*>(at(IndexSection::first_row));
  const auto frames = [&](IndexSection s) { return reinterpret_cast<const PackedFrame*>(at(s)); };
  const std::byte* const packed = at(IndexSection::packed);
  c.time = {frames(IndexSection::time), packed};
  c.ordinal = {frames(IndexSection::ordinal), packed};
  c.code = {frames(IndexSection::code), packed};
  c.detail = {frames(IndexSection::detail), packed};
}

IndexFile::~IndexFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), bytes_);
  if (file_ >= 0) ::close(file_);
}

std::string IndexFile::quality() const {
  const auto text = numbers<char>(IndexSection::quality);
  return {text.begin(), text.end()};
}

bool IndexFile::check(IndexSection section, std::uint64_t block) const {
  const std::size_t number = first_block_[static_cast<std::size_t>(section)] + block;
  const IndexExtent& e = header_.sections[static_cast<std::size_t>(section)];
  const IndexExtent& hashes = header_.sections[static_cast<std::size_t>(IndexSection::hashes)];
  const std::uint64_t from = block * index_block;
  std::uint64_t expected = 0;
  std::memcpy(&expected, data_ + hashes.offset + number * 8, 8);
  const bool sound =
      XXH3_64bits(data_ + e.offset + from, std::min<std::uint64_t>(index_block, e.bytes - from)) == expected;
  if (sound) checked_[number].store(true, std::memory_order_relaxed);
  return sound;
}

bool IndexFile::sound(IndexSection section) const {
  const IndexExtent& e = header_.sections[static_cast<std::size_t>(section)];
  for (std::uint64_t byte = 0; byte < e.bytes; byte += index_block) {
    if (!sound(section, byte)) return false;
  }
  return true;
}

bool IndexFile::sound_row(std::uint64_t row) const {
  if (trusted_) return true;
  // They were written one behind the other, less than a block in all.
  return sound(columns_.detail.frame(row, DetailField::bytes)) && sound(columns_.detail.frame(row, DetailField::marks));
}

void IndexFile::forget_before(std::uint64_t position) const {
  const auto forget = [&](IndexSection section, std::uint64_t bytes) {
    const IndexExtent& e = header_.sections[static_cast<std::size_t>(section)];
    const std::uint64_t pages = bytes / 4096 * 4096;
    if (pages > 0) ::madvise(const_cast<std::byte*>(data_ + e.offset), pages, MADV_DONTNEED);
  };
  if (position <= 1 || position > header_.events) return;
  for (const IndexSection s :
       {IndexSection::enter, IndexSection::forward, IndexSection::location, IndexSection::location_events})
    forget(s, (position - 1) * 4);
  forget(IndexSection::type, position - 1);
  // What was packed before these times belongs to earlier frames.
  forget(IndexSection::packed, columns_.time.frame(position - 1).byte());
}

}  // namespace mora::trace
