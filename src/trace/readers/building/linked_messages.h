/// LinkedMessages: for formats in which a key tells which send belongs to which receive (Pajé's links, Chrome's flows).
///
/// Idea (rule `messages-by-key`). Views and analyses pair messages by MPI's rule: on a channel (communicator, source,
/// destination, tag) the k-th send belongs to the k-th receive (links/channel.h). Here halves with equal keys are
/// paired in their order, then each pair is given a tag such that MPI's rule finds exactly these pairs again: the
/// format's tag where it has one, else 0; messages that overtake others of their channel get tags of their own (greedy
/// cover by increasing sequences: as few new tags as possible).
/// Halves are sorted three times (by key, by channel, by number), beyond a budget in temporary files.
/// Cost: O(n log n) for n halves. Memory: a quarter of SpoolMemory::budget().
/// Limits: a half without partner has no peer, and the caller counts it. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/storage/sorted_runs.h"
#include "trace/event.h"
#include "trace/event_spool.h"
#include "trace/mpi_function.h"

namespace mora::trace {

class LinkedMessages {
 public:
  /// Rank and thread of a time line, by the caller's own number of it.
  struct Place {
    std::uint32_t rank = no_id, thread = 0;
  };
  struct Half {
    std::uint64_t key[2] = {0, 0};
    std::int64_t order = 0;  ///< among halves of the same key
    std::uint64_t bytes = 0;
    std::uint32_t number = 0;  ///< set by add()
    std::uint32_t place = 0;
    std::uint32_t peer = no_id;           ///< set by link(): rank of the partner
    std::uint32_t partner = no_id;        ///< set by link(): its number
    std::uint32_t partner_place = no_id;  ///< set by link()
    std::int32_t tag = 0;
    CommId comm = no_id;
    bool is_send = false, has_tag = false, has_bytes = false;
  };
  struct ByNumber {
    bool operator()(const Half& a, const Half& b) const { return a.number < b.number; }
  };
  using Cursor = SortedRuns<Half, ByNumber>::Cursor;

  explicit LinkedMessages(std::size_t budget = SpoolMemory::budget() / 4);

  /// Adds one half and gives its number (from 0). Halves of one place must come in the order of its events.
  std::uint32_t add(std::string_view key, Half half);
  std::uint32_t size() const { return size_; }

  /// Pairs all halves. Tag, communicator and bytes that only one half has hold for both; where none names a
  /// communicator it is `otherwise`. `places`: by Half::place. Call once, after the last add(). Errors (system): the
  /// halves could not be kept.
  Result<void> link(std::span<const Place> places, CommId otherwise);
  /// All halves by number, after link().
  Cursor halves() const { return linked_.cursor(); }
  /// Messages that had a tag of the format and lost it, because they overtake others.
  std::uint64_t overtaking() const { return overtaking_; }

 private:
  struct ByKey {
    bool operator()(const Half& a, const Half& b) const;
  };
  /// Both halves of a message, with what its channel's order needs.
  struct Pair {
    Half send, receive;
    Place from, to;
    auto channel() const { return std::tuple(from.rank, to.rank, send.comm, send.tag); }
  };
  struct ByChannel {
    bool operator()(const Pair& a, const Pair& b) const;
  };
  Result<void> pair_by_key(std::span<const Place> places, CommId otherwise);
  Result<void> give_tags();

  SortedRuns<Half, ByKey> sends_, receives_;
  SortedRuns<Pair, ByChannel> pairs_;
  SortedRuns<Half, ByNumber> linked_;
  std::uint32_t size_ = 0;
  bool tagged_ = false;  ///< some half has a tag of the format
  std::uint64_t overtaking_ = 0;
};

/// The event of a half inside a call: a message that MPI_Isend starts or MPI_Wait* completes belongs to a request.
/// Which request, such formats do not say: each gets a number of its own from `requests`. Time and defaults are the
/// caller's.
Event message_event(const LinkedMessages::Half& half, CallClass inside, std::uint64_t& requests);

}  // namespace mora::trace
