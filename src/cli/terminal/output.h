/// In which format and style a verb prints, and where to: standard output, or the file of --output; warnings.
#pragma once

#include <string>

#include "base/error.h"
#include "base/table/text_page.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// `file`: empty or "-" = standard output; else it is replaced as a whole, and standard output says so. Errors: cannot
/// be written.
Result<int> put_out(const std::string& file, const std::string& text);

/// "text", or the one of `formats` (words) that is an option. Errors (usage): more than one is.
Result<std::string> output_format(const Arguments& arguments, const std::string& formats);

/// The width of the terminal, colour if it shows them and there is no --output, and --top (10). Errors (usage): --top
/// is no count.
Result<TextOptions> text_options(const Arguments& arguments);

/// A line on standard error.
void print_warning(const std::string& text);

}  // namespace mora::cli
