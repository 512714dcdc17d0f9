/// Whether two results are of one program: names change with a new binary and lines with an edit, source files and
/// functions stay.
#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/text/source_place.h"
#include "report/one_process/one_process.h"

namespace mora::report {

namespace {

std::string program_of(const cube::Cube& cube) { return cube.call_paths.empty() ? "" : cube.call_paths.front().name; }

/// "solve.c", of call sites and intervals.
std::set<std::string> files_of(const cube::Cube& cube) {
  std::set<std::string> files;
  for (std::size_t c = 1; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    if (!path.file.empty()) files.emplace(base_name(path.file));
  }
  return files;
}

/// Of the user's functions.
std::set<std::string> functions_of(const cube::Cube& cube) {
  std::set<std::string> names;
  for (std::size_t c = 1; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    if (path.kind == cube::CallPathKind::user && path.name != "main") names.insert(path.name);
  }
  return names;
}

bool have_common(const std::set<std::string>& first, const std::set<std::string>& second) {
  return std::any_of(first.begin(), first.end(), [&](const std::string& name) { return second.count(name) != 0; });
}

}  // namespace

std::string different_programs(const cube::Cube& first, const cube::Cube& second) {
  const std::string a = program_of(first), b = program_of(second);
  if (a == b) return {};
  const auto files = files_of(first), other_files = files_of(second);
  const auto functions = functions_of(first), other_functions = functions_of(second);
  const bool knows_files = !files.empty() && !other_files.empty();
  const bool knows_functions = !functions.empty() && !other_functions.empty();
  if (!knows_files && !knows_functions) return {};  // nothing to tell by but the name
  if (have_common(files, other_files) || have_common(functions, other_functions)) return {};
  return fmt::format("different programs: {} and {} have no {} in common", a, b,
                     knows_files ? "source file" : "function");
}

}  // namespace mora::report
