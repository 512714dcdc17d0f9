#include "predict/pattern/check/needed_data.h"

#include <algorithm>
#include <vector>

#include "predict/pattern/check/check.h"

namespace mora::predict {
namespace {

/// The call gives this rank data that another one has. A non-blocking call counts where it is completed, if the trace
/// says what arrived, else where it begins.
bool takes_data(const Call& call, const PatternTrace& trace, const RankTrace& rank) {
  const auto from_another = [&](std::int32_t source) {
    if (source == peer_none || source == root_here) return false;
    if (source == peer_any || call.communicator >= trace.definitions.communicators.size()) return true;
    return world_rank(trace.definitions.communicators[call.communicator], rank.rank, source) != rank.rank;
  };
  const bool alone = call.communicator < trace.definitions.communicators.size() &&
                     size_of(trace.definitions.communicators[call.communicator]) < 2;
  const bool has_room = bytes_of(call.received, trace.definitions) > 0,
             has_data = has_room || bytes_of(call.sent, trace.definitions) > 0;
  if (call.completions < rank.completions.size()) {
    const auto& list = rank.completions[call.completions];
    return std::any_of(list.begin(), list.end(),
                       [](const Completion& c) { return c.source != peer_none && c.bytes > 0; });
  }
  switch (info(call.operation).kind) {
    case OperationClass::receive:
      return !starts_request(call.operation) && from_another(call.peer) && call.bytes_received > 0;
    case OperationClass::sendrecv:
      return from_another(call.peer2) && call.bytes_received > 0;
    case OperationClass::rooted: {
      const auto operation = blocking_form(call.operation);
      const bool to_root =
          operation == Operation::reduce || operation == Operation::gather || operation == Operation::gatherv;
      return !alone && has_data && to_root != from_another(call.peer);
    }
    case OperationClass::rootless:
    case OperationClass::neighborhood:
      return !alone && has_data;
    case OperationClass::one_sided:
      return has_room && from_another(call.peer);
    default:
      return false;
  }
}

}  // namespace

std::optional<NeededData> needed_data(const PatternTrace& trace, std::uint32_t rank, std::uint64_t before) {
  const auto found = std::lower_bound(trace.ranks.begin(), trace.ranks.end(), rank,
                                      [](const RankTrace& r, std::uint32_t number) { return r.rank < number; });
  if (found == trace.ranks.end() || found->rank != rank) return std::nullopt;
  std::vector<bool> takes;
  for (const Call& call : found->calls) takes.push_back(takes_data(call, trace, *found));
  std::uint64_t number = 0, last = 0;
  std::uint32_t last_index = 0;
  auto cursor = found->order.cursor();
  for (std::uint32_t index = 0;
       (before == 0 || number + 1 < before) && number < most_calls_looked_at && cursor.next(index);) {
    ++number;
    if (takes[index]) last = number, last_index = index;
  }
  if (last == 0) return std::nullopt;
  return NeededData{rank, last, describe(found->calls[last_index], trace, *found)};
}

}  // namespace mora::predict
