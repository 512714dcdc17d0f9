/// The source of a wildcard receive's message at the time when the receive is posted: a second reading of the journal
/// runs ahead to the completions of wildcard receives. Cost: the journal is read twice if there are such receives.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "journal/journal_reader.h"

namespace mora::predict {

/// Not thread-safe. Memory: the wildcard receives between the one asked for and the furthest read.
class WildcardSources {
 public:
  struct Source {
    std::int32_t rank = MORA_PEER_ANY, tag = MORA_TAG_ANY;  ///< ANY: it never completed, or was cancelled
    bool cancelled = false;
  };

  explicit WildcardSources(const journal::Journal& journal) : ahead_(journal.records()) {}

  /// Of the request with this number, which was posted with MPI_ANY_SOURCE or MPI_ANY_TAG. To be asked once for each.
  Source find(std::uint64_t request);

 private:
  void post(std::uint64_t request, std::uint64_t peer_tag);
  void read(const journal::Record& record);

  journal::Journal::Cursor ahead_;
  std::unordered_set<std::uint64_t> open_;
  std::unordered_map<std::uint64_t, Source> known_;
};

/// True if source or tag of a pair(source, tag) is a wildcard.
bool is_wildcard(std::uint64_t peer_tag);

}  // namespace mora::predict
