/// Messages sent against messages received.
///
/// MPI keeps the order of messages of one channel (communicator, source, destination, tag), and receives that match it
/// take them in the order in which they were posted. So the k-th send of a channel belongs to its k-th receive,
/// whatever wildcards were used, if the wildcard receives are counted in the channel of the message that they got. Both
/// sides of a channel are summed up as count and as polynomial hash of the sizes (position by power, so that a size
/// that becomes known later, at the Wait, is added at the place of its posting): memory follows the number of channels,
/// not of messages. Only channels that differ are compared message by message, in a second reading. Cost: linear in the
/// calls. Limit: different sizes with equal hashes (64 bits) are not found.
///
/// A dry run does not know which message a wildcard receive gets, nor how much arrives: its wildcard receives are kept
/// in a pool that may take what is sent and not asked for; sizes are compared with the capacity of receives whose
/// message is certain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "predict/pattern/check/parts.h"
#include "predict/pattern/rolling_hash.h"

namespace mora::predict {
namespace {

constexpr std::uint64_t base = 0x1a2b3c4d5e6f7081 % hash_modulus;

struct Key {
  std::uint32_t communicator, source, destination;  // world ranks
  std::int32_t tag;
  bool operator==(const Key&) const = default;
};
struct HashKey {
  std::size_t operator()(const Key& k) const {
    return hash_product((std::uint64_t{k.source} << 32 | k.destination) % hash_modulus, base) ^
           hash_product((std::uint64_t{k.communicator} << 32 | static_cast<std::uint32_t>(k.tag)) % hash_modulus,
                        base + 2);
  }
};

struct Side {
  std::uint64_t count = 0, hash = 0, power = 1, bytes = 0, least = unknown_bytes, most = 0;
  bool unknown = false;  // a size is not known
  void add(std::uint64_t size) {
    ++count;
    if (size == unknown_bytes) {
      unknown = true;
    } else {
      hash += hash_product(power, (size + 1) % hash_modulus);
      if (hash >= hash_modulus) hash -= hash_modulus;
      bytes += size;
      least = std::min(least, size);
      most = std::max(most, size);
    }
    power = hash_product(power, base);
  }
};

struct Channel {
  Key key;
  Side sent, received;
};

/// A receive that may take any of several messages. no_id and tag_any: any.
struct Wildcard {
  std::uint32_t communicator, destination, source;
  std::int32_t tag;
  auto operator<=>(const Wildcard&) const = default;
};

class Messages {
 public:
  explicit Messages(const PatternTrace& trace) : trace_(trace), arrivals_known_(knows_arrivals(trace)) {
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      const auto rank = trace.ranks[r].rank;
      if (rank >= present_.size()) present_.resize(rank + 1, no_id);
      present_[rank] = static_cast<std::uint32_t>(r);
    }
  }

  void check(std::vector<Disagreement>& found) {
    for (const auto& rank : trace_.ranks)
      walk(
          rank,
          [&](std::uint32_t channel, bool send, std::uint64_t bytes, std::uint64_t) {
            (send ? channels_[channel].sent : channels_[channel].received).add(bytes);
          },
          true);
    check_counts(found);
    check_sizes(found);
  }

 private:
  struct Leg {
    bool exists = false, send = false, open = false;  // open: which message it takes is not certain
    std::uint32_t channel = no_id;                    // no_id: the other rank is not in the trace
    std::uint64_t bytes = 0;
    Wildcard wildcard{};
  };

  bool is_present(std::uint32_t rank) const { return rank < present_.size() && present_[rank] != no_id; }
  const RankTrace& rank_trace(std::uint32_t rank) const { return trace_.ranks[present_[rank]]; }

  std::uint32_t channel_of(const Key& key) {
    const auto [at, added] = numbers_.try_emplace(key, static_cast<std::uint32_t>(channels_.size()));
    if (added) channels_.push_back({key, {}, {}});
    return at->second;
  }

  std::uint32_t world(const Call& call, std::uint32_t rank, std::int32_t peer) const {
    const auto& all = trace_.definitions.communicators;
    return call.communicator < all.size() ? world_rank(all[call.communicator], rank, peer) : no_id;
  }

  Leg send_leg(const Call& call, std::uint32_t rank) {
    Leg leg;
    const auto to = world(call, rank, call.peer);
    if (call.peer < 0 || to == no_id) return leg;
    leg.exists = leg.send = true;
    leg.bytes = bytes_of(call.sent, trace_.definitions);
    if (is_present(to)) leg.channel = channel_of({call.communicator, rank, to, call.tag});
    return leg;
  }

  Leg receive_leg(const Call& call, std::uint32_t rank, std::int32_t peer, std::int32_t tag,
                  bool after_wildcard_probe) {
    Leg leg;
    if (peer == peer_none) return leg;
    const bool any_source = peer == peer_any || (!arrivals_known_ && (call.posted_any_source || after_wildcard_probe));
    const bool any_tag =
        call.posted_any_tag ? tag == tag_any || !arrivals_known_ : !arrivals_known_ && after_wildcard_probe;
    const auto from = any_source ? no_id : world(call, rank, peer);
    if (!any_source && from == no_id) return leg;
    leg.exists = true;
    leg.open = any_source || any_tag;
    leg.bytes = arrivals_known_ ? call.bytes_received : bytes_of(call.received, trace_.definitions);
    if (leg.open)
      leg.wildcard = {call.communicator, rank, from, any_tag ? tag_any : tag};
    else if (is_present(from))
      leg.channel = channel_of({call.communicator, from, rank, tag});
    return leg;
  }

  /// Calls visit(channel, is send, bytes, number of the call) for every message between present ranks.
  template <class Visit>
  void walk(const RankTrace& rank, Visit visit, bool count_wildcards = false) {
    const bool wildcard_probes = std::any_of(rank.calls.begin(), rank.calls.end(), [](const Call& c) {
      return (c.operation == Operation::mprobe || c.operation == Operation::improbe) &&
             (c.posted_any_source || c.posted_any_tag);
    });
    std::vector<std::array<Leg, 2>> legs(rank.calls.size());
    for (std::size_t i = 0; i < rank.calls.size(); ++i) {
      const auto& call = rank.calls[i];
      const bool matched = call.operation == Operation::mrecv || call.operation == Operation::imrecv;
      switch (info(call.operation).kind) {
        case OperationClass::send:
          legs[i][0] = send_leg(call, rank.rank);
          break;
        case OperationClass::receive:
          legs[i][0] = receive_leg(call, rank.rank, call.peer, call.tag, matched && wildcard_probes);
          break;
        case OperationClass::sendrecv:
          legs[i][0] = send_leg(call, rank.rank);
          legs[i][1] = receive_leg(call, rank.rank, call.peer2, call.tag2, false);
          break;
        default:
          break;
      }
    }
    const auto requests = play_requests(trace_, rank, nullptr);
    std::size_t started = 0;
    std::uint64_t number = 0;
    auto cursor = rank.order.cursor();
    for (std::uint32_t at; cursor.next(at);) {
      ++number;
      const auto& call = rank.calls[at];
      const auto* request = starts_request(call.operation) ? &requests.all[started++] : nullptr;
      if (request && request->cancelled) continue;
      for (const auto& leg : legs[at]) {
        if (!leg.exists) continue;
        auto channel = leg.channel;
        auto bytes = leg.bytes;
        const bool arrived = arrivals_known_ && request && request->completed && request->source >= 0;
        if (!leg.send && arrivals_known_ && request) bytes = arrived ? request->bytes : unknown_bytes;
        if (leg.open) {
          const auto from = arrived ? world(call, rank.rank, request->source) : no_id;
          if (arrived && from != no_id) {
            channel = is_present(from) ? channel_of({call.communicator, from, rank.rank, request->tag}) : no_id;
          } else {
            if (count_wildcards) ++wildcards_[leg.wildcard];
            continue;
          }
        }
        if (channel != no_id) visit(channel, leg.send, bytes, number);
      }
    }
  }

  std::uint64_t wildcards_for(const Key& key) const {
    std::uint64_t sum = 0;
    if (wildcards_.empty()) return 0;
    for (const auto source : {key.source, no_id})
      for (const auto tag : {key.tag, tag_any}) {
        const auto at = wildcards_.find({key.communicator, key.destination, source, tag});
        if (at != wildcards_.end() && (source == no_id || tag == tag_any)) sum += at->second;
      }
    return sum;
  }

  /// Fills in the calls of the disagreements that were put down with later(): one reading of each rank concerned.
  void find_calls(std::vector<Disagreement>& found) {
    std::map<std::uint32_t, std::unordered_map<std::uint64_t, std::pair<std::uint64_t, std::size_t>>> by_rank;
    for (const auto& p : places_) {
      const auto& key = channels_[p.channel].key;
      by_rank[p.send ? key.source : key.destination][std::uint64_t{p.channel} * 2 + p.send] = {p.message, p.index};
    }
    for (auto& concerned : by_rank) {
      auto& wanted = concerned.second;
      walk(rank_trace(concerned.first), [&](std::uint32_t channel, bool send, std::uint64_t, std::uint64_t number) {
        const auto at = wanted.find(std::uint64_t{channel} * 2 + send);
        if (at != wanted.end() && at->second.first-- == 0) found[at->second.second].call = number;
      });
    }
  }

  /// The disagreement that is put down next is about message `n` (from 0) of a side of a channel.
  void later(const std::vector<Disagreement>& found, std::uint32_t channel, bool send, std::uint64_t n) {
    places_.push_back({channel, send, n, found.size()});
  }

  std::string channel_text(const Key& key) const {
    return fmt::format("from rank {} to rank {}{} on {}", key.source, key.destination,
                       key.tag == tag_any ? "" : fmt::format(" with tag {}", key.tag),
                       communicator_name(trace_, key.communicator));
  }

  void check_counts(std::vector<Disagreement>& found) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> surplus;  // (communicator, destination)
    for (std::uint32_t c = 0; c < channels_.size(); ++c) {
      const auto key = channels_[c].key;
      const auto sent = channels_[c].sent.count, received = channels_[c].received.count;
      if (sent < received && rank_trace(key.source).complete) {
        later(found, c, false, sent);
        found.push_back({"pattern-unmatched-receive", key.destination, key.source, 0,
                         fmt::format("{} messages {} are received, {} are sent", received, channel_text(key), sent)});
      }
      if (sent <= received || !rank_trace(key.destination).complete) continue;
      const auto wild = wildcards_for(key);
      surplus[{key.communicator, key.destination}] += std::min(sent - received, wild);
      if (sent - received <= wild) continue;
      later(found, c, true, received);
      found.push_back({"pattern-unmatched-send", key.source, key.destination, 0,
                       fmt::format("{} messages {} are sent, {} are received{}", sent, channel_text(key), received,
                                   wild ? fmt::format(" and {} receives with wildcards may take others", wild) : "")});
    }
    check_wildcards(surplus, found);
    find_calls(found);
  }

  /// All messages to a rank that no receive asked for by name, against all its receives with wildcards.
  void check_wildcards(std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>& surplus,
                       std::vector<Disagreement>& found) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> pool;
    for (const auto& [w, count] : wildcards_) pool[{w.communicator, w.destination}] += count;
    for (const auto& [where, count] : pool) {
      const auto [communicator, destination] = where;
      const auto sent = surplus[where];
      if (sent > count)
        found.push_back({"pattern-unmatched-send", destination, no_id, 0,
                         fmt::format("{} messages on {} are for receives with wildcards, of which there are {}", sent,
                                     communicator_name(trace_, communicator), count)});
      // A receive that was never completed is named by check_requests.
      if (sent < count && !arrivals_known_ && everybody_sends(communicator, destination))
        found.push_back({"pattern-unmatched-receive", destination, no_id, 0,
                         fmt::format("{} receives with wildcards on {}, but only {} messages are sent to them", count,
                                     communicator_name(trace_, communicator), sent)});
    }
  }

  bool everybody_sends(std::uint32_t communicator, std::uint32_t destination) const {
    const auto& all = trace_.definitions.communicators;
    if (communicator >= all.size()) return false;
    const auto& c = all[communicator];
    const bool inside = local_rank(c, destination) >= 0;
    const auto& senders = !c.remote.empty() && inside ? c.remote : c.members;
    return std::all_of(senders.begin(), senders.end(),
                       [&](std::uint32_t r) { return is_present(r) && rank_trace(r).complete; });
  }

  bool sizes_may_differ(const Channel& c) const {
    if (c.sent.count == 0 || c.received.count == 0 || trace_.definitions.origin == Origin::text) return false;
    if (c.sent.count == c.received.count && c.sent.hash == c.received.hash && !c.received.unknown) return false;
    if (arrivals_known_) return true;
    return c.sent.most > c.received.least && wildcards_for(c.key) == 0;
  }

  /// Message by message, as many channels at a time as fit in memory.
  void check_sizes(std::vector<Disagreement>& found) {
    constexpr std::uint64_t batch = std::uint64_t{1} << 23;
    std::vector<std::uint32_t> differing;
    for (std::uint32_t c = 0; c < channels_.size(); ++c)
      if (sizes_may_differ(channels_[c])) differing.push_back(c);
    for (std::size_t first = 0; first < differing.size();) {
      std::uint64_t messages = 0;
      auto last = first;
      while (last < differing.size() && (last == first || messages < batch)) {
        const auto& c = channels_[differing[last++]];
        messages += c.sent.count + c.received.count;
      }
      compare_sizes({differing.begin() + static_cast<std::ptrdiff_t>(first),
                     differing.begin() + static_cast<std::ptrdiff_t>(last)},
                    found);
      first = last;
    }
  }

  void compare_sizes(const std::vector<std::uint32_t>& differing, std::vector<Disagreement>& found) {
    struct Message {
      std::uint64_t bytes, call;
    };
    struct Pair {
      std::vector<Message> sent, received;
    };
    std::unordered_map<std::uint32_t, Pair> pairs;
    std::vector<bool> involved(trace_.ranks.size());
    for (const auto c : differing) {
      pairs[c];
      involved[present_[channels_[c].key.source]] = involved[present_[channels_[c].key.destination]] = true;
    }
    for (std::size_t r = 0; r < involved.size(); ++r)
      if (involved[r])
        walk(trace_.ranks[r], [&](std::uint32_t channel, bool send, std::uint64_t bytes, std::uint64_t number) {
          const auto at = pairs.find(channel);
          if (at != pairs.end()) (send ? at->second.sent : at->second.received).push_back({bytes, number});
        });
    for (const auto c : differing) {
      const auto& key = channels_[c].key;
      const auto& [sent, received] = pairs[c];
      for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i) {
        const bool good = arrivals_known_ ? received[i].bytes == unknown_bytes || sent[i].bytes == received[i].bytes
                                          : sent[i].bytes <= received[i].bytes;
        if (good) continue;
        found.push_back({"pattern-message-size", key.destination, key.source, received[i].call,
                         fmt::format("message {} {} has {} bytes when sent (call {} there), {} when received", i + 1,
                                     channel_text(key), sent[i].bytes, sent[i].call,
                                     arrivals_known_ ? fmt::format("{}", received[i].bytes)
                                                     : fmt::format("room for {}", received[i].bytes))});
        break;
      }
    }
  }

  const PatternTrace& trace_;
  bool arrivals_known_;
  std::vector<std::uint32_t> present_;  // world rank → index in trace_.ranks
  std::vector<Channel> channels_;
  std::unordered_map<Key, std::uint32_t, HashKey> numbers_;
  std::map<Wildcard, std::uint64_t> wildcards_;
  struct Place {
    std::uint32_t channel;
    bool send;
    std::uint64_t message;
    std::size_t index;  // of the disagreement
  };
  std::vector<Place> places_;
};

}  // namespace

void check_messages(const PatternTrace& trace, std::vector<Disagreement>& found) { Messages(trace).check(found); }

}  // namespace mora::predict
