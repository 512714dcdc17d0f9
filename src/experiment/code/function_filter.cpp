#include "experiment/code/function_filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "base/file.h"

namespace mora::experiment {

Result<FunctionFilter> FunctionFilter::parse(std::string_view text, const std::string& name) {
  FunctionFilter filter;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    std::istringstream words(line);
    std::string verb, pattern;
    if (!(words >> verb)) continue;
    std::getline(words >> std::ws, pattern);  // names of C++ have blanks
    pattern.erase(pattern.find_last_not_of(" \t\r") + 1);
    if ((verb != "include" && verb != "exclude") || pattern.empty())
      return fail(ErrorKind::usage, "a line is no rule about functions", fmt::format("{}:{}", name, number),
                  fmt::format("it says \"{}\"", line.substr(0, 60)), "write: include PATTERN, or exclude PATTERN");
    filter.rules_.push_back({verb == "include", std::move(pattern)});
  }
  return filter;
}

Result<FunctionFilter> FunctionFilter::read(const std::string& path) {
  if (!file_exists(path)) return FunctionFilter();
  MORA_TRY(const auto text, read_file(path));
  return parse(text, path);
}

bool FunctionFilter::includes(const std::string& function) const {
  const std::string bare = function.substr(0, function.find('('));
  const auto fits = [](const Rule& rule, const std::string& name) {
    return fnmatch(rule.pattern.c_str(), name.c_str(), 0) == 0;
  };
  const auto last = std::find_if(rules_.rbegin(), rules_.rend(),
                                 [&](const Rule& rule) { return fits(rule, function) || fits(rule, bare); });
  return last == rules_.rend() || last->is_include;
}

}  // namespace mora::experiment
