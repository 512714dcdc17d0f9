/// The section EFFICIENCY of the text report: how much of the processors' time was productive, where the rest went, and
/// which intervals lost most. Details are in `mora report --intervals`. Where processes have several threads, the first
/// sentence counts all of them, as POP's efficiency of threads does (`--pop`): a first thread that waits in
/// pthread_join is outside MPI, and what the others do is in no figure of processes.
#include <algorithm>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "analysis/efficiency/pop/pop.h"
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

using Parts = std::vector<std::pair<Nanoseconds, std::string>>;

/// "MPI 2 s, idle time 1 s": the largest first.
std::string in_words(Parts parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [amount, name] : parts) {
    text += (text.empty() ? "" : ", ") + name + " " + time_for_people(amount);
  }
  return text;
}

std::string lost_to(const Interval& interval) {
  Parts parts;
  for (const auto& [leaf, name] : leaves) {
    if (interval.value(leaf) != 0) parts.emplace_back(interval.value(leaf), name);
  }
  return in_words(std::move(parts));
}

/// What is not computation of `total`, which is as many times the program's length as there are threads: by the parts
/// of time and execution, and before a thread's first and after its last event.
Parts rest_of_threads(const cube::Cube& cube, Nanoseconds total) {
  Parts parts;
  const cube::MetricId time = cube.find_metric("time"), execution = cube.find_metric("execution");
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    const cube::Metric& metric = cube.metrics[m];
    if (metric.parent == cube::no_id || (metric.parent != time && metric.parent != execution)) continue;
    if (m == execution || metric.id == "computation") continue;
    if (cube.total(m) != 0)
      parts.emplace_back(cube.total(m), metric.id == "without-work" ? "without work" : "in " + metric.name);
  }
  if (total > cube.total(time))
    parts.emplace_back(total - cube.total(time), "threads that have not begun or have ended");
  return parts;
}

/// Of all threads; empty where each process has one.
std::string thread_sentence(const cube::Cube& cube, const analysis::IntervalTable& table, const std::string& missing) {
  const auto hybrid = analysis::thread_metrics(cube, table, 0);
  if (!hybrid) return "";
  const Interval& program = table.intervals[0];
  const Nanoseconds length = program.value(Characteristic::execution_time);
  const Nanoseconds lost = program.value(Characteristic::lost_time);
  const Nanoseconds total = length * static_cast<Nanoseconds>(hybrid->threads);
  const Parts rest = rest_of_threads(cube, total);
  std::string text = fmt::format("{}{} of the threads' time was computation: {} of {} ({} threads of {} {} for {}).",
                                 missing.empty() ? "" : "At most ", share(hybrid->useful_sum, total),
                                 time_for_people(hybrid->useful_sum), time_for_people(total), hybrid->threads,
                                 program.processes.size(), program.processes.size() == 1 ? "process" : "processes",
                                 time_for_people(length));
  if (!rest.empty()) text += " The rest: " + in_words(rest) + ".";
  if (!missing.empty()) text += fmt::format(" How much of it was productive is not known: {}.", missing);
  return text +
         fmt::format(
             " Of the {} of the processes' first threads, which alone are in figures of intervals, {} was lost{}.",
             time_for_people(program.value(Characteristic::total_time)), time_for_people(lost),
             lost == 0 ? "" : " (" + lost_to(program) + ")");
}

/// `missing`: what was not recorded. In it may be MPI, so that time outside of recorded calls need not be productive.
std::string program_sentence(const cube::Cube& cube, const analysis::IntervalTable& table, const std::string& missing) {
  if (std::string threads = thread_sentence(cube, table, missing); !threads.empty()) return threads;
  const Interval& program = table.intervals[0];
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
  std::vector<std::string> sentences = {program_sentence(cube, table, missing)};
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
  page.paragraph(program_sentence(cube, table, missing));
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
