/// Finds and reads the runs of `mora compare`: commas, shell patterns, names, and directories of experiments.
#include "cli/analysis/compare_runs.h"

#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/analysis/analysed.h"
#include "cube/cubex.h"

namespace mora::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// A result, an archive, or a manifest makes a directory an experiment.
bool is_experiment(const std::string& path) {
  return file_exists(path + "/analysis.cubex") || file_exists(path + "/findings.json") ||
         file_exists(path + "/traces.otf2") || file_exists(path + "/manifest.json");
}

/// What `mora pattern record` and `dryrun` leave: a manifest, but no times.
bool is_pattern(const std::string& path) {
  const bool has_pattern = file_exists(path + "/trace.mpt") || file_exists(path + "/ti_traces");
  return has_pattern && !file_exists(path + "/traces.otf2") && !file_exists(path + "/findings.json") &&
         !file_exists(path + "/analysis.cubex");
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The names that a pattern of the shell stands for, in order; the pattern itself if there are none.
std::vector<std::string> expanded(const std::string& pattern) {
  if (exists(pattern) || pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  glob_t found{};
  std::vector<std::string> names;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (names.empty()) names.push_back(pattern);
  return names;
}

std::vector<std::string> paths_of(const std::string& word) {
  if (exists(word)) return {word};
  std::vector<std::string> paths;
  for (const std::string& part : split(word, ',')) {
    const auto names = expanded(part);
    paths.insert(paths.end(), names.begin(), names.end());
  }
  return paths;
}

/// The same run twice would make the spread between runs look too small.
Result<void> expect_different(const std::vector<std::string>& paths, const std::string& word) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(analysed_path(path), error);
    if (!seen.insert(error ? path : whole.lexically_normal().string()).second)
      return fail(ErrorKind::usage, "a run is given twice in one configuration", path,
                  "the spread of \"" + word + "\" would be too small", "give each run once");
  }
  return {};
}

/// A, B … Z, A2, B2 …
std::string letter(std::size_t index) {
  const std::string name(1, static_cast<char>('A' + index % 26));
  return index < 26 ? name : name + std::to_string(index / 26 + 1);
}

Result<compare::Run> made_run(const std::string& path, const std::string& date, cube::Cube cube,
                              const RunReading& reading) {
  if (!reading.left_out.empty()) {
    auto rest = report::without_intervals(cube, reading.left_out);
    if (!rest) {
      Error error = rest.error();
      return fail(error.kind, error.what, error.where, "in " + path, error.help);
    }
    cube = std::move(*rest);
  }
  compare::Run run = compare::make_run(path, date, std::move(cube), reading.rules);
  run.left_out = reading.left_out;
  return run;
}

std::string last_name(const std::string& path) {
  fs::path p = fs::path(path).lexically_normal();
  if (p.filename().empty()) p = p.parent_path();
  const std::string name = p.filename().string();
  return name.empty() || name == "." ? path : name;
}

}  // namespace

Result<compare::Run> load_run(const std::string& path, const RunReading& reading) {
  const fs::path file(path);
  const bool lone_cubex = file.extension() == ".cubex" && !file_exists((file.parent_path() / "findings.json").string());
  if (lone_cubex || (file.extension() == ".cubex" && file.filename() != "analysis.cubex")) {
    MORA_TRY(auto read, cube::read_cubex(path));
    MORA_TRY(compare::Run run, made_run(path, "", std::move(read.cube), reading));
    for (const QualityRow& row : read.quality.rows())
      run.notes.push_back(fmt::format("{}: {}: {}", to_string(row.severity), row.kind, row.what));
    return run;
  }
  MORA_TRY(auto analysed, load_or_analyse(analysed_path(path), true));
  if (!analysed.cube.has_value())
    return fail(ErrorKind::unreadable, "this run has no results to compare", path, "",
                "run `mora analyze " + path + "`");
  const auto date = analysed.data.run.more.find("date");
  MORA_TRY(compare::Run run, made_run(path, date == analysed.data.run.more.end() ? "" : date->second,
                                      std::move(*analysed.cube), reading));
  for (const QualityRow& row : analysed.data.quality) {
    if (row.severity != Severity::info)
      run.notes.push_back(fmt::format("{}: {} x {}: {}", to_string(row.severity), row.count, row.kind, row.what));
  }
  return run;
}

Result<GivenRuns> load_runs(const std::vector<std::string>& words, const RunReading& reading) {
  GivenRuns given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    compare::Configuration configuration{letter(i), {}, false};
    std::string list = words[i];
    if (const std::size_t equals = list.find('='); equals != std::string::npos && equals > 0 && !exists(list)) {
      configuration.label = list.substr(0, equals);
      configuration.is_named = true;
      list.erase(0, equals + 1);
    }
    const auto paths = paths_of(list);
    MORA_CHECK_OK(expect_different(paths, words[i]));
    for (const std::string& path : paths) {
      MORA_TRY(auto run, load_run(path, reading));
      configuration.runs.push_back(given.runs.size());
      given.runs.push_back(std::move(run));
    }
    if (configuration.runs.empty())
      return fail(ErrorKind::usage, "a configuration has no runs", "'" + words[i] + "'", "",
                  "give one run, or several separated by commas: run1,run2");
    given.configurations.push_back(std::move(configuration));
  }
  compare::add_notes(given.runs, given.configurations);
  return given;
}

Result<GivenRuns> load_history(const std::vector<std::string>& words, const RunReading& reading) {
  GivenRuns given;
  const auto add = [&](compare::Run run, std::string label) {
    given.configurations.push_back({std::move(label), {given.runs.size()}, true});
    given.runs.push_back(std::move(run));
  };
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error) || is_experiment(word)) {
      MORA_TRY(auto one, load_runs({word}, reading));
      std::string label = one.configurations[0].label;
      if (!one.configurations[0].is_named) {
        label = last_name(one.runs[0].name);
        if (one.runs.size() > 1) label += fmt::format(" +{}", one.runs.size() - 1);
      }
      compare::Configuration configuration{std::move(label), {}, true};
      for (compare::Run& run : one.runs) {
        configuration.runs.push_back(given.runs.size());
        given.runs.push_back(std::move(run));
      }
      given.configurations.push_back(std::move(configuration));
      continue;
    }
    std::vector<compare::Run> runs;
    std::set<std::string> patterns;
    for (const auto& entry : fs::directory_iterator(word, error)) {
      const std::string path = entry.path().string();
      if (!entry.is_directory(error) || !is_experiment(path)) continue;
      if (is_pattern(path)) {
        patterns.insert(last_name(path));
        continue;
      }
      MORA_TRY(auto run, load_run(path, reading));
      runs.push_back(std::move(run));
    }
    for (const std::string& name : patterns)
      std::fprintf(stderr, "mora: note: %s is left out: it is a pattern, which has no times\n", name.c_str());
    if (runs.empty())
      return fail(ErrorKind::unreadable, "there is no experiment in this directory", word, "",
                  "give experiments, or a directory that contains experiments");
    std::sort(runs.begin(), runs.end(), [](const compare::Run& a, const compare::Run& b) {
      return std::tie(a.date, a.name) < std::tie(b.date, b.name);
    });
    for (compare::Run& run : runs) {
      std::string label = last_name(run.name);
      add(std::move(run), std::move(label));
    }
  }
  return given;
}

}  // namespace mora::cli
