/// Who belongs to whom in a small trace, written from the rules of trace/links/ as plainly as possible. Tests only.
///
/// Quadratic on purpose: nothing is shared with the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/memory_source.h"

namespace mora::trace::naive {

struct Record {
  LocationId location = 0;
  std::uint64_t ordinal = 0;
  auto operator<=>(const Record&) const = default;
};

struct Message {
  Record send, receive;
  bool several_threads = false;  ///< of one rank use one side of the channel
};
struct Messages {
  std::vector<Message> pairs;
  std::map<std::string, std::uint64_t> damage;  ///< counts by kind of data-quality row
};
Messages messages(const MemorySource& trace);

/// One collective operation: the record of every member, in the order of the communicator.
struct Instance {
  std::vector<Record> members;
};
/// Of blocking operations (collective_end, rma_collective_end), then of non-blocking ones (collective_request).
std::vector<Instance> instances(const MemorySource& trace);

/// An access epoch and the exposure epoch that belongs to it: the records of their calls.
struct EpochPair {
  Record start, post;
  std::optional<Record> complete, close;
};
std::vector<EpochPair> epochs(const MemorySource& trace);

/// Which call completes a put, get or atomic: the leave of the call that closes its epoch, of an unlock its record.
std::optional<Record> closing_of(const MemorySource& trace, const Record& transfer);

/// MPI_Win_complete, MPI_Win_wait or a successful MPI_Win_test.
bool is_end_of_epoch(const Event& event);
/// An end of an epoch before which none of its kind is open: its beginning was not recorded.
bool has_no_beginning(const std::vector<Event>& stream, std::uint64_t record);

/// Gaps in the recording before a record.
std::uint32_t stretch(const std::vector<Event>& stream, std::uint64_t record);

/// Behind a gap: not all members of the window called as many collective operations on it in this stretch.
bool is_torn(const MemorySource& trace, WindowId window, std::uint32_t stretch);

/// The innermost region around a record is left there; no_leave: never. An enter counts as inside.
inline constexpr std::uint64_t no_leave = UINT64_MAX;
std::uint64_t leave_around(const std::vector<Event>& stream, std::uint64_t record);

}  // namespace mora::trace::naive
