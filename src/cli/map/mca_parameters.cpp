#include "cli/map/mca_parameters.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text/trimmed.h"
#include "launcher/process.h"
#include "predict/placement/openmpi/words/command.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::cli {
namespace {

struct Parameter {
  std::string value, where;
};
using ByName = std::map<std::string, Parameter>;

/// A line of words: any number of --mca NAME VALUE, and of -x NAME, which is not about placement. mpirun skips
/// other words.
void read_words(const std::string& line, const std::string& where, ByName& found, Parameters& all) {
  std::istringstream words(line);
  for (std::string word, name, value; words >> word;) {
    if ((word == "--mca" || word == "-mca") && words >> name >> value) {
      if (const char quote = value.front();
          value.size() > 1 && (quote == '"' || quote == '\'') && value.back() == quote)
        value = value.substr(1, value.size() - 2);
      found[name] = {value, where};
    } else if ((word != "-x" && word != "--x") || !(words >> name)) {
      all.notes.push_back(fmt::format("{}: '{}' is skipped, as by mpirun", where, word));
    }
  }
}

/// Lines NAME = VALUE and --mca NAME VALUE; mpirun skips others with a message. The value of NAME = VALUE ends with its
/// line.
void read_parameters(const std::string& text, const std::string& file, ByName& found, Parameters& all) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line(trimmed(std::string_view(text).substr(at, end - at)));
    at = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const std::size_t equals = line.find('=');
    if (line.front() == '-') {
      read_words(line, where, found, all);
    } else if (equals != std::string::npos) {
      const std::string_view whole = line;
      found[std::string(trimmed(whole.substr(0, equals)))] = {std::string(trimmed(whole.substr(equals + 1))), where};
    } else {
      all.notes.push_back(fmt::format("{} is no line 'NAME = VALUE' and skipped, as by mpirun", where));
    }
  }
}

}  // namespace

ParameterSources parameters_here() {
  ParameterSources here;
  here.variable = [](const char* name) { return static_cast<const char*>(std::getenv(name)); };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) here.environment.emplace_back(*entry);
  here.file = [](const std::string& path, std::string& text) {
    auto read = read_file(path);
    if (read) text = std::move(*read);
    return read.has_value();
  };
  std::error_code error;
  std::filesystem::path prefix;
  if (const char* named = std::getenv("OPAL_PREFIX")) {
    prefix = named;
  } else if (const std::string mpirun = launcher::find_program("mpirun.openmpi"); !mpirun.empty()) {
    prefix = "/usr";  // Debian's name
  } else {
    prefix = std::filesystem::canonical(launcher::find_program("mpirun"), error).parent_path().parent_path();
  }
  here.system_folder = prefix == "/usr" || prefix.empty() ? "/etc/openmpi" : (prefix / "etc").string();
  return here;
}

Parameters parameters_beside(const std::vector<std::string>& words, const ParameterSources& sources) {
  ByName own;
  for (std::size_t at = 0; at + 2 < words.size(); ++at) {
    if (words[at] == "--mca" || words[at] == "-mca" || words[at] == "--gmca" || words[at] == "-gmca")
      own[words[at + 1]] = {};
  }
  Parameters all;
  ByName found, override;
  const auto read = [&](const std::string& file, ByName& into) {
    std::string text;
    if (sources.file(file, text)) read_parameters(text, file, into, all);
  };
  const char* const files = sources.variable("OMPI_MCA_mca_base_param_files");
  const char* const home = sources.variable("HOME");
  std::vector<std::string> names = {(home == nullptr ? std::string() : std::string(home)) + "/.openmpi/mca-params.conf",
                                    sources.system_folder + "/openmpi-mca-params.conf"};
  if (files != nullptr) names = predict::openmpi::split(files, ',');
  std::reverse(names.begin(), names.end());
  for (const std::string& name : names) read(name, found);
  for (const std::string& entry : sources.environment) {
    constexpr std::string_view prefix = "OMPI_MCA_";
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with(prefix) || equals == std::string::npos) continue;
    found[entry.substr(prefix.size(), equals - prefix.size())] = {entry.substr(equals + 1), "the environment"};
  }
  read(sources.system_folder + "/openmpi-mca-params-override.conf", override);

  const auto take = [&](const ByName& parameters, const ByName& stronger, std::vector<std::string>& into) {
    for (const auto& [name, parameter] : parameters) {
      if (parameter.value.empty() || stronger.contains(name) || !predict::openmpi::is_about_placement(name)) continue;
      into.insert(into.end(), {"--mca", name, parameter.value});
      all.notes.push_back(fmt::format("{} = {} is taken from {}", name, parameter.value, parameter.where));
    }
  };
  for (const auto& [name, parameter] : override) own[name] = parameter;
  take(found, own, all.before);
  take(override, {}, all.after);
  return all;
}

}  // namespace mora::cli
