/// Distinct values and the order of calls of a rank while it is recorded: every call, vector and completion list is
/// kept once in a hash table, and its number goes to the folded sequence.
#include "predict/pattern/trace.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace mora::predict {
namespace {

void mix(std::size_t& hash, std::uint64_t value) { hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2); }

struct HashCall {
  std::size_t operator()(const Call& c) const {
    std::size_t h = static_cast<std::size_t>(c.operation);
    mix(h, static_cast<std::uint64_t>(c.in_place) | static_cast<std::uint64_t>(c.posted_any_source) << 1 |
               static_cast<std::uint64_t>(c.posted_any_tag) << 2 | static_cast<std::uint64_t>(c.thread) << 3);
    mix(h, std::uint64_t{c.communicator} << 32 | static_cast<std::uint32_t>(c.peer));
    mix(h, std::uint64_t{static_cast<std::uint32_t>(c.tag)} << 32 | static_cast<std::uint32_t>(c.peer2));
    mix(h, std::uint64_t{static_cast<std::uint32_t>(c.tag2)} << 32 | c.sent.type);
    mix(h, static_cast<std::uint64_t>(c.sent.count));
    mix(h, static_cast<std::uint64_t>(c.received.count));
    mix(h, std::uint64_t{c.received.type} << 32 | c.sent_vector);
    mix(h, c.bytes_received);
    mix(h, std::uint64_t{c.received_vector} << 32 | c.completions);
    mix(h, c.argument);
    return h;
  }
};

struct HashWords {
  std::size_t operator()(const std::vector<std::uint64_t>& words) const {
    std::size_t h = words.size();
    for (const auto w : words) mix(h, w);
    return h;
  }
};

struct HashCompletions {
  std::size_t operator()(const std::vector<Completion>& list) const {
    std::size_t h = list.size();
    for (const auto& c : list) {
      mix(h, std::uint64_t{c.age} << 32 | static_cast<std::uint32_t>(c.source));
      mix(h, std::uint64_t{static_cast<std::uint32_t>(c.tag)} << 1 | (c.cancelled ? 1 : 0));
      mix(h, c.bytes);
    }
    return h;
  }
};

/// Values once each, numbered in the order in which they came.
template <class T, class Hash>
class Interner {
 public:
  std::uint32_t operator()(T value) {
    const auto [at, added] = numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(numbers_.size()));
    return at->second;
  }
  std::vector<T> take() {
    std::vector<T> values(numbers_.size());
    while (!numbers_.empty()) {
      auto node = numbers_.extract(numbers_.begin());
      values[node.mapped()] = std::move(node.key());
    }
    return values;
  }

 private:
  std::unordered_map<T, std::uint32_t, Hash> numbers_;
};

}  // namespace

std::uint32_t world_rank(const Communicator& communicator, std::uint32_t rank, std::int32_t peer) {
  if (peer < 0) return no_id;
  if (communicator.members.empty()) return peer == 0 ? rank : no_id;  // MPI_COMM_SELF
  const auto& side = communicator.remote.empty() ? communicator.members : communicator.remote;
  if (communicator.remote.empty()) {
    return static_cast<std::size_t>(peer) < side.size() ? side[static_cast<std::size_t>(peer)] : no_id;
  }
  // Peers on an inter-communicator are ranks of the group on the other side.
  const bool local =
      std::find(communicator.members.begin(), communicator.members.end(), rank) != communicator.members.end();
  const auto& other = local ? communicator.remote : communicator.members;
  return static_cast<std::size_t>(peer) < other.size() ? other[static_cast<std::size_t>(peer)] : no_id;
}

std::int32_t local_rank(const Communicator& communicator, std::uint32_t world_rank) {
  const auto& members = communicator.members;
  if (members.empty()) return 0;
  if (world_rank < members.size() && members[world_rank] == world_rank) return static_cast<std::int32_t>(world_rank);
  const auto at = std::find(members.begin(), members.end(), world_rank);
  return at == members.end() ? -1 : static_cast<std::int32_t>(at - members.begin());
}

std::uint32_t size_of(const Communicator& communicator) {
  return communicator.members.empty() ? 1 : static_cast<std::uint32_t>(communicator.members.size());
}

std::uint64_t bytes_of(const Payload& payload, const Definitions& definitions) {
  if (payload.count <= 0 || payload.type >= definitions.datatypes.size()) return 0;
  return static_cast<std::uint64_t>(payload.count) * definitions.datatypes[payload.type].size;
}

struct RankTraceBuilder::State {
  RankTrace trace;
  Interner<Call, HashCall> calls;
  Interner<std::vector<std::uint64_t>, HashWords> vectors;
  Interner<std::vector<Completion>, HashCompletions> completions;
  SequenceBuilder order;
};

RankTraceBuilder::RankTraceBuilder(std::uint32_t rank) : state_(std::make_unique<State>()) {
  state_->trace.rank = rank;
}
RankTraceBuilder::~RankTraceBuilder() = default;
RankTraceBuilder::RankTraceBuilder(RankTraceBuilder&&) noexcept = default;
RankTraceBuilder& RankTraceBuilder::operator=(RankTraceBuilder&&) noexcept = default;

std::uint32_t RankTraceBuilder::vector(std::vector<std::uint64_t> bytes) { return state_->vectors(std::move(bytes)); }
std::uint32_t RankTraceBuilder::completions(std::vector<Completion> list) {
  return state_->completions(std::move(list));
}
void RankTraceBuilder::add(const Call& call) { state_->order.push(state_->calls(call)); }
std::uint64_t RankTraceBuilder::size() const { return state_->order.size(); }

RankTrace RankTraceBuilder::finish() {
  auto& t = state_->trace;
  t.calls = state_->calls.take();
  t.vectors = state_->vectors.take();
  t.completions = state_->completions.take();
  t.order = state_->order.finish();
  return std::move(t);
}

}  // namespace mora::predict
