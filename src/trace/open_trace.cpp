#include <filesystem>

#include "base/file.h"
#include "trace/readers/text/text_source.h"
#include "trace/source.h"

namespace mora::trace {

Result<std::unique_ptr<Source>> open_trace(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) {
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "there is no such file or directory",
                "give an experiment directory, a traces.otf2 or a trace text");
  }
  MORA_TRY(const std::string content, read_file(path));
  if (is_trace_text(content)) {
    MORA_TRY(auto source, read_trace_text(content, path));
    return std::unique_ptr<Source>(std::move(source));
  }
  return fail(ErrorKind::unreadable, "cannot open the trace", path, "it is in no format that Mora knows",
              "give an experiment directory, a traces.otf2 or a trace text");
}

}  // namespace mora::trace
