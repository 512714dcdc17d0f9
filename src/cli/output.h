/// Writes a verb's output to standard output, or to the file of --output; prints warnings.
#pragma once

#include <string>

#include "base/error.h"

namespace mora::cli {

/// `file`: empty or "-" = standard output; else it is replaced as a whole, and standard output says so. Errors: cannot
/// be written.
Result<int> put_out(const std::string& file, const std::string& text);

/// A line on standard error.
void print_warning(const std::string& text);

}  // namespace mora::cli
