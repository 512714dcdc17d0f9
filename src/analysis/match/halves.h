/// The halves: what the match stage keeps of a rank. A message, a collective, a window collective has one half per
/// participant; scoring is what happens when halves come together. Everything else in a trace is added up while it is
/// read.
///
/// Records are small (16 to 32 bytes) and trivially copyable, since there is one per message or collective; texts and
/// call paths are indices. Filled by the matcher of the rank's locations, one thread at a time; then read by one
/// thread.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analysis/core/call_tree.h"
#include "analysis/storage/chunked.h"
#include "base/time.h"
#include "cube/cube.h"
#include "trace/event.h"
#include "trace/links/channel.h"
#include "trace/links/sequence.h"
#include "trace/measured_time.h"

namespace mora::analysis {

using trace::no_id;

/// An MPI call that holds an end of a message. 24 bytes.
struct Call {
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  std::uint32_t node = 0;        ///< node of the local call tree
  std::uint16_t thread = 0;      ///< index of the location within its rank
  std::uint8_t completions = 0;  ///< sends and receives that it completed; saturates
  std::uint8_t flags = 0;        ///< CallFlag
};
enum CallFlag : std::uint8_t {
  call_is_test = 1,    ///< any MPI_Test*: never waits
  call_is_broken = 2,  ///< recording was off during part of it: no waiting is claimed
  call_is_none = 4,  ///< the region around a record that lies in no call of its kind: nothing is claimed of the message
  call_has_prior = 8,  ///< waited in other calls before: RankHalves::priors
  call_is_prior = 16,  ///< is such a call
  call_is_mixed = 32,  ///< completed other things than messages, too: its waiting is divided
};

/// The wait for what a call posts or completes passed before it: in a probe, or in a loop of polls, a stretch of which
/// is kept as one call (poll_loop.h). Indices of RankHalves::calls; of MPI_Mprobe both are the same. 8 bytes.
struct PriorCall {
  std::uint32_t of = no_id;
  std::uint32_t call = no_id;
};

enum HalfFlag : std::uint32_t {
  half_has_bytes = 1,
  half_cancelled = 2,
  half_post_unknown = 4,  ///< receive completed without a record of its posting
  half_is_outside = 8,    ///< started, sent or posted in no call (call_is_none)
};

/// In order of the send calls. 16 bytes.
struct SendHalf {
  std::uint32_t channel = no_id;
  std::uint32_t start = no_id;     ///< call that holds the send
  std::uint32_t complete = no_id;  ///< call that completed it; no_id = never seen
  std::uint32_t flags = 0;
};

/// In order of *posting*. 16 bytes.
struct ReceiveHalf {
  std::uint32_t channel = no_id;  ///< known when it ended
  std::uint32_t post = no_id;
  std::uint32_t complete = no_id;
  std::uint32_t flags = 0;
};

/// The channels on which a rank sends, or those on which it receives, numbered as they are met.
struct Channels {
  std::vector<trace::Channel> keys;
  std::vector<trace::ChannelSide> sides;  ///< bytes and cancellations behind a gap; messages are the halves
  std::unordered_map<trace::Channel, std::uint32_t, trace::ChannelHash> ids;

  std::uint32_t number(const trace::Channel& key) {
    const auto [place, is_new] = ids.try_emplace(key, static_cast<std::uint32_t>(keys.size()));
    if (is_new) {
      keys.push_back(key);
      sides.emplace_back();
    }
    return place->second;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys.size()); }
};

using trace::SequenceKey;
using trace::SequenceKind;

enum CollectiveFlag : std::uint8_t {
  collective_sends = 1,
  collective_receives = 2,
  collective_is_broken = 4,
};

/// One member's part of a collective instance. 32 bytes; crosses partitions with `node` a global call path.
struct CollectiveHalf {
  Nanoseconds begin = 0;  ///< B
  Nanoseconds end = 0;    ///< X
  std::uint32_t node = 0;
  std::uint32_t root =
      no_id;  ///< world rank; if has_partners(operation): Event::vector, on the way PartnerTable's place
  std::uint32_t sequence = no_id;  ///< index of RankHalves::sequences
  std::uint8_t operation = 0;      ///< trace::Collective; of windows trace::RmaOperation; trace::no_operation
  std::uint8_t flags = 0;          ///< CollectiveFlag
  std::uint16_t thread = 0;
};
static_assert(sizeof(Call) == 24 && sizeof(SendHalf) == 16 && sizeof(ReceiveHalf) == 16 &&
              sizeof(CollectiveHalf) == 32);

/// Halves of all locations of one rank.
struct RankHalves {
  std::uint32_t rank = 0;
  std::vector<cube::LocationId> locations;  ///< by thread index
  std::vector<LocalCallTree> trees;         ///< by thread index
  Chunked<Call> calls;
  Chunked<PriorCall> priors;  ///< ascending by `of`
  Chunked<SendHalf> sends;
  Chunked<ReceiveHalf> receives;
  Chunked<CollectiveHalf> collectives;
  std::vector<Call> unfinished;  ///< the call that a location was in when its process ended
  Channels send_channels, receive_channels;
  std::vector<SequenceKey> sequences;
  std::map<SequenceKey, std::uint32_t> sequence_ids;
  std::uint64_t events = 0;
  trace::MeasuredTime measured;
  Nanoseconds last = INT64_MIN;  ///< time of the last event

  /// Frees what is not needed once messages are scored.
  void clear_messages() {
    calls.clear();
    priors.clear();
    sends.clear();
    receives.clear();
    send_channels = {};
    receive_channels = {};
  }
};

}  // namespace mora::analysis
