/// Requests: started once, completed at most once. Completions name a request by its age, so one pass over a rank's
/// calls with the list of its started requests suffices. Memory: the requests of one rank.
#include <fmt/format.h>

#include <algorithm>

#include "predict/pattern/check/parts.h"

namespace mora::predict {
namespace {

bool touches_requests(const Call& call) {
  return starts_request(call.operation) || call.completions != no_id || call.operation == Operation::request_free;
}

}  // namespace

StartedRequests play_requests(const PatternTrace& trace, const RankTrace& rank, std::vector<Disagreement>* found) {
  StartedRequests requests;
  if (std::none_of(rank.calls.begin(), rank.calls.end(), touches_requests)) return requests;
  std::uint64_t number = 0;
  const auto report = [&](const char* kind, std::string text) {
    if (found) found->push_back({kind, rank.rank, no_id, number, std::move(text)});
  };
  auto cursor = rank.order.cursor();
  for (std::uint32_t at; cursor.next(at);) {
    ++number;
    const auto& call = rank.calls[at];
    if (call.completions != no_id) {
      for (const auto& c : rank.completions[call.completions]) {
        if (c.age == no_id) {
          requests.all_known = false;
          continue;
        }
        if (c.age >= requests.all.size()) {
          report("pattern-request-unknown",
                 fmt::format("{} completes a request that was never started", describe(call, trace, rank)));
          continue;
        }
        auto& request = requests.all[requests.all.size() - 1 - c.age];
        if (request.completed)
          report("pattern-request-twice",
                 fmt::format("{} completes the request of call {} again", describe(call, trace, rank), request.call));
        request.source = c.source;
        request.tag = c.tag;
        request.bytes = c.bytes;
        request.completed = true;
        request.cancelled = c.cancelled;
      }
    }
    if (call.operation == Operation::request_free && call.argument != no_id && call.argument < requests.all.size())
      requests.all[requests.all.size() - 1 - call.argument].freed = true;
    if (starts_request(call.operation)) {
      requests.all.push_back({});
      requests.all.back().call = number;
    }
  }
  return requests;
}

void check_requests(const PatternTrace& trace, std::vector<Disagreement>& found) {
  // Text traces write a receive where it completed: they have no requests.
  if (trace.definitions.origin == Origin::text) return;
  for (const auto& rank : trace.ranks) {
    const auto requests = play_requests(trace, rank, &found);
    if (!rank.complete || !requests.all_known) continue;
    std::vector<std::uint64_t> open;
    for (const auto& r : requests.all)
      if (!r.completed && !r.freed) open.push_back(r.call);
    if (open.empty()) continue;
    std::uint64_t number = 0;
    std::size_t next = 0;
    auto cursor = rank.order.cursor();
    for (std::uint32_t at; next < open.size() && cursor.next(at);) {
      if (++number != open[next]) continue;
      ++next;
      found.push_back({"pattern-request-open", rank.rank, no_id, number,
                       fmt::format("the request of {} is never completed", describe(rank.calls[at], trace, rank))});
    }
  }
}

}  // namespace mora::predict
