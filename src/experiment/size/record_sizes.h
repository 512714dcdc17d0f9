/// How much a call takes when it is recorded: records of the journal (journal/format.h) and events of the archive
/// (docs/formats/otf2.md), from how often it was made and what it moved. Pure functions, thread-safe.
#pragma once

#include <cstdint>

#include "mpi/function.h"

namespace mora::experiment {

/// Of one recording, or a part of it. Bytes of the archive are those of its event files.
struct RecordedSize {
  std::int64_t records = 0;  ///< calls in the journal: a row of polls is one
  std::int64_t events = 0;
  std::int64_t journal_bytes = 0, archive_bytes = 0;
  RecordedSize& operator+=(const RecordedSize& other);
  RecordedSize& operator-=(const RecordedSize& other);
};

/// What is known of the calls of one function from one call path, at one location.
struct CallCounts {
  std::int64_t visits = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
};

/// What the counts of one function do not tell, since other calls of the location did it.
struct CallsAround {
  std::int64_t processes = 1;            ///< of the run
  std::int64_t regions = 1;              ///< functions × call paths: large numbers take more bytes
  std::int64_t requests = 0;             ///< made at the location: likewise
  std::int64_t sends_completed = 0;      ///< by these calls: requests of sends and collectives
  std::int64_t receives_begun = 0;       ///< by these calls, if they start persistent requests
  std::int64_t transfers_completed = 0;  ///< one-sided, by these calls
  std::int64_t rows_of_polls = 0;        ///< at most so many rows of polls that found nothing
};

/// Of calls of `function`. O(1).
RecordedSize size_of_calls(const mpi::Function& function, const CallCounts& calls, const CallsAround& around);

/// Begins and ends of the program's functions (-finstrument-functions).
RecordedSize size_of_functions(std::int64_t visits, std::int64_t regions);

/// Samples of computation, and readings of what a thread had of its core (CORE records).
RecordedSize size_of_samples(std::int64_t samples, std::int64_t call_paths);
RecordedSize size_of_readings(std::int64_t readings);
/// How many stretches of computation are read at their begin and end while one kind of calls, or computation between
/// them, goes on for this time: between two there is a pause (measure/call/core_time.c), and one call ends at most one.
std::int64_t stretches_read(std::int64_t visits, std::int64_t time_ns);

/// Of a location that records nothing: its journal's head and definitions, begin and end of the program.
inline constexpr RecordedSize size_of_location{0, 4, 1600, 60};
/// Files of an archive beside its events: definitions of a run, of each location, of each call path.
inline constexpr std::int64_t definition_bytes = 1500, definition_bytes_of_location = 110,
                              definition_bytes_of_call_path = 60;

/// Samples per second of processor time, as `mora record` takes them by default, and what each costs.
inline constexpr std::int64_t samples_per_second = 250, ns_per_sample = 1200;

}  // namespace mora::experiment
