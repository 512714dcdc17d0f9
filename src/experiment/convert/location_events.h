/// From the records of a process's journals to the events of its locations, one for each recorded thread
/// (docs/formats/otf2.md, "Events").
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/location_writer.h"
#include "archive/vector_table.h"
#include "base/data_quality.h"
#include "experiment/code/regions.h"
#include "experiment/convert/definitions.h"
#include "experiment/journals/clock_fit.h"
#include "experiment/journals/common_begin.h"
#include "experiment/journals/marks.h"
#include "experiment/journals/process_records.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Totals of one location, or of a process, for the manifest and the banner.
struct LocationSummary {
  std::uint64_t calls = 0;
  std::uint64_t begin = 0, end = 0;  ///< stamps of the program's begin and end
  std::uint64_t mpi_ns = 0;          ///< time inside MPI calls
  std::uint64_t recorder_ns = 0;     ///< time the recorder itself said it took (writing chunks, clock exchange)
  std::uint64_t lost_calls = 0;
  std::uint64_t cut_messages = 0;  ///< ends of messages that are not told, of the process
  std::uint64_t open_calls = 0;    ///< calls that had not returned when the process ended
  bool ended = false, finalized = false;

  /// Another thread of the process: its calls count, its time is not the process's.
  void add_thread(const LocationSummary& thread) {
    calls += thread.calls;
    lost_calls += thread.lost_calls;
    open_calls += thread.open_calls;
    begin = std::min(begin, thread.begin);
    end = std::max(end, thread.end);
  }
};

/// Facts that follow only from all journals together.
struct JobFacts {
  const archive::Definitions& definitions;
  const WindowUnits& window_units;
  const RecordedCounters& counters;
};

/// One thread: its journal, and where its events go.
struct ThreadInput {
  const journal::Journal* journal = nullptr;
  const CodeOfRank* code = nullptr;
  std::uint32_t number = 0;  ///< 0: the thread that called MPI_Init
  archive::LocationWriter* out = nullptr;
};

/// One process. The references outlive the call.
struct ProcessInput {
  std::uint32_t rank = 0;
  std::vector<ThreadInput> threads;  ///< thread 0 first
  const HandedRequests& handed;
  const ClockFit& clock;
  const IdMap& ids;
  const MarkTable& marks;
  std::uint64_t known_end = 0;
  std::uint64_t recorded_until =
      UINT64_MAX;                    ///< a stamp: what ends later is left out and counted as lost (common_end.h)
  const BehindCut* begin = nullptr;  ///< where what is told begins, if not with the journals (common_begin.h)
};

/// Writes all events of the process. `known_end`: stamp of the latest sign of life of a process that did not close its
/// journal; the calls that its threads were in end then. Requests that another thread completes than the one that began
/// them: receives stand where they were completed, as if posted there; collectives and file operations are complete
/// before the next call of the thread that began them; of sends the completion is left out. Damage is counted in
/// `quality` (where = "rank N"), never an error. Returns the summaries of the threads.
std::vector<LocationSummary> write_process(const ProcessInput& process, const JobFacts& job,
                                           archive::VectorTable& vectors, DataQuality& quality);

}  // namespace mora::experiment
