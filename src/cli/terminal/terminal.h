/// What standard output can show. Not thread-safe towards changes of the environment.
#pragma once

namespace mora::cli {

/// A terminal, and neither NO_COLOR nor a dumb one.
bool use_colour();
/// Columns of the terminal; 100 for files and pipes.
unsigned terminal_width();
/// The locale's encoding is UTF-8 (LC_ALL, LC_CTYPE, LANG: the first that is set).
bool terminal_takes_utf8();

}  // namespace mora::cli
