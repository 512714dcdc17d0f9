#include "cli/cube_table.h"

#include <cstdio>

#include "cli/count_option.h"

namespace mora::cli {

Result<int> print_cube_table(const Arguments& arguments, CubeTable table, unsigned top_of_text) {
  report::CubeTableOptions options;
  if (arguments.has("json")) options.format = report::TableFormat::json;
  if (arguments.has("csv")) options.format = report::TableFormat::csv;
  options.metric = arguments.get("metric");
  options.per_location = arguments.has("per-location");
  const bool for_people = options.format == report::TableFormat::text;
  MORA_TRY(options.top, count_option(arguments, "top", for_people ? top_of_text : 0));
  MORA_TRY(const auto file, cube::read_cubex(arguments.positionals.at(0)));
  MORA_TRY(const std::string text, table(file, options));
  std::fputs(text.c_str(), stdout);
  for (const QualityRow& row : file.quality.rows()) {
    std::fprintf(stderr, "mora: %s: %s: %s\n", to_string(row.severity), row.where.c_str(), row.what.c_str());
  }
  return 0;
}

std::vector<Positional> cube_table_positionals() {
  return {{"FILE", "a CUBE4 result: analysis.cubex of an experiment, or another tool's .cubex", 1, 1}};
}

std::vector<Option> cube_table_options(const std::string& default_top) {
  return {{"--json", "", "print JSON", ""},
          {"--csv", "", "print CSV with exact values", ""},
          {"--metric", "ID", "show only this metric (id or unique name)", "all"},
          {"-p,--per-location", "", "print a row for every location", ""},
          {"--top", "N", "print the N largest rows of each metric; 0 = all", default_top}};
}

}  // namespace mora::cli
