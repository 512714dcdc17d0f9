/// Where what is told of a job begins if processes kept only the newest part of their recording (mora record --ring),
/// and what behind that point belongs to something before it (docs/adr/0016-common-cuts.md).
///
/// The cut is the return of one call on MPI_COMM_WORLD that waits for all, the first whose record all still have; if
/// there is none, or too little lies behind it, a time. Where a time is to be kept it is the last of these calls that
/// returned so long before the end, else that time; if all do not reach back so far, as without one. Calls that began
/// before the cut are not told. Behind it a message has the number on its channel that it has in the whole run: what
/// the rings say stood before them, and what lies between that and the cut, is counted. One that was sent before the
/// cut and is received behind it, or the other way round at a time, is enter and leave at the end that is told, so that
/// the k-th message of each side is the same message; where that is not known (channels that found no room in a ring's
/// table, cancelled messages, recording switched off, several threads that share a channel) a channel's calls are enter
/// and leave only. Likewise collective calls of communicators and windows. So a pair is one of the whole run, or none.
/// Cost: three passes over the journals that are there; memory: a number for each channel, and for each message that
/// crosses the cut.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/data_quality.h"
#include "base/time.h"
#include "experiment/journals/common_end.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// A channel as one process numbers it.
struct OwnChannel {
  std::uint32_t comm = 0;
  std::int32_t peer = 0, tag = 0;
  auto operator<=>(const OwnChannel&) const = default;
};

/// What of one process's records behind the cut is not told, or as enter and leave only.
struct BehindCut {
  static constexpr std::uint64_t all = UINT64_MAX;
  std::uint64_t ticks = 0;                                ///< the cut; 0: everything is told
  bool was_switched = false;                              ///< recording, before it
  bool unknown_are_left_out = false;                      ///< channels, communicators, windows without a number below
  std::map<OwnChannel, std::uint64_t> sends;              ///< so many first ones of a channel
  std::set<OwnChannel> receives;                          ///< all of these channels
  std::unordered_set<std::uint64_t> requests;             ///< receives, by number
  std::set<std::pair<std::size_t, std::uint64_t>> calls;  ///< receives that block, by journal and ordinal of the record
  std::map<std::uint32_t, std::uint64_t> collectives;     ///< so many first ones of a communicator
  std::map<std::uint32_t, std::uint64_t> windows;         ///< … of a window
  std::uint64_t messages = 0;                             ///< ends of messages that are not told
};

/// What names one process's numbers for the whole job; no_id where there is none.
struct OwnNumbers {
  std::function<std::uint32_t(std::uint32_t own)> communicator, window;
  std::function<std::int32_t(std::uint32_t own, std::int32_t rank)> world;  ///< rank of a peer; below 0: none
};

struct CommonBegin {
  std::vector<BehindCut> processes;  ///< empty: no process has forgotten anything, and all of it is wanted
  std::size_t last = 0;              ///< the process whose ring reaches back least
  std::uint64_t stamp = 0;           ///< on rank 0's clock: when the last process is at its begin
  std::uint64_t collective = 0;      ///< number of the call on MPI_COMM_WORLD, of all collective ones; 0: a time
  unsigned function = 0;             ///< that call's
  Nanoseconds kept = 0;              ///< what was to be kept; 0: what there is
  Nanoseconds covered = 0;           ///< from the first process's cut to the job's last record
  bool is_short = false;             ///< rings had no room for what was to be kept
  std::uint64_t calls = 0;           ///< before the cut, of all processes
  std::uint64_t messages = 0;        ///< ends of messages behind it that are enter and leave only
};

/// `numbers`: by process; `kept`: the newest part that is wanted, 0 for all; so many threads (0: one a processor).
CommonBegin common_begin(const std::vector<ProcessJournals>& processes, const std::vector<OwnNumbers>& numbers,
                         Nanoseconds kept, unsigned workers);

/// What users are told of it. `begin`: of the job's first MPI_Init, on rank 0's clock.
QualityRow row_of(const CommonBegin& begin, std::uint64_t start);

}  // namespace mora::experiment
