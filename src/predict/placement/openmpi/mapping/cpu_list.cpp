/// Lists of cpus of rankfiles, sequential hostfiles and --cpu-list as hardware threads. Source: Open MPI 4.1, mpirun(1)
/// (rankfiles) and opal/mca/hwloc/base/hwloc_base_util.c.
#include "predict/placement/openmpi/mapping/cpu_list.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

class ListReader {
 public:
  ListReader(const Job& job, bool physical, const std::string& where)
      : topology_(*job.topology), job_(job), physical_(physical), where_(where) {}

  Result<HwthreadSet> read(const std::string& list) {
    for (const std::string& item : split(list, ';')) {
      const bool says_package = item.front() == 'S' || item.front() == 's';
      const bool has_colon = item.find(':') != std::string::npos;
      for (const std::string& piece : split(item.substr(says_package ? 1 : 0), ',')) {
        if (has_colon) {
          MORA_CHECK_OK(add_cores_of_package(piece));
        } else if (says_package) {
          MORA_CHECK_OK(add_packages(piece));
        } else {
          MORA_CHECK_OK(each_of(piece, [&](std::int64_t cpu) { return add_cpu(cpu); }));
        }
      }
    }
    return cpus_;
  }

 private:
  tl::unexpected<Error> missing(std::string_view what, std::int64_t number) const {
    return refuse("no such cpu", fmt::format("there is no {} {}", what, number),
                  fmt::format("the topology is {}", topology_.source), where_);
  }

  /// "3" or "3-5".
  template <class Add>
  Result<void> each_of(const std::string& range, const Add& add) {
    const std::vector<std::string> ends = split(range, '-');
    if (ends.empty() || ends.size() > 2)
      return refuse("wrong cpu list", fmt::format("'{}' is no number and no range", range), {}, where_);
    const std::int64_t first = std::strtol(ends.front().c_str(), nullptr, 10),
                       last = std::strtol(ends.back().c_str(), nullptr, 10);
    for (std::int64_t number = first; number <= last; ++number) MORA_CHECK_OK(add(number));
    return {};
  }

  const Part* package(std::int64_t number) const {
    const std::vector<Part>& packages = topology_.at(Level::package);
    if (!physical_)
      return number >= 0 && number < static_cast<std::int64_t>(packages.size())
                 ? &packages[static_cast<std::size_t>(number)]
                 : nullptr;
    const auto found =
        std::find_if(packages.begin(), packages.end(), [&](const Part& p) { return p.os_index == number; });
    return found == packages.end() ? nullptr : &*found;
  }

  Result<void> add_packages(const std::string& range) {
    if (range.front() == '*') {
      cpus_.add(topology_.whole());
      return {};
    }
    return each_of(range, [&](std::int64_t number) -> Result<void> {
      const Part* const found = package(number);
      if (found == nullptr) return missing("package", number);
      cpus_.add(found->hwthreads);
      return {};
    });
  }

  /// "1:0-2": a package, and cores counted inside it.
  Result<void> add_cores_of_package(const std::string& text) {
    const std::vector<std::string> words = split(text, ':');
    const std::int64_t number = words.empty() ? 0 : std::strtol(words.front().c_str(), nullptr, 10);
    const Part* const found = package(number);
    if (found == nullptr) return missing("package", number);
    const std::vector<Part>& cpus = topology_.at(topology_.at(Level::core).empty() ? Level::hwthread : Level::core);
    std::vector<const Part*> inside;
    for (const Part& cpu : cpus) {
      if (found->hwthreads.contains(cpu.hwthreads)) inside.push_back(&cpu);
    }
    for (std::size_t w = 1; w < words.size(); ++w) {
      const std::string cores = words[w].substr(words[w].front() == 'C' || words[w].front() == 'c' ? 1 : 0);
      if (cores.starts_with('*')) {
        cpus_.add(found->hwthreads);
        return {};
      }
      MORA_CHECK_OK(each_of(cores, [&](std::int64_t core) -> Result<void> {
        if (core < 0 || core >= static_cast<std::int64_t>(inside.size()))
          return missing(fmt::format("core of package {}", number), core);
        cpus_.add(inside[static_cast<std::size_t>(core)]->hwthreads);
        return {};
      }));
    }
    return {};
  }

  Result<void> add_cpu(std::int64_t number) {
    const std::vector<Part>& cores = topology_.at(Level::core);
    const std::vector<Part>& threads = topology_.at(Level::hwthread);
    const bool counts_threads = job_.policies.hwthread_cpus || cores.empty();
    if (physical_) {
      const auto thread =
          std::find_if(threads.begin(), threads.end(), [&](const Part& t) { return t.os_index == number; });
      if (thread == threads.end()) return missing("hardware thread", number);
      const auto core = std::find_if(cores.begin(), cores.end(),
                                     [&](const Part& c) { return c.hwthreads.contains(thread->hwthreads); });
      cpus_.add(counts_threads || core == cores.end() ? thread->hwthreads : core->hwthreads);
      return {};
    }
    const std::vector<Part>& cpus = counts_threads ? threads : cores;
    if (number < 0 || number >= static_cast<std::int64_t>(cpus.size()))
      return missing(counts_threads ? "hardware thread" : "core", number);
    cpus_.add(cpus[static_cast<std::size_t>(number)].hwthreads);
    return {};
  }

  const Topology& topology_;
  const Job& job_;
  bool physical_;
  std::string where_;
  HwthreadSet cpus_;
};

}  // namespace

Result<HwthreadSet> cpus_of_list(const Job& job, const std::string& list, bool physical, const std::string& where) {
  if (job.topology == nullptr)
    return refuse("no topology", "lists of cpus need the topology of the nodes", "give the topology", where);
  return ListReader(job, physical, where).read(list);
}

HwthreadSet available_cpus(const Job& job, const std::string& list) {
  HwthreadSet cpus;
  const std::vector<Part>& all = job.topology->at(
      job.policies.hwthread_cpus || job.topology->at(Level::core).empty() ? Level::hwthread : Level::core);
  each_listed(list, all.size(), [&](unsigned long cpu) { cpus.add(all[cpu].hwthreads); });
  return cpus;
}

}  // namespace mora::predict::openmpi
