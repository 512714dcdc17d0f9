/// EventSpool: append-only streams of events, one per location, in bounded memory.
///
/// Events are packed into blocks that start small and grow, so that a hundred thousand short streams cost little. When
/// the blocks of all streams together reach the budget, all are written to an unlinked temporary file and forgotten; a
/// stream remembers where its blocks went (16 bytes for each). Reading goes through the stored blocks in the order in
/// which they were filled, then through those in memory.
///
/// Packing: an enter or leave takes 16 bytes (time, region, kind), everything else the Event as it is in memory. The
/// file never outlives the process, so its layout is documented nowhere else.
/// Cost: O(1) per event; reading needs one block of memory.
///
/// Thread safety: append() by one thread only; after the last append(), read() by any number of threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/event.h"
#include "trace/source.h"

namespace mora::trace {

/// As long as it lives, spools that its thread makes keep a sixteenth of `memory` in memory: what is asked of a whole
/// process is for those who read the events, too. 0: 256 MiB, as without it.
class SpoolMemory {
 public:
  explicit SpoolMemory(std::uint64_t memory);
  ~SpoolMemory();
  SpoolMemory(const SpoolMemory&) = delete;
  SpoolMemory& operator=(const SpoolMemory&) = delete;

  static std::size_t budget();  ///< bytes

 private:
  std::size_t before_;
};

struct EventSpoolOptions {
  std::size_t budget = SpoolMemory::budget();  ///< bytes of blocks in memory, all streams together
  std::string directory;                       ///< of the temporary file; empty: $TMPDIR, else /tmp
};

class EventSpool {
 public:
  explicit EventSpool(EventSpoolOptions options = {});
  EventSpool(EventSpool&&) noexcept;
  EventSpool& operator=(EventSpool&&) noexcept;
  ~EventSpool();

  /// Number of the new stream: 0, 1, 2 …
  std::uint32_t add_stream();
  std::size_t streams() const { return streams_.size(); }

  /// Of enter and leave only time, region and mended are kept. After a failure (disk full …) events are ignored.
  void append(std::uint32_t stream, const Event& event);
  /// The first failure of writing, if there was one: then the spool holds less than was appended.
  const std::optional<Error>& failure() const { return failure_; }

  std::uint64_t size(std::uint32_t stream) const { return streams_[stream].events; }
  /// Passes the stream's events to the sink, in the order of append(). Errors (system): an earlier write failed, or the
  /// temporary file cannot be read.
  Result<void> read(std::uint32_t stream, EventSink& sink) const;

  std::uint64_t bytes_in_memory() const { return in_memory_; }
  std::uint64_t bytes_on_disk() const { return on_disk_; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::uint32_t used = 0, capacity = 0;
  };
  struct Stored {
    std::uint64_t offset = 0;
    std::uint32_t size = 0;
  };
  struct Stream {
    std::vector<Stored> stored;
    std::vector<Block> blocks;
    std::uint64_t events = 0;
  };
  std::byte* reserve(std::uint32_t stream, std::uint32_t size);
  void store_all();
  Result<void> open_file();
  Result<void> store(const Block& block, Stream& stream);

  EventSpoolOptions options_;
  std::vector<Stream> streams_;
  std::uint64_t in_memory_ = 0, on_disk_ = 0;
  std::optional<Error> failure_;
  int file_ = -1;
};

}  // namespace mora::trace
