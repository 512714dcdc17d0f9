/// Replay: when everything would have happened, had the network been another one.
///
/// On the ideal one transfers cost nothing, and calls that only wait for others wait only as long as the others make
/// them. The computation between calls lasts what it lasted in the trace; inside MPI calls time passes only by waiting
/// for what the call needs: a receive for its send's enter, a synchronous send for its receive, members of a collective
/// for those whose data they get (barrier and N-to-N: all; rooted 1-to-N: the root; N-to-1: the root for all; prefix:
/// all lower ranks), the completing call of requests for what they stand for, fences for all, post-start-complete-wait
/// for their partners, locks for the holder before. Buffers are unlimited: a standard send never blocks. File I/O and
/// what else is not the network lasts what it lasted, without the waiting in it. Times are integers; the result does
/// not depend on the order in which locations run.
///
/// Source: POP metrics, Transfer Efficiency (the ideal network), as Dimemas simulates it for basicanalysis; which call
/// waits for what is Mora's rule ideal-network. Cost: O(events) time, memory for what is under way (simulation.h).
/// Limits: README.md.
///
/// It never hangs: a location whose partner is missing goes on at its recorded time, counted in quality ("replay-…").
#pragma once

#include <memory>
#include <vector>

#include "base/data_quality.h"
#include "base/error.h"
#include "base/progress.h"
#include "replay/actions/message_listener.h"
#include "replay/actions/replayed_node.h"
#include "replay/costs/network.h"
#include "trace/source.h"

namespace mora::replay {

struct ReplayOptions {
  unsigned workers = 0;  ///< threads that read; 0 = usable cores
  /// Bytes of actions that stay in memory; a location needs up to 24 KiB beyond that.
  std::size_t memory = std::size_t{48} << 20;
  ProgressCallback progress;
};

struct ReplayedLocation {
  std::vector<ReplayedNode> nodes;  ///< parents before children; in order of first enter
  Nanoseconds begin = 0;            ///< of the first event; that is as it was recorded
  Nanoseconds end = 0;              ///< of the last event
  Nanoseconds finalize = 0;         ///< recorded enter of MPI_Finalize, else time of the last event
};

/// A location that never gets on: the program itself waits in a circle on this network.
struct BlockedCall {
  trace::LocationId location = trace::no_id;
  std::uint32_t node = 0;                  ///< of its nodes
  std::uint32_t waits_for = trace::no_id;  ///< world rank; no_id: not known
};

struct Replayed {
  std::vector<ReplayedLocation> locations;      ///< index = LocationId
  Nanoseconds end = 0;                          ///< latest end
  std::uint64_t messages = 0, collectives = 0;  ///< that found all their partners
  std::uint64_t collectives_by_need = 0;        ///< that wait for those they need, since their sizes are not known
  std::vector<BlockedCall> blocked;             ///< replay_on(): not empty: the times mean nothing
  std::uint64_t shared_locks = 0;               ///< epochs of windows: with MPI_LOCK_SHARED
  std::uint64_t under_way = 0;                  ///< messages and operations that did not end; 0 of a whole trace
  DataQuality quality;
};

/// What the replay does with the program itself.
struct ReplayedProgram {
  std::uint64_t compute_factor = 1'000'000;     ///< millionths: time outside of MPI calls is multiplied by them
  std::vector<std::uint64_t> location_factors;  ///< the same, of each location beside that; empty: 1
};

/// What replays need of a trace, which is read once for as many as there are, or taken along by who reads it anyway: a
/// compact list of actions of each location, which lives in an unlinked file in $TMPDIR beyond options.memory.
class ReplayInput {
 public:
  /// For replay_on_ideal_network(). `source` outlives it.
  ReplayInput(trace::Source& source, const ReplayOptions& options);
  /// For replay_on().
  ReplayInput(trace::Source& source, const ReplayOptions& options, const ReplayedProgram& program);
  ~ReplayInput();
  ReplayInput(const ReplayInput&) = delete;
  ReplayInput& operator=(const ReplayInput&) = delete;

  /// source.read_location(), and the actions are kept. Each location once at most; those of a rank in ascending order,
  /// by one thread at a time; those of different ranks by several.
  Result<void> read(trace::LocationId location, trace::EventSink& sink);
  /// Reads what was not read yet; then it is complete. Errors: no location could be read, no space for the actions.
  Result<void> finish();

 private:
  friend Result<Replayed> replay_on_ideal_network(ReplayInput&);
  friend Result<std::vector<Replayed>> replay_on(ReplayInput&, const std::vector<const Network*>&);
  struct State;
  std::unique_ptr<State> state_;
};

/// Replays the whole trace on the ideal network, once. Memory: what is under way (messages not yet received, open
/// collectives), not the events. Errors: as of finish(), which it calls; what was kept cannot be read back.
Result<Replayed> replay_on_ideal_network(ReplayInput& input);
/// The same with an input of its own: each location is read once.
Result<Replayed> replay_on_ideal_network(trace::Source& source, const ReplayOptions& options);

struct ReplayedTimes;

/// Replays the whole trace on each of the networks. Beside the above: each MPI call has a node; MPI_Init lasts what it
/// lasted, the program ends when all have come to MPI_Finalize. On a network that costs something messages, collectives
/// and windows cost what it says (costed_calls.h); files and local calls last what they lasted. Errors: as above.
Result<std::vector<Replayed>> replay_on(ReplayInput& input, const std::vector<const Network*>& networks);
/// The same with an input of its own.
Result<std::vector<Replayed>> replay_on(trace::Source& source, const std::vector<const Network*>& networks,
                                        const ReplayOptions& options, const ReplayedProgram& program);

/// The same on one network that costs something; `listener` hears what each rank does.
Result<Replayed> replay_on(trace::Source& source, const Network& network, const ReplayOptions& options,
                           const ReplayedProgram& program, MessageListener& listener);

/// The same; `times` gets when each event happens there (times/replayed_source.h makes a trace of them).
Result<Replayed> replay_on(trace::Source& source, const Network& network, const ReplayOptions& options,
                           const ReplayedProgram& program, std::unique_ptr<ReplayedTimes>& times);

}  // namespace mora::replay
