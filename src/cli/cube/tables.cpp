/// `mora cube info|dump|stat`: what a .cubex file contains, its values, and a summary by region, as tables.
#include "report/cube/cube_tables.h"

#include <cstdio>

#include "cli/command/verbs.h"
#include "cli/options/count_option.h"
#include "cli/terminal/output.h"

namespace mora::cli {
namespace {

using CubeTable = Result<std::string> (*)(const cube::CubexFile&, const report::CubeTableOptions&);

/// `top_of_text` is the default of --top for people; other formats show all rows. What the reader had to say goes to
/// standard error, unless the table says it.
Result<int> print_cube_table(const Arguments& arguments, CubeTable table, unsigned top_of_text) {
  MORA_TRY(const std::string format, output_format(arguments, "json csv"));
  report::CubeTableOptions options;
  options.format = format == "json"  ? report::TableFormat::json
                   : format == "csv" ? report::TableFormat::csv
                                     : report::TableFormat::text;
  options.metric = arguments.get("metric");
  options.per_location = arguments.has("per-location");
  MORA_TRY(options.top, count_option(arguments, "top", format == "text" ? top_of_text : 0));
  MORA_TRY(const auto file, cube::read_cubex(arguments.positionals.at(0)));
  MORA_TRY(const std::string text, table(file, options));
  std::fputs(text.c_str(), stdout);
  if (table == report::cube_info) return 0;
  for (const QualityRow& row : file.quality.rows())
    std::fprintf(stderr, "mora: %s: %s: %s\n", to_string(row.severity), row.where.c_str(), row.what.c_str());
  return 0;
}

template <CubeTable table, unsigned top_of_text>
Result<int> run_cube(const Arguments& arguments) {
  return print_cube_table(arguments, table, top_of_text);
}

const std::vector<Positional> file_to_read = {
    {"FILE", "a CUBE4 result: analysis.cubex of an experiment, or another tool's .cubex", 1, 1}};

std::vector<Option> table_options(const std::string& default_top) {
  std::vector<Option> options = {{"--json", "", "print JSON", ""}, {"--csv", "", "print CSV with exact values", ""}};
  if (default_top.empty()) return options;
  options.push_back({"--metric", "ID", "show only this metric (id or unique name)", "all"});
  options.push_back({"-p,--per-location", "", "print a row for every location", ""});
  options.push_back({"--top", "N", "print the N largest rows of each metric; 0 = all", default_top});
  return options;
}

}  // namespace

const Verb verb_cube_info{
    .name = "cube info",
    .summary = "show what a .cubex file contains: metrics, call paths, locations, attributes",
    .description =
        "Lists the three dimensions (metrics, call paths, locations) of a CUBE4 result of Mora or another tool, its "
        "attributes, Cartesian grids of its processes, and what could not be read.",
    .positionals = file_to_read,
    .options = table_options(""),
    .examples = {{"mora cube info mora-app-4/analysis.cubex", "text"}},
    .run = run_cube<report::cube_info, 0>,
};

const Verb verb_cube_dump{
    .name = "cube dump",
    .summary = "print the values of a .cubex file as a table",
    .description =
        "One row for every metric and call path with a value: its own value and the value with the call paths below "
        "it. Metrics include their child metrics, as in CUBE. CSV and JSON carry exact seconds.",
    .positionals = file_to_read,
    .options = table_options("all, in order of the call tree"),
    .examples = {{"mora cube dump mora-app-4/analysis.cubex", "text"},
                 {"mora cube dump --metric late-sender -p --csv mora-app-4/analysis.cubex",
                  "one metric by rank, for a spreadsheet"}},
    .run = run_cube<report::cube_dump, 0>,
};

const Verb verb_cube_stat{
    .name = "cube stat",
    .summary = "summarise a .cubex file by metric and region",
    .description =
        "Adds up all call paths of one region. For each metric and region it prints the sum over all locations, and "
        "the mean, minimum and maximum of a location. With -p it prints a row for every location.",
    .positionals = file_to_read,
    .options = table_options("20; all for --json and --csv"),
    .examples = {{"mora cube stat mora-app-4/analysis.cubex", "text"},
                 {"mora cube stat --metric late-sender -p --csv mora-app-4/analysis.cubex",
                  "one metric by rank, for a spreadsheet"}},
    .run = run_cube<report::cube_stat, 20>,
};

}  // namespace mora::cli
