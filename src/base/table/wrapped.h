/// Texts in columns of a terminal: how wide they are, cut, and broken into lines. Widths are code points. Pure
/// functions, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace mora {

/// Columns a terminal shows: code points.
std::size_t display_width(const std::string& text);

/// `text` cut to `width` columns, the cut shown as "…" in its middle (both ends of a call path matter).
std::string cut_middle(const std::string& text, std::size_t width);

/// Lines of at most `width` columns, broken at blanks, each after the first begun with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

/// `text` behind `head`, whose blanks stay; further lines begin under its end.
std::string hanging(const std::string& head, const std::string& text, std::size_t width);

/// "1 process", "2 processes", "3 ranks".
std::string counted(std::uint64_t count, const std::string& noun);

}  // namespace mora
