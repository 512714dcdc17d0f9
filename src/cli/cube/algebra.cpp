/// `mora cube diff|merge|mean|cut`: computes a result from other results (cube/algebra.h).
#include "cube/algebra.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/json/json_document.h"
#include "cli/analysis/result_directory.h"
#include "cli/command/verbs.h"
#include "cube/cubex.h"

namespace mora::cli {
namespace {

constexpr std::size_t unmatched_shown = 20;

/// A .cubex file, an experiment, or a trace that was analysed.
Result<cube::Cube> read_operand(const std::string& path) {
  const std::string beside = result_directory(path) + "/analysis.cubex";
  const bool directory = std::filesystem::is_directory(path);
  if (directory && !file_exists(beside))
    return fail(ErrorKind::unreadable, "this experiment is not analysed", path, "it contains no analysis.cubex",
                "run `mora analyze " + path + "`");
  MORA_TRY(auto file, cube::read_cubex(directory || file_exists(beside) ? beside : path));
  for (const QualityRow& row : file.quality.rows())
    std::fprintf(stderr, "mora: %s: %s: %s: %s\n", to_string(row.severity), path.c_str(), row.where.c_str(),
                 row.what.c_str());
  return std::move(file.cube);
}

std::string combination_text(const cube::Combination& result, const std::vector<std::string>& files,
                             const std::string& output) {
  std::string text = fmt::format("{}: {} metrics, {} call paths, {} locations\n", output, result.cube.metrics.size(),
                                 result.cube.call_paths.size(), result.cube.locations.size());
  if (result.rounded > 0) text += fmt::format("{} cells were rounded to whole numbers\n", result.rounded);
  if (result.saturated > 0)
    text += fmt::format("{} cells were too large for 64 bits and were set to the limit\n", result.saturated);
  if (!result.unmatched.empty()) text += "not in every file (counted as zero where missing):\n";
  for (std::size_t i = 0; i < std::min(unmatched_shown, result.unmatched.size()); ++i) {
    const cube::Unmatched& u = result.unmatched[i];
    std::vector<std::string> owners;
    for (const std::uint32_t operand : u.operands) owners.push_back(files.at(operand));
    text += fmt::format("  {:9}  {}  only in {}\n", cube::to_string(u.dimension), u.name, fmt::join(owners, ", "));
  }
  if (result.unmatched.size() > unmatched_shown)
    text += fmt::format("  and {} more; --json lists all\n", result.unmatched.size() - unmatched_shown);
  return text;
}

std::string combination_json(const cube::Combination& result, const std::vector<std::string>& files,
                             const std::string& output) {
  JsonDocument json("mora-cube-combination");
  json.fields("output", output, "rounded", result.rounded, "saturated", result.saturated);
  json.fields("unmatched", list(result.unmatched, [&](const cube::Unmatched& u) {
                std::vector<std::string> owners;
                for (const std::uint32_t operand : u.operands) owners.push_back(files.at(operand));
                json.object("dimension", cube::to_string(u.dimension), "name", u.name, "files", owners);
              }));
  return json.finish();
}

Result<int> finish(const cube::Combination& result, const Arguments& arguments, const std::string& output) {
  MORA_CHECK_OK(cube::write_cubex(result.cube, output));
  const auto& files = arguments.positionals;
  const std::string text =
      arguments.has("json") ? combination_json(result, files, output) : combination_text(result, files, output);
  if (arguments.has("json") || !arguments.has("quiet")) std::fputs(text.c_str(), stdout);
  return 0;
}

using Combine = Result<cube::Combination> (*)(const std::vector<const cube::Cube*>&);

Result<int> combine(const Arguments& arguments, const char* output, Combine operation) {
  std::vector<cube::Cube> cubes;
  for (const std::string& file : arguments.positionals) {
    MORA_TRY(cube::Cube cube, read_operand(file));
    cubes.push_back(std::move(cube));
  }
  std::vector<const cube::Cube*> operands;
  for (const cube::Cube& cube : cubes) operands.push_back(&cube);
  MORA_TRY(const auto result, operation(operands));
  return finish(result, arguments, arguments.get("output", output));
}

Result<int> run_diff(const Arguments& arguments) {
  return combine(arguments, "diff.cubex", [](const auto& cubes) { return cube::difference(*cubes[0], *cubes[1]); });
}

Result<int> run_merge(const Arguments& arguments) { return combine(arguments, "merge.cubex", cube::merge); }

Result<int> run_mean(const Arguments& arguments) { return combine(arguments, "mean.cubex", cube::mean); }

Result<int> run_cut(const Arguments& arguments) {
  cube::Cut what;
  if (const auto found = arguments.options.find("root"); found != arguments.options.end()) what.roots = found->second;
  if (const auto found = arguments.options.find("prune"); found != arguments.options.end()) what.prune = found->second;
  if (what.roots.empty() && what.prune.empty())
    return fail(ErrorKind::usage, "nothing is selected", "mora cube cut", "neither --root nor --prune is given",
                "give a call path, for example --root solve");
  MORA_TRY(const cube::Cube whole, read_operand(arguments.positionals.at(0)));
  cube::Combination result;
  MORA_TRY(result.cube, cube::cut(whole, what));
  return finish(result, arguments, arguments.get("output", "cut.cubex"));
}

std::vector<Option> options(const std::string& output, std::vector<Option> more = {}) {
  more.push_back({"-o,--output", "FILE", "file for the result; an existing file is replaced", output});
  more.push_back({"--json", "", "print as JSON what was written and what did not match", ""});
  more.push_back({"--quiet", "", "print nothing (errors excepted)", ""});
  return more;
}

constexpr const char* united =
    "\n\nMetrics are matched by id, call paths by the names and call sites from the root on, locations by rank and "
    "thread. What a file does not have counts as zero and is listed. Each input is a .cubex file, or an experiment "
    "that was analysed.";

}  // namespace

const Verb verb_cube_diff{
    .name = "cube diff",
    .summary = "subtract one result from another",
    .description = std::string("Writes FIRST minus SECOND, exact in every cell.") + united,
    .positionals = {{"FIRST", "the result to subtract from", 1, 1}, {"SECOND", "the result to subtract", 1, 1}},
    .options = options("diff.cubex"),
    .examples = {{"mora cube diff before/analysis.cubex after/analysis.cubex", "what a change saved"}},
    .run = run_diff,
};

const Verb verb_cube_merge{
    .name = "cube merge",
    .summary = "combine the metrics of several results",
    .description =
        std::string("Writes all metrics of all files; a metric that several files have is taken from the first of "
                    "them. Use it for example to combine the times of one run with the counters of another.") +
        united,
    .positionals = {{"FILE", "results", 1, -1}},
    .options = options("merge.cubex"),
    .examples = {{"mora cube merge times.cubex counters.cubex", "one file with both"}},
    .run = run_merge,
};

const Verb verb_cube_mean{
    .name = "cube mean",
    .summary = "compute the mean of several results",
    .description =
        std::string("Writes the arithmetic mean of every cell, rounded to whole nanoseconds (counts, bytes).") + united,
    .positionals = {{"FILE", "results of repeated runs", 1, -1}},
    .options = options("mean.cubex"),
    .examples = {{"mora cube mean run1 run2 run3 -o mean.cubex", "three experiments"}},
    .run = run_mean,
};

const Verb verb_cube_cut{
    .name = "cube cut",
    .summary = "extract a part of the call tree of a result",
    .description =
        "Keeps only the call paths of --root with everything below them, and adds those of --prune to their parents. A "
        "call path is given by the name of a function (solve), a call site (MPI_Recv@a.c:3), or the end of a path "
        "(main > solve).",
    .positionals = {{"FILE", "a result", 1, 1}},
    .options =
        options("cut.cubex",
                {{"--root", "NAME", "keep only this call path and what is below it; may be repeated", ""},
                 {"--prune", "NAME", "add this call path and what is below it to its parent; may be repeated", ""}}),
    .examples = {{"mora cube cut --root solve mora-app-4 -o solve.cubex", "one function and what it calls"}},
    .run = run_cut,
};

}  // namespace mora::cli
