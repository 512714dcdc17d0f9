/// Fences of different ranks come together, with what was accessed between them. Idea, cost and limits:
/// fence_epochs.cpp.
#pragma once

#include <vector>

#include "analysis/core/domain.h"
#include "analysis/patterns/active_target/rank_epochs.h"

namespace mora::analysis {

/// Sends the rank's window collectives to the partitions where the instances are put together.
void send_fences(const RankEpochs& epochs, const DomainContext& context, std::vector<Buffer>& outgoing);

/// Scores all instances whose halves came to a partition. The readers are read to their end.
void score_fences(std::vector<BufferReader>& incoming, const DomainContext& context);

}  // namespace mora::analysis
