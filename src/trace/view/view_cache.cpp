#include "trace/view/view_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "trace/readers/open_trace.h"

namespace mora::trace {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Name, size and modification time of a file, one line; empty if there is no such file.
std::string state_of(const fs::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) return {};
  return fmt::format("{} {} {}.{}\n", file.filename().string(), s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
}

/// Covers names, sizes and times, not contents: reading a large trace once more would cost as much as the index saves.
/// Sorted, because a directory has no order of its own.
std::uint64_t fingerprint(const fs::path& trace, const std::string& format, std::uint64_t application) {
  std::vector<std::string> states;
  std::error_code ignored;
  const std::string name = trace.filename().string();
  const std::string stem = name.substr(0, name.find('.', 1));
  for (const auto& entry : fs::directory_iterator(trace.parent_path(), ignored)) {
    const std::string other = entry.path().filename().string();
    if (other == stem && entry.is_directory(ignored)) {
      for (const auto& part : fs::directory_iterator(entry.path(), ignored)) states.push_back(state_of(part.path()));
    } else if (other.rfind(stem + ".", 0) == 0) {
      states.push_back(state_of(entry.path()));
    }
  }
  std::sort(states.begin(), states.end());
  std::string all = format;
  if (application > 1) all += fmt::format(" application {}\n", application);  // 0 is the first, as 1 is
  for (const std::string& state : states) all += state;
  return XXH3_64bits(all.data(), all.size());
}

}  // namespace

ViewOptions cached_view(const std::string& path, RmaModel model, const std::string& format, std::uint64_t application) {
  ViewOptions options;
  options.model = model;
  std::error_code ignored;
  const fs::path given = fs::weakly_canonical(path, ignored);
  const std::string anchor = fs::is_directory(given, ignored) ? anchor_file(given.string()) : given.string();
  if (anchor.empty()) return options;
  const std::string wanted = environment("MORA_INDEX_DIR");
  if (wanted == "none") return options;
  options.fingerprint = fingerprint(anchor, format, application);
  const char* name = model == RmaModel::basic ? "basic" : "extended";
  const fs::path experiment = fs::path(anchor).parent_path();
  if (wanted.empty() && fs::exists(experiment / "manifest.json", ignored) && ::access(experiment.c_str(), W_OK) == 0) {
    options.index_file = (experiment / "index" / fmt::format("{}.mora-index", name)).string();
    return options;
  }
  fs::path cache = wanted;
  if (wanted.empty()) {
    const std::string xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
    if (xdg.empty() && home.empty()) return options;
    cache = (xdg.empty() ? fs::path(home) / ".cache" : fs::path(xdg)) / "mora" / "index";
  }
  options.index_file =
      (cache / fmt::format("{:016x}-{}.mora-index", XXH3_64bits(anchor.data(), anchor.size()), name)).string();
  return options;
}

}  // namespace mora::trace
