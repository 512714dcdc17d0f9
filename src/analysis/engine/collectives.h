/// Collective instances: from members' halves to the rules of patterns/. See collectives.cpp for the idea.
#pragma once

#include "analysis/engine/halves.h"
#include "analysis/engine/meetings.h"
#include "analysis/engine/scores.h"
#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/source.h"

namespace mora::analysis {

/// World ranks of the members of a sequence's instances, in order; empty if unknown.
std::vector<std::uint32_t> members_of(const SequenceKey& key, const trace::Definitions& definitions);

/// The rank's collective calls as meetings with all members.
void note_group_meetings(const RankHalves& halves, const trace::Definitions& definitions, Meetings& meetings);

/// Sends the rank's halves, in blocks of consecutive instances, to the partitions where they meet.
void send_collectives(const RankHalves& halves, const std::vector<std::vector<std::uint32_t>>& global_of_location,
                      const trace::Source& source, std::vector<Buffer>& outgoing);

/// Assembles the instances that meet here and scores them.
void meet_collectives(const std::vector<Buffer>& incoming, const trace::Definitions& definitions, Scores& scores,
                      DataQuality& quality);

}  // namespace mora::analysis
