/// Which rules a collective operation has, and the formulas that several rules share (Scalasca 2.6; notation:
/// pattern.h). All O(members).
#include "analysis/patterns/pattern.h"

#include <algorithm>

#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

void add_wait_until(cube::MetricId metric, const Member& member, Nanoseconds until, const Member& cause,
                    WaitSink& sink) {
  const Nanoseconds amount = std::min(until, member.end) - member.begin;
  if (amount <= 0 || member.broken) return;
  sink.add(Wait{metric, member.location, member.call_path, member.begin, amount, cause.location, cause.call_path});
}

namespace {

constexpr auto everyone = [](const Member&) { return true; };

Nanoseconds first_end(std::span<const Member> members) {
  return std::min_element(members.begin(), members.end(), [](auto& a, auto& b) { return a.end < b.end; })->end;
}

}  // namespace

void add_barrier_waits(cube::MetricId metric, std::span<const Member> members, WaitSink& sink) {
  const Member& last = members[latest(members, everyone)];
  for (const Member& m : members) add_wait_until(metric, m, last.begin, last, sink);
}

void add_barrier_completions(cube::MetricId metric, std::span<const Member> members, WaitSink& sink) {
  const Nanoseconds last_begin = members[latest(members, everyone)].begin;
  const Nanoseconds first = first_end(members);
  for (const Member& m : members) {
    const Nanoseconds from = std::max(first, std::min(last_begin, m.end));
    if (m.end > from && !m.broken) sink.add(Wait{metric, m.location, m.call_path, from, m.end - from});
  }
}

void add_full_overlap_waits(cube::MetricId metric, std::span<const Member> members, WaitSink& sink) {
  if (overlaps_fully(members, everyone)) add_barrier_waits(metric, members, sink);
}

void add_partner_waits(cube::MetricId metric, const CollectiveInstance& instance, WaitSink& sink) {
  for (std::size_t p = 0; p < instance.partners.size(); ++p) {
    if (instance.partners[p] == nullptr) continue;
    const Member& m = instance.members[p];
    const Member* last = nullptr;
    for (const std::uint32_t q : *instance.partners[p]) {
      const Member& partner = instance.members[q];
      if (last == nullptr || partner.begin > last->begin) last = &partner;
    }
    if (last == nullptr) continue;
    if (last->begin > m.end) sink.clock_violation(m.location);
    add_wait_until(metric, m, last->begin, *last, sink);
  }
}

void score_collective(trace::Collective operation, const CollectiveInstance& instance, WaitSink& sink) {
  if (instance.members.size() < 2) return;
  if (operation == mpi::Collective::init) {
    wait_at_init(instance, sink);
    initialization_completion(instance, sink);
    return;
  }
  if (operation == mpi::Collective::finalize) return wait_at_finalize(instance, sink);
  efficiency_of_collective(instance, sink);
  using enum mpi::CollectiveShape;
  switch (mpi::shape(operation)) {
    case barrier:
      wait_at_barrier(instance, sink);
      barrier_completion(instance, sink);
      break;
    case one_to_all:
      late_broadcast(instance, sink);
      break;
    case all_to_one:
      early_reduce(instance, sink);
      break;
    case all_to_all:
      if (mpi::has_partners(operation)) return wait_at_true_nxn(instance, sink);
      wait_at_nxn(instance, sink);
      nxn_completion(instance, sink);
      break;
    case prefix:
      early_scan(instance, sink);
      wait_at_scan(instance, sink);
      break;
    case neighborhood:
      wait_at_neighborhood(instance, sink);
      break;
    case none:
      break;
  }
}

void score_window_collective(trace::RmaOperation operation, const CollectiveInstance& instance, WaitSink& sink) {
  using enum trace::RmaOperation;
  if (instance.members.size() < 2) return;
  efficiency_of_collective(instance, sink);
  switch (operation) {
    case win_create:
      wait_at_create(instance, sink);
      break;
    case win_free:
      wait_at_free(instance, sink);
      break;
    case fence:
      wait_at_fence(instance, sink);
      asserted_fence(instance, sink);
      break;
    default:
      break;
  }
}

}  // namespace mora::analysis
