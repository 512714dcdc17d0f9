/// Access and exposure epochs of different ranks come together. Idea, cost and limits: transactions.cpp.
#pragma once

#include <map>
#include <vector>

#include "analysis/core/domain.h"
#include "analysis/patterns/active_target/rank_epochs.h"

namespace mora::analysis {

/// Halves of the rank's epochs, to the partitions of their partners. `outgoing` by partition.
void send_epochs(RankEpochs& epochs, const DomainContext& context, std::vector<Buffer>& outgoing);

/// All halves that came to a partition. Valid as long as the buffers. Not thread-safe.
class SeenEpochs {
 public:
  /// Takes the halves off the reader.
  void take(BufferReader& in);
  /// Scores the access and exposure epochs of a rank of this partition, and counts what lacks its partner in the data
  /// quality. After all take().
  void score(RankEpochs& epochs, const DomainContext& context) const;

 private:
  struct Key {
    std::uint32_t is_access = 0;
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::uint32_t window = 0;
    std::uint32_t stretch = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Batch {
    std::uint32_t count = 0;
    const std::byte* halves = nullptr;
  };
  /// How an own epoch finds its partners.
  enum class Found { all, unmatched, across_gap };
  template <class Seen>
  Found find(const RankEpochs& epochs, const RankEpochs::Epoch& epoch, std::span<const std::uint32_t> ranks,
             std::vector<Seen>& seen, std::vector<char>& known) const;
  Found score_access(RankEpochs& epochs, const RankEpochs::Epoch& epoch, WaitSink& sink,
                     const DomainContext& context) const;
  Found score_exposure(RankEpochs& epochs, const RankEpochs::Epoch& epoch, WaitSink& sink,
                       const DomainContext& context) const;

  std::map<Key, Batch> batches_;
};

}  // namespace mora::analysis
