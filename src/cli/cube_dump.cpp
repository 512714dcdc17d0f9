/// `mora cube dump`: the values of a .cubex file as a table.
#include "cli/cube_table.h"
#include "cli/verbs.h"

namespace mora::cli {
namespace {

Result<int> run_cube_dump(const Arguments& arguments) { return print_cube_table(arguments, report::cube_dump, 0); }

}  // namespace

const Verb verb_cube_dump{
    .name = "cube dump",
    .summary = "print the values of a .cubex file as a table",
    .description =
        "One row for every metric and call path with a value: its own value and the value with the call paths below "
        "it. Metrics include their child metrics, as in CUBE. CSV and JSON carry exact seconds.",
    .positionals = cube_table_positionals(),
    .options = cube_table_options("all, in order of the call tree"),
    .examples = {{"mora cube dump mora-app-4/analysis.cubex", "text"},
                 {"mora cube dump --metric late-sender -p --csv mora-app-4/analysis.cubex",
                  "one metric by rank, for a spreadsheet"}},
    .run = run_cube_dump,
};

}  // namespace mora::cli
