/// Text inside XML and SVG. Pure function, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace mora {

/// Markup characters and line breaks as references, so that the text is right in elements and in attributes; control
/// characters that XML 1.0 does not have become '?'.
std::string xml_text(std::string_view text);

}  // namespace mora
