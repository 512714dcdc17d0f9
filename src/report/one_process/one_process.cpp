/// How the difference between the predicted and the measured one-process time is explained.
///
/// Nested intervals that only one of the runs has come first: what they took has nothing to do with how fast the rest
/// was. Computation is compared with computation (and MPI time with MPI time where the rules count it: it is measured,
/// so it comes first). The cause follows from the sign of what is left and, where both runs have counters, from
/// instructions I and cycles C: cycles per instruction say whether memory was slower, instructions whether more was
/// done. Without counters the sentences name what is likely, and say that counters would decide.
///
/// Source: DVM analyser, 4.3 (why predictions differ: caches, overheads that one process does not have); that unmarked
/// duplication is suggested, and when, is Mora's rule extrapolation. Cost: O(intervals^2) for matching and nesting.
/// Limit: instructions of sequential parts are recorded on every process, so counters are only compared where nothing
/// is marked as repeated.
#include "report/one_process/one_process.h"

#include "base/text/source_place.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

namespace mora::report {

using analysis::Characteristic;
using analysis::Interval;
using analysis::IntervalTable;
using analysis::ProcessAmounts;

namespace {

std::string seconds(std::int64_t nanoseconds) { return seconds_exact(nanoseconds) + " s"; }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string times(std::int64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

struct Counters {
  std::int64_t instructions = 0, cycles = 0;
};

Counters counters_of(const Interval& interval) {
  Counters sum;
  for (const ProcessAmounts& p : interval.processes) {
    if (p.instructions() == 0 && p.useful() > 0) return {};  // not recorded everywhere
    sum.instructions += p.instructions();
    sum.cycles += p.cycles();
  }
  return sum;
}

/// Finds the causes for one row; findings() is called once.
class Explainer {
 public:
  /// `missing`: findings about nested intervals that only one run has. `negligible`: ns that need no explanation.
  Explainer(const Interval& run, const Interval& one, const OneProcessRow& row, std::vector<OneProcessFinding> missing,
            double tolerance, std::int64_t negligible)
      : run_(run), one_(one), row_(row), missing_(std::move(missing)), tolerance_(tolerance), negligible_(negligible) {}

  std::vector<OneProcessFinding> findings() {
    if (is_near(static_cast<double>(row_.measured), static_cast<double>(row_.predicted))) {
      add(OneProcessCause::agrees, row_.difference, true,
          fmt::format("prediction and measurement agree within {}", percent(tolerance_)));
      append_missing();
      return std::move(found_);
    }
    if (std::abs(row_.difference) <= negligible_) {
      add(OneProcessCause::negligible, row_.difference, true,
          fmt::format("less than {} of the program's productive time: too little to be explained",
                      percent(negligible_share)));
      return std::move(found_);
    }
    append_missing();
    if (one_.executions != run_.executions) {
      add(OneProcessCause::not_comparable, 0, true,
          fmt::format("executed {} in the one-process run, {} in the parallel run: not the same work",
                      times(one_.executions), times(run_.executions)));
    }
    const std::int64_t computation = row_.measured - row_.counted_mpi;
    const std::int64_t predicted_mpi = run_.value(Characteristic::useful_mpi);
    const std::int64_t predicted = row_.predicted - predicted_mpi;
    const std::int64_t rest = computation - predicted - row_.missing_difference;
    if (row_.difference > 0 && row_.counted_mpi > predicted_mpi) {
      add(OneProcessCause::mpi_calls, std::min(row_.counted_mpi - predicted_mpi, row_.difference), true,
          fmt::format("{} in MPI calls with one process, {} of the process with the least of them before",
                      seconds(row_.counted_mpi), seconds(predicted_mpi)));
    }
    const auto largest = static_cast<double>(std::max(std::abs(computation), std::abs(predicted)));
    if (static_cast<double>(std::abs(rest)) > tolerance_ * largest && std::abs(rest) > negligible_) {
      rest > 0 ? slower_alone(rest) : faster_alone(-rest);
    }
    return std::move(found_);
  }

 private:
  void append_missing() { found_.insert(found_.end(), missing_.begin(), missing_.end()); }
  bool is_near(double a, double b) const { return std::abs(a - b) <= tolerance_ * std::max(std::abs(a), std::abs(b)); }

  void add(OneProcessCause cause, std::int64_t amount, bool is_certain, std::string text) {
    found_.push_back({cause, amount, is_certain, std::move(text)});
  }

  /// Counters of both runs that compare: nothing is left out of the prediction.
  bool compares_counters() {
    many_ = counters_of(run_);
    alone_ = counters_of(one_);
    return row_.counted_once == 0 && missing_.empty() && many_.instructions > 0 && alone_.instructions > 0 &&
           many_.cycles > 0 && alone_.cycles > 0;
  }
  bool has_equal_instructions() const {
    return is_near(static_cast<double>(many_.instructions), static_cast<double>(alone_.instructions));
  }
  bool has_equal_cycles() const {
    return is_near(static_cast<double>(many_.cycles), static_cast<double>(alone_.cycles));
  }
  std::string cycles_per_instruction() const {
    return fmt::format("{:.3f} cycles per instruction instead of {:.3f}",
                       static_cast<double>(alone_.cycles) / static_cast<double>(alone_.instructions),
                       static_cast<double>(many_.cycles) / static_cast<double>(many_.instructions));
  }

  void frequency(std::int64_t rest) {
    add(OneProcessCause::frequency, rest, true,
        "the same instructions and cycles took another time: the clock frequency differed between the runs");
  }

  /// `rest` > 0: the one-process run computed longer than predicted.
  void slower_alone(std::int64_t rest) {
    if (run_.replication > 1) {
      add(OneProcessCause::unexplained, rest, false,
          "slower on one process, although each process computes the same there: scatter between the runs, or another "
          "clock frequency");
      return;
    }
    const bool has_counters = compares_counters();
    if (run_.processes.size() < 2 && !has_counters) {
      add(OneProcessCause::unexplained, rest, false,
          "slower in the run with one process, although one process executes it in both: scatter between the runs, or "
          "another clock frequency");
      return;
    }
    if (!has_counters) {
      add(OneProcessCause::cache, rest, false,
          fmt::format(
              "the same computation is {} slower on one process: probably its data no longer fit the caches, a process "
              "has {} times as much (record both runs with counters to be sure)",
              seconds(rest), run_.processes.size()));
      return;
    }
    if (!has_equal_instructions() && alone_.instructions > many_.instructions) {
      add(OneProcessCause::more_work, 0, true,
          fmt::format("one process executes {} more instructions than {}: the program does more work there",
                      percent(static_cast<double>(alone_.instructions) / static_cast<double>(many_.instructions) - 1),
                      run_.processes.size() < 2 ? "the one in the parallel run"
                                                : fmt::format("all {} together", run_.processes.size())));
    }
    const double per_instruction = static_cast<double>(alone_.cycles) / static_cast<double>(alone_.instructions),
                 before = static_cast<double>(many_.cycles) / static_cast<double>(many_.instructions);
    if (per_instruction > before && !is_near(per_instruction, before)) {
      add(OneProcessCause::cache, has_equal_instructions() ? rest : 0, true,
          run_.processes.size() < 2 ? cycles_per_instruction() + ": memory was slower there"
                                    : fmt::format("{}: data no longer fit the caches, a process has {} times as much",
                                                  cycles_per_instruction(), run_.processes.size()));
    } else if (has_equal_instructions() && has_equal_cycles()) {
      frequency(rest);
    }
    if (found_.empty() || found_.back().cause == OneProcessCause::not_comparable ||
        found_.back().cause == OneProcessCause::missing || found_.back().cause == OneProcessCause::mpi_calls) {
      add(OneProcessCause::unexplained, rest, false, "slower on one process; the counters do not say why");
    }
  }

  /// `rest` > 0: the one-process run computed shorter than predicted.
  void faster_alone(std::int64_t rest) {
    const bool has_counters = compares_counters();
    if (has_counters && has_equal_instructions()) {
      if (has_equal_cycles()) return frequency(rest);
      if (many_.cycles > alone_.cycles) {
        return add(OneProcessCause::contention, rest, true,
                   fmt::format("{}: the processes slow each other down, sharing memory and caches of a node",
                               cycles_per_instruction()));
      }
    }
    if (run_.processes.size() < 2) {
      return add(OneProcessCause::unexplained, rest, false,
                 "faster in the run with one process, although one process executes it in both: the other processes "
                 "slow it down there (memory and caches of a node), or scatter between the runs");
    }
    if (!has_counters || many_.instructions > alone_.instructions) duplication(rest, has_counters);
    add(OneProcessCause::unaccounted_overhead, rest, false,
        "overheads of parallel execution lie in the computation (copying borders, packing, index look-ups) and go away "
        "with "
        "one process: the efficiency is too favourable");
  }

  /// If S were computed alike by all N processes and not marked, predicted - measured = (N - 1) S.
  void duplication(std::int64_t rest, bool has_counters) {
    const auto others = static_cast<std::int64_t>(run_.processes.size()) - 1;
    if (others < 1 || run_.replication > 1) return;
    const std::int64_t share = rest / others;
    std::int64_t least = INT64_MAX;
    for (const ProcessAmounts& p : run_.processes) {
      least = std::min(least, p.value(Characteristic::time_outside_mpi));
    }
    // More than the least loaded process computed at all?
    if (share > least && !is_near(static_cast<double>(share), static_cast<double>(least))) return;
    const auto processes = static_cast<double>(run_.processes.size());
    const bool is_all = is_near(static_cast<double>(row_.predicted), processes * static_cast<double>(row_.measured));
    std::string text =
        is_all
            ? fmt::format("the prediction is {} times the measurement: all {} processes seem to compute the same there",
                          run_.processes.size(), run_.processes.size())
            : fmt::format("{} on each of {} processes would explain it if they all compute the same there",
                          seconds(share), run_.processes.size());
    if (has_counters) {
      text +=
          fmt::format("; all processes together execute {} more instructions than one",
                      percent(static_cast<double>(many_.instructions) / static_cast<double>(alone_.instructions) - 1));
    }
    add(OneProcessCause::unmarked_duplication, rest, false, text + ": mark it as sequential (MORA_SEQUENTIAL_BEGIN)");
  }

  const Interval &run_, &one_;
  const OneProcessRow& row_;
  std::vector<OneProcessFinding> missing_;
  double tolerance_;
  std::int64_t negligible_;
  Counters many_, alone_;
  std::vector<OneProcessFinding> found_;
};

double share_of(std::int64_t part, std::int64_t total) {
  return total == 0 ? 1 : static_cast<double>(part) / static_cast<double>(total);
}

bool is_inside(const IntervalTable& table, std::size_t interval, std::size_t outer) {
  for (std::size_t i = table.intervals[interval].parent; i != SIZE_MAX; i = table.intervals[i].parent) {
    if (i == outer) return true;
  }
  return false;
}

/// Is the difference that of nested intervals, or does it only vanish because theirs cancel?
void look_inside(const OneProcessComparison& comparison, const IntervalTable& run, OneProcessRow& row) {
  const double negligible = comparison.tolerance * static_cast<double>(std::max(row.predicted, row.measured));
  if (row.findings.front().cause == OneProcessCause::negligible) return;
  const bool agrees = row.findings.front().cause == OneProcessCause::agrees;
  // What is of the other sign is no cause: nested intervals make the difference, the rest lessens it.
  const bool is_opposite = (row.own_difference < 0) != (row.difference < 0);
  row.is_nested = !agrees && (static_cast<double>(std::abs(row.own_difference)) <= negligible || is_opposite);
  if (!agrees && is_opposite && static_cast<double>(std::abs(row.own_difference)) > negligible) {
    row.findings.push_back(
        {OneProcessCause::compensated, row.own_difference, true,
         fmt::format("nested intervals differ by {}, what is outside of them by {}: they cancel in part",
                     seconds(row.difference - row.own_difference), seconds(row.own_difference))});
  }
  if (!agrees) return;
  const bool cancels = std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const OneProcessRow& other) {
    return static_cast<double>(std::abs(other.difference)) > negligible && is_inside(run, other.interval, row.interval);
  });
  if (cancels) {
    row.findings.push_back(
        {OneProcessCause::compensated, 0, true, "but only because differences of nested intervals cancel"});
  }
}

OneProcessRow compare(const Interval& run, const Interval& one) {
  OneProcessRow row;
  row.predicted = run.value(Characteristic::productive_time);
  row.counted_once = run.value(Characteristic::user_insufficient_parallelism);
  row.measured = one.value(Characteristic::productive_time);
  row.measured_mpi = one.value(Characteristic::mpi_time);
  row.counted_mpi = one.value(Characteristic::useful_mpi);
  row.difference = row.measured - row.predicted;
  if (row.predicted != 0 || row.measured != 0) {
    row.ratio = row.predicted == 0 ? 0 : static_cast<double>(row.measured) / static_cast<double>(row.predicted);
  }
  row.efficiency = run.efficiency();
  row.efficiency_measured = share_of(row.measured, run.value(Characteristic::total_time));
  return row;
}

std::string place_of(const IntervalTable& table, std::size_t index) {
  const Interval& interval = table.intervals[index];
  return at_source_place(table.number(index) + " " + interval.name, interval.file, interval.line);
}

/// A nested interval that only one run has: by the intervals around it, in the table that has it.
struct MissingInterval {
  std::size_t interval = 0;
  std::int64_t difference = 0;  ///< of productive time: negative if only the parallel run has it
  bool is_direct = false;       ///< no other interval between
};

/// By interval of `table`. Of nested ones that are missing only the outermost counts.
std::vector<std::vector<MissingInterval>> missing_inside(const IntervalTable& table,
                                                         const std::vector<char>& is_matched, int sign) {
  std::vector<std::vector<MissingInterval>> inside(table.intervals.size());
  for (std::size_t i = 1; i < table.intervals.size(); ++i) {
    const std::size_t parent = table.intervals[i].parent;
    if (is_matched[i] != 0 || is_matched[parent] == 0) continue;
    const std::int64_t amount = table.intervals[i].value(Characteristic::productive_time);
    if (amount == 0) continue;
    for (std::size_t above = parent; above != SIZE_MAX; above = table.intervals[above].parent) {
      inside[above].push_back({i, sign * amount, above == parent});
    }
  }
  return inside;
}

/// Largest first; what differs by less than `negligible` is left out.
void add_missing(const IntervalTable& table, std::vector<MissingInterval> missing, const std::string& where,
                 double negligible, std::vector<OneProcessFinding>& findings) {
  std::stable_sort(missing.begin(), missing.end(), [](const MissingInterval& a, const MissingInterval& b) {
    return std::abs(a.difference) > std::abs(b.difference);
  });
  std::int64_t others = 0;
  std::size_t count = 0;
  for (const MissingInterval& m : missing) {
    if (static_cast<double>(std::abs(m.difference)) <= negligible) continue;
    if (++count > most_missing) {
      others += m.difference;
      continue;
    }
    findings.push_back({OneProcessCause::missing, m.difference, true,
                        fmt::format("{} is only in the {} run: {} of the difference", place_of(table, m.interval),
                                    where, seconds(m.difference)),
                        m.interval});
  }
  if (count <= most_missing) return;
  findings.push_back(
      {OneProcessCause::missing, others, true,
       fmt::format("{} more {} only in the {} run: {}", count - most_missing,
                   count - most_missing == 1 ? "interval is" : "intervals are", where, seconds(others))});
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> same_paths(const IntervalTable& first, const IntervalTable& second) {
  std::vector<std::pair<std::size_t, std::size_t>> matches;
  if (first.intervals.empty() || second.intervals.empty()) return matches;
  std::map<std::size_t, std::size_t> partner{{0, 0}};
  std::vector<char> taken(second.intervals.size(), 0);
  matches.emplace_back(0, 0);
  for (std::size_t i = 1; i < first.intervals.size(); ++i) {
    const Interval& a = first.intervals[i];
    const auto parent = partner.find(a.parent);
    if (parent == partner.end()) continue;
    for (std::size_t j = 1; j < second.intervals.size(); ++j) {
      const Interval& b = second.intervals[j];
      if (taken[j] != 0 || b.parent != parent->second || b.name != a.name || b.file != a.file || b.line != a.line ||
          b.id != a.id) {
        continue;
      }
      taken[j] = 1;
      partner.emplace(i, j);
      matches.emplace_back(i, j);
      break;
    }
  }
  return matches;
}

namespace {

void explain(const IntervalTable& run, const IntervalTable& one, const std::vector<char>& has_row,
             const std::vector<char>& is_measured, OneProcessComparison& comparison) {
  const auto only_many = missing_inside(run, has_row, -1), only_alone = missing_inside(one, is_measured, 1);
  const std::int64_t program = std::max(run.intervals.front().value(Characteristic::productive_time),
                                        one.intervals.front().value(Characteristic::productive_time));
  const auto negligible = static_cast<std::int64_t>(negligible_share * static_cast<double>(program));
  for (OneProcessRow& row : comparison.rows) {
    const auto &many = only_many[row.interval], &alone = only_alone[row.measured_interval];
    for (const auto* missing : {&many, &alone}) {
      for (const MissingInterval& m : *missing) {
        row.missing_difference += m.difference;
        if (m.is_direct) row.own_difference -= m.difference;
      }
    }
    const double too_little =
        std::max(comparison.tolerance * static_cast<double>(std::max(row.predicted, row.measured)) / 10,
                 static_cast<double>(negligible));
    std::vector<OneProcessFinding> missing;
    add_missing(run, many, "parallel", too_little, missing);
    add_missing(one, alone, "one-process", too_little, missing);
    row.findings = Explainer(run.intervals[row.interval], one.intervals[row.measured_interval], row, std::move(missing),
                             comparison.tolerance, negligible)
                       .findings();
  }
}

}  // namespace

OneProcessComparison one_process_comparison(const IntervalTable& run, const IntervalTable& one,
                                            const std::vector<std::pair<std::size_t, std::size_t>>& matches,
                                            double tolerance) {
  OneProcessComparison comparison;
  comparison.tolerance = tolerance;
  if (run.intervals.empty() || one.intervals.empty()) {
    comparison.why_not = "a result without call paths";
    return comparison;
  }
  comparison.processes = static_cast<std::uint32_t>(run.intervals.front().processes.size());
  if (one.intervals.front().processes.size() != 1) {
    comparison.why_not =
        fmt::format("a run with one process is needed; this one has {}", one.intervals.front().processes.size());
    return comparison;
  }
  std::vector<char> has_row(run.intervals.size(), 0), is_measured(one.intervals.size(), 0);
  std::map<std::size_t, std::size_t> row_of;
  for (const auto& [interval, measured] : matches) {
    if (interval >= run.intervals.size() || measured >= one.intervals.size() || has_row[interval] != 0) continue;
    has_row[interval] = is_measured[measured] = 1;
    OneProcessRow row = compare(run.intervals[interval], one.intervals[measured]);
    row.interval = interval;
    row.measured_interval = measured;
    row.own_difference = row.difference;
    comparison.rows.push_back(std::move(row));
  }
  explain(run, one, has_row, is_measured, comparison);
  std::sort(comparison.rows.begin(), comparison.rows.end(),
            [](const OneProcessRow& a, const OneProcessRow& b) { return a.interval < b.interval; });
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) row_of.emplace(comparison.rows[r].interval, r);
  for (const OneProcessRow& row : comparison.rows) {
    for (std::size_t above = run.intervals[row.interval].parent; above != SIZE_MAX;
         above = run.intervals[above].parent) {
      const auto found = row_of.find(above);
      if (found == row_of.end()) continue;
      comparison.rows[found->second].own_difference -= row.difference;
      break;
    }
  }
  for (OneProcessRow& row : comparison.rows) look_inside(comparison, run, row);
  for (std::size_t i = 0; i < has_row.size(); ++i) {
    if (has_row[i] == 0) comparison.unmatched.push_back(i);
  }
  for (std::size_t i = 0; i < is_measured.size(); ++i) {
    if (is_measured[i] == 0) comparison.unmatched_measured.push_back(i);
  }
  return comparison;
}

}  // namespace mora::report
