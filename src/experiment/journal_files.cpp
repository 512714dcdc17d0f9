#include "experiment/journal_files.h"

#include <charconv>
#include <filesystem>

namespace mora::experiment {
namespace {

template <class Number>
bool parse(std::string_view text, Number& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string journal_directory(const std::string& experiment) { return experiment + "/journal"; }
std::string request_path(const std::string& experiment) { return journal_directory(experiment) + "/run.json"; }

std::map<std::uint64_t, RunFiles> find_runs(const std::string& directory) {
  std::map<std::uint64_t, RunFiles> runs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    const auto name = entry.path().filename().string();
    const auto first = name.find('.');
    const auto second = first == std::string::npos ? first : name.find('.', first + 1);
    if (second == std::string::npos) continue;
    std::uint64_t tag = 0;
    std::uint32_t rank = 0;
    if (!parse(std::string_view(name).substr(0, first), tag, 16) ||
        !parse(std::string_view(name).substr(first + 1, second - first - 1), rank, 10))
      continue;
    auto& run = runs[tag];
    run.tag = tag;
    const auto kind = name.substr(second + 1);
    if (kind == "journal")
      run.journals[rank] = entry.path().string();
    else if (kind == "maps")
      run.maps[rank] = entry.path().string();
    else
      run.others.push_back(entry.path().string());
  }
  return runs;
}

}  // namespace mora::experiment
