/// Which send belongs to which receive.
///
/// A channel is (communicator instance, source, destination, tag, stretch of recording). On it the k-th send belongs to
/// the k-th *posted* receive that ended with its envelope, because messages of one channel do not overtake each other
/// (MPI-3.1, 3.5). That is all: nothing is decided by time, so clocks that disagree cannot change a pair.
///
///   posting      a blocking receive is posted where it stands, a non-blocking one where its request became active
///                (MPI_Irecv, MPI_Start, a matched probe), whatever the order of completion (posting_order.h); one
///                whose posting was not recorded, where it is complete
///   wildcards    need no rule: source and tag come from the status of the completed receive; nor do probes, which take
///                no message, or messages to oneself and through inter-communicators, since ends are world ranks
///   cancelled    a cancelled send or receive takes no number
///   unknown      an end whose partner is not known (peer no_id) belongs to nothing
///   gaps         `stretch`: how often recording had been off on the end's location. Behind a gap (stretch > 0) a
///   channel
///                is paired only if both sides have the same number of messages and of bytes in the stretch, and
///                nothing of it was cancelled: else it is not known which of them is missing. Before the first gap a
///                common prefix is enough
///   sizes        never choose a partner: a receive of other size than its send is the program's error, or the format's
///   threads      of one rank that take part on one side have no order of their own: thread_order.h
///   clocks       a pair is one also if its send is later; a view leaves it unlinked and counts it (index_linker.h),
///                because its pointers lead to earlier events only
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "trace/definitions.h"

namespace mora::trace {

/// A channel as the rank at one of its ends sees it: of sends `peer` is the destination, of receives the source.
struct Channel {
  std::uint32_t peer = no_id;  ///< world rank
  CommId comm = no_id;
  std::int32_t tag = 0;
  std::uint32_t stretch = 0;
  bool operator==(const Channel&) const = default;
  auto operator<=>(const Channel&) const = default;
};

struct ChannelHash {  ///< the same in every run: no result depends on it
  std::size_t operator()(const Channel& k) const {
    const std::uint64_t a = (std::uint64_t{k.peer} << 32 | k.comm) * 0x9E3779B97F4A7C15ULL;
    const std::uint64_t b =
        (std::uint64_t{static_cast<std::uint32_t>(k.tag)} << 32 | k.stretch) * 0xC2B2AE3D27D4EB4FULL;
    return (a ^ (a >> 29)) + (b ^ (b >> 31));
  }
};

/// One side of a channel in a stretch. Bytes and cancellations are needed behind a gap only.
struct ChannelSide {
  std::uint64_t messages = 0;  ///< without those that were cancelled
  std::uint64_t bytes = 0;
  bool has_cancelled = false;
};

/// True: the channel lies behind a gap, and its two sides do not agree on what is in the stretch.
inline bool is_torn(std::uint32_t stretch, const ChannelSide& sent, const ChannelSide& received) {
  return stretch != 0 && (sent.messages != received.messages || sent.bytes != received.bytes || sent.has_cancelled);
}

/// How many messages have both ends: the first ones of each side.
inline std::uint64_t paired_messages(std::uint32_t stretch, const ChannelSide& sent, const ChannelSide& received) {
  return is_torn(stretch, sent, received) ? 0 : std::min(sent.messages, received.messages);
}

}  // namespace mora::trace
