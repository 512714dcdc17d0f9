/// Phases, and the order of all findings. Phases must nest, and all ranks must enter each phase equally often.
#include "predict/pattern/check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "predict/pattern/check/parts.h"

namespace mora::predict {
namespace {

std::string phase_name(const PatternTrace& trace, std::uint32_t phase) {
  return phase < trace.definitions.phases.size() ? trace.definitions.phases[phase] : fmt::format("{}", phase);
}

/// Entries of each phase by one rank; nesting is checked on the way.
std::vector<std::uint64_t> play_phases(const PatternTrace& trace, const RankTrace& rank,
                                       std::vector<Disagreement>& found) {
  std::vector<std::uint64_t> entered(trace.definitions.phases.size());
  const bool any = std::any_of(rank.calls.begin(), rank.calls.end(),
                               [](const Call& c) { return info(c.operation).kind == OperationClass::phase; });
  if (!any) return entered;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> open;  // phase, call that began it
  std::uint64_t number = 0;
  auto cursor = rank.order.cursor();
  for (std::uint32_t at; cursor.next(at);) {
    ++number;
    const auto& call = rank.calls[at];
    if (call.operation == Operation::phase_begin) {
      open.emplace_back(call.argument, number);
      if (call.argument < entered.size()) ++entered[call.argument];
    } else if (call.operation == Operation::phase_end) {
      const auto begun =
          std::find_if(open.rbegin(), open.rend(), [&](const auto& o) { return o.first == call.argument; });
      if (begun == open.rend()) {
        found.push_back({"pattern-phase-without-begin", rank.rank, no_id, number,
                         fmt::format("phase {} ends without having begun", phase_name(trace, call.argument))});
      } else {
        if (begun != open.rbegin())
          found.push_back({"pattern-phase-crossing", rank.rank, no_id, number,
                           fmt::format("phase {} ends inside phase {}, which began in it",
                                       phase_name(trace, call.argument), phase_name(trace, open.back().first))});
        open.erase(std::next(begun).base());
      }
    }
  }
  if (rank.complete)
    for (const auto& [phase, call] : open)
      found.push_back({"pattern-phase-without-end", rank.rank, no_id, call,
                       fmt::format("phase {} begins and does not end", phase_name(trace, phase))});
  return entered;
}

}  // namespace

std::string communicator_name(const PatternTrace& trace, std::uint32_t communicator) {
  const auto& all = trace.definitions.communicators;
  if (communicator < all.size() && !all[communicator].name.empty()) return all[communicator].name;
  return communicator == no_id ? "no communicator" : fmt::format("communicator {}", communicator);
}

bool knows_arrivals(const PatternTrace& trace) {
  return trace.definitions.origin == Origin::record || trace.definitions.origin == Origin::otf2;
}

void check_phases(const PatternTrace& trace, std::vector<Disagreement>& found) {
  std::vector<std::vector<std::uint64_t>> entered;
  for (const auto& rank : trace.ranks) entered.push_back(play_phases(trace, rank, found));
  for (std::uint32_t phase = 0; phase < trace.definitions.phases.size(); ++phase) {
    // The others are compared with what most ranks did; of equally many, with what the lowest rank did.
    std::map<std::uint64_t, std::size_t> ranks_with;
    for (std::size_t r = 0; r < trace.ranks.size(); ++r)
      if (trace.ranks[r].complete) ++ranks_with[entered[r][phase]];
    std::size_t usual = trace.ranks.size();
    for (std::size_t r = 0; r < trace.ranks.size(); ++r)
      if (trace.ranks[r].complete &&
          (usual == trace.ranks.size() || ranks_with[entered[r][phase]] > ranks_with[entered[usual][phase]]))
        usual = r;
    for (std::size_t r = 0; r < trace.ranks.size(); ++r)
      if (trace.ranks[r].complete && entered[r][phase] != entered[usual][phase])
        found.push_back({"pattern-phase-count", trace.ranks[r].rank, trace.ranks[usual].rank, 0,
                         fmt::format("phase {} is entered {} times, by rank {} {} times", phase_name(trace, phase),
                                     entered[r][phase], trace.ranks[usual].rank, entered[usual][phase])});
  }
}

std::vector<Disagreement> check_pattern(const PatternTrace& trace) {
  std::vector<Disagreement> found;
  for (const auto& rank : trace.ranks)
    if (!rank.complete)
      found.push_back({"pattern-rank-incomplete", rank.rank, no_id, rank.order.size(),
                       "the trace ends before MPI_Finalize: calls that may be missing after its end are not checked"});
  check_requests(trace, found);
  check_phases(trace, found);
  check_messages(trace, found);
  check_collectives(trace, found);
  std::stable_sort(found.begin(), found.end(), [](const Disagreement& a, const Disagreement& b) {
    return std::tie(a.rank, a.call, a.kind) < std::tie(b.rank, b.call, b.kind);
  });
  return found;
}

}  // namespace mora::predict
