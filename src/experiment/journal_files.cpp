#include "experiment/journal_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/numbers/read_number.h"
#include "journal/format.h"

namespace mora::experiment {

namespace fs = std::filesystem;

std::string journal_directory(const std::string& experiment) { return experiment + "/journal"; }
std::string request_path(const std::string& experiment) { return journal_directory(experiment) + "/run.json"; }

std::string filter_path(const std::string& experiment) { return journal_directory(experiment) + "/functions.filter"; }

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
    if (!read_number(std::string_view(name).substr(0, first), tag, 16) ||
        !read_number(std::string_view(name).substr(first + 1, second - first - 1), rank) || rank >= largest_world)
      continue;
    auto& run = runs[tag];
    run.tag = tag;
    const auto kind = name.substr(second + 1);
    std::uint32_t thread = 0;
    if (kind == "journal")
      run.journals[rank] = entry.path().string();
    else if (kind.starts_with('t') && kind.ends_with(".journal") &&
             read_number(std::string_view(kind).substr(1, kind.find('.') - 1), thread) && thread != 0)
      run.threads[{rank, thread}] = entry.path().string();
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

static void delete_live_chunk(const std::string& journal) {
  const auto mapped = MappedFile::open(journal);
  if (!mapped || mapped->bytes().size() < sizeof(mora_file_header)) return;
  const auto* header = reinterpret_cast<const mora_file_header*>(mapped->bytes().data());
  const std::string live(header->live_chunk, strnlen(header->live_chunk, sizeof header->live_chunk));
  if (fs::path(live).filename().string().find(fmt::format("{:x}.", header->run_tag)) != std::string::npos)
    unlink(live.c_str());
}

void delete_run(const RunFiles& files) {
  std::vector<std::string> journals;
  for (const auto& [rank, path] : files.journals) journals.push_back(path);
  for (const auto& [thread, path] : files.threads) journals.push_back(path);
  for (const auto& path : journals) {
    delete_live_chunk(path);
    unlink(path.c_str());
  }
  for (const auto& [rank, path] : files.maps) unlink(path.c_str());
  for (const auto& path : files.others) unlink(path.c_str());
}

void remove_journal_directory(const std::string& directory) {
  std::error_code ignored;
  std::vector<fs::path> files{request_path(directory), filter_path(directory)};
  for (const auto& entry : fs::directory_iterator(journal_directory(directory), ignored))
    if (entry.path().extension() == ".problem") files.push_back(entry.path());
  for (const auto& path : files) fs::remove(path, ignored);
  fs::remove(journal_directory(directory), ignored);  // only if empty
}

std::string next_directory(const std::string& first, std::size_t run) {
  if (run == 0) return first;
  for (std::size_t n = run + 1;; ++n) {
    auto candidate = fmt::format("{}-{}", first, n);
    if (!file_exists(candidate)) return candidate;
  }
}

void remove_archive(const std::string& directory) {
  std::error_code ignored;
  for (const char* name : {"traces.otf2", "traces.def", "traces", "manifest.json"})
    fs::remove_all(directory + "/" + name, ignored);
  std::vector<fs::path> vectors;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (entry.path().stem() == "vectors") vectors.push_back(entry.path());
  for (const auto& path : vectors) fs::remove(path, ignored);
}

std::vector<std::string> recorder_problems(const std::string& directory) {
  std::vector<std::string> lines;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(journal_directory(directory), ignored))
    if (entry.path().extension() == ".problem")
      if (const auto text = read_file(entry.path().string()); text && !text->empty())  // empty: the disk was full
        lines.push_back(text->substr(0, text->find('\n')));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace mora::experiment
