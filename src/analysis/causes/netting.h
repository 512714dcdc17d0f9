/// Netting: delays of stretches of computation, seen by function.
///
/// Idea: in a program without recorded functions a stretch of computation is known by the calls around it, so that two
/// ranks that compute the same before different calls do so in different call paths. What the cause computed longer in
/// one stretch and shorter in others of the same function is no delay: d(c) of a function's stretches are cut, in
/// proportion (largest remainder), to what it took longer in the function altogether. Where the recorder knows the
/// functions, they are the call paths (Böhme 2016), and the sums are the same. Source: Mora's rule delay-costs. Cost:
/// O(call paths of the question). One object per thread. Amounts in ns.
#pragma once

#include <vector>

#include "analysis/core/call_tree.h"
#include "base/numbers/shares.h"
#include "base/time.h"

namespace mora::analysis {

struct PathAmount {
  cube::CallPathId call_path = 0;
  Nanoseconds amount = 0;
};

class Netting {
 public:
  explicit Netting(const GlobalCallTree& tree);

  /// A call path in which the cause was longer by `more` (negative: shorter).
  void note(cube::CallPathId path, Nanoseconds more) {
    const cube::CallPathId function = functions_[path];
    if (function == cube::no_id || more == 0) return;
    Sum& sum = sums_[function];
    if (sum.longer == 0 && sum.shorter == 0) touched_.push_back(function);
    (more > 0 ? sum.longer : sum.shorter) += more > 0 ? more : -more;
  }

  /// Cuts the delays, which are the positive amounts noted, and forgets what was noted. Some may become 0.
  void cut(std::vector<PathAmount>& delays);

 private:
  struct Sum {
    Nanoseconds longer = 0, shorter = 0;
  };
  std::vector<cube::CallPathId> functions_;  ///< by call path: of a stretch, where it belongs; else no_id
  std::vector<Sum> sums_;                    ///< by function
  std::vector<cube::CallPathId> touched_;
  std::vector<std::int64_t> weights_;
  ExactShares divide_;
};

}  // namespace mora::analysis
