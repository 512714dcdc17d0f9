/// The loops of a program, found from the order in which its call sites are executed.
///
/// Idea: a call site stands in one place of the program, so that the sites have an order, and whoever comes to a site
/// that is not behind the one before has begun another iteration of a loop around both. The order is a topological one
/// of the first executions on all ranks of all runs; the loops are the intervals of it that such steps back span,
/// joined where they overlap, and where one lies in another and no rank has steps of both (an iteration that leaves out
/// the first or the last site of the loop is no loop of its own). Any sequence of sites has one reading in such a tree,
/// whether or not the program was written so; the fits decide whether the reading has a law. That communication of
/// many ranks is one structure with parameters is ScalaExtrap's idea (Wu 2011). Cost: the calls times the depth.
#pragma once

#include <cstdint>
#include <vector>

#include "predict/scaling/recorded_run.h"

namespace mora::predict {

inline constexpr std::uint32_t no_node = 0xffffffff;

struct ProgramNode {
  std::uint32_t parent = no_node;
  std::uint32_t site = no_node;       ///< of a call; no_node: a loop
  std::uint32_t first = 0, last = 0;  ///< positions in the order of sites
  std::vector<std::uint32_t> children;
  bool is_call() const { return site != no_node; }
};

/// What one rank of one run does at a node.
struct NodeRun {
  std::vector<bool> executed;        ///< of a call: in each iteration of the parent
  std::vector<std::uint32_t> times;  ///< of a loop: its iterations in each iteration of the parent
  std::vector<std::uint32_t> calls;  ///< of a call: index in RankRun::calls, of each execution
  /// Of a loop: each of its iterations: number within its loop's execution, and iteration of the parent it is in.
  std::vector<std::uint32_t> number, outer;
};

struct Program {
  std::vector<ProgramNode> nodes;                       ///< 0: all, executed once
  std::vector<std::vector<std::vector<NodeRun>>> runs;  ///< by run, rank, node
};

Program find_program(const std::vector<RecordedRun>& runs, std::size_t sites);

}  // namespace mora::predict
