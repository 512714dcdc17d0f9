/// The characteristics as sums of others, the other way round than interval_table.cpp makes them; a test holds both to
/// the same values (why_test.cpp). Linear formulas hold for a process and for the interval's sums alike; what compares
/// processes names the process that it compares with.
#include <algorithm>

#include <fmt/format.h>

#include "report/intervals/interval_report.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::Interval;
using analysis::IntervalTable;
using analysis::ProcessAmounts;
using enum analysis::Characteristic;

/// A characteristic that is a sum: plus, then minus.
struct SumFormula {
  Characteristic of;
  std::vector<Characteristic> plus, minus;
};

const std::vector<SumFormula>& sum_formulas() {
  static const std::vector<SumFormula> formulas = {
      {productive_time, {time_outside_mpi, useful_mpi}, {user_insufficient_parallelism}},
      {lost_time,
       {user_insufficient_parallelism, system_insufficient_parallelism, communication, device_time, idle_time,
        measurement},
       {useful_mpi}},
      {communication, {point_to_point, collective, all_to_all, one_sided, io}, {}},
      {system_insufficient_parallelism, {mpi_time}, {communication}},
  };
  return formulas;
}

class Builder {
 public:
  Builder(const IntervalTable& table, const Question& question)
      : table_(table), interval_(table.intervals[question.interval]), process_(question.process) {}

  Operand make(Characteristic c, int depth) const {
    Operand operand;
    operand.name = analysis::info_of(c).key;
    operand.value = value(c);
    if (depth == 0) return operand;
    for (const SumFormula& formula : sum_formulas()) {
      if (formula.of != c) continue;
      // The part of lost time that is MPI without communication: communication stands beside it with its parts.
      if (c == system_insufficient_parallelism && depth < full_depth) depth = 1;
      for (const Characteristic plus : formula.plus)
        if (!is_absent(plus)) operand.operands.push_back(term(plus, false, depth));
      for (const Characteristic minus : formula.minus) operand.operands.push_back(term(minus, true, depth));
    }
    if (c == efficiency) operand.operands = {term(productive_time, false, depth), whole()};
    if (c == execution_time) execution(operand, depth);
    if (c == total_time) operand.operands = {longest()};
    if (c == total_time && !process_) {
      operand.operands.push_back(count(static_cast<std::int64_t>(interval_.processes.size()), "processors", ""));
    }
    if (c == idle_time) difference(operand, longest(), execution_time);
    if (c == load_imbalance) imbalance(operand);
    if (c == user_insufficient_parallelism && operand.value != 0) repeated(operand);
    if (operand.operands.empty() && analysis::info_of(c).is_additive && !process_ && depth == full_depth) {
      by_process(operand, c);
    }
    return operand;
  }

  static constexpr int full_depth = 4;

 private:
  /// Programs without devices have no such part.
  bool is_absent(Characteristic c) const { return c == device_time && table_.intervals[0].value(c) == 0; }
  std::int64_t value(Characteristic c) const {
    if (c == efficiency) return value(productive_time);
    if (c == processors) return static_cast<std::int64_t>(interval_.processes.size());
    return process_ ? interval_.processes[*process_].value(c) : interval_.value(c);
  }

  Operand term(Characteristic c, bool is_subtracted, int depth) const {
    Operand operand = make(c, value(c) == 0 ? 0 : depth - 1);
    operand.is_subtracted = is_subtracted;
    return operand;
  }

  static Operand count(std::int64_t value, const char* name, const std::string& remark) {
    Operand operand;
    operand.name = name;
    operand.value = value;
    operand.is_count = true;
    operand.remark = remark;
    return operand;
  }

  /// productive + lost: the whole of which efficiency is a share.
  Operand whole() const {
    Operand operand;
    operand.name = process_ ? "productive_time + lost_time" : "total_time";
    operand.value = value(productive_time) + value(lost_time);
    operand.remark = process_ ? "" : fmt::format("execution_time x {} processors", interval_.processes.size());
    return operand;
  }

  Operand longest() const {
    Operand operand;
    operand.name = "execution_time";
    operand.value = interval_.value(execution_time);
    if (interval_.processes.empty()) return operand;
    const auto slowest =
        std::find_if(interval_.processes.begin(), interval_.processes.end(),
                     [&](const ProcessAmounts& p) { return p.value(execution_time) == operand.value; });
    if (slowest != interval_.processes.end()) operand.remark = fmt::format("of rank {}, the longest", slowest->rank);
    return operand;
  }

  /// Of a process what it did; of the interval the maximum.
  void execution(Operand& operand, int depth) const {
    if (!process_) {
      operand.operands = {longest()};
      return;
    }
    for (const Characteristic c : {time_outside_mpi, mpi_time, device_time, measurement})
      if (!is_absent(c)) operand.operands.push_back(term(c, false, depth));
  }

  /// `largest` of one process minus the process's own; of the interval: the sum of that.
  void difference(Operand& operand, Operand largest, Characteristic own) const {
    if (!process_) {
      by_process(operand, own == execution_time ? idle_time : load_imbalance);
      return;
    }
    Operand subtracted;
    subtracted.name = analysis::info_of(own).key;
    subtracted.value = value(own);
    subtracted.is_subtracted = true;
    subtracted.remark = fmt::format("of rank {}", interval_.processes[*process_].rank);
    operand.operands = {std::move(largest), std::move(subtracted)};
  }

  std::int64_t load(const ProcessAmounts& p) const {
    return p.value(time_outside_mpi) + (table_.rules.load == analysis::LoadRule::execution ? p.value(mpi_time) : 0);
  }

  void imbalance(Operand& operand) const {
    if (!process_) {
      by_process(operand, load_imbalance);
      return;
    }
    ProcessAmounts most = interval_.processes[*process_];
    for (const ProcessAmounts& p : interval_.processes) {
      if (load(p) > load(most)) most = p;
    }
    const char* name =
        table_.rules.load == analysis::LoadRule::execution ? "time_outside_mpi + mpi_time" : "time_outside_mpi";
    Operand largest, own;
    largest.name = own.name = name;
    largest.value = load(most);
    largest.remark = fmt::format("of rank {}, the largest load", most.rank);
    own.value = load(interval_.processes[*process_]);
    own.is_subtracted = true;
    own.remark = fmt::format("of rank {}", interval_.processes[*process_].rank);
    operand.operands = {std::move(largest), std::move(own)};
  }

  /// User insufficient parallelism: of each interval that r processes repeat, its own computation (without that of
  /// nested intervals) times (r - 1) / r, rounded down per process (Mora's rule replication).
  void repeated(Operand& operand) const {
    for (std::size_t i = 0; i < table_.intervals.size(); ++i) {
      const std::int64_t r = replication_of(i);
      if (r == 1 || !is_inside(i)) continue;
      Operand term;
      Nanoseconds own_of_all = 0;
      for (const ProcessAmounts& p : table_.intervals[i].processes) {
        if (process_ && p.rank != interval_.processes[*process_].rank) continue;
        const Nanoseconds own = own_computation(i, p);
        own_of_all += own;
        term.value += static_cast<Nanoseconds>(static_cast<__int128>(own) * (r - 1) / r);
      }
      if (term.value == 0) continue;
      term.name = interval_words(table_, i);
      const bool is_exact = static_cast<__int128>(term.value) * r == static_cast<__int128>(own_of_all) * (r - 1);
      term.remark = fmt::format("{} ns x {}/{}{}", own_of_all, r - 1, r, is_exact ? "" : ", rounded down per process");
      operand.operands.push_back(std::move(term));
    }
  }

  bool is_inside(std::size_t i) const {
    for (; i != SIZE_MAX; i = table_.intervals[i].parent) {
      if (&table_.intervals[i] == &interval_) return true;
    }
    return false;
  }

  /// How many processes repeat what this interval computes: the largest of its own and those around it.
  std::int64_t replication_of(std::size_t i) const {
    std::int64_t most = 1;
    for (; i != SIZE_MAX; i = table_.intervals[i].parent) {
      const Interval& interval = table_.intervals[i];
      most = std::max<std::int64_t>(most, interval.replication == cube::all_processes
                                              ? static_cast<std::int64_t>(interval.processes.size())
                                              : interval.replication);
    }
    return most;
  }

  Nanoseconds own_computation(std::size_t i, const ProcessAmounts& process) const {
    Nanoseconds own = process.value(time_outside_mpi);
    for (const Interval& nested : table_.intervals) {
      if (nested.parent != i) continue;
      for (const ProcessAmounts& p : nested.processes) own -= p.rank == process.rank ? p.value(time_outside_mpi) : 0;
    }
    return own;
  }

  /// The largest processes, and the others in one term.
  void by_process(Operand& operand, Characteristic c) const {
    constexpr std::size_t shown = 16;
    std::vector<ProcessAmounts> order(interval_.processes.begin(), interval_.processes.end());
    std::stable_sort(order.begin(), order.end(),
                     [c](const ProcessAmounts& a, const ProcessAmounts& b) { return a.value(c) > b.value(c); });
    Operand rest;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i >= shown) {
        rest.value += order[i].value(c);
        continue;
      }
      Operand one;
      one.name = fmt::format("rank {}", order[i].rank);
      one.value = order[i].value(c);
      operand.operands.push_back(std::move(one));
    }
    if (order.size() <= shown) return;
    rest.name = fmt::format("{} other ranks", order.size() - shown);
    operand.operands.push_back(std::move(rest));
  }

  const IntervalTable& table_;
  const Interval& interval_;
  const std::optional<std::size_t> process_;
};

}  // namespace

Operand operands_of(const IntervalTable& table, const Question& question) {
  return Builder(table, question).make(question.characteristic, Builder::full_depth);
}

}  // namespace mora::report
