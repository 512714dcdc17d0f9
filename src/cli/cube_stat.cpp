/// `mora cube stat`: a .cubex file by metric and region.
#include "cli/cube_table.h"
#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run_cube_stat(const Arguments& arguments) { return print_cube_table(arguments, report::cube_stat, 20); }

}  // namespace

const Verb verb_cube_stat{
    .name = "cube stat",
    .summary = "summarise a .cubex file by metric and region",
    .description =
        "Adds up all call paths of one region. For each metric and region it prints the sum over all locations, and "
        "the mean, minimum and maximum of a location. With -p it prints a row for every location.",
    .positionals = cube_table_positionals(),
    .options = cube_table_options("20; all for --json and --csv"),
    .examples = {{"mora cube stat mora-app-4/analysis.cubex", "text"},
                 {"mora cube stat --metric late-sender -p --csv mora-app-4/analysis.cubex",
                  "one metric by rank, for a spreadsheet"}},
    .run = run_cube_stat,
};

}  // namespace mora::cli
