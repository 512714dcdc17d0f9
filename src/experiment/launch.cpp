/// A table of launchers' options with the number of their arguments decides where the program's word is. Words behind
/// an unknown option are taken for its argument only if the word after them is executable. Limit: options that a site's
/// wrapper adds.
#include "experiment/launch.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

#include "experiment/process.h"

namespace mora::experiment {
namespace {

std::string base_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The launcher's family, following symbolic links (Debian's alternatives).
LauncherKind launcher_kind(const std::string& word) {
  const auto given = base_name(word);
  static constexpr std::string_view names[] = {"mpirun", "mpiexec", "orterun", "oshrun", "prun",
                                               "srun",   "jsrun",   "aprun",   "ibrun"};
  const bool known = std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
    return given == name || (given.size() > name.size() && given.compare(0, name.size(), name) == 0 &&
                             (given[name.size()] == '.' || given[name.size()] == '-' || given[name.size()] == '_'));
  });
  if (!known) return LauncherKind::none;
  std::error_code ignored;
  const auto found = find_program(word);
  const auto real = found.empty() ? given : base_name(std::filesystem::canonical(found, ignored).string());
  auto is = [](const std::string& name, const char* part) { return name.find(part) != std::string::npos; };
  for (const auto& name : {real, given}) {
    if (is(name, "orterun") || is(name, "openmpi") || is(name, "prun") || is(name, "oshrun"))
      return LauncherKind::openmpi;
    if (is(name, "hydra") || is(name, "mpich")) return LauncherKind::mpich;
    if (name == "srun") return LauncherKind::srun;
  }
  return LauncherKind::other;
}

/// Number of arguments of launcher options that have any. Leading dashes are folded to one.
const std::map<std::string, int, std::less<>>& option_arguments() {
  static const std::map<std::string, int, std::less<>> table = [] {
    std::map<std::string, int, std::less<>> t;
    for (const char* one : {"n",
                            "np",
                            "c",
                            "N",
                            "H",
                            "host",
                            "hosts",
                            "hostfile",
                            "machinefile",
                            "f",
                            "default-hostfile",
                            "x",
                            "wdir",
                            "wd",
                            "dir",
                            "prefix",
                            "path",
                            "tune",
                            "am",
                            "app",
                            "output-filename",
                            "stdin",
                            "timeout",
                            "report-uri",
                            "ompi-server",
                            "tmpdir",
                            "preload-files",
                            "cpu-set",
                            "cpu-list",
                            "max-restarts",
                            "personality",
                            "dvm",
                            "rf",
                            "rankfile",
                            "slot-list",
                            "cpus-per-proc",
                            "cpus-per-rank",
                            "npernode",
                            "npersocket",
                            "map-by",
                            "rank-by",
                            "bind-to",
                            "debugger",
                            "xml-file",
                            "output-directory",
                            "xterm",
                            "server-wait-time",
                            "genvlist",
                            "envlist",
                            "configfile",
                            "ppn",
                            "perhost",
                            "membind",
                            "rmk",
                            "launcher",
                            "launcher-exec",
                            "iface",
                            "outfile-pattern",
                            "errfile-pattern",
                            "usize",
                            "order-nodes",
                            "localhost",
                            "nameserver",
                            "demux",
                            "gpus-per-proc",
                            "gpu-subdevs-per-proc",
                            "topolib",
                            "arch",
                            "ckpoint-interval",
                            "ckpoint-prefix",
                            "ckpoint-num",
                            "ckpointlib",
                            "bootstrap",
                            "bootstrap-exec",
                            "map-by-socket",
                            "a",
                            "A",
                            "p",
                            "partition",
                            "t",
                            "time",
                            "J",
                            "job-name",
                            "o",
                            "output",
                            "e",
                            "error",
                            "i",
                            "input",
                            "w",
                            "nodelist",
                            "ntasks",
                            "nodes",
                            "cpus-per-task",
                            "ntasks-per-node",
                            "mem",
                            "account",
                            "qos",
                            "q",
                            "D",
                            "chdir",
                            "constraint",
                            "C",
                            "distribution",
                            "m",
                            "exclude",
                            "cpu-bind",
                            "gres",
                            "gpus",
                            "mpi-type"})
      t[one] = 1;
    for (const char* two : {"mca", "gmca", "genv", "env", "prtemca", "pmixmca"}) t[two] = 2;
    return t;
  }();
  return table;
}

int arguments_of(LauncherKind kind, const std::string& option) {
  static constexpr std::string_view openmpi_switches[] = {"q", "d", "v", "V", "h", "D", "tv", "timeout-tree"};
  const auto name = option.substr(option.find_first_not_of('-'));
  if (name.find('=') != std::string::npos) return 0;
  if (kind != LauncherKind::srun &&
      std::find(std::begin(openmpi_switches), std::end(openmpi_switches), name) != std::end(openmpi_switches))
    return 0;
  const auto it = option_arguments().find(name);
  return it == option_arguments().end() ? 0 : it->second;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

/// "-n 4", "-np=4", "-n4", "--ntasks=4".
std::uint32_t ranks_of_option(const std::string& option, const std::string& next) {
  const auto name = option.substr(option.find_first_not_of('-'));
  for (const char* known : {"n", "np", "c", "ntasks"}) {
    if (name == known) return number(next);
    if (name.compare(0, std::strlen(known), known) == 0) {
      std::string_view rest = std::string_view(name).substr(std::strlen(known));
      if (!rest.empty() && rest[0] == '=') rest.remove_prefix(1);
      if (const auto n = number(rest)) return n;
    }
  }
  return 0;
}

/// Words to skip from `at` if a prefix command such as `env A=1` stands there; 0 = none.
std::size_t prefix_length(const std::vector<std::string>& words, std::size_t at) {
  const auto name = base_name(words[at]);
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

}  // namespace

std::string Launch::program_name() const { return program < command.size() ? base_name(command[program]) : ""; }

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
      if (const auto n = ranks_of_option(option, next)) ranks = n;
      if (option == "-genvlist" || option == "-genvnone" || option == "-envlist" || option == "-envnone")
        launch.variables_listed = true;
      if (next == "mca_base_env_list") launch.own_variable_list = true;
      at += 1 + static_cast<std::size_t>(arguments_of(launch.kind, option));
    }
    if (at < end && launch.program == command.size()) launch.program = find_in_context(command, at, end);
    launch.ranks = ranks == 0 && launch.application_starts.size() > 1 ? 0 : launch.ranks + ranks;
    at = end + 1;
    if (end == command.size()) break;
  }
  return launch;
}

std::vector<std::string> with_forwarded_variables(const Launch& launch,
                                                  const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> insert;
  if (launch.kind == LauncherKind::openmpi && !launch.own_variable_list &&
      std::getenv("OMPI_MCA_mca_base_env_list") == nullptr)
    for (const auto& [name, value] : variables) insert.insert(insert.end(), {"-x", name});
  if (launch.kind == LauncherKind::mpich && launch.variables_listed)
    for (const auto& [name, value] : variables) insert.insert(insert.end(), {"-env", name, value});
  std::vector<std::string> out;
  for (std::size_t i = 0; i < launch.command.size(); ++i) {
    if (std::find(launch.application_starts.begin(), launch.application_starts.end(), i) !=
        launch.application_starts.end())
      out.insert(out.end(), insert.begin(), insert.end());
    out.push_back(launch.command[i]);
  }
  return out;
}

}  // namespace mora::experiment
