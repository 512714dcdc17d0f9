/// Where OpenMP's tasks stand in call paths (Mora's rule omp-barriers).
#include "analysis/match/matcher.h"

namespace mora::analysis {

/// What a region stands in that is entered now. A task stands in the innermost parallel region, whichever barrier or
/// taskwait it is executed in, and inside which other task; without a region in what is around the outermost task.
std::uint32_t Matcher::parent_of(std::uint32_t region) const {
  if (region >= regions_.size() || !regions_[region].is_task) return stack_.back().node;
  std::size_t around = stack_.size();  // frames from there on are tasks and what OpenMP executes them in
  for (std::size_t depth = stack_.size(); depth-- > 1;) {
    const std::uint32_t open = stack_[depth].region;
    if (open >= regions_.size()) continue;
    if (regions_[open].is_parallel) return stack_[depth].node;
    if (regions_[open].is_task || (is_openmp(regions_[open].account) && depth + 1 == around)) around = depth;
  }
  return stack_[around - 1].node;
}

}  // namespace mora::analysis
