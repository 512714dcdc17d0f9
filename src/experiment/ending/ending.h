/// How a job ended that did not end by itself, in sentences: which process died first and why, in which MPI call each
/// process has been, since when, and what it waited for there; a circle of processes that wait for each other.
///
/// Idea. Each process leaves the call that it is in, and the end that it saw coming (journal/format.h, mora_state).
/// What was sent and received up to then says whether a message that is waited for was sent, and whether a receive for
/// one that is being sent was posted; a collective waits for the members that have made fewer of them. These are the
/// edges of a graph, in which a circle is a deadlock (circle.h); windows.h says for whom one-sided synchronisation
/// waits. Cost: one pass over the journals, only of jobs that did not end. Limits: messages with MPI_ANY_SOURCE give no
/// edge.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// One process, as far as its end is concerned.
struct EndedProcess {
  const journal::Journal* journal = nullptr;  ///< nullptr: none
  bool ended = false;                         ///< it closed its journal
  bool finalized = false;
  std::uint64_t death = 0;  ///< when it was seen to be gone, CLOCK_MONOTONIC_RAW ns of its host; 0 = not seen
  std::uint64_t end = 0;    ///< stamp; the latest that is known
  std::function<std::uint32_t(std::uint32_t)> communicator;                ///< own id to definition; no_id
  std::function<std::string(unsigned function, std::uint64_t site)> call;  ///< "MPI_Recv (main.c:12)"
  std::function<std::uint64_t(std::uint64_t)> stamp;                       ///< of ticks
};

struct EndedJob {
  std::vector<EndedProcess> processes;  ///< by world rank
  const archive::Definitions* definitions = nullptr;
  bool is_openmpi = true;
  int stopped_by = 0;     ///< signal that Mora passed on to the job
  int launcher_exit = 0;  ///< 0 also if not known
};

struct Ending {
  std::vector<std::string> sentences;  ///< the first process to die, the circle, then the calls by rank
  std::vector<QualityRow> rows;        ///< kinds process-killed, open-call, failed-call, no-finalize
};

/// Nothing for a job all of whose processes called MPI_Finalize. Pure function.
Ending describe_ending(const EndedJob& job);

/// "MPI_Recv (main.c:12)", "MPI_Recv (step(int) + 0x3a)", or the function alone.
std::string call_words(const archive::Region& region);

/// "MPI_ERR_RANK"; "error class 99" for one without a name.
std::string error_class_name(bool is_openmpi, int error_class);

}  // namespace mora::experiment
