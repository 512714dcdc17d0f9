/// What mpirun's options about placement set; how many words each takes is in launcher/options.h. Source: Open MPI 4.1,
/// mpirun(1) and `mpirun --help all`.
#include "predict/placement/openmpi/words/command.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/numbers/read_number.h"
#include "base/text/did_you_mean.h"
#include "launcher/options.h"
#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

using Values = std::vector<std::string>;
using Take = std::function<Result<void>(Command&, const Values&)>;

Result<std::int64_t> whole(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  if (!read_number(std::string_view(text).substr(text.starts_with('+') ? 1 : 0), value) || value < INT32_MIN ||
      value > INT32_MAX) {
    return refuse("wrong value", fmt::format("{} takes a whole number, not '{}'", option, text), {},
                  fmt::format("mpirun {} {}", option, text));
  }
  return value;
}

Take number(const std::string& option, const std::function<void(Command&, std::int64_t)>& set) {
  return [option, set](Command& command, const Values& values) -> Result<void> {
    MORA_TRY(const std::int64_t value, whole(option, values.front()));
    set(command, value);
    return {};
  };
}

Take text(std::optional<std::string> Command::*member) {
  return [member](Command& command, const Values& values) -> Result<void> {
    command.*member = values.front();
    return {};
  };
}

Take flag(bool Command::*member) {
  return [member](Command& command, const Values&) -> Result<void> {
    command.*member = true;
    return {};
  };
}

/// A parameter of --mca that is true or false.
Take truth(bool Command::*member) {
  return [member](Command& command, const Values& values) -> Result<void> {
    std::string word = values.front();
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "true" || word == "t" || word == "yes" || word == "enabled") {
      command.*member = true;
    } else if (word == "false" || word == "f" || word == "no" || word == "disabled") {
      command.*member = false;
    } else {
      MORA_TRY(const std::int64_t value, whole("--mca", word));
      command.*member = value != 0;
    }
    return {};
  };
}

Result<void> add_hosts(Command& command, const Values& values) {
  command.hosts = command.hosts ? *command.hosts + "," + values.front() : values.front();
  return {};
}

Result<void> add_hostfile(Command& command, const Values& values) {
  command.hostfiles.push_back(values.front());
  return {};
}

/// Numbers of a list: "4,2".
Take numbers(const std::string& option, std::vector<std::int64_t> Simulated::*member) {
  return [option, member](Command& command, const Values& values) -> Result<void> {
    std::vector<std::int64_t> all;
    for (const std::string& piece : split(values.front(), ',')) {
      MORA_TRY(const std::int64_t value, whole(option, piece));
      if (value < 0)
        return refuse("wrong value", fmt::format("{} takes numbers of at least 0", option), {},
                      fmt::format("mpirun {} {}", option, values.front()));
      all.push_back(value);
    }
    command.simulated.*member = std::move(all);
    return {};
  };
}

Result<void> set_allocator(Command& command, const Values& values) {
  command.simulated.asked = values.front() == "simulator";
  if (!command.simulated.asked) command.ignored.push_back("--mca ras " + values.front());
  return {};
}

/// Parameters that have to do with placement, as --mca names them.
const std::map<std::string, Take, std::less<>>& parameters() {
  static const std::map<std::string, Take, std::less<>> table = {
      {"rmaps_base_mapping_policy", text(&Command::parameter_map_by)},
      {"rmaps_base_schedule_policy", text(&Command::parameter_map_by)},
      {"rmaps_base_ranking_policy", text(&Command::rank_by)},
      {"rmaps_base_pattern", text(&Command::ppr)},
      {"rmaps_ppr_pattern", text(&Command::ppr)},
      {"rmaps_base_pernode", truth(&Command::per_node)},
      {"rmaps_ppr_pernode", truth(&Command::per_node)},
      {"rmaps_base_n_pernode",
       number("--mca rmaps_base_n_pernode", [](Command& c, std::int64_t n) { c.n_per_node = n; })},
      {"rmaps_ppr_n_pernode",
       number("--mca rmaps_ppr_n_pernode", [](Command& c, std::int64_t n) { c.n_per_node = n; })},
      {"rmaps_base_n_persocket",
       number("--mca rmaps_base_n_persocket", [](Command& c, std::int64_t n) { c.n_per_socket = n; })},
      {"rmaps_ppr_n_persocket",
       number("--mca rmaps_ppr_n_persocket", [](Command& c, std::int64_t n) { c.n_per_socket = n; })},
      {"rmaps_base_bycore", truth(&Command::by_core)},
      {"rmaps_base_byslot", truth(&Command::by_slot)},
      {"rmaps_base_bynode", truth(&Command::by_node)},
      {"rmaps_base_cpus_per_proc",
       number("--mca rmaps_base_cpus_per_proc", [](Command& c, std::int64_t n) { c.cpus_per_rank = n; })},
      {"rmaps_base_cpus_per_rank",
       number("--mca rmaps_base_cpus_per_rank", [](Command& c, std::int64_t n) { c.cpus_per_rank = n; })},
      {"rmaps_dist_device", text(&Command::dist_device)},
      {"rmaps_base_no_schedule_local", truth(&Command::no_local)},
      {"rmaps_base_no_oversubscribe", truth(&Command::no_oversubscribe)},
      {"rmaps_base_oversubscribe", truth(&Command::oversubscribe)},
      {"rmaps_rank_file_physical", truth(&Command::rankfile_physical)},
      {"rmaps_rank_file_path", text(&Command::rankfile)},
      {"orte_rankfile", text(&Command::rankfile)},
      {"orte_default_hostfile", text(&Command::default_hostfile)},
      {"orte_set_default_slots", text(&Command::default_slots)},
      {"hwloc_base_binding_policy", text(&Command::parameter_bind_to)},
      {"hwloc_base_bind_to_core", truth(&Command::bind_to_core)},
      {"hwloc_base_bind_to_socket", truth(&Command::bind_to_socket)},
      {"hwloc_base_use_hwthreads_as_cpus", truth(&Command::hwthread_cpus)},
      {"hwloc_base_cpu_list", text(&Command::cpu_list)},
      {"hwloc_base_cpu_set", text(&Command::cpu_list)},
      {"hwloc_base_slot_list", text(&Command::cpu_list)},
      {"hwloc_base_topo_file", text(&Command::topology_file)},
      {"ras", set_allocator},
      {"ras_simulator_num_nodes", numbers("--mca ras_simulator_num_nodes", &Simulated::nodes)},
      {"ras_simulator_slots", numbers("--mca ras_simulator_slots", &Simulated::slots)},
      {"ras_simulator_max_slots", numbers("--mca ras_simulator_max_slots", &Simulated::max_slots)},
  };
  return table;
}

Result<void> set_parameter(Command& command, const Values& values) {
  if (const auto known = parameters().find(values[0]); known != parameters().end())
    return known->second(command, {values[1]});
  if (is_about_placement(values[0])) command.ignored.push_back(fmt::format("--mca {} {}", values[0], values[1]));
  return {};
}

Result<void> refuse_file_of_programs(Command&, const Values&) {
  return fail(ErrorKind::usage, "--app is not supported", {}, "ranks of several programs are not placed",
              "place the programs of the file one by one");
}

/// What options of mpirun set; those that are not here say nothing about placement.
const std::map<std::string, Take, std::less<>>& takers() {
  static const std::map<std::string, Take, std::less<>> table = [] {
    std::map<std::string, Take, std::less<>> known;
    const Take processes = number("-np", [](Command& c, std::int64_t n) { c.processes = n; });
    for (const char* name : {"np", "n", "c"}) known[name] = processes;
    for (const char* name : {"hostfile", "machinefile"}) known[name] = add_hostfile;
    for (const char* name : {"host", "H"}) known[name] = add_hosts;
    for (const char* name : {"rankfile", "rf"}) known[name] = text(&Command::rankfile);
    for (const char* name : {"mca", "gmca"}) known[name] = set_parameter;
    const Take n_per_node = number("-npernode", [](Command& c, std::int64_t n) { c.n_per_node = n; });
    for (const char* name : {"npernode", "N"}) known[name] = n_per_node;
    const Take cpus = number("-cpus-per-proc", [](Command& c, std::int64_t n) { c.cpus_per_rank = n; });
    for (const char* name : {"cpus-per-proc", "cpus-per-rank"}) known[name] = cpus;
    for (const char* name : {"cpu-list", "cpu-set"}) known[name] = text(&Command::cpu_list);
    known["app"] = refuse_file_of_programs;
    known["npersocket"] = number("-npersocket", [](Command& c, std::int64_t n) { c.n_per_socket = n; });
    known["default-hostfile"] = text(&Command::default_hostfile);
    known["map-by"] = text(&Command::map_by);
    known["rank-by"] = text(&Command::rank_by);
    known["bind-to"] = text(&Command::bind_to);
    known["ppr"] = text(&Command::ppr);
    known["pernode"] = flag(&Command::per_node);
    known["bycore"] = flag(&Command::by_core);
    known["byslot"] = flag(&Command::by_slot);
    known["bynode"] = flag(&Command::by_node);
    known["nolocal"] = flag(&Command::no_local);
    known["oversubscribe"] = flag(&Command::oversubscribe);
    known["nooversubscribe"] = flag(&Command::no_oversubscribe);
    known["bind-to-core"] = flag(&Command::bind_to_core);
    known["bind-to-socket"] = flag(&Command::bind_to_socket);
    known["use-hwthread-cpus"] = flag(&Command::hwthread_cpus);
    return known;
  }();
  return table;
}

std::string nearest_option(const std::string& word) {
  const std::string best = did_you_mean(word, launcher::option_names(launcher::LauncherKind::openmpi, false));
  return best.empty() ? std::string() : fmt::format("did you mean --{}?", best);
}

}  // namespace

bool is_about_placement(std::string_view name) {
  if (parameters().contains(name)) return true;
  const bool places =
      name == "rmaps" || name.starts_with("rmaps_") || name.starts_with("ras_") || name.starts_with("hwloc_");
  return places && !name.ends_with("_verbose");
}

Result<Command> read_command(const std::vector<std::string>& words) {
  Command command;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (!word.starts_with('-') || word == "-") break;
    const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
    const launcher::Option* known = launcher::find_option(launcher::LauncherKind::openmpi, name);
    if (known == nullptr)
      return refuse("unknown option", fmt::format("unknown option '{}'", word), nearest_option(name), "mpirun " + word);
    if (words.size() - at - 1 < known->words) {
      return refuse("missing value",
                    fmt::format("{} takes {} value{}", word, known->words, known->words == 1 ? "" : "s"), {},
                    "mpirun " + word);
    }
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const Values values(first, first + static_cast<std::ptrdiff_t>(known->words));
    if (const auto taker = takers().find(name); taker != takers().end()) MORA_CHECK_OK(taker->second(command, values));
    at += 1 + known->words;
  }
  command.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (std::find(command.program.begin(), command.program.end(), ":") != command.program.end()) {
    return fail(ErrorKind::usage, "several programs in one command are not supported", {}, "':' begins another program",
                "place the programs one by one");
  }
  if (command.processes && *command.processes < 0) return refuse("wrong value", "the number of processes is negative");
  if (command.hostfiles.size() > 1) return refuse("more than one hostfile", "more than one hostfile is given");
  return command;
}

}  // namespace mora::predict::openmpi
