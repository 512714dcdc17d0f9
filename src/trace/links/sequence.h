/// Sequences: lists of ends on several locations of which the k-th belong together, by number alone.
///
/// Every location counts its own ends of a sequence (LocalSequences); JoinedSequences (joined_sequences.h) puts the
/// locations together and says which of them have partners. Keys are equal on all locations.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "trace/links/instances.h"

namespace mora::trace {

/// The comment says what SequenceKey's a, b and c are.
enum class SequenceKind : std::uint32_t {
  message,      ///< a communicator, b source, c destination (world ranks), tag: channel.h
  collective,   ///< a communicator
  nonblocking,  ///< a communicator: non-blocking and persistent collectives, by their starts
  window,       ///< a window: creation, fences, free
  init,         ///< MPI_Init of all who call it
  finalize,     ///< MPI_Finalize
  everyone,     ///< other operations of all processes (OpenSHMEM)
  file,         ///< a communicator that opened the file, b file
  epoch,        ///< a window, b origin, c target: sources are exposure epochs, sinks access epochs, where they open
  team,         ///< a rank: regions that all its threads take part in
  fork,         ///< a rank: sources at its first thread
  join,         ///< a rank: sinks at its first thread
};

/// Operations of all members of a group: communicator, window, everybody.
inline bool is_collective(SequenceKind kind) { return kind >= SequenceKind::collective && kind <= SequenceKind::file; }

struct SequenceKey {
  SequenceKind kind = SequenceKind::collective;
  std::uint32_t a = no_id, b = no_id, c = no_id;
  std::int32_t tag = 0;
  std::uint32_t stretch = 0;  ///< recording_gaps.h
  bool operator==(const SequenceKey&) const = default;
  auto operator<=>(const SequenceKey&) const = default;
};

struct SequenceHash {  ///< the same in every run: no result depends on it
  std::size_t operator()(const SequenceKey& k) const {
    std::uint64_t h = (std::uint64_t{k.a} << 32 | k.b) * 0x9E3779B97F4A7C15U;
    h ^= h >> 31;
    h += (std::uint64_t{k.c} << 32 | static_cast<std::uint32_t>(k.tag)) * 0xC2B2AE3D27D4EB4FU;
    h ^= h >> 29;
    h += (std::uint64_t{k.stretch} << 8 | static_cast<std::uint32_t>(k.kind)) * 0x165667B19E3779F9U;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

/// One location's part in a sequence. Ends are numbered from 0 in the order of its stream (receives: of posting).
struct LocalSequence {
  SequenceKey key;
  std::uint32_t sources = 0;                       ///< sends; calls of a member
  std::uint32_t sinks = 0;                         ///< receives that are complete
  std::uint64_t source_bytes = 0, sink_bytes = 0;  ///< of messages behind a gap

  /// What few sequences have: all-to-all exchanges have millions of sequences.
  struct Lists {
    std::vector<std::uint32_t> cancelled;  ///< sources that take no number, ascending
    std::vector<std::uint32_t> unclosed;   ///< access epochs that lack an end of theirs, ascending
    std::vector<std::uint32_t> unopened;   ///< exposure epochs that lack their beginning, ascending
    std::vector<MemberCall> calls;         ///< of collective operations on communicators and windows, by number
    /// Only of a rank with several threads: enter of the call, by number.
    std::vector<Nanoseconds> source_enters, sink_enters;
  };
  const Lists& lists() const {
    static const Lists empty;
    return lists_ == nullptr ? empty : *lists_;
  }
  Lists& lists() {
    if (lists_ == nullptr) lists_ = std::make_unique<Lists>();
    return *lists_;
  }

 private:
  std::unique_ptr<Lists> lists_;
};

/// All sequences of one location, numbered in the order in which they were first met. O(1) per question. Not
/// thread-safe.
class LocalSequences {
 public:
  std::uint32_t number(const SequenceKey& key) {
    if (last_ != no_id && key == all_[last_].key) return last_;
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.emplace_back().key = key;
    return last_ = at->second;
  }
  LocalSequence& operator[](std::uint32_t number) { return all_[number]; }
  /// All of them; the object is empty afterwards.
  std::vector<LocalSequence> take() {
    numbers_.clear();
    last_ = no_id;
    return std::move(all_);
  }

 private:
  std::vector<LocalSequence> all_;
  std::unordered_map<SequenceKey, std::uint32_t, SequenceHash> numbers_;
  std::uint32_t last_ = no_id;
};

}  // namespace mora::trace
