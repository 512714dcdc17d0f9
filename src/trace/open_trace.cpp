#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "trace/readers/otf2/otf2_source.h"
#include "trace/readers/text/text_source.h"
#include "trace/source.h"

namespace mora::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_fits = "give an experiment directory, an OTF2 anchor file (traces.otf2) or a trace text";

std::string beginning(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

/// The anchor file of a directory: traces.otf2, else its only *.otf2.
std::string anchor_in(const std::string& directory) {
  if (file_exists(directory + "/traces.otf2")) return directory + "/traces.otf2";
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".otf2") found.push_back(entry.path().string());
  }
  return found.size() == 1 ? found[0] : "";
}

}  // namespace

Result<std::unique_ptr<Source>> open_trace(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (!fs::exists(status))
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "there is no such file or directory", what_fits);
  if (fs::is_directory(status)) {
    const std::string anchor = anchor_in(path);
    if (anchor.empty())
      return fail(ErrorKind::unreadable, "cannot open the trace", path, "the directory holds no OTF2 archive",
                  "an interrupted recording is repaired by: mora recover " + path);
    return open_otf2(anchor);
  }
  const std::string start = beginning(path);
  if (is_trace_text(start)) {
    MORA_TRY(const std::string content, read_file(path));
    MORA_TRY(auto source, read_trace_text(content, path));
    return std::unique_ptr<Source>(std::move(source));
  }
  if (fs::path(path).extension() == ".otf2" || start.rfind("[OTF2]", 0) == 0 || start.rfind("OTF2", 0) == 0)
    return open_otf2(path);
  if (fs::path(path).extension() == ".evt" || fs::path(path).extension() == ".def")
    return fail(ErrorKind::unreadable, "cannot open the trace", path, "this is a part of an OTF2 archive", what_fits);
  return fail(ErrorKind::unreadable, "cannot open the trace", path, "it is in no format that Mora knows", what_fits);
}

}  // namespace mora::trace
