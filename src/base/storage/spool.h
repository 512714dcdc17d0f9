/// Spool: many append-only streams of one record type, in memory up to a budget, beyond it in an unlinked temporary
/// file ($TMPDIR, else /tmp).
///
/// Each stream fills a chunk; a full chunk stays in memory while the budget lasts and is written to the file
/// afterwards. Reading is sequential per stream and needs one chunk of memory per cursor.
/// Cost: O(1) per record. Errors (system): a full disk or an unwritable TMPDIR is an Error of append(); a chunk that
/// cannot be read back makes a cursor failed(). Thread safety: different streams may be appended to and read at the
/// same time from different threads; one stream belongs to one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace mora {

/// The bytes behind a Spool.
class SpoolFile {
 public:
  /// `budget`: bytes of chunks that may stay in memory.
  /// `share`: it takes 1/share of what was free at its place when it began there, and stops when others have taken so
  /// much; then keep() fails as on a full disk. For data that can be done without. 0: all that there is.
  explicit SpoolFile(std::size_t budget, unsigned share = 0) : budget_(budget), share_(share) {}
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  /// Whether a temporary file of so many bytes could be written now, as far as the system says.
  static bool has_room(std::uint64_t bytes);

  /// A full chunk: kept (memory set) or written (offset set).
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::uint64_t offset = 0;
  };
  /// `bytes` of them are in use. Error: the temporary file cannot be made or written.
  Result<Chunk> keep(std::unique_ptr<std::byte[]> chunk, std::size_t bytes);
  /// The first `bytes` of a chunk that was written (no memory set). Error: the temporary file cannot be read.
  Result<void> read(const Chunk& chunk, std::byte* into, std::size_t bytes) const;
  std::uint64_t bytes_on_disk() const { return end_; }
  /// Gives the place of a chunk that was written back to the file system, where it can; nothing can be read there.
  void drop(const Chunk& chunk, std::size_t bytes) const;
  /// Gives the place of all written chunks back; from now on chunks beyond the budget find no room. Nothing may be kept
  /// or read meanwhile.
  void drop_all();

 private:
  Result<void> open_file();
  bool may_take(std::size_t bytes) const;
  std::size_t budget_;
  unsigned share_;
  std::uint64_t least_free_ = 0;  ///< bytes at its place that it leaves to others
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint64_t> end_{0};
  std::mutex mutex_;
  int file_ = -1;
  bool is_closed_ = false;
};

/// `T`: the record, copied as bytes.
template <class T>
class Spool {
  static_assert(std::is_trivially_copyable_v<T>);

  struct Stream;

 public:
  /// `budget`: bytes of full chunks that stay in memory; chunks being filled take at most half as much again, but at
  /// least 4 KiB per stream.
  Spool(std::size_t streams, std::size_t budget)
      : file_(budget), streams_(streams), chunk_records_(chunk_size(streams, budget) / sizeof(T)) {}

  /// Adds a record to the end of a stream. After an error the records of the lost chunk are gone.
  Result<void> append(std::size_t stream, const T& record) {
    Stream& s = streams_[stream];
    if (s.last == nullptr) s.last = std::make_unique_for_overwrite<std::byte[]>(chunk_records_ * sizeof(T));
    std::memcpy(s.last.get() + s.in_last * sizeof(T), &record, sizeof(T));
    if (++s.in_last == chunk_records_) {
      s.in_last = 0;  // also if the chunk is lost
      MORA_TRY(auto chunk, file_.keep(std::move(s.last), chunk_records_ * sizeof(T)));
      s.full.push_back(std::move(chunk));
    }
    return {};
  }

  /// Number of records of a stream.
  std::uint64_t count(std::size_t stream) const {
    return streams_[stream].full.size() * chunk_records_ + streams_[stream].in_last;
  }
  /// Gives a stream's memory back; nothing of it can be read afterwards.
  void release(std::size_t stream) { streams_[stream] = {}; }

  /// Reads one stream from its beginning. The spool must outlive it and must not grow meanwhile.
  class Cursor {
   public:
    Cursor(const Spool& spool, std::size_t stream) : spool_(&spool), stream_(&spool.streams_[stream]) {}
    /// The next record, null at the end or when failed(). Valid until the next call.
    const T* next() {
      if (at_ == here_ && !load()) return nullptr;
      // Many cursors are read in turns: more streams than the processor follows by itself.
      __builtin_prefetch(data_ + (at_ + 4) * sizeof(T));
      return reinterpret_cast<const T*>(data_) + at_++;
    }
    bool failed() const { return failed_; }

   private:
    bool load() {
      at_ = here_ = 0;
      if (chunk_ < stream_->full.size()) {
        const auto& chunk = stream_->full[chunk_++];
        here_ = spool_->chunk_records_;
        if (chunk.memory != nullptr) {
          data_ = chunk.memory.get();
          return true;
        }
        if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<std::byte[]>(here_ * sizeof(T));
        failed_ = !spool_->file_.read(chunk, buffer_.get(), here_ * sizeof(T));
        data_ = buffer_.get();
        if (failed_) here_ = 0;
        return !failed_;
      }
      if (chunk_++ > stream_->full.size() || stream_->in_last == 0) return false;
      data_ = stream_->last.get();
      here_ = stream_->in_last;
      return true;
    }
    const Spool* spool_;
    const typename Spool::Stream* stream_;
    std::size_t chunk_ = 0, at_ = 0, here_ = 0;
    const std::byte* data_ = nullptr;
    std::unique_ptr<std::byte[]> buffer_;
    bool failed_ = false;
  };
  Cursor cursor(std::size_t stream) const { return Cursor(*this, stream); }

 private:
  struct Stream {
    std::vector<SpoolFile::Chunk> full;
    std::unique_ptr<std::byte[]> last;
    std::size_t in_last = 0;
  };
  /// Half the budget for the unfinished chunks of all streams.
  static std::size_t chunk_size(std::size_t streams, std::size_t budget) {
    const std::size_t share = budget / 2 / (streams == 0 ? 1 : streams);
    const std::size_t bytes = share < 4096 ? 4096 : share > (1U << 18) ? (1U << 18) : share;
    return bytes < sizeof(T) ? sizeof(T) : bytes;
  }
  SpoolFile file_;
  std::vector<Stream> streams_;
  std::size_t chunk_records_;
};

}  // namespace mora
