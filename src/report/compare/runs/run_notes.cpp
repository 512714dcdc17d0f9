/// What to tell before a comparison is read: other programs, other numbers of processes in one configuration.
#include <fmt/format.h>

#include "report/compare/runs/run.h"
#include "report/one_process/one_process.h"

namespace mora::compare {

void add_notes(std::vector<Run>& runs, const std::vector<Configuration>& configurations) {
  for (std::size_t r = 1; r < runs.size(); ++r) {
    const std::string differ = report::different_programs(runs.front().cube, runs[r].cube);
    if (!differ.empty()) runs[r].notes.push_back("warning: " + differ);
  }
  for (const Configuration& configuration : configurations) {
    const std::uint32_t first = runs[configuration.runs.front()].processes;
    for (const std::size_t r : configuration.runs) {
      if (runs[r].processes == first) continue;
      runs[r].notes.push_back(
          fmt::format("warning: {} and {} processes in one configuration: means and spread of {} have no meaning",
                      first, runs[r].processes, configuration.label));
    }
  }
}

}  // namespace mora::compare
