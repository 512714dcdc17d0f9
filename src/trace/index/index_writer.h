/// Writes an index file from front to back in bounded memory.
///
/// Columns are appended through one block each; a full block is hashed and written. `forward` is filled in later than
/// it is appended: its last blocks stay in memory, older entries are changed in the file and their blocks hashed again.
/// Cost: O(1) per event, and one read of each `forward` block that was changed after it was written. Memory: 1 MiB per
/// column, `kept` MiB of `forward`, 2 KiB per location, 64 MiB of what is put behind the columns. Errors of writing are
/// kept and returned by finish(). Not thread-safe.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "base/storage/spool.h"
#include "trace/index/event_store.h"
#include "trace/index/index_format.h"
#include "trace/index/packing.h"

namespace mora::trace {

/// What is said of a spool that cannot be read back.
tl::unexpected<Error> lost_intermediate_data();

class IndexWriter {
 public:
  /// `file`: an empty file open for reading and writing; it stays the caller's. `per_location`: events of each
  /// location. `kept`: blocks of `forward` that stay in memory (1 MiB each).
  IndexWriter(int file, std::uint64_t details, const std::vector<std::uint64_t>& per_location, std::size_t kept = 64);
  ~IndexWriter();

  /// The next event: number size() + 1.
  void append(Nanoseconds time, EarlType type, std::uint32_t location, std::uint32_t ordinal, std::uint32_t enter,
              std::uint32_t code);
  void append(const EventDetail& detail);
  void append(const TransferRange& range);     ///< of the row appended last
  void append(const EnterArgument& argument);  ///< in the events' order
                                               /// Sets ViewEvent::forward of an event that was appended.
  void set_forward(std::uint32_t position, std::uint32_t target);
  bool has_forward(std::uint32_t position);
  /// The events that are open after event size(), ascending.
  void snapshot(const std::vector<std::uint32_t>& open);

  std::uint64_t size() const { return events_; }
  std::uint64_t details() const { return details_; }

  /// Completes the file. Errors: any write or read failed (system); the number of events or details is not the one
  /// given to the constructor (internal).
  Result<void> finish(std::uint32_t model, std::uint64_t fingerprint, const MeasuredTime& measured,
                      const std::string& quality);

 private:
  struct Column {
    IndexSection section;
    std::unique_ptr<std::byte[]> block;
    std::size_t filled = 0;
    std::uint64_t written = 0;
  };
  /// Takes the frames of one packed column.
  struct FramesOut {
    IndexWriter& writer;
    std::size_t stream;  ///< of frames_
    std::uint64_t put(const std::vector<std::uint64_t>& words) const { return writer.add_frame(words); }
    void keep(const PackedFrame& frame) const { writer.keep(writer.frames_, stream, frame); }
  };
  enum : std::size_t { time_frames, ordinal_frames, code_frames, first_detail_frames };  ///< streams of frames_
  void add(Column& column, const void* value, std::size_t bytes);
  std::uint64_t add_frame(const std::vector<std::uint64_t>& words);
  template <class T>
  void keep(Spool<T>& spool, std::size_t stream, const T& record) {
    if (auto done = spool.append(stream, record); !done && !error_) error_ = done.error();
  }
  /// A section of what `streams` of the spool hold, from `first` on: the first record of each, the second …
  template <class T>
  void put(IndexSection section, const Spool<T>& spool, std::size_t first = 0, std::size_t streams = 1);
  void finish_packed();
  void flush(Column& column);
  void write(const void* data, std::size_t bytes, std::uint64_t offset);
  bool read(void* data, std::size_t bytes, std::uint64_t offset);
  void retire_forward_block();
  void place(IndexSection section, std::uint64_t bytes);
  void whole(IndexSection section, const void* data, std::uint64_t bytes);
  void rehash(IndexSection section, std::size_t block);

  const int file_;
  const std::size_t kept_;
  IndexHeader header_;
  std::array<std::vector<std::uint64_t>, index_sections> hashes_;
  Column enter_, location_, type_, packed_;
  FramePacker<false> time_, ordinal_, code_;
  Spool<PackedFrame> frames_;
  std::vector<std::uint32_t> first_row_;
  std::array<FramePacker<true>, detail_fields> detail_;
  std::deque<std::vector<std::uint32_t>> forward_;  ///< the last blocks
  std::size_t forward_first_ = 0;                   ///< number of forward_.front()
  std::set<std::size_t> forward_stale_;             ///< written blocks that were patched
  std::vector<std::uint64_t> begins_, next_;
  std::vector<std::vector<std::uint32_t>> location_buffers_;
  std::vector<std::uint32_t> snapshot_at_;
  std::vector<std::uint64_t> snapshot_begin_{0};
  Spool<std::uint32_t> snapshot_open_;
  Spool<TransferRange> ranges_;
  Spool<EnterArgument> arguments_;
  std::uint64_t events_ = 0, details_ = 0, end_ = 4096;
  std::optional<Error> error_;
};

}  // namespace mora::trace
