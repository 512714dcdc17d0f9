/// The table of launchers' options (options.h) decides where the program's word is. Words behind
/// an unknown option are taken for its argument only if the word after them is executable. Limit: options that a site's
/// wrapper adds.
#include "launcher/launch.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/numbers/read_number.h"
#include "base/text/source_place.h"
#include "launcher/process.h"

namespace mora::launcher {
namespace {

/// The launcher's family, following symbolic links (Debian's alternatives).
LauncherKind launcher_kind(const std::string& word) {
  const std::string given(base_name(word));
  if (!launcher_name(word)) return LauncherKind::none;
  std::error_code ignored;
  const auto found = find_program(word);
  const std::string real = found.empty() ? given : std::filesystem::canonical(found, ignored).filename().string();
  auto is = [](const std::string& name, const char* part) { return name.find(part) != std::string::npos; };
  for (const auto& name : {real, given}) {
    if (is(name, "orterun") || is(name, "openmpi") || is(name, "prun") || is(name, "oshrun"))
      return LauncherKind::openmpi;
    if (is(name, "hydra") || is(name, "mpich")) return LauncherKind::mpich;
    if (name == "srun") return LauncherKind::srun;
  }
  return LauncherKind::other;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  return read_number(text, value) ? value : 0;
}

/// "-n 4", "-np=4", "-n4", "--ntasks=4".
std::uint32_t ranks_of_option(LauncherKind kind, const std::string& option, const std::string& next) {
  const auto says_ranks = [&](std::string_view name) {
    for (const auto one : {LauncherKind::openmpi, LauncherKind::mpich, LauncherKind::srun}) {
      const Option* known = kind == one || kind == LauncherKind::other ? find_option(one, name) : nullptr;
      if (known != nullptr && known->role == Role::ranks) return true;
    }
    return false;
  };
  const std::string_view name = name_of_option(option);
  if (says_ranks(name)) return number(next);
  const auto equals = name.find('=');
  if (equals != name.npos) return says_ranks(name.substr(0, equals)) ? number(name.substr(equals + 1)) : 0;
  return says_ranks(name.substr(0, 1)) ? number(name.substr(1)) : 0;
}

/// Words to skip from `at` if a prefix command such as `env A=1` stands there; 0 = none.
std::size_t prefix_length(const std::vector<std::string>& words, std::size_t at) {
  const std::string_view name = base_name(words[at]);
  auto skip_options = [&](std::size_t i, std::string_view with_argument) {
    while (i < words.size() && words[i].size() > 1 && words[i][0] == '-') {
      const bool takes = words[i].size() == 2 && with_argument.find(words[i][1]) != std::string_view::npos;
      i += takes ? 2 : 1;
    }
    return i;
  };
  std::size_t i = at + 1;
  if (name == "env") {
    i = skip_options(i, "uCS");
    while (i < words.size() && words[i].find('=') != std::string::npos) ++i;
  } else if (name == "timeout") {
    i = skip_options(i, "ks") + 1;
  } else if (name == "nice") {
    i = skip_options(i, "n");
  } else if (name == "taskset") {
    i = skip_options(i, "");
    ++i;
  } else if (name == "numactl") {
    i = skip_options(i, "NmCpi");
  } else if (name == "stdbuf") {
    i = skip_options(i, "ioe");
  } else if (name == "nohup" || name == "time" || name == "setsid" || name == "ionice" || name == "exec") {
    i = skip_options(i, "fo");
  } else {
    return 0;
  }
  return i - at;
}

bool is_runnable(const std::string& word) { return !find_program(word).empty(); }

/// Index of the program at or after `at`, which is where options end according to the table.
std::size_t find_in_context(const std::vector<std::string>& words, std::size_t at, std::size_t end) {
  for (std::size_t i = at; i < end; ++i) {
    if (const auto n = prefix_length(words, i)) {
      i += n - 1;
      continue;
    }
    if (is_runnable(words[i])) return i;
    if (words[i].find('/') != std::string::npos)
      return i;  // a path: meant as the program, although no such file exists
  }
  return at;
}

/// Variables that hold lists with ":" between their parts.
bool is_list(std::string_view name) { return name == "LD_PRELOAD" || name == "ASAN_OPTIONS"; }

/// Puts `value` before what words [begin, end) themselves set `name` to; false if none of them does.
bool put_before_own(std::vector<std::string>& words, std::size_t begin, std::size_t end, const std::string& name,
                    const std::string& value) {
  bool found = false;
  for (std::size_t i = begin; i < std::min(end, words.size()); ++i) {
    auto& word = words[i];
    const auto option = i == begin ? std::string_view() : name_of_option(words[i - 1]);
    if (word == name && i + 1 < end && (option == "genv" || option == "env")) {
      words[i + 1] = value + ":" + words[i + 1];
      found = true;
    }
    // At the word's begin, or within a list: --export=ALL,NAME=…, mca_base_env_list A;NAME=….
    const auto at = word.find(name + "=");
    if (at == std::string::npos || (at != 0 && word[at - 1] != ',' && word[at - 1] != ';' && word[at - 1] != '='))
      continue;
    word.insert(at + name.size() + 1, value + ":");
    found = true;
  }
  return found;
}

}  // namespace

std::string Launch::program_name() const {
  return std::string(program < command.size() ? base_name(command[program]) : "");
}

Launch take_apart(const std::vector<std::string>& command) {
  Launch launch;
  launch.command = command;
  launch.program = command.size();
  std::size_t at = 0;
  while (at < command.size()) {
    const auto n = prefix_length(command, at);
    if (n == 0) break;
    at += n;
  }
  if (at >= command.size()) {
    if (!command.empty()) launch.program = 0;  // `time` itself
    return launch;
  }
  launch.kind = launcher_kind(command[at]);
  if (launch.kind == LauncherKind::none) {
    launch.program = at;
    return launch;
  }
  launch.launchers.push_back(at);
  for (++at; at <= command.size();) {
    launch.application_starts.push_back(at);
    const auto end = static_cast<std::size_t>(
        std::find(command.begin() + static_cast<std::ptrdiff_t>(at), command.end(), ":") - command.begin());
    std::uint32_t ranks = 0;
    while (at < end && command[at].size() > 1 && command[at][0] == '-') {
      const auto& option = command[at];
      if (option == "--") {
        ++at;
        break;
      }
      const auto& next = at + 1 < end ? command[at + 1] : option;
      if (const auto n = ranks_of_option(launch.kind, option, next)) ranks = n;
      if (option == "-genvlist" || option == "-genvnone" || option == "-envlist" || option == "-envnone")
        launch.variables_listed = true;
      if (next == "mca_base_env_list") launch.own_variable_list = true;
      at += 1 + words_behind(launch.kind, option);
    }
    launch.programs.push_back(at < end ? find_in_context(command, at, end) : end);
    if (at < end && launch.program == command.size()) launch.program = launch.programs.back();
    launch.ranks = ranks == 0 && launch.application_starts.size() > 1 ? 0 : launch.ranks + ranks;
    at = end + 1;
    if (end == command.size()) break;
  }
  return launch;
}

std::vector<std::string> with_forwarded_variables(const Launch& launch,
                                                  const std::vector<std::pair<std::string, std::string>>& variables) {
  const bool by_x = launch.kind == LauncherKind::openmpi && !launch.own_variable_list &&
                    std::getenv("OMPI_MCA_mca_base_env_list") == nullptr;
  const bool by_env = launch.kind == LauncherKind::mpich && launch.variables_listed;
  auto words = launch.command;
  std::vector<std::pair<std::size_t, std::string>> insert;  // before the word with this index
  const std::size_t applications = std::max<std::size_t>(launch.application_starts.size(), 1);
  for (std::size_t a = 0; a < applications; ++a) {
    const std::size_t begin = launch.launchers.empty() ? 0 : launch.application_starts[a];
    const std::size_t end = a < launch.programs.size() ? launch.programs[a] : launch.program;
    for (const auto& [name, value] : variables) {
      if (is_list(name) && put_before_own(words, begin, end, name, value)) continue;
      if (by_x) insert.insert(insert.end(), {{begin, "-x"}, {begin, name}});
      if (by_env) insert.insert(insert.end(), {{begin, "-env"}, {begin, name}, {begin, value}});
    }
  }
  std::vector<std::string> out;
  auto next = insert.begin();
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (; next != insert.end() && next->first == i; ++next) out.push_back(next->second);
    out.push_back(words[i]);
  }
  return out;
}

}  // namespace mora::launcher
