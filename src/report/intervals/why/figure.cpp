/// `--why` of numbers that are no characteristics: the POP metrics of an interval, and the amounts per MPI function
/// (DVM analyser, 5.1). Their operands are amounts of processes; all of them are listed and added up.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "analysis/efficiency/pop/pop.h"
#include "report/intervals/interval_report.h"
#include "report/intervals/seconds_format.h"
#include "report/intervals/why/why.h"

namespace mora::report {
namespace {

using analysis::Interval;
using analysis::IntervalTable;
using analysis::KindAmounts;
using analysis::KindRow;

std::string seconds(std::int64_t amount) { return SecondsFormat(SecondsFormat::Unit::nanoseconds).truncated(amount); }

/// A quotient of two amounts.
struct Quotient {
  std::string formula, source = "docs/formats/pop.md";
  std::string over_words, under_words;
  std::int64_t over = 0, under = 0;
};

std::optional<Quotient> quotient_of(std::string_view key, const analysis::PopMetrics& pop) {
  const auto n = static_cast<std::int64_t>(pop.processes);
  const std::string sum = fmt::format("useful, sum over {} processes", n);
  const std::string longest = fmt::format("T, the longest execution, x {}", n);
  if (key == "parallel_efficiency")
    return Quotient{"mean(useful) / T", "docs/formats/pop.md", sum, longest, pop.useful_sum, pop.run_time * n};
  if (key == "load_balance")
    return Quotient{"mean(useful) / max(useful)",       "docs/formats/pop.md", sum,
                    fmt::format("max(useful) x {}", n), pop.useful_sum,        pop.useful_max * n};
  if (key == "communication_efficiency")
    return Quotient{"max(useful) / T",          "docs/formats/pop.md", "max(useful)",
                    "T, the longest execution", pop.useful_max,        pop.run_time};
  const analysis::Serialisation* const chosen = pop.headline();
  if (chosen == nullptr || !chosen->ideal_time || (key != "serialisation" && key != "transfer")) return std::nullopt;
  const std::string source = std::string(chosen->source) + ", docs/formats/pop.md";
  if (key == "serialisation")
    return Quotient{"max(useful) / T_ideal (" + std::string(chosen->name) + ")",
                    source,
                    "max(useful)",
                    "T_ideal",
                    pop.useful_max,
                    *chosen->ideal_time};
  return Quotient{"T_ideal / T (" + std::string(chosen->name) + ")",
                  source,
                  "T_ideal",
                  "T, the longest execution",
                  *chosen->ideal_time,
                  pop.run_time};
}

std::string of_pop(const IntervalTable& table, std::size_t index, const std::string& key, const Quotient& quotient) {
  std::string out = fmt::format("{} of interval {}: {}\n\n{}: {}\nSource: {}\n\n", key, interval_words(table, index),
                                ratio_text(quotient.over, quotient.under), key, quotient.formula, quotient.source);
  out += fmt::format("Operands (the first divided by the second)\n  {:<44} {:>14}\n  {:<44} {:>14}\n\n",
                     quotient.over_words, seconds(quotient.over), quotient.under_words, seconds(quotient.under));
  out += "By process (useful, execution)\n";
  std::int64_t useful = 0;
  for (const analysis::ProcessAmounts& process : table.intervals[index].processes) {
    const auto execution = process.value(analysis::Characteristic::execution_time);
    out += fmt::format("  {:>14} {:>14}  rank {}\n", seconds(process.useful()), seconds(execution), process.rank);
    useful += process.useful();
  }
  return out + fmt::format("  All useful: {}\n", seconds(useful));
}

std::string of_kind(const IntervalTable& table, std::size_t index, const KindRow& kind, std::size_t key,
                    std::optional<std::size_t> asked) {
  const auto& name = kind_keys[key].first;
  const auto member = kind_keys[key].second;
  const auto text = [&](std::int64_t amount) {
    return member == &KindAmounts::count ? std::to_string(amount) : seconds(amount);
  };
  const Interval& interval = table.intervals[index];
  const std::string whose = asked ? fmt::format("rank {}", interval.processes[*asked].rank) : "the interval";
  std::string out = fmt::format("{} of {} in interval {}, {}: {}\n\n", name, kind.name, interval_words(table, index),
                                whose, text(asked ? kind.of_process(*asked).*member : kind.sum.*member));
  out +=
      fmt::format("{}: the characteristic's part on call paths of {} in this interval\nSource: DVM analyser, 5.2\n\n",
                  name, kind.name);
  out += "By process (amount, calls)\n";
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < interval.processes.size(); ++p) {
    const KindAmounts amounts = kind.of_process(p);
    sum += amounts.*member;
    out += fmt::format("  {:>14} {:>8}  rank {}\n", text(amounts.*member), amounts.count, interval.processes[p].rank);
  }
  return out +
         fmt::format("  All processes: {}{}\n", text(sum),
                     sum == kind.sum.*member ? " = the interval's" : "; the interval's is " + text(kind.sum.*member));
}

}  // namespace

std::optional<std::string> why_figure(const cube::Cube& cube, const IntervalTable& table, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t slash = std::min(text.find('/', at), text.size());
    words.push_back(text.substr(at, slash - at));
    at = slash + 1;
  }
  const auto interval_before = [&](std::size_t word) {
    std::string name;
    for (std::size_t i = 0; i < word; ++i) name += (i == 0 ? "" : "/") + words[i];
    return word == 0 ? std::size_t{0} : table.find(name);
  };
  const std::size_t last = words.size() - 1;
  if (const std::size_t index = interval_before(last); index < table.intervals.size()) {
    const auto quotient = quotient_of(words[last], analysis::pop_metrics(cube, table, index));
    if (quotient) return of_pop(table, index, words[last], *quotient);
  }
  for (std::size_t key_at : {last, last - 1}) {
    if (key_at == 0 || key_at > last) continue;
    const auto* const key = std::find_if(std::begin(kind_keys), std::end(kind_keys),
                                         [&](const auto& known) { return known.first == words[key_at]; });
    if (key == std::end(kind_keys)) continue;
    const std::size_t index = interval_before(key_at - 1);
    if (index >= table.intervals.size()) continue;
    const Interval& interval = table.intervals[index];
    std::optional<std::size_t> asked;
    if (key_at < last) {
      for (std::size_t p = 0; p < interval.processes.size(); ++p) {
        if (std::to_string(interval.processes[p].rank) == words[last]) asked = p;
      }
      if (!asked) continue;
    }
    for (const KindRow& kind : interval.kinds) {
      if (kind.name == words[key_at - 1])
        return of_kind(table, index, kind, static_cast<std::size_t>(key - std::begin(kind_keys)), asked);
    }
  }
  return std::nullopt;
}

}  // namespace mora::report
