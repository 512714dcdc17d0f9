/// The section EFFICIENCY of the text report: how much of the processors' time was productive, where the rest went, and
/// which intervals lost most. Details are in `mora report --intervals`.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "report/data/figures.h"
#include "report/intervals/interval_report.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::Interval;

/// The parts of lost time that are not split further, as this section names them.
constexpr std::pair<Characteristic, const char*> leaves[] = {
    {Characteristic::communication, "communication"},
    {Characteristic::device_time, "calls of devices"},
    {Characteristic::idle_time, "idle time"},
    {Characteristic::user_insufficient_parallelism, "repeated computation"},
    {Characteristic::system_insufficient_parallelism, "MPI without communication"},
    {Characteristic::measurement, "measurement"},
};

std::string lost_to(const Interval& interval) {
  std::vector<std::pair<Nanoseconds, const char*>> parts;
  for (const auto& [leaf, name] : leaves) {
    if (interval.value(leaf) != 0) parts.emplace_back(interval.value(leaf), name);
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [amount, name] : parts) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + time_for_people(amount);
  }
  return text;
}

/// `missing`: what was not recorded. In it may be MPI, so that time outside of recorded calls need not be productive.
std::string program_sentence(const Interval& program, const std::string& missing) {
  const Nanoseconds total = program.value(Characteristic::total_time), lost = program.value(Characteristic::lost_time);
  const Nanoseconds productive = program.value(Characteristic::productive_time);
  if (!missing.empty()) {
    return fmt::format(
        "At least {} of the processors' {} ({} processes for {}) was lost{}. How much of the rest was productive is "
        "not "
        "known: {}.",
        time_for_people(lost), time_for_people(total), program.processes.size(),
        time_for_people(program.value(Characteristic::execution_time)), lost == 0 ? "" : " (" + lost_to(program) + ")",
        missing);
  }
  return fmt::format("{} of the processors' time was productive: {} of {} ({} processes for {}). Lost: {}{}.",
                     share(productive, total), time_for_people(productive), time_for_people(total),
                     program.processes.size(), time_for_people(program.value(Characteristic::execution_time)),
                     time_for_people(lost), lost == 0 ? "" : " (" + lost_to(program) + ")");
}

/// Intervals that lost time, the largest loss first.
std::vector<std::size_t> worst_intervals(const analysis::IntervalTable& table) {
  std::vector<std::size_t> worst;
  for (std::size_t i = 1; i < table.intervals.size(); ++i) {
    if (table.intervals[i].value(Characteristic::lost_time) > 0) worst.push_back(i);
  }
  std::stable_sort(worst.begin(), worst.end(), [&](std::size_t a, std::size_t b) {
    return table.intervals[a].value(Characteristic::lost_time) > table.intervals[b].value(Characteristic::lost_time);
  });
  return worst;
}

constexpr std::size_t intervals_named = 3;

bool has_nothing(const analysis::IntervalTable& table) {
  return table.intervals.empty() || table.intervals[0].value(Characteristic::total_time) == 0;
}

std::string productive_share(const Interval& interval) {
  return share(interval.value(Characteristic::productive_time), interval.value(Characteristic::total_time));
}

}  // namespace

std::vector<std::string> efficiency_sentences(const cube::Cube& cube, const std::vector<QualityRow>& quality) {
  const analysis::IntervalTable table = analysis::interval_table(cube);
  if (has_nothing(table)) return {};
  const std::string missing = missing_data(quality);
  std::vector<std::string> sentences = {program_sentence(table.intervals[0], missing)};
  const std::vector<std::size_t> worst = worst_intervals(table);
  for (std::size_t i = 0; i < std::min(intervals_named, worst.size()); ++i) {
    const Interval& interval = table.intervals[worst[i]];
    sentences.push_back(fmt::format("Interval {}: {} lost, {} {}.", interval_words(table, worst[i]),
                                    time_for_people(interval.value(Characteristic::lost_time)),
                                    productive_share(interval), missing.empty() ? "productive" : "not lost"));
  }
  return sentences;
}

void efficiency_section(const cube::Cube& cube, const std::vector<QualityRow>& quality, TextPage& page) {
  const analysis::IntervalTable table = analysis::interval_table(cube);
  if (has_nothing(table)) return;
  page.banner("EFFICIENCY (details: mora report --intervals)");
  const std::string missing = missing_data(quality);
  page.paragraph(program_sentence(table.intervals[0], missing));
  const std::vector<std::size_t> worst = worst_intervals(table);
  if (worst.empty()) return;
  Table table_of_worst(
      {number("lost", 10), number(missing.empty() ? "productive" : "not lost", 10), cut_words("interval")});
  for (std::size_t i = 0; i < std::min(intervals_named, worst.size()); ++i) {
    const Interval& interval = table.intervals[worst[i]];
    table_of_worst.add({time_for_people(interval.value(Characteristic::lost_time)), productive_share(interval),
                        interval_words(table, worst[i])});
  }
  page.table(table_of_worst);
  if (worst.size() > intervals_named) {
    page.line(fmt::format("… {} of {} intervals shown", intervals_named, worst.size()));
  }
}

}  // namespace mora::report
