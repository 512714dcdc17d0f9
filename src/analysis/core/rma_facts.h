/// Violations of the rules of one-sided communication and the matrix of transfers, as partitions find them.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "analysis/rma_access.h"
#include "analysis/rma_rules.h"
#include "analysis/storage/buffer.h"

namespace mora::analysis {

/// Collects both, in any order; what comes out is sorted and does not depend on it. Not thread-safe.
class RmaFacts {
 public:
  /// Findings of the same (rule, call path, location, window, partner) are one: instances add up, the first is kept.
  void add(const CheckFinding& finding);
  /// Cells of the same pair and kind add up.
  void add(const TransferCell& cell);
  void add(const MetAccess& access) { accesses_.push_back(access); }

  /// For another partition, which adds it to its own.
  void pack(BufferWriter& out) const;
  void unpack(BufferReader& in);

  /// By first time, then rule, location, call path, window, partner.
  std::vector<CheckFinding> findings() const;
  /// By origin, target, kind.
  std::vector<TransferCell> transfers() const;
  /// In any order. They are gone afterwards.
  std::vector<MetAccess> take_accesses() { return std::move(accesses_); }

 private:
  using Key = std::tuple<RmaRule, cube::LocationId, cube::CallPathId, std::uint32_t, std::uint32_t, cube::CallPathId>;
  using Pair = std::tuple<std::uint32_t, std::uint32_t, TransferKind>;
  std::map<Key, CheckFinding> findings_;
  std::map<Pair, TransferCell> transfers_;
  std::vector<MetAccess> accesses_;
};

}  // namespace mora::analysis
