/// Collective calls of traces with times. Such traces count bytes per process in Score-P's way (own share included,
/// unless the call was in place), and do not say whether a call was in place. The share of one process is found by
/// division: the divisor that gives a whole number, then one that gives multiples of four; doubtful calls count as not
/// in place and are counted (rule `timed-experiments-as-patterns`, docs/rules.md). Limit: element counts are not known,
/// all data are bytes.
#include <algorithm>

#include "predict/pattern/events/rank_events.h"

namespace mora::predict {
namespace {

/// Bytes of one share: `all` is for `peers` shares, or for one less if the call was in place. Sizes of elements decide
/// where both are whole numbers: data come in multiples of four bytes nearly always.
std::uint64_t share(std::uint64_t all, std::uint64_t peers, bool& in_place, std::uint64_t& doubtful) {
  in_place = false;
  if (all == 0 || peers < 2) return all;
  const bool with = all % peers == 0, without = all % (peers - 1) == 0;
  const bool with_words = with && all / peers % 4 == 0, without_words = without && all / (peers - 1) % 4 == 0;
  if (with_words && without_words && peers > 2) ++doubtful;
  in_place = without && (!with || (without_words && !with_words));
  return in_place ? all / (peers - 1) : all / peers;
}

std::int64_t signed_bytes(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

std::uint64_t total(const std::vector<std::uint64_t>& v) {
  std::uint64_t sum = 0;
  for (const auto b : v) sum += b;
  return sum;
}

}  // namespace

void fill_collective(Call& call, const trace::Event& event, std::vector<std::uint64_t> vector,
                     const TraceCommunicators& communicators, std::uint32_t rank, RankTraceBuilder& builder,
                     std::uint64_t& doubtful) {
  call.communicator = communicators.index(event.comm);
  if (call.communicator == no_id) return;
  const auto operation = blocking_form(call.operation);
  const std::uint64_t peers = communicators.peers(call.communicator, rank);
  const auto kind = info(operation).kind;
  const bool at_root = kind == OperationClass::rooted && event.root == rank;
  if (kind == OperationClass::rooted) {
    if (event.root != trace::no_id) call.peer = communicators.peer(call.communicator, rank, event.root);
    if (at_root && call.peer < 0) call.peer = root_here;
  }
  const auto both = [&](std::uint64_t bytes) { call.sent = call.received = {signed_bytes(bytes), 0}; };
  bool in_place = false;
  const auto split_vector = [&] {
    std::vector<std::uint64_t> second(vector.begin() + static_cast<std::ptrdiff_t>(vector.size() / 2), vector.end());
    vector.resize(vector.size() / 2);
    call.sent = {signed_bytes(total(vector)), 0};
    call.received = {signed_bytes(total(second)), 0};
    call.sent_vector = builder.vector(std::move(vector));
    call.received_vector = builder.vector(std::move(second));
  };
  if (kind == OperationClass::neighborhood) {
    // Number of destinations, (rank, bytes) for each; number of sources, (rank, bytes) for each.
    const auto take = [&](std::size_t& at) {
      std::vector<std::uint64_t> edges;
      if (at >= vector.size()) return edges;
      const auto told = vector[at++];
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(told, (vector.size() - at) / 2));
      edges.assign(vector.begin() + static_cast<std::ptrdiff_t>(at),
                   vector.begin() + static_cast<std::ptrdiff_t>(at + 2 * n));
      at += 2 * n;
      return edges;
    };
    std::size_t at = 0;
    auto to = take(at), from = take(at);
    call.sent = {signed_bytes(event.bytes), 0};
    call.received = {signed_bytes(event.received), 0};
    if (!to.empty()) call.sent_vector = builder.vector(std::move(to));
    if (!from.empty()) call.received_vector = builder.vector(std::move(from));
    return;
  }
  switch (operation) {
    case Operation::bcast:
      both(event.received > 0 ? event.received : peers == 0 ? 0 : event.bytes / peers);
      break;
    case Operation::reduce:
      both(event.bytes > 0 ? event.bytes : peers < 2 ? 0 : event.received / (peers - 1));
      break;
    case Operation::gather:
    case Operation::scatter: {
      // The root's own share shows whether it was in place.
      const bool gathers = operation == Operation::gather;
      const auto own = gathers ? event.bytes : event.received, all = gathers ? event.received : event.bytes;
      Payload& one = gathers ? call.sent : call.received;
      Payload& many = gathers ? call.received : call.sent;
      const bool inter = call.peer == root_here;
      call.in_place = at_root && own == 0 && !inter && all > 0;
      if (own > 0 || !at_root) one = {signed_bytes(own), 0};
      if (at_root)
        many = {signed_bytes(own > 0 ? own : all / std::max<std::uint64_t>(1, inter ? peers : peers - 1)), 0};
      break;
    }
    case Operation::gatherv:
      if (event.bytes > 0 || !at_root) call.sent = {signed_bytes(event.bytes), 0};
      if (at_root) call.received = {signed_bytes(event.received), 0};
      if (!vector.empty()) call.received_vector = builder.vector(std::move(vector));
      break;
    case Operation::scatterv:
      if (event.received > 0 || !at_root) call.received = {signed_bytes(event.received), 0};
      if (at_root) call.sent = {signed_bytes(event.bytes), 0};
      if (!vector.empty()) call.sent_vector = builder.vector(std::move(vector));
      break;
    case Operation::allgather:
    case Operation::alltoall:
    case Operation::allreduce:
    case Operation::reduce_scatter_block:
      both(share(event.bytes, peers, in_place, doubtful));
      call.in_place = in_place;
      break;
    case Operation::allgatherv:
    case Operation::reduce_scatter: {
      const auto place = communicators.in_local_group(call.communicator, rank)
                             ? communicators.peer(call.communicator, rank, rank)
                             : -1;
      const auto all = operation == Operation::allgatherv ? event.bytes : event.received;
      auto own = peers == 0 ? 0 : all / peers;
      if (place >= 0 && static_cast<std::size_t>(place) < vector.size()) {
        auto& mine = vector[static_cast<std::size_t>(place)];
        if (mine == 0 && all > 0 && peers > 1) {  // in place: the own share was not counted
          mine = all / (peers - 1);
          call.in_place = true;
        }
        own = mine;
      }
      const auto sum = total(vector);
      if (operation == Operation::allgatherv) {
        call.sent = {signed_bytes(own), 0};
        call.received = {signed_bytes(sum), 0};
        if (!vector.empty()) call.received_vector = builder.vector(std::move(vector));
      } else {
        call.sent = {signed_bytes(sum), 0};
        call.received = {signed_bytes(own), 0};
        if (!vector.empty()) call.sent_vector = builder.vector(std::move(vector));
      }
      break;
    }
    case Operation::alltoallv:
    case Operation::alltoallw:
      call.sent = {signed_bytes(event.bytes), 0};
      call.received = {signed_bytes(event.received), 0};
      if (!vector.empty()) split_vector();
      break;
    case Operation::scan:
    case Operation::exscan: {
      // Sent and received together: one share for each other process, and twice the own one of a scan that is not in
      // place.
      const auto all = event.bytes + event.received;
      const auto shares = peers + 1;
      const bool with = operation == Operation::scan && all % shares == 0;
      call.in_place = operation == Operation::scan && !with;
      both(peers == 0 ? 0 : with ? all / shares : peers > 1 ? all / (peers - 1) : 0);
      break;
    }
    default:
      break;
  }
}

}  // namespace mora::predict
