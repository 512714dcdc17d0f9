/// Opening a trace that is one file and is parsed from its mapped content.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/file.h"
#include "trace/source.h"

namespace mora::trace {

/// A reader of content in memory; the source must not refer to `content` afterwards.
using ReadContent = Result<std::unique_ptr<Source>> (*)(std::string_view content, const std::string& file);

/// Maps the file and calls `read`. Errors: the file cannot be read, it is packed (unreadable); those of `read`.
/// Pages of a long file that were read do not stay in the process's memory.
inline Result<std::unique_ptr<Source>> open_whole_file(const std::string& path, ReadContent read) {
  MORA_TRY(const MappedFile file, MappedFile::open(path));
  constexpr std::size_t worth_forgetting = std::size_t{64} << 20;
  std::jthread forgetting;
  if (file.bytes().size() > worth_forgetting) {
    forgetting = std::jthread([&file](const std::stop_token& stop) {
      for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(20))) file.forget();
    });
  }
  const std::string_view content(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  if (content.substr(0, 2) == "\x1f\x8b")
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "files of this format are not read while packed",
                "unpack it: gunzip " + path);
  return read(content, path);
}

}  // namespace mora::trace
