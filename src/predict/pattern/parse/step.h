/// The parts of a record that the parser needs, and the sources of records.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "predict/pattern/text/record.h"

namespace mora::predict {

/// Names of communicators and phases as numbers. Thread-safe; the numbers depend on the order of threads, so nothing
/// may be ordered by them.
class Names {
 public:
  /// A new one if the name is new.
  std::uint32_t number(std::string_view name);
  const std::string& text(std::uint32_t number) const;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

enum class StepKind : std::uint8_t {
  ignored,
  receive,
  message,  ///< point to point
  one_sided,
  rooted,  ///< min…max: bytes; a scalar call has max only
  rootless,
  member,  ///< of a new communicator: max = its size, min = key, median_twice = colour
  phase_start,
  phase_end,
  finalize,
};

struct Step {
  StepKind kind = StepKind::ignored;
  Operation operation = Operation::other;
  bool contiguous = true;
  bool vector = false;
  bool is_root = false;
  std::uint32_t name = 0;                           ///< Names: communicator, phase
  std::int32_t peer = -1;                           ///< rank in the communicator
  std::int64_t min = 0, median_twice = 0, max = 0;  ///< bytes
  std::int64_t id = -1;
};

/// Remembers the names that a stream used last.
class NameCache {
 public:
  explicit NameCache(Names& names) : names_(&names) {}
  std::uint32_t number(std::string_view name);

 private:
  Names* names_;
  std::vector<std::pair<std::string, std::uint32_t>> last_;
};

/// False if the record's numbers are too large to be bytes.
bool to_step(const TextRecord& record, std::uint32_t rank, NameCache& names, Step& step);

/// A record of the process that takes the message.
bool is_receive(const TextRecord& record);

/// A communicator of which the source knows the members without a record.
struct KnownCommunicator {
  std::string name;
  std::vector<std::uint32_t> members,
      remote;  ///< world ranks in local-rank order; the other side of an inter-communicator
};

/// Streams of steps, one per rank, in the order in which they are visited.
class StepSource {
 public:
  virtual ~StepSource() = default;
  virtual std::size_t streams() const = 0;
  virtual std::uint32_t rank(std::size_t stream) const = 0;  ///< in MPI_COMM_WORLD
  virtual std::uint32_t world_size() const = 0;
  /// Appends up to `limit` steps; none at the end of the stream. Different streams may be read from different threads.
  virtual Result<void> read(std::size_t stream, std::size_t limit, std::vector<Step>& steps) = 0;
  /// Goes back to the begin of all streams.
  virtual void rewind() = 0;
  virtual Names& names() = 0;
  /// Bytes of text that read() has consumed; 0 if the source is not text.
  virtual std::uint64_t bytes() const { return 0; }
  /// Work done by read() so far, and in all.
  virtual std::pair<std::uint64_t, std::uint64_t> progress() const { return {0, 0}; }
  virtual std::vector<KnownCommunicator> known() const { return {}; }
  /// Adds rows for damage in the input so far.
  virtual void report(DataQuality&) const {}
};

}  // namespace mora::predict
