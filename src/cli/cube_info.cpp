/// `mora cube info`: what a .cubex file contains: metrics, call paths, locations, attributes.
#include <cstdio>

#include "cli/verbs.h"
#include "report/cube_tables.h"

namespace mora::cli {
namespace {

Result<int> run_cube_info(const Arguments& arguments) {
  report::CubeTableOptions options;
  if (arguments.has("json")) options.format = report::TableFormat::json;
  if (arguments.has("csv")) options.format = report::TableFormat::csv;
  MORA_TRY(const auto file, cube::read_cubex(arguments.positionals.at(0)));
  MORA_TRY(const std::string text, report::cube_info(file, options));
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

const Verb verb_cube_info{
    .name = "cube info",
    .summary = "show what a .cubex file contains: metrics, call paths, locations, attributes",
    .description =
        "Lists the three dimensions (metrics, call paths, locations) of a CUBE4 result of Mora or another tool, its "
        "attributes, and what could not be read.",
    .positionals = {{"FILE", "a CUBE4 result: analysis.cubex of an experiment, or another tool's .cubex", 1, 1}},
    .options = {{"--json", "", "print JSON", ""}, {"--csv", "", "print CSV with exact values", ""}},
    .examples = {{"mora cube info mora-app-4/analysis.cubex", "text"}},
    .run = run_cube_info,
};

}  // namespace mora::cli
