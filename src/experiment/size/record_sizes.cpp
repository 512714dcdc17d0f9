// Idea: a record of the journal is four words and a payload that its shape fixes; an event of an archive is a head of
// two bytes and its numbers without their leading zero bytes, behind a time stamp of nine bytes where the time is
// another than that of the event before. So both follow from the function, and from how many messages and bytes its
// calls moved on average. What is not known of single calls (tags, lengths of vectors, which of the calls completed
// which request) has a usual value here, and nowhere else.
//
// Source: journal/format.h; OTF2 3.0 (record format). Cost: O(1). Limits: means instead of single values. How near it
// comes to real recordings is tested by tests/mpi/record/test_estimate.py and measured in docs/performance.md.
#include "experiment/size/record_sizes.h"

#include <algorithm>
#include <bit>

#include "base/core_counters.h"
#include "journal/format.h"
#include "mpi/operation.h"

namespace mora::experiment {
namespace {

constexpr std::int64_t word = 8;
constexpr std::int64_t record_words = sizeof(mora_record) / word;
constexpr std::int64_t completion_words = sizeof(mora_completion) / word;
constexpr std::int64_t core_words = core_counters.size();
constexpr std::int64_t usual_neighbours = 4;  ///< of a process in a topology
constexpr std::int64_t stamp = 9, head = 2;
constexpr std::int64_t small = 2;              ///< a number below 256 that is not 0: length and byte
constexpr std::int64_t vector_attribute = 9;   ///< a list of one attribute, before the event that has it
constexpr std::int64_t range_attributes = 25;  ///< `mora:target_offset`, `mora:target_extent`, `mora:reduction`
constexpr std::int64_t metric_value = 5;       ///< of a reading, with its type

/// Bytes of a number in an event.
std::int64_t packed(std::int64_t value) {
  return value <= 0 ? 1 : 1 + (std::bit_width(static_cast<std::uint64_t>(value)) + 7) / 8;
}

std::int64_t mean(std::int64_t sum, std::int64_t count) { return count <= 0 ? 0 : sum / count; }

/// Sizes of the parts of one location's events.
struct Events {
  explicit Events(const CallsAround& around)
      : region(packed(around.regions / 2)), peer(packed(around.processes / 2)), request(packed(around.requests / 2)) {}

  std::int64_t region, peer, request;
  std::int64_t message(std::int64_t bytes) const { return head + peer + 1 + 1 + packed(bytes); }
  std::int64_t collective(const CallCounts& c) const {
    return head + 1 + 1 + small + packed(mean(c.bytes_sent, c.visits)) + packed(mean(c.bytes_received, c.visits));
  }
};

RecordedSize events(std::int64_t count, std::int64_t bytes_of_each) { return {0, count, 0, count * bytes_of_each}; }

/// Words behind the head of each record.
RecordedSize payload(std::int64_t count, std::int64_t words) { return {0, 0, count * words * word, 0}; }

/// What a call that completes requests says of them.
RecordedSize completions(const CallCounts& c, const CallsAround& around, const Events& e) {
  RecordedSize size = payload(c.messages_received + around.sends_completed, completion_words);
  size += events(c.messages_received, e.message(mean(c.bytes_received, c.messages_received)) + e.request);
  size += events(around.sends_completed, head + e.request);
  return size;
}

/// Counts for each process, of both directions or of one; 0: the function has none.
std::int64_t vector_bytes(const mpi::Function& f, const CallsAround& around) {
  if (mpi::is_neighborhood(f.collective)) return 2 * (record_words + 1 + 2 * usual_neighbours) * word;
  if (!mpi::info(f.operation).vector) return 0;
  const bool is_one = f.flow == mpi::Flow::from_root || f.flow == mpi::Flow::to_root;
  const std::int64_t of_one = (record_words + 1 + around.processes) * word;
  if (is_one) return of_one / std::max<std::int64_t>(around.processes, 1);  // the root alone
  return 2 * of_one;
}

RecordedSize collective(const mpi::Function& f, const CallCounts& c, const CallsAround& around, const Events& e) {
  const bool is_blocking = f.call == mpi::CallClass::collective;
  RecordedSize size = payload(c.visits, is_blocking ? 3 : 4);
  const std::int64_t vector = vector_bytes(f, around);
  const bool has_vector = vector != 0;
  size += payload(c.visits, vector / word);
  if (is_blocking) {
    size += events(c.visits, head);
    size += events(c.visits, e.collective(c) + (has_vector ? vector_attribute : 0));
  } else if (f.call == mpi::CallClass::collective_start) {
    size += events(c.visits, head + e.request);
    size += events(c.visits, e.collective(c) + e.request + (has_vector ? vector_attribute : 0));  // where it completes
  }
  return size;
}

RecordedSize one_sided(const mpi::Function& f, const CallCounts& c, const CallsAround& around, const Events& e) {
  const std::int64_t of_window = head + small;
  RecordedSize size;
  if (mpi::is_rma_transfer(f.call)) {
    size = payload(c.visits, 6 + (f.makes_request ? 1 : 0));
    size += events(c.visits, of_window + e.peer + 3 + e.request + range_attributes);
    return size;
  }
  if (mpi::is_window_collective(f.call)) {
    size = payload(c.visits, 1);
    size += events(c.visits, head);
    size += events(c.visits, of_window + 6);
    if (f.call != mpi::CallClass::fence) size += events(c.visits, of_window);
  } else if (f.call == mpi::CallClass::lock || f.call == mpi::CallClass::unlock) {
    size = payload(c.visits, 2);
    size += events(c.visits, of_window + e.peer + 3);
  } else if (mpi::works_through_window(f)) {
    size = payload(c.visits, 1);
    size += events(c.visits, of_window + 3);
  }
  size += events(around.transfers_completed, of_window + e.request);
  return size;
}

/// What calls of the function say beside enter and leave.
RecordedSize body(const mpi::Function& f, const CallCounts& c, const CallsAround& around, const Events& e) {
  const auto sent = [&](std::int64_t more) {
    return events(c.messages_sent, e.message(mean(c.bytes_sent, c.messages_sent)) + more);
  };
  const auto received = [&](std::int64_t more) {
    return events(c.messages_received, e.message(mean(c.bytes_received, c.messages_received)) + more);
  };
  RecordedSize size;
  switch (f.call) {
    case mpi::CallClass::send:
      size = payload(c.visits, 2);
      size += sent(0);
      return size;
    case mpi::CallClass::receive:
      size = payload(c.visits, 2);
      size += received(0);
      return size;
    case mpi::CallClass::send_receive:
      size = payload(c.visits, 4);
      size += sent(0);
      size += received(0);
      return size;
    case mpi::CallClass::send_start:
      size = payload(c.visits, 3);
      size += sent(e.request);
      return size;
    case mpi::CallClass::receive_start:
    case mpi::CallClass::matched_probe:
      size = payload(c.visits, 3);
      size += events(c.visits, head + e.request);
      return size;
    case mpi::CallClass::start:
      size = payload(c.messages_sent + around.receives_begun, completion_words);
      size += sent(e.request);
      size += events(around.receives_begun, head + e.request);
      return size;
    case mpi::CallClass::wait_single:
    case mpi::CallClass::wait_multiple:
    case mpi::CallClass::test:
      return completions(c, around, e);
    case mpi::CallClass::collective:
    case mpi::CallClass::collective_start:
    case mpi::CallClass::collective_setup:
      return collective(f, c, around, e);
    case mpi::CallClass::file:
      if (f.file != mpi::FileAccess::read && f.file != mpi::FileAccess::write) return {};
      size = payload(c.visits, 3);
      size += events(c.visits, head + small + 2 + 4 + e.request);
      size += events(c.visits, head + small + 4 + e.request);
      return size;
    default:
      return f.subject == mpi::Subject::one_sided ? one_sided(f, c, around, e) : RecordedSize{};
  }
}

}  // namespace

RecordedSize& RecordedSize::operator+=(const RecordedSize& other) {
  records += other.records;
  events += other.events;
  journal_bytes += other.journal_bytes;
  archive_bytes += other.archive_bytes;
  return *this;
}

RecordedSize& RecordedSize::operator-=(const RecordedSize& other) {
  records -= other.records;
  events -= other.events;
  journal_bytes -= other.journal_bytes;
  archive_bytes -= other.archive_bytes;
  return *this;
}

RecordedSize size_of_calls(const mpi::Function& function, const CallCounts& calls, const CallsAround& around) {
  const Events e(around);
  CallCounts c = calls;
  RecordedSize size;
  if (mpi::polls_messages(function)) {  // a row that found nothing is one record, a success another
    const std::int64_t found = std::min(c.visits, c.messages_received + around.sends_completed);
    const std::int64_t rows = std::min(c.visits - found, around.rows_of_polls);
    size = payload(rows, 2);
    size.archive_bytes += rows * vector_attribute;
    c.visits = found + rows;
  }
  size += body(function, c, around, e);
  size.records = c.visits;
  size += events(2 * c.visits, stamp + head + e.region);
  size += payload(c.visits, record_words);
  return size;
}

RecordedSize size_of_functions(std::int64_t visits, std::int64_t regions) {
  RecordedSize size = events(2 * visits, stamp + head + packed(regions / 2));
  size += payload(2 * visits, record_words);
  return size;
}

RecordedSize size_of_samples(std::int64_t samples, std::int64_t call_paths) {
  RecordedSize size = events(samples, stamp + head + packed(call_paths / 2) + 2);
  size += payload(samples, record_words + 1);
  return size;
}

RecordedSize size_of_readings(std::int64_t readings) {
  RecordedSize size = events(readings, stamp + head + 1 + 1 + core_words * metric_value);
  size.events *= core_words;  // OTF2 counts each value
  size += payload(readings, record_words + core_words);
  return size;
}

std::int64_t stretches_read(std::int64_t visits, std::int64_t time_ns) {
  constexpr std::int64_t mean_pause_ns = 6'666'667;  // of a random number of ms from -10 to 20, below 0 is 0
  return std::min(visits, time_ns / mean_pause_ns);
}

}  // namespace mora::experiment
