/// All characteristics but execution_time of an interval are linear in the elementary amounts, the longest process and
/// the largest load: one set of formulas serves a process and the sum over all of them.
#include "analysis/efficiency/process_amounts.h"

#include <algorithm>
#include <numeric>

namespace mora::analysis {

namespace {

std::int64_t at(const Column& column, std::size_t index) { return column.empty() ? 0 : column[index]; }
std::int64_t sum(const Column& column) { return std::accumulate(column.begin(), column.end(), std::int64_t{0}); }

/// One process's amounts.
struct OfProcess {
  const ElementaryColumns& columns;
  std::size_t process;
  bool is_useful_mpi;
  std::int64_t operator()(Elementary e) const { return at(columns.of(e), process); }
  std::int64_t first_execution() const { return at(columns.first_execution, process); }
  std::int64_t insufficient() const { return at(columns.insufficient, process); }
  std::int64_t useful_mpi() const { return is_useful_mpi ? (*this)(Elementary::mpi) : 0; }
};

/// Those of all processes together.
struct OfAll {
  ElementaryAmounts sums{};
  std::int64_t of_first_execution = 0, of_insufficient = 0, of_useful_mpi = 0;
  std::int64_t operator()(Elementary e) const { return sums[static_cast<std::size_t>(e)]; }
  std::int64_t first_execution() const { return of_first_execution; }
  std::int64_t insufficient() const { return of_insufficient; }
  std::int64_t useful_mpi() const { return of_useful_mpi; }
};

}  // namespace

template <class Get>
std::int64_t ProcessList::value(Characteristic c, std::int64_t processes, const Get& get) const {
  using enum Characteristic;
  using E = Elementary;
  const auto v = [&](Characteristic other) { return value(other, processes, get); };
  switch (c) {
    case efficiency:
    case processors:
      return 0;
    case execution_time:
      return get(E::time);
    case total_time:
      return longest_ * processes;
    case productive_time:
      return v(total_time) - v(lost_time);
    case lost_time:
      return v(user_insufficient_parallelism) + v(system_insufficient_parallelism) + v(communication) + v(device_time) +
             v(idle_time) + v(measurement) - v(useful_mpi);
    case user_insufficient_parallelism:
      return get.insufficient();
    case system_insufficient_parallelism:
      return v(mpi_time) - v(communication);
    case communication:
      return v(point_to_point) + v(collective) + v(all_to_all) + v(one_sided) + v(io);
    case point_to_point:
      return get(rules_.send_receive == SendReceiveRule::in_calls ? E::point_to_point : E::lifetime);
    case collective:
      return get(E::collective);
    case all_to_all:
      return get(E::all_to_all);
    case one_sided:
      return get(E::one_sided);
    case io:
      return get(E::io);
    case idle_time:
      return longest_ * processes - get(E::time);
    case measurement:
      return get(E::overhead) + get(E::unrecorded);
    case useful_mpi:
      return get.useful_mpi();
    case time_outside_mpi:
      return get(E::time) - get(E::mpi) - get(E::device) - get(E::overhead) - get(E::unrecorded);
    case mpi_time:
      return get(E::mpi);
    case potential_synchronization:
      return get(E::potential_p2p) +
             get(rules_.synchronization == SynchronizationRule::waiting ? E::potential_collective : E::start_delay);
    case real_synchronization:
      return get(E::waiting);
    case time_variation:
      return get(E::variation);
    case load_imbalance:
      return largest_load_ * processes - v(time_outside_mpi) - (rules_.load == LoadRule::execution ? v(mpi_time) : 0);
    case overlap:
      return get(E::overlap);
    case unhidden:
      return get(E::unhidden);
    case start_time:
      return get(E::start_time);
    case start_delay:
      return get(E::start_delay);
    case message_lifetime:
      return get(E::lifetime);
    case first_execution:
      return get.first_execution();
    case device_time:
      return get(E::device);
    case cpu_time:
      return get(E::cpu_time);
    case run_queue_wait:
      return get(E::run_queue);
    case page_faults:
      return get(E::page_faults);
    case voluntary_switches:
      return get(E::voluntary_switches);
    case involuntary_switches:
      return get(E::involuntary_switches);
  }
  return 0;
}

ProcessList::ProcessList(const EfficiencyRules& rules, std::vector<std::uint32_t> ranks,
                         std::vector<cube::LocationId> locations, ElementaryColumns columns)
    : rules_(rules), ranks_(std::move(ranks)), locations_(std::move(locations)), columns_(std::move(columns)) {
  for (std::size_t p = 0; p < size(); ++p) {
    const auto v = [&](Characteristic c) { return value(c, p); };
    longest_ = std::max(longest_, v(Characteristic::execution_time));
    const std::int64_t load = v(Characteristic::time_outside_mpi);
    largest_load_ =
        std::max(largest_load_, rules.load == LoadRule::computation ? load : load + v(Characteristic::mpi_time));
    if (least_mpi_ == SIZE_MAX || v(Characteristic::mpi_time) < value(Characteristic::mpi_time, least_mpi_))
      least_mpi_ = p;
  }
  if (rules.productive != ProductiveRule::one_mpi) least_mpi_ = SIZE_MAX;
}

std::int64_t ProcessList::value(Characteristic c, std::size_t process) const {
  return value(c, 1, OfProcess{columns_, process, process == least_mpi_});
}

Amounts ProcessList::sums() const {
  OfAll all;
  for (std::size_t e = 0; e < elementaries; ++e) all.sums[e] = sum(columns_.elementary[e]);
  all.of_first_execution = sum(columns_.first_execution);
  all.of_insufficient = sum(columns_.insufficient);
  if (least_mpi_ != SIZE_MAX) all.of_useful_mpi = at(columns_.of(Elementary::mpi), least_mpi_);
  Amounts amounts{};
  for (std::size_t c = 0; c < characteristics; ++c)
    amounts[c] = value(static_cast<Characteristic>(c), static_cast<std::int64_t>(size()), all);
  amounts[static_cast<std::size_t>(Characteristic::execution_time)] = longest_;
  return amounts;
}

void ProcessList::set(std::size_t process, Elementary e, std::int64_t amount) {
  Column& column = columns_.of(e);
  if (column.empty() && amount != 0) column.resize(size());
  if (!column.empty()) column[process] = amount;
}

ProcessAmounts::ProcessAmounts(const ProcessList& list, std::size_t index)
    : rank(list.ranks_[index]),
      location(list.locations_[index]),
      executions(at(list.columns_.executions, index)),
      list_(&list),
      index_(index) {}

std::int64_t ProcessAmounts::value(Characteristic c) const { return list_->value(c, index_); }
std::int64_t ProcessAmounts::value(Elementary e) const { return at(list_->columns_.of(e), index_); }

Amounts ProcessAmounts::amounts() const {
  Amounts amounts{};
  for (std::size_t c = 0; c < characteristics; ++c) amounts[c] = value(static_cast<Characteristic>(c));
  return amounts;
}

}  // namespace mora::analysis
