#include "cli/analysis/result_directory.h"

#include <filesystem>

namespace mora::cli {

namespace fs = std::filesystem;

std::string result_directory(const std::string& trace) {
  if (fs::is_directory(trace)) return trace;
  if (fs::path(trace).filename() == "traces.otf2") {
    const std::string parent = fs::path(trace).parent_path().string();
    return parent.empty() ? "." : parent;
  }
  return trace + ".analysis";
}

}  // namespace mora::cli
