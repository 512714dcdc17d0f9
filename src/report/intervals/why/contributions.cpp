/// Which call paths make a characteristic: the elementary amounts of elementary_times.h with a sign, and with a weight
/// per location. Idle time and load imbalance weigh the process with the maximum +1 and the process asked about -1.
#include <algorithm>
#include <optional>

#include "analysis/efficiency/elementary_times.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::Elementary;
using analysis::Interval;
using analysis::IntervalTable;
using analysis::ProcessAmounts;

using Signs = std::vector<std::pair<Elementary, int>>;

void append_communication(Signs& signs, const analysis::EfficiencyRules& rules, int sign) {
  signs.emplace_back(
      rules.send_receive == analysis::SendReceiveRule::in_calls ? Elementary::point_to_point : Elementary::lifetime,
      sign);
  for (const Elementary e : {Elementary::collective, Elementary::all_to_all, Elementary::one_sided, Elementary::io}) {
    signs.emplace_back(e, sign);
  }
}

Signs signs_of(Characteristic c, const analysis::EfficiencyRules& rules) {
  const Signs measurement = {{Elementary::overhead, 1}, {Elementary::unrecorded, 1}};
  const Signs cpu = {{Elementary::time, 1},
                     {Elementary::mpi, -1},
                     {Elementary::device, -1},
                     {Elementary::overhead, -1},
                     {Elementary::unrecorded, -1}};
  static constexpr std::pair<Characteristic, Elementary> of_one[] = {
      {Characteristic::execution_time, Elementary::time},
      {Characteristic::total_time, Elementary::time},
      {Characteristic::idle_time, Elementary::time},
      {Characteristic::device_time, Elementary::device},
      {Characteristic::mpi_time, Elementary::mpi},
      {Characteristic::useful_mpi, Elementary::mpi},
      {Characteristic::collective, Elementary::collective},
      {Characteristic::all_to_all, Elementary::all_to_all},
      {Characteristic::one_sided, Elementary::one_sided},
      {Characteristic::io, Elementary::io},
      {Characteristic::real_synchronization, Elementary::waiting},
      {Characteristic::time_variation, Elementary::variation},
      {Characteristic::overlap, Elementary::overlap},
      {Characteristic::unhidden, Elementary::unhidden},
      {Characteristic::start_time, Elementary::start_time},
      {Characteristic::start_delay, Elementary::start_delay},
      {Characteristic::message_lifetime, Elementary::lifetime},
      {Characteristic::cpu_time, Elementary::cpu_time},
      {Characteristic::run_queue_wait, Elementary::run_queue},
      {Characteristic::page_faults, Elementary::page_faults},
      {Characteristic::voluntary_switches, Elementary::voluntary_switches},
      {Characteristic::involuntary_switches, Elementary::involuntary_switches},
  };
  for (const auto& [characteristic, elementary] : of_one) {
    if (characteristic == c) return {{elementary, 1}};
  }
  Signs signs;
  switch (c) {
    case Characteristic::efficiency:
    case Characteristic::productive_time:
    case Characteristic::time_outside_mpi:
      return cpu;
    case Characteristic::load_imbalance:
      if (rules.load == analysis::LoadRule::computation) return cpu;
      return {{Elementary::time, 1}, {Elementary::overhead, -1}, {Elementary::unrecorded, -1}};
    case Characteristic::lost_time:
      signs = measurement;
      signs.emplace_back(Elementary::mpi, 1);
      signs.emplace_back(Elementary::device, 1);
      return signs;
    case Characteristic::measurement:
      return measurement;
    case Characteristic::system_insufficient_parallelism:
      signs = {{Elementary::mpi, 1}};
      append_communication(signs, rules, -1);
      return signs;
    case Characteristic::communication:
      append_communication(signs, rules, 1);
      return signs;
    case Characteristic::point_to_point:
      append_communication(signs, rules, 1);
      signs.resize(1);
      return signs;
    case Characteristic::potential_synchronization:
      return {{Elementary::potential_p2p, 1},
              {rules.synchronization == analysis::SynchronizationRule::waiting ? Elementary::potential_collective
                                                                               : Elementary::start_delay,
               1}};
    default:  // made per interval, not per call path
      return {};
  }
}

std::int64_t load_of(const ProcessAmounts& p, Characteristic c, const analysis::EfficiencyRules& rules) {
  const auto amount = [&](Characteristic of) { return p.value(of); };
  if (c == Characteristic::idle_time) return amount(Characteristic::execution_time);
  return amount(Characteristic::time_outside_mpi) +
         (rules.load == analysis::LoadRule::execution ? amount(Characteristic::mpi_time) : 0);
}

/// By location.
std::vector<std::int64_t> weights_of(const cube::Cube& cube, const IntervalTable& table, const Question& question) {
  const Interval& interval = table.intervals[question.interval];
  const Characteristic c = question.characteristic;
  std::vector<std::int64_t> weights(cube.locations.size(), 0);
  std::optional<ProcessAmounts> most;
  for (std::size_t p = 0; p < interval.processes.size(); ++p) {
    const ProcessAmounts process = interval.processes[p];
    if (!question.process || *question.process == p) weights[process.location] = 1;
    if (!most || load_of(process, c, table.rules) > load_of(*most, c, table.rules)) most = process;
  }
  if (!most || (c != Characteristic::idle_time && c != Characteristic::load_imbalance)) return weights;
  std::int64_t compared = 0;
  for (std::int64_t& weight : weights) {
    compared += weight;
    weight = -weight;
  }
  weights[most->location] += compared;
  return weights;
}

/// Which metric this row is: rows are found by their address.
std::string metric_of(const cube::Cube& cube, cube::CallPathId path, const std::vector<std::int64_t>& row) {
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    if (&cube.row(m, path) == &row) return cube.metrics[m].id;
  }
  return {};
}

}  // namespace

std::vector<Contribution> contributions_of(const cube::Cube& cube, const IntervalTable& table,
                                           const Question& question) {
  const Signs signs = signs_of(question.characteristic, table.rules);
  const std::vector<std::int64_t> weights = weights_of(cube, table, question);
  const analysis::ElementaryCells cells(cube);
  const cube::MetricId visits = cube.find_metric("visits");
  std::vector<Contribution> found;
  for (const cube::CallPathId path : analysis::call_paths_of(cube, table.intervals[question.interval])) {
    Contribution contribution;
    contribution.call_path = path;
    cells.of(path, [&](Elementary e, const std::vector<std::int64_t>& row) {
      for (const auto& [elementary, sign] : signs) {
        if (elementary != e) continue;
        std::int64_t amount = 0;
        for (std::size_t l = 0; l < row.size(); ++l) amount += sign * weights[l] * row[l];
        if (amount == 0) continue;
        contribution.amount += amount;
        contribution.metrics.push_back((sign < 0 ? "-" : "") + metric_of(cube, path, row));
      }
    });
    if (contribution.amount == 0) continue;
    if (visits != cube::no_id) {
      const std::vector<std::int64_t>& counts = cube.row(visits, path);
      for (std::size_t l = 0; l < counts.size(); ++l) contribution.visits += weights[l] != 0 ? counts[l] : 0;
    }
    found.push_back(std::move(contribution));
  }
  std::stable_sort(found.begin(), found.end(), [](const Contribution& a, const Contribution& b) {
    return std::abs(a.amount) > std::abs(b.amount);
  });
  return found;
}

}  // namespace mora::report
