/// The journals of one process, that of the thread which called MPI_Init first, as one stream of records.
///
/// Records stand in the order in which their calls returned, ties by thread; those of one thread as in its journal. So
/// a definition comes before its use and a start before its completion, whatever thread did which: a program hands
/// nothing to another thread before the call that made it has returned. Cost: O(log threads) a record.
#pragma once

#include <cstdint>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

#include "journal/journal_reader.h"

namespace mora::experiment {

/// Not copyable. One thread at a time.
class ProcessRecords {
 public:
  /// The journals must outlive it.
  explicit ProcessRecords(const std::vector<const journal::Journal*>& journals);
  ProcessRecords(const ProcessRecords&) = delete;
  ProcessRecords& operator=(const ProcessRecords&) = delete;

  /// False at the end. `which`: index of the record's journal; the record is valid until the next step.
  bool next(std::size_t& which, journal::Record& record);

 private:
  struct Stream {
    journal::Journal::Cursor cursor;
    journal::Record record;
    std::uint64_t time = 0;  ///< ticks; never goes back
  };
  void advance(std::size_t which);

  std::vector<Stream> streams_;
  using Head = std::pair<std::uint64_t, std::size_t>;  ///< time, stream
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  std::size_t given_;
};

/// The thread that began a request, by its number (docs/formats/journal.md, "Requests").
inline std::uint32_t thread_of_request(std::uint64_t request) { return static_cast<std::uint32_t>(request >> 40); }
/// The thread that made a team, by the team's number.
inline std::uint32_t thread_of_team(std::uint64_t team) { return thread_of_request(team); }

/// Requests of one process that another thread completed, or freed, than the one that began them.
class HandedRequests {
 public:
  /// Of any record of `thread`.
  void take(const journal::Record& record, std::uint32_t thread);
  bool contains(std::uint64_t request) const { return !requests_.empty() && requests_.contains(request); }
  std::size_t size() const { return requests_.size(); }

 private:
  std::unordered_set<std::uint64_t> requests_;
};

}  // namespace mora::experiment
