/// Collective calls of traces with times: what one process gives and gets is trace/collective_share.h; doubtful calls
/// are counted. Limit: element counts are not known, all data are bytes.
#include <algorithm>

#include "predict/pattern/events/rank_events.h"
#include "trace/collective_share.h"

namespace mora::predict {
namespace {

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
  const trace::CollectiveShare share =
      trace::collective_share(mpi::function(operation).collective, event, peers, at_root);
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
    case Operation::reduce:
      both(share.bytes);
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
      both(share.bytes);
      call.in_place = share.in_place;
      if (share.is_doubtful) ++doubtful;
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
    case Operation::exscan:
      both(share.bytes);
      call.in_place = share.in_place;
      break;
    default:
      break;
  }
}

}  // namespace mora::predict
