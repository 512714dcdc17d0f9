/// Laws of a number over the number of processes: exact ones of whole numbers, fitted ones of what was measured.
///
/// Idea: performance models of normal form, a + b z(P) with few z (Calotoiu 2013); whole numbers (sizes, iterations)
/// must be met exactly by all runs, since messages that are a byte off show that the program does something else.
/// Extents of balanced grids are among the z: strips of a halo are cut by them. Times are fitted, with leaving each
/// number of processes out (base/numbers/relative_fit.h). Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/relative_fit.h"
#include "predict/scaling/laws/rank_rules.h"

namespace mora::predict {

/// By number of processes.
using ByProcesses = std::map<std::uint32_t, std::int64_t>;

struct ExactLaw {
  std::string words;  ///< "4096 / P"
  std::function<std::int64_t(std::uint32_t processes)> of;
  bool is_untested = false;  ///< a + b z(P) of three numbers of processes: little tests it
};

/// Those that all runs meet, those without a grid before any with one; beside them the latter are left out, unless the
/// program has such a grid. A constant needs two numbers of processes, any other law fewest_runs; beside a constant no
/// other is looked for (equal_extents() says where that hides one).
std::vector<ExactLaw> exact_laws(const ByProcesses& values, const Vocabulary& vocabulary);

struct FittedLaw {
  std::string words;  ///< "a + b / P"
  LawInterval at;     ///< of the number of processes asked for, at 90 %
  double leave_one_out = 0;
};

/// nullopt: fewer than fewest_runs runs, or a value that is not positive.
std::optional<FittedLaw> fit_law(const std::map<std::uint32_t, double>& values, std::uint32_t processes);

}  // namespace mora::predict
