/// Which node of one run's tree is which node of another's, although lines moved, functions were renamed and ranks
/// differ.
///
/// Used alike for interval trees and call trees. United from the roots down, children of matched parents only, in three
/// steps; what a step pairs is out for the next:
///   1. by place  kind, name, base name of the file and id agree. Those of one line are paired first (`exact`), the
///   others in order
///                of line with the least sum of distances (`moved`). If pairs would cross, the lines have been shifted
///                past each other: then all are paired in order of line (35, 36 that became 36, 37 are not one exact
///                and one far away)
///   2. moved     the same in another file: pairs in order among siblings
///   3. renamed   functions and intervals of one id whose names are similar, or below which the same MPI functions are
///   called and
///                which stand between the same matched siblings (or are the only ones left of their structure)
/// Calls of different MPI functions are never the same. Deterministic. Cost: O(n log n) in all, but for groups of
/// siblings that differ: at most 65536 pairs of a group are weighed; of larger groups the n-th is paired with the n-th
/// (step 2) or only equal structures are (step 4).
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "cube/cube.h"

namespace mora::compare {

inline constexpr std::size_t none = SIZE_MAX;

/// MPI functions by a hash of their names: sets that differ look alike once in 512 cases per function at most.
using FunctionSet = std::bitset<512>;

/// A node of one run's tree with what it is matched by.
struct TreeNode {
  std::size_t parent = none;  ///< stands before its children
  cube::CallPathKind kind = cube::CallPathKind::user;
  std::string name;
  std::string file;  ///< as written; base names are compared
  std::uint32_t line = 0, id = 0;
  FunctionSet functions;  ///< that are called below
};

using Tree = std::vector<TreeNode>;

/// The trees of a run, ready to be united.
Tree call_tree(const cube::Cube& cube);
Tree interval_tree(const cube::Cube& cube, const analysis::IntervalTable& table);

enum class Match : std::uint8_t { missing, exact, moved, renamed };
/// "missing", "exact", "moved", "renamed".
const char* to_string(Match match);

/// A node of the united tree: which node of each run it is, and how it was matched.
struct UnitedNode {
  TreeNode node;                 ///< of the first run that has it; `parent` counts in the united tree
  std::vector<std::size_t> own;  ///< by run: its node there, or `none`
  std::vector<Match> match;      ///< by run: against the first run that has it
  std::vector<std::size_t> children;

  bool is_exact() const;  ///< every run that has it has exactly it
};

/// The trees of several runs as one. Nodes in order of first appearance: a parent stands before its children.
class UnitedTree {
 public:
  /// Adds the next run. A later run may match what an earlier one added.
  void add(const Tree& tree);
  const std::vector<UnitedNode>& nodes() const { return nodes_; }
  std::size_t runs() const { return runs_; }
  /// Nodes without a parent.
  const std::vector<std::size_t>& roots() const { return roots_; }
  /// Depth first, siblings in order.
  std::vector<std::size_t> preorder() const;

 private:
  std::vector<UnitedNode> nodes_;
  std::vector<std::size_t> roots_;
  std::size_t runs_ = 0;
};

/// Pairs ascending numbers of both lists in order, all of the shorter list, with the least sum of distances; of equal
/// sums the earliest partners. Indices of pairs. O(n x m), see above for the limit.
std::vector<std::pair<std::size_t, std::size_t>> nearest_in_order(const std::vector<std::uint32_t>& a,
                                                                  const std::vector<std::uint32_t>& b);

}  // namespace mora::compare
