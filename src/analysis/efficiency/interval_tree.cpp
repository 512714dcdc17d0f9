/// Two nodes of the call tree are the same interval if their nearest interval above is the same and name, file, line
/// and id agree: so an interval reached through two functions is one (DVM analyser, 4.2). Numbering: preorder of first
/// appearance.
#include "analysis/efficiency/interval_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace mora::analysis {

namespace {

using Key = std::tuple<std::size_t, std::string, std::string, std::uint32_t, std::uint32_t>;

/// The program's place is that of its first call whose site is known, as in the DVM analyser's sample report.
void place_program(const cube::Cube& cube, Interval& program) {
  for (const cube::CallPath& path : cube.call_paths) {
    if (path.kind != cube::CallPathKind::mpi || path.line == 0) continue;
    program.file = path.file;
    program.line = path.line;
    return;
  }
}

}  // namespace

IntervalTree interval_tree(const cube::Cube& cube) {
  std::vector<Interval> found;
  std::vector<std::vector<std::size_t>> children;
  std::vector<std::size_t> owner(cube.call_paths.size(), 0);
  std::map<Key, std::size_t> known;
  if (cube.call_paths.empty()) return {};
  found.emplace_back().name = cube.call_paths.front().name;
  children.emplace_back();
  place_program(cube, found.front());
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    const std::size_t above = path.parent == cube::no_id ? 0 : owner[path.parent];
    owner[c] = above;
    if (path.parent == cube::no_id) found.front().roots.push_back(c);
    if (path.kind != cube::CallPathKind::interval) continue;
    const auto [place, is_new] = known.try_emplace({above, path.name, path.file, path.line, path.id}, found.size());
    owner[c] = place->second;
    if (is_new) {
      Interval interval;
      interval.parent = above;
      interval.name = path.name;
      interval.file = path.file;
      interval.line = path.line;
      interval.id = path.id;
      found.push_back(std::move(interval));
      children.emplace_back();
      children[above].push_back(place->second);
    }
    Interval& interval = found[place->second];
    interval.replication = std::max(interval.replication, path.replication);
    interval.roots.push_back(c);
  }
  IntervalTree tree;
  std::vector<std::size_t> number(found.size(), 0);
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t old = open.back();
    open.pop_back();
    number[old] = tree.intervals.size();
    Interval& interval = tree.intervals.emplace_back(std::move(found[old]));
    if (old != 0) {
      interval.parent = number[interval.parent];
      interval.level = tree.intervals[interval.parent].level + 1;
    }
    open.insert(open.end(), children[old].rbegin(), children[old].rend());
  }
  tree.of_path.reserve(owner.size());
  for (const std::size_t old : owner) tree.of_path.push_back(static_cast<std::uint32_t>(number[old]));
  return tree;
}

std::vector<cube::CallPathId> call_paths_of(const cube::Cube& cube, const Interval& interval, bool own) {
  std::vector<bool> inside(cube.call_paths.size(), false);
  for (const cube::CallPathId root : interval.roots) inside[root] = true;
  std::vector<cube::CallPathId> paths;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    if (!inside[c] && path.parent != cube::no_id && inside[path.parent]) {
      inside[c] = !own || path.kind != cube::CallPathKind::interval;
    }
    if (inside[c]) paths.push_back(c);
  }
  return paths;
}

}  // namespace mora::analysis
