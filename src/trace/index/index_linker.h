/// Numbers the merged items, sets pointers both ways and writes the index: one pass, memory for what is open.
///
/// Source: R-STA, R-PTR (spec/002), EAR-7, EAR-8 (spec/000). Everything a pointer can name was already numbered
/// (EVM-9); forward pointers are written when their target is reached.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/data_quality.h"
#include "trace/index/index_writer.h"
#include "trace/index/item_merge.h"

namespace mora::trace {

class IndexLinker {
 public:
  IndexLinker(const Items& items, const Definitions& definitions, IndexWriter& writer, DataQuality& quality);
  void add(const MergedItem& merged);
  /// Counts what stayed without a partner.
  void finish();

 private:
  struct ChannelQueue {
    std::uint32_t first = 0;           ///< serial of sends.front()
    std::vector<std::uint32_t> sends;  ///< positions; 0 = received
    std::size_t head = 0;              ///< index of `first` in sends
  };
  struct Chain {
    std::uint32_t last = 0, count = 0;
  };
  std::uint32_t link(const MergedItem& merged, std::uint32_t here);
  std::uint32_t take_send(const MergedItem& merged);
  void sent(std::uint32_t channel, std::uint32_t here);
  std::uint32_t chain(const MergedItem& merged, std::uint32_t here);
  std::uint32_t lock(const MergedItem& merged, std::uint32_t here);
  void opened(std::uint32_t position);
  void closed(std::uint32_t position, std::uint32_t by);
  void snapshot();

  const Items& items_;
  const Definitions& definitions_;
  IndexWriter& writer_;
  DataQuality& quality_;
  std::vector<std::vector<std::uint32_t>> stacks_;  ///< per location
  std::vector<ChannelQueue> channels_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      early_;  ///< (channel, serial) -> rank: RECV before its SEND
  std::unordered_map<std::uint64_t, std::uint32_t> starts_, origins_;  ///< transfers by (origin location, number)
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> requests_, io_;  ///< (location, id)
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> forks_;    ///< per location: (id, position), open
  std::map<std::pair<WindowId, std::uint32_t>, std::uint32_t> window_chains_;  ///< (window, target)
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> lock_chains_;  ///< (rank, lock)
  std::map<std::tuple<std::uint32_t, WindowId, std::uint32_t>, std::uint32_t> held_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> held_locks_;  ///< nestable
  std::map<std::uint32_t, std::uint64_t> unsent_;       ///< per rank: RECVs whose SEND is not in the trace
  std::unordered_map<std::uint64_t, Chain> instances_;  ///< collective instances not all members have left
  std::vector<std::uint32_t> recent_;                   ///< starts since the last snapshot
  std::unordered_set<std::uint32_t> open_;              ///< older starts that are open
  std::uint64_t last_snapshot_ = 0;
};

}  // namespace mora::trace
