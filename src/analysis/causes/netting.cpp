#include "analysis/causes/netting.h"

#include <algorithm>

namespace mora::analysis {

/// A stretch belongs to the function or marked interval around it; found iterations are looked through.
Netting::Netting(const GlobalCallTree& tree) : functions_(tree.nodes.size(), cube::no_id), sums_(tree.nodes.size()) {
  for (std::size_t c = 0; c < tree.nodes.size(); ++c) {
    const NodeKey& node = tree.nodes[c];
    if (!node.is_compute() || node.from == not_observed) continue;
    cube::CallPathId function = node.parent;
    while (tree.nodes[function].is_found_iteration()) function = tree.nodes[function].parent;
    functions_[c] = function;
  }
}

void Netting::cut(std::vector<PathAmount>& delays) {
  for (const cube::CallPathId function : touched_) {
    const Sum sum = sums_[function];
    sums_[function] = {};
    if (sum.longer == 0 || sum.shorter == 0) continue;
    weights_.clear();
    for (const PathAmount& d : delays) {
      if (functions_[d.call_path] == function) weights_.push_back(d.amount);
    }
    const auto& left = divide_(std::max<Nanoseconds>(0, sum.longer - sum.shorter), weights_);
    auto next = left.begin();
    for (PathAmount& d : delays) {
      if (functions_[d.call_path] == function) d.amount = *next++;
    }
  }
  touched_.clear();
}

}  // namespace mora::analysis
