/// Opening a trace that is one file and is parsed from its mapped content.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "trace/source.h"

namespace mora::trace {

/// A reader of content in memory; the source must not refer to `content` afterwards.
using ReadContent = Result<std::unique_ptr<Source>> (*)(std::string_view content, const std::string& file);

/// Maps the file and calls `read`. Errors: the file cannot be read, it is packed (unreadable); those of `read`.
inline Result<std::unique_ptr<Source>> open_whole_file(const std::string& path, ReadContent read) {
  MORA_TRY(const MappedFile file, MappedFile::open(path));
  const std::string_view content(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (content.substr(0, 2) == "\x1f\x8b")
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "files of this format are not read while packed",
                "unpack it: gunzip " + path);
  return read(content, path);
}

}  // namespace mora::trace
