/// The sequences of all locations put together: which ends belong together, known before anything else is done with
/// them. The half of the matching rules that needs the whole trace.
///
/// Rules: of messages channel.h. Collective operations: the n-th call of every member is one instance, whatever its
/// time (MPI-3.1, 5.13), if they agree on it (instances.h); a sequence that a member never takes part in has none, and
/// behind a gap, and if they have freed their window, all members must have the same number of calls in the stretch.
/// Epochs: the k-th access epoch belongs to the k-th exposure epoch; behind a gap both sides must have the same number.
/// Several threads of a rank on one side: their ends are numbered by the enter of their calls, ties by thread. Cost:
/// O(ends of ranks with several threads x log) and O(sequences of all locations). Memory: 4 bytes per end of ranks with
/// several threads, else some 60 bytes per sequence. Immutable once made; thread-safe.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "trace/links/sequence.h"

namespace mora::trace {

/// World ranks of those who take part in a sequence of collective operations, in order: of a communicator the local
/// group, then the remote one; of MPI_Init, MPI_Finalize and OpenSHMEM's all ranks. Empty: not known.
std::vector<std::uint32_t> members_of(const SequenceKey& key, const Definitions& definitions);

struct JoinedSequence {
  SequenceKey key;
  /// How many have all their ends: messages, epochs, instances. They are the first ones.
  std::uint32_t count = 0;
  bool is_torn = false;                  ///< behind a gap, or where a call is lost, the sides do not agree: count is 0
  bool has_several_threads = false;      ///< of one rank, on one side
  std::uint32_t sources = 0, sinks = 0;  ///< on all locations
  std::uint32_t source_locations = 0, sink_locations = 0;  ///< how many have any
  LocationId source = no_id, sink = no_id;                 ///< the last of these
  std::uint32_t members = 0;                               ///< of collective operations
  std::vector<std::uint32_t> mismatched;                   ///< instances whose members disagree, ascending
  std::vector<std::uint32_t> unclosed;                     ///< access epochs that lack an end of theirs, ascending
  std::vector<std::uint32_t> unopened;                     ///< exposure epochs that lack their beginning, ascending
};

class JoinedSequences {
 public:
  JoinedSequences() = default;
  /// `locals` by location: LocationEnds::finish(). Locations of one rank stand together (Definitions::locations does).
  JoinedSequences(const Definitions& definitions, std::vector<std::vector<LocalSequence>> locals);

  const std::vector<JoinedSequence>& all() const { return all_; }
  /// The location's sequence `local`, as an index of all(); no_id for no_id.
  std::uint32_t sequence(LocationId location, std::uint32_t local) const {
    return local == no_id ? no_id : places_[location][local].sequence;
  }
  /// Which place the location's rank has among the members; no_id: none.
  std::uint32_t position(LocationId location, std::uint32_t local) const { return places_[location][local].position; }

  /// Number of the pair or instance that the location's end `serial` of its sequence `local` belongs to; no_id: none,
  /// since its partner is missing, not known or not certain. `local` no_id: none.
  std::uint32_t source(LocationId location, std::uint32_t local, std::uint32_t serial) const;
  std::uint32_t sink(LocationId location, std::uint32_t local, std::uint32_t serial) const;

 private:
  class Joiner;
  struct Place {
    std::uint32_t sequence = no_id;
    std::uint32_t count = 0;  ///< of the sequence; 0 if the location does not take part
    std::uint32_t position = no_id;
    bool has_mismatched = false;  ///< the sequence has
    /// Several threads take part: maps_ has the rank's number by the location's. no_id: it is the location's.
    std::uint32_t source_map = no_id, sink_map = no_id;
    std::vector<std::uint32_t> cancelled;
  };
  std::vector<JoinedSequence> all_;
  std::vector<std::vector<Place>> places_;  ///< by location and local number
  std::vector<std::vector<std::uint32_t>> maps_;
};

}  // namespace mora::trace
