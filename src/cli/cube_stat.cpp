/// `mora cube stat`: a .cubex file by metric and region.
#include <cstdio>

#include "cli/count_option.h"
#include "cli/verbs.h"
#include "report/cube_tables.h"

namespace mora::cli {
namespace {

Result<int> run(const Arguments& arguments) {
  report::CubeTableOptions options;
  if (arguments.has("json")) options.format = report::TableFormat::json;
  if (arguments.has("csv")) options.format = report::TableFormat::csv;
  options.metric = arguments.get("metric");
  options.per_location = arguments.has("per-location");
  const bool for_people = options.format == report::TableFormat::text;
  MORA_TRY(options.top, count_option(arguments, "top", for_people ? 20 : 0));
  MORA_TRY(const auto file, cube::read_cubex(arguments.positionals.at(0)));
  MORA_TRY(const std::string text, report::cube_stat(file, options));
  std::fputs(text.c_str(), stdout);
  for (const QualityRow& row : file.quality.rows()) {
    std::fprintf(stderr, "mora: %s: %s: %s\n", to_string(row.severity), row.where.c_str(), row.what.c_str());
  }
  return 0;
}

}  // namespace

const Verb verb_cube_stat{
    .name = "cube stat",
    .summary = "a .cubex file by metric and region",
    .description =
        "Call paths of one region are added up: sum over all locations, mean, least and most of one location. With -p "
        "a row for every location.",
    .positionals = {{"FILE", "a CUBE4 result: analysis.cubex of an experiment, or another tool's .cubex", 1, 1}},
    .options = {{"--json", "", "as JSON", ""},
                {"--csv", "", "as CSV, exact values", ""},
                {"--metric", "ID", "only this metric (id or unique name)", "all"},
                {"-p,--per-location", "", "a row for every location", ""},
                {"--top", "N", "the N largest rows of each metric; 0 = all", "20; all for --json and --csv"}},
    .examples = {{"mora cube stat mora-app-4/analysis.cubex", "text"},
                 {"mora cube stat --metric late-sender -p --csv mora-app-4/analysis.cubex",
                  "one metric by rank, for a spreadsheet"}},
    .run = run,
};

}  // namespace mora::cli
