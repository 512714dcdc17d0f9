/// Collective instances: from members' halves to the rules of ../patterns/. Idea, source, cost and limits:
/// collectives.cpp.
#pragma once

#include "analysis/core/scores.h"
#include "analysis/core/sync_points.h"
#include "analysis/match/halves.h"
#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/links/member_blocks.h"
#include "trace/source.h"

namespace mora::analysis {

/// Notes the rank's collective calls as synchronisation points with all members.
void note_group_sync_points(const RankHalves& halves, const trace::Definitions& definitions, SyncPoints& sync_points);

/// Sends the rank's halves, in blocks of consecutive instances, to the partitions where instances are put together.
class CollectiveSender {
 public:
  /// `block_size` is the same for all ranks. All references outlive this object.
  CollectiveSender(const RankHalves& halves, const std::vector<std::vector<std::uint32_t>>& global_of_location,
                   const trace::Source& source, std::uint32_t block_size);
  /// Blocks [first, last) of every sequence, so that all members' parts of an instance go out in the same slice.
  void send(std::uint32_t first, std::uint32_t last, std::vector<Buffer>& outgoing) const;
  /// Of the longest sequence.
  std::uint32_t blocks() const;

 private:
  const RankHalves& halves_;
  const std::vector<std::vector<std::uint32_t>>& global_of_location_;
  const trace::Source& source_;
  std::uint32_t block_size_;
  std::vector<std::uint32_t> first_;  ///< per sequence, index into order_; one more at the end
  SpillVector<std::uint32_t> order_;  ///< halves by sequence, in the order of the calls
  std::vector<bool> freed_;           ///< per sequence: of a window, and it ends with MPI_Win_free
};

/// Puts the instances together whose halves came here, and scores them; what cannot be is counted in `quality`.
void assemble_collectives(const std::vector<Buffer>& incoming, const trace::Definitions& definitions, Scores& scores,
                          DataQuality& quality);

}  // namespace mora::analysis
