/// The matrices of one phase while they are being filled, and the collective calls that go into them.
#pragma once

#include <map>

#include "mpi/schedules/algorithm.h"
#include "predict/pattern/matrix/rows.h"

namespace mora::predict {

struct PhaseFill {
  PhaseFill(std::uint32_t world_size, std::uint64_t most_cells)
      : point_to_point(world_size, most_cells), collective(world_size, most_cells), one_sided(world_size, most_cells) {}
  bool overflowed() const { return point_to_point.overflowed() || collective.overflowed() || one_sided.overflowed(); }
  TrafficRows point_to_point, collective, one_sided;
  std::map<std::uint64_t, std::uint64_t> sizes;
  std::map<Operation, std::uint64_t> calls;
  std::map<Operation, CollectiveUse> collective_use;
  std::uint64_t payload_volume = 0, visits = 0;
};

/// Puts collective calls into matrices, each once per communicator: the calls of its first member that is in the trace
/// represent all; only what a member alone knows (counts of vector calls, neighbours) is taken from each. Rule
/// `collective-decomposed-once` (docs/rules.md).
class CollectiveFill {
 public:
  CollectiveFill(const PatternTrace& trace, CollectiveModel model);
  /// Adds the messages of `times` executions of a collective call of `rank` to the phase.
  void add(const RankTrace& rank, const Call& call, std::uint64_t times, PhaseFill& phase);
  /// A started persistent operation: the trace does not say which.
  void add_unknown(std::uint64_t times) { not_decomposed_ += times; }
  /// What was added, by operation, communicator and algorithm; rows for calls that could not be broken down.
  std::vector<DecomposedCollective> finish(DataQuality& quality);

 private:
  const Communicator* communicator(const Call& call) const;
  /// A call whose members agree on all sizes: once, by the model's algorithm.
  void add_uniform(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                   PhaseFill& phase);
  /// A call of which each member alone knows its counts: its own messages, straight to their receivers.
  void add_straight(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                    PhaseFill& phase);
  /// A call on an inter-communicator.
  void add_between_groups(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                          PhaseFill& phase);
  /// `times` messages of `bytes` bytes each.
  void message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t times, PhaseFill& phase,
               Traffic& traffic);
  bool here(std::uint32_t world_rank) const { return world_rank < present_.size() && present_[world_rank]; }
  /// A vector of the rank; NULL: there is none.
  const std::vector<std::uint64_t>* vector(const RankTrace& rank, std::uint32_t index) const;
  DecomposedCollective& entry(Operation operation, const std::string& algorithm, const Communicator& comm);

  void neighbors(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                 PhaseFill& phase, Traffic& traffic);

  const PatternTrace& trace_;
  CollectiveModel model_;
  std::vector<bool> present_;
  std::vector<std::uint32_t> representative_;  ///< by communicator: its first member that is there
  std::map<std::tuple<Operation, std::string, std::string>, DecomposedCollective> entries_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      calls_;                              ///< (communicator, world rank) → collective calls
  const PhaseFill* last_phase_ = nullptr;  ///< the histogram's cell that was used last
  std::uint64_t last_bytes_ = 0;
  std::uint64_t* last_cell_ = nullptr;
  std::uint64_t without_communicator_ = 0, without_payload_ = 0, not_decomposed_ = 0;
};

}  // namespace mora::predict
