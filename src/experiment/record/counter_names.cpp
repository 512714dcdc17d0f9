/// The generic events of perf_event_open(2) under the names that `perf list` shows; those of caches are put together
/// from unit, access and result. PAPI's names where PAPI's presets are these very events; PAPI counts the program
/// alone.
#include "experiment/record/counter_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <set>

#include "base/text/did_you_mean.h"

namespace mora::experiment {

namespace {

constexpr std::size_t most_counters = 16;  ///< MORA_MOST_COUNTERS of the recorder
constexpr unsigned program_only = 1, kernel_only = 2;
/// MORA_COUNTER_OF_PROC and enum mora_proc_count of the recorder.
constexpr std::uint32_t of_proc = 0x50524F43;

struct Event {
  std::string name;
  std::uint32_t type;
  std::uint64_t config;
  unsigned modes = 0;
};

const std::vector<Event>& events() {
  static const std::vector<Event> all = [] {
    std::vector<Event> list;
    const auto add = [&](std::uint32_t type, std::initializer_list<std::pair<const char*, std::uint64_t>> names) {
      for (const auto& [name, config] : names) list.push_back({name, type, config});
    };
    add(PERF_TYPE_HARDWARE, {{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                             {"cpu-cycles", PERF_COUNT_HW_CPU_CYCLES},
                             {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                             {"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
                             {"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
                             {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
                             {"branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
                             {"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
                             {"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
                             {"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
                             {"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
                             {"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES}});
    add(PERF_TYPE_SOFTWARE, {{"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},
                             {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
                             {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},
                             {"faults", PERF_COUNT_SW_PAGE_FAULTS},
                             {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
                             {"cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
                             {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
                             {"migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
                             {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
                             {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},
                             {"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS},
                             {"emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS}});
    add(of_proc, {{"io-read-bytes", 1},
                  {"io-write-bytes", 2},
                  {"disk-read-bytes", 3},
                  {"disk-write-bytes", 4},
                  {"memory-high-water-bytes", 5}});
    const std::pair<const char*, std::uint64_t> caches[] = {
        {"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
        {"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
        {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
        {"node", PERF_COUNT_HW_CACHE_NODE}};
    const std::pair<const char*, std::uint64_t> accesses[] = {{"load", PERF_COUNT_HW_CACHE_OP_READ},
                                                              {"store", PERF_COUNT_HW_CACHE_OP_WRITE},
                                                              {"prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH}};
    for (const auto& [cache, unit] : caches) {
      for (const auto& [access, op] : accesses) {
        const std::uint64_t config = unit | op << 8;
        list.push_back({fmt::format("{}-{}{}", cache, access, op == PERF_COUNT_HW_CACHE_OP_PREFETCH ? "es" : "s"),
                        PERF_TYPE_HW_CACHE, config | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_ACCESS} << 16});
        list.push_back({fmt::format("{}-{}-misses", cache, access), PERF_TYPE_HW_CACHE,
                        config | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16});
      }
    }
    for (const auto& [name, config] :
         {std::pair<const char*, std::uint64_t>{"PAPI_TOT_INS", PERF_COUNT_HW_INSTRUCTIONS},
          {"PAPI_TOT_CYC", PERF_COUNT_HW_CPU_CYCLES},
          {"PAPI_REF_CYC", PERF_COUNT_HW_REF_CPU_CYCLES},
          {"PAPI_BR_INS", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
          {"PAPI_BR_MSP", PERF_COUNT_HW_BRANCH_MISSES}})
      list.push_back({name, PERF_TYPE_HARDWARE, config, program_only});
    return list;
  }();
  return all;
}

/// "r1a2": the processor's own number of an event, hexadecimal.
bool read_raw(std::string_view name, Event& event) {
  if (name.size() < 2 || name.size() > 17 || name[0] != 'r') return false;
  event.config = 0;
  for (const char digit : name.substr(1)) {
    const auto value =
        std::string_view("0123456789abcdef").find(digit >= 'A' && digit <= 'F' ? digit - 'A' + 'a' : digit);
    if (value == std::string_view::npos) return false;
    event.config = event.config << 4 | value;
  }
  event.type = PERF_TYPE_RAW;
  event.modes = 0;
  return true;
}

}  // namespace

const std::vector<std::string>& counter_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Event& event : events()) all.push_back(event.name);
    return all;
  }();
  return names;
}

Result<std::string> read_counters(std::string_view list) {
  const auto wrong = [&](std::string what, std::string help) {
    return fail(ErrorKind::usage, std::move(what), fmt::format("--counters {}", list), "", std::move(help));
  };
  std::vector<std::string> settings;
  std::set<std::string_view> given;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view word = list.substr(at, end - at);
    at = end + 1;
    std::string_view name = word;
    unsigned modes = 0;
    if (name.ends_with(":u") || name.ends_with(":k")) {
      modes = name.back() == 'u' ? program_only : kernel_only;
      name.remove_suffix(2);
    }
    Event event;
    const auto found = std::find_if(events().begin(), events().end(), [&](const Event& e) { return e.name == name; });
    if (found != events().end()) {
      event = *found;
    } else if (!read_raw(name, event)) {
      const auto guess = did_you_mean(std::string(name), counter_names());
      return wrong(
          fmt::format("there is no counter '{}'", name),
          (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) +
              "names are those of perf list (cycles, instructions, cache-misses, page-faults …), or rNNN with the "
              "processor's own number");
    }
    if (event.type == of_proc && modes != 0)
      return wrong(fmt::format("'{}' cannot be divided between program and kernel", name),
                   fmt::format("give '{}' alone", name));
    if (!given.insert(word).second) return wrong(fmt::format("'{}' stands there twice", word), "name it once");
    settings.push_back(fmt::format("{}/{:x}/{}/{}", event.type, event.config, event.modes | modes, word));
  }
  if (settings.size() > most_counters)
    return wrong(fmt::format("{} counters are too many", settings.size()),
                 fmt::format("name at most {}", most_counters));
  return fmt::format("{}", fmt::join(settings, ","));
}

}  // namespace mora::experiment
