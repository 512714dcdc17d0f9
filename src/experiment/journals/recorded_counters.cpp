#include "experiment/journals/recorded_counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace mora::experiment {

namespace {

/// enum mora_counter_how, which the journal's own header does not have.
constexpr std::int32_t by_usage = 3;

/// Of those that /proc tells.
bool is_bytes(const std::string& name) { return name.ends_with("-bytes"); }

std::string unit_of(const std::string& name) { return name.ends_with("-clock") ? "ns" : is_bytes(name) ? "B" : ""; }

/// Why the kernel opened no counter, and what to do.
std::pair<std::string, std::string> reason_of(std::int32_t error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {
          "this machine lets nobody read the counters of its processor (no PMU, as in most virtual machines): they "
          "are missing",
          "count what the kernel counts itself, which works everywhere (page-faults, context-switches, task-clock), or "
          "record on other hardware"};
    case EACCES:
    case EPERM:
      return {
          "the system forbids these counters (kernel.perf_event_paranoid, or a container's seccomp filter): they are "
          "missing",
          "ask for kernel.perf_event_paranoid = 2 or less, or for CAP_PERFMON; page-faults, context-switches and "
          "task-clock need no permission"};
    case ENOSYS:
      return {"this kernel has no perf_event_open: these counters are missing",
              "count page-faults, context-switches or task-clock, which need none"};
    case EINVAL:
      return {"the processor does not know these counters: they are missing",
              "see perf list for those of this machine"};
    default:
      return {fmt::format("these counters could not be opened ({}): they are missing", system_reason(error)), ""};
  }
}

}  // namespace

CounterDefinition counter_definition(const journal::Record& record) {
  CounterDefinition counter;
  counter.number = record.object;
  counter.how = journal::pair_low(record.payload[0]);
  counter.error = journal::pair_high(record.payload[0]);
  counter.is_program_only = journal::pair_low(record.payload[1]) != 0;
  const auto* text = reinterpret_cast<const char*>(record.payload.data() + 2);
  counter.name.assign(text, strnlen(text, static_cast<std::uint32_t>(journal::pair_high(record.payload[1]))));
  return counter;
}

void RecordedCounters::add(std::uint32_t rank, const std::set<CounterDefinition>& definitions) {
  for (const CounterDefinition& of : definitions) {
    Counter& counter = counters_[of.number];
    counter.name = of.name;
    if (of.how != 0) {
      counter.is_found = true;
    } else {
      counter.missing.insert(rank);
      (is_bytes(of.name) ? not_in_proc_ : missing_[of.error]).insert(of.name);
    }
    if (of.is_program_only) program_only_.insert(of.name);
    if (of.how == by_usage) by_usage_.insert(of.name);
  }
}

void RecordedCounters::finish(archive::Definitions& definitions, DataQuality& quality) {
  metric_class_ = static_cast<std::uint32_t>(definitions.metrics_read_together.size());
  for (const auto& [number, counter] : counters_) {
    if (!counter.is_found) continue;
    numbers_.push_back(number);
    definitions.metrics.push_back({counter.name, unit_of(counter.name), false, true});
  }
  if (!numbers_.empty()) definitions.metrics_read_together.push_back(static_cast<std::uint32_t>(numbers_.size()));
  for (const auto& [error, names] : missing_) {
    const auto [what, remedy] = reason_of(error);
    quality.add("no-counter", Severity::warning, fmt::format("{}", fmt::join(names, ", ")), names.size(), what, remedy);
  }
  if (!not_in_proc_.empty())
    quality.add("no-counter", Severity::warning, fmt::format("{}", fmt::join(not_in_proc_, ", ")), not_in_proc_.size(),
                "the system does not let processes read /proc/thread-self/io: these counters are missing",
                "record with a kernel that has CONFIG_TASK_IO_ACCOUNTING, and outside of containers that hide it");
  if (!program_only_.empty())
    quality.add("counter-program-only", Severity::info, fmt::format("{}", fmt::join(program_only_, ", ")),
                program_only_.size(), "counters do not count in the kernel, which the system forbids",
                "ask for kernel.perf_event_paranoid = 1 or less, or name them with :u to say so");
  if (!by_usage_.empty())
    quality.add("counter-without-perf", Severity::info, fmt::format("{}", fmt::join(by_usage_, ", ")), by_usage_.size(),
                "counters were read from getrusage and the thread's clock, as the system forbids perf_event_open", "");
}

const std::vector<std::uint64_t>& RecordedCounters::chosen(std::span<const std::uint64_t> counts,
                                                           std::vector<std::uint64_t>& room) const {
  room.clear();
  for (const std::uint32_t number : numbers_) room.push_back(number < counts.size() ? counts[number] : 0);
  return room;
}

}  // namespace mora::experiment
