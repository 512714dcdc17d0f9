/// Bytes inside of a page: gzip, which a browser unpacks by itself (DecompressionStream, also from file://), as base64.
#pragma once

#include <string>

namespace mora::serve {

/// Empty if there is not enough memory.
std::string gzip(const std::string& bytes);
std::string base64(const std::string& bytes);

}  // namespace mora::serve
