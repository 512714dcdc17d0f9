#include "experiment/journal_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "journal/format.h"

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
        !parse(std::string_view(name).substr(first + 1, second - first - 1), rank, 10) || rank >= largest_world)
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

std::uint32_t world_size_of(const RunFiles& run) {
  // Tables are made for every process: a job of many of which few left a journal is a damaged header.
  const auto most = std::clamp<std::size_t>(run.journals.size() * 64, 1u << 16, largest_world);
  std::map<std::uint32_t, std::size_t> votes;
  for (const auto& [rank, path] : run.journals) {
    const auto mapped = MappedFile::open(path);
    if (!mapped || mapped->bytes().size() < sizeof(mora_file_header)) continue;
    const auto size = reinterpret_cast<const mora_file_header*>(mapped->bytes().data())->world_size;
    if (size <= most) ++votes[size];
  }
  const std::uint32_t least = run.journals.empty() ? 1 : run.journals.rbegin()->first + 1;
  const auto chosen =
      std::max_element(votes.begin(), votes.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  return chosen == votes.end() ? least : std::max(least, chosen->first);
}

}  // namespace mora::experiment
