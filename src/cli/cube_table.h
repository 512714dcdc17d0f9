/// What `cube dump` and `cube stat` share: their arguments, and printing a table of a .cubex file.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"
#include "report/cube_tables.h"

namespace mora::cli {

using CubeTable = Result<std::string> (*)(const cube::CubexFile&, const report::CubeTableOptions&);

/// Reads the file named by the first positional and prints `table` of it; what the reader had to say goes to standard
/// error. `top_of_text` is the default of --top for people; other formats show all rows.
Result<int> print_cube_table(const Arguments& arguments, CubeTable table, unsigned top_of_text);

/// The rows for Verb::positionals and Verb::options.
std::vector<Positional> cube_table_positionals();
std::vector<Option> cube_table_options(const std::string& default_top);

}  // namespace mora::cli
