/// The records of a process as they are told behind the begin that all processes have in common (common_begin.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "experiment/journals/common_begin.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// Takes the records of a process, in their order (process_records.h), and says which are told, and how.
class TellBehindCut {
 public:
  explicit TellBehindCut(const BehindCut& behind) : behind_(behind) {}
  /// False: not at all. `record` may be changed; then it is valid until the next call.
  bool take(std::size_t which, journal::Record& record);

  /// Ends of messages that were made enter and leave only.
  std::uint64_t messages() const { return messages_; }

 private:
  bool tells_send(std::uint32_t comm, std::uint64_t peer_tag);
  bool tells_receive(std::uint32_t comm, std::uint64_t peer_tag) const;
  bool tells_next(const std::map<std::uint32_t, std::uint64_t>& left_out, std::map<std::uint32_t, std::uint64_t>& seen,
                  std::uint32_t object);
  void rewrite(std::size_t which, journal::Record& record);
  void rewrite_list(journal::Record& record);
  void rewrite_window(journal::Record& record);
  void only_call(journal::Record& record);

  const BehindCut& behind_;
  std::uint64_t messages_ = 0;
  std::map<OwnChannel, std::uint64_t> sent_;
  std::map<std::uint32_t, std::uint64_t> collectives_, windows_seen_;
  std::unordered_set<std::uint64_t> begun_;  ///< requests behind the cut
  std::set<std::uint32_t> windows_made_, windows_known_;
  std::set<std::pair<std::uint32_t, std::int32_t>> locks_;  ///< window and target
  std::set<std::pair<std::size_t, std::uint64_t>> thread_locks_;
  std::set<std::size_t> without_vectors_;  ///< journals whose last collective call is not told as one
  std::vector<std::uint64_t> payload_;
};

}  // namespace mora::experiment
