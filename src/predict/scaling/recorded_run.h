/// What the ranks of a recorded run do, call by call: what the fits of another number of ranks start from.
///
/// Idea: a call belongs to a *site*: its call path with the place in the source. Sites are those of all runs together,
/// so that the same call has one number whatever the number of ranks. Of each call stands what it moved, and how long
/// the rank computed before it. Requests are known by the number of their start on the rank; what a completion says of
/// a receive (who sent, how much) stands at its start. Polls that found nothing are left out: they depend on time.
/// Memory: about 100 bytes a call; only the first thread of each rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/progress.h"
#include "trace/source.h"

namespace mora::predict {

/// One communication event of a call.
struct Moved {
  trace::EventKind kind = trace::EventKind::other;  ///< send, receive, send_request, receive_request, collective_end,
                                                    ///< collective_request; send_complete: any request is complete
  trace::Collective collective = trace::Collective::none;
  std::uint32_t peer = trace::no_id;  ///< world rank; no_id: none. Of collectives: the root
  std::uint32_t comm = trace::no_id;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0, received = 0;
  std::uint32_t vector = trace::no_id;   ///< index in RankRun::vectors
  std::uint32_t request = trace::no_id;  ///< number of its start on the rank
  bool is_complete = false;              ///< of a start: its completion was recorded
};

struct RecordedCall {
  std::uint32_t site = 0;
  std::uint32_t first = 0, count = 0;  ///< in RankRun::moved
  Nanoseconds before = 0;              ///< computed since the call before, or since the rank began
  Nanoseconds lasted = 0;              ///< of local calls: from enter to leave; others: 0
};

struct RankRun {
  std::vector<RecordedCall> calls;
  std::vector<Moved> moved;
  std::vector<std::vector<std::uint64_t>> vectors;
  Nanoseconds after = 0;  ///< computed behind the last call
};

struct RecordedRun {
  std::string name;
  std::uint32_t ranks = 0;
  std::vector<RankRun> by_rank;
  std::vector<std::vector<std::uint32_t>> members;  ///< of each communicator, world ranks; empty: MPI_COMM_SELF
  std::vector<std::string> communicators;           ///< names
};

/// The call sites of all runs, and their definitions for a trace of another number of ranks.
class Sites {
 public:
  struct Site {
    std::string path;  ///< "main > step > MPI_Send@halo.c:42"
    trace::RegionId region = trace::no_id;
    std::vector<trace::RegionId> around;  ///< regions of the program, outermost first
    bool is_local = false;                ///< the call lasts what it lasts; others wait for the network only
  };
  std::vector<Site> sites;
  trace::Definitions definitions;  ///< regions, callers and call places only

  /// The site's number, made on first use. `open`: regions around the call.
  std::uint32_t site(const trace::Definitions& from, const std::vector<trace::RegionId>& open, trace::RegionId call);

 private:
  trace::RegionId region(const trace::Definitions& from, trace::RegionId region);
  trace::CallerId caller(const trace::Definitions& from, trace::CallerId caller);
  std::map<std::string, std::uint32_t> sites_, regions_, callers_;
};

/// Reads the whole trace. Errors (unreadable): the trace cannot be read; it holds what cannot be scaled (one-sided
/// communication, cancelled requests, gaps), with the call site.
/// `progress`: by ranks.
Result<RecordedRun> read_run(trace::Source& source, const std::string& name, Sites& sites, Progress& progress);

}  // namespace mora::predict
