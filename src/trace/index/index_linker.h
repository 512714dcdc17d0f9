/// Numbers the merged items, sets pointers both ways and writes the index, in one pass.
///
/// Idea. An event's pointers lead to earlier events only (Wolf 1998, 4.3; Hermanns 2004, 2.3.2 and 5.4), so what they
/// name was numbered before. For each kind of pair a table holds the events that wait for their partner: region stacks
/// per location; sends per channel, from which a receive takes the one of its own number (links/joined_sequences.h);
/// starts of transfers by (origin, number); requests, input and output, forks by (location, id), as links/request_map.h
/// has it; locks by (window, target) or (rank, lock). The later partner writes the forward pointer of the earlier one.
/// Every 1024 events, or as many as are open if that is more, the list of open events is written as a snapshot: a view
/// finds the state at any event from the snapshot before it.
///
/// Cost: O(log open) per event; snapshots are at most as long as the events between them, so O(1) per event. Memory:
/// what is open. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/data_quality.h"
#include "trace/index/index_writer.h"
#include "trace/index/item_merge.h"
#include "trace/links/request_map.h"

namespace mora::trace {

class IndexLinker {
 public:
  IndexLinker(const Items& items, const Definitions& definitions, IndexWriter& writer, DataQuality& quality);
  /// The next event of the merged order.
  void add(const MergedItem& merged);
  /// Adds rows for sends and receives without partner (unmatched-send, unmatched-receive) to the table.
  void finish();

 private:
  /// The sends of a channel that are not received. That of message k is at index head + (k - first).
  struct ChannelQueue {
    std::uint32_t first = 0;           ///< message at index head
    std::vector<std::uint32_t> sends;  ///< positions; not_sent: it has not gone out
    std::size_t head = 0;
  };
  /// The exits of one collective instance so far: the last one, and how many.
  struct Chain {
    std::uint32_t last = 0, count = 0;
  };
  /// The backward pointer of the event that gets number `here`; 0 = none. Notes what later events may point to.
  std::uint32_t link(const MergedItem& merged, std::uint32_t here);
  std::uint32_t take_send(const MergedItem& m, std::uint32_t here);
  void sent(const MergedItem& merged, std::uint32_t here);
  static void shorten(ChannelQueue& queue);
  std::uint32_t chain(const MergedItem& merged, std::uint32_t here);
  std::uint32_t lock(const MergedItem& merged, std::uint32_t here);
  // For snapshots: an event that waits for its partner begins and ends to be open.
  void opened(std::uint32_t position);
  void closed(std::uint32_t position, std::uint32_t by);
  void snapshot();

  const Items& items_;
  const Definitions& definitions_;
  IndexWriter& writer_;
  DataQuality& quality_;
  std::vector<std::vector<std::uint32_t>> stacks_;  ///< per location
  std::vector<ChannelQueue> channels_;
  /// RECVs before their SENDs, by (channel, message).
  struct EarlyReceive {
    std::uint32_t location = 0, position = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, EarlyReceive> early_;
  std::unordered_map<std::uint64_t, std::uint32_t> starts_, origins_;        ///< transfers by (origin location, number)
  std::vector<RequestMap> collectives_, io_;                                 ///< per location: positions of starts
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> forks_;  ///< per location: (id, position), open
  std::map<std::pair<WindowId, std::uint32_t>, std::uint32_t> window_chains_;     ///< (window, target)
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> lock_chains_;  ///< (rank, lock)
  std::map<std::tuple<std::uint32_t, WindowId, std::uint32_t>, std::uint32_t> held_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<std::uint32_t>> held_locks_;  ///< nestable
  /// Per rank: SENDs and RECVs without partner; those of them that a gap in the recording makes uncertain.
  std::map<std::uint32_t, std::uint64_t> unreceived_, unsent_, across_gap_;
  std::unordered_map<std::uint64_t, Chain> instances_;  ///< collective instances not all members have left
  std::vector<std::uint32_t> recent_;                   ///< starts since the last snapshot
  std::unordered_set<std::uint32_t> open_;              ///< older starts that are open
  std::uint64_t last_snapshot_ = 0;
};

}  // namespace mora::trace
