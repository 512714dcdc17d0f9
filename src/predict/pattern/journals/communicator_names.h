/// One numbering and one set of names for the communicators and windows of a whole job (identities:
/// experiment/convert/definitions.h).
///
/// mini_comm_<event>_<colour>: `event` numbers the creations of the whole job from 0, in the order in which the lowest
/// rank met them, calls that gave MPI_COMM_NULL included; siblings of one MPI_Comm_split share it and differ by colour.
/// Siblings of other calls (MPI_Cart_sub, MPI_Comm_create with disjoint groups) are numbered from 0 in the order of
/// their lowest rank. Names that the program gives (MPI_Comm_set_name) are not used: they may be equal, or contain text
/// with which a text trace could not be read back. Rule `communicator-names` (docs/rules.md).
#pragma once

#include <deque>
#include <vector>

#include "base/data_quality.h"
#include "experiment/convert/definitions.h"
#include "predict/pattern/journals/rank.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// From a process's numbers to indices in Definitions.
struct PatternIds {
  experiment::IdMap job;                               ///< numbers in the journal → numbers of the job
  const std::vector<std::uint32_t>* places = nullptr;  ///< of the job's communicators in Definitions::communicators

  std::uint32_t communicator(std::uint32_t local) const {
    const auto id = job.communicator(local);
    return id < places->size() ? (*places)[id] : no_id;
  }
  std::uint32_t window(std::uint32_t local) const { return job.window(local).global; }
};

class JobCommunicators {
 public:
  explicit JobCommunicators(std::uint32_t world_size) : world_size_(world_size), numbering_(world_size) {}

  /// Takes the definitions out of `part` (each holds the members of its communicators: too much to keep for all ranks).
  /// Ranks ascending.
  void add(RankPart& part, DataQuality& quality);
  /// After the last rank: puts communicators and windows into `definitions`.
  void finish(Definitions& definitions);
  /// Of the i-th rank added; valid after finish().
  const PatternIds& ids(std::size_t i) const { return ids_[i]; }

 private:
  void name(std::vector<Communicator>& communicators) const;

  std::uint32_t world_size_;
  experiment::GlobalDefinitions numbering_;
  std::deque<PatternIds> ids_;
  std::vector<std::vector<Creation>> creations_;
  std::vector<std::uint32_t> ranks_;
  std::uint32_t world_ = no_id, self_ = no_id;  ///< their numbers in the job
  std::vector<std::uint32_t> places_;
};

}  // namespace mora::predict
