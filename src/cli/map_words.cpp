/// One table of options per mode. The mode is found first, in a pass that skips the arguments of all options that any
/// mode knows; then the words are read by the table of that mode. Words for mpirun are kept as they are, because the
/// placement reads them by mpirun's own table.
#include "cli/map_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/did_you_mean.h"
#include "predict/placement/openmpi/command.h"

namespace mora::cli {
namespace {

using Words = std::vector<std::string>;

/// How many words follow an option.
enum class Takes { nothing, one, perhaps_one, nodes };

struct Known {
  const char* names;  ///< without dashes, blanks between; the first is the name in MapWords
  Takes takes;
};

constexpr std::array k_own = {
    Known{"help h", Takes::nothing},        Known{"mode", Takes::one},          Known{"topology", Takes::one},
    Known{"outfile o", Takes::perhaps_one}, Known{"verbose v", Takes::nothing}, Known{"json", Takes::nothing},
    Known{"rankfile-out", Takes::one},      Known{"improve", Takes::one},       Known{"machine", Takes::one},
    Known{"keep-shares", Takes::nothing},   Known{"quiet", Takes::nothing},
};
constexpr std::array k_openmpi = {
    Known{"display-map", Takes::nothing},
    Known{"nodes", Takes::one},
    Known{"slots", Takes::one},
};
constexpr std::array k_kotomatas = {
    Known{"core", Takes::one},       Known{"host H", Takes::nodes},    Known{"hostfile machinefile", Takes::one},
    Known{"np n c", Takes::one},     Known{"map-by", Takes::one},      Known{"rank-by", Takes::one},
    Known{"nodes", Takes::one},      Known{"slots", Takes::one},       Known{"nooversubscribe", Takes::nothing},
    Known{"bynode", Takes::nothing}, Known{"rankfile rf", Takes::one},
};
constexpr std::array k_slurm = {
    Known{"nodes N", Takes::one},         Known{"ntasks n", Takes::one},         Known{"ntasks-per-node", Takes::one},
    Known{"cpus-per-task c", Takes::one}, Known{"distribution m", Takes::one},   Known{"nodelist w", Takes::one},
    Known{"hostfile", Takes::one},        Known{"overcommit O", Takes::nothing}, Known{"exclusive", Takes::nothing},
    Known{"slots", Takes::one},
};

/// Options of srun that do not influence placement. Those of the second table do, but Mora does not know them.
constexpr std::array k_slurm_elsewhere = {
    Known{"account A acctg-freq bb bbf begin b chdir D cluster-constraint clusters M comment container cpu-freq "
          "deadline delay-boot dependency d environment epilog error e export export-file gid gpu-bind gpu-freq gpus G "
          "gpus-per-node gpus-per-socket gpus-per-task gres gres-flags input i jobid job-name J licenses L mail-type "
          "mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mpi msg-timeout network open-mode output partition "
          "p power priority profile prolog propagate qos q reservation signal slurmd-debug switches task-epilog "
          "task-prolog time t time-min tmp tres-bind tres-per-task uid wait W wckey threads T",
          Takes::one},
    Known{"compress disable-status X get-user-env hold H ignore-pbs immediate I interactive kill-on-bad-exit K label l "
          "multi-prog nice no-allocate Z no-kill k no-requeue Q overlap oversubscribe s preserve-env E pty "
          "quit-on-interrupt reboot resv-ports send-libs test-only unbuffered u x11",
          Takes::nothing},
};
constexpr std::array k_slurm_unheard = {
    Known{"constraint C core-spec S cores-per-socket cpu-bind exclude x extra-node-info B het-group hint mincpus "
          "ntasks-per-core ntasks-per-gpu ntasks-per-socket relative r sockets-per-node thread-spec threads-per-core",
          Takes::one},
    Known{"contiguous spread-job use-min-nodes", Takes::nothing},
};

constexpr std::uint32_t k_most_ranks = 1 << 24;

bool names_hold(std::string_view names, std::string_view name) {
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    if (names.substr(at, end - at) == name && !name.empty()) return true;
    at = end + 1;
  }
  return false;
}

std::string first_name(const Known& known) {
  const std::string_view names = known.names;
  return std::string(names.substr(0, names.find(' ')));
}

template <std::size_t n>
const Known* find_in(const std::array<Known, n>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Known& known) { return names_hold(known.names, name); });
  return found == table.end() ? nullptr : &*found;
}

const Known* find_known(MapMode mode, std::string_view name) {
  if (const Known* own = find_in(k_own, name)) return own;
  if (mode == MapMode::kotomatas) return find_in(k_kotomatas, name);
  if (mode == MapMode::slurm) return find_in(k_slurm, name);
  return find_in(k_openmpi, name);
}

/// An option of srun that is skipped with its argument.
const Known* find_skipped(std::string_view name) {
  const Known* skipped = find_in(k_slurm_elsewhere, name);
  return skipped != nullptr ? skipped : find_in(k_slurm_unheard, name);
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

template <std::size_t n>
void add_names(const std::array<Known, n>& table, Words& all) {
  for (const Known& known : table) {
    const std::string names = known.names;
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(' ', at), names.size());
      const std::string name = names.substr(at, end - at);
      all.push_back((name.size() == 1 ? "-" : "--") + name);
      at = end + 1;
    }
  }
}

tl::unexpected<Error> unknown(MapMode mode, const std::string& word) {
  const std::string_view name = without_dashes(word);
  std::string help;
  for (const MapMode other : {MapMode::openmpi, MapMode::kotomatas, MapMode::slurm}) {
    const bool has =
        find_known(other, name) != nullptr || (other == MapMode::openmpi && predict::openmpi::words_behind(name));
    if (other != mode && has) {
      help += fmt::format("{}--mode {}", help.empty() ? "it is an option of " : " and of ", name_of(other));
    }
  }
  if (help.empty()) {
    Words all;
    add_names(k_own, all);
    if (mode == MapMode::kotomatas) add_names(k_kotomatas, all);
    if (mode == MapMode::slurm) add_names(k_slurm, all);
    const std::string guess = did_you_mean((name.size() == 1 ? "-" : "--") + std::string(name), all);
    help = (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) + "'mora map --help' lists the options";
  }
  return fail(ErrorKind::usage, fmt::format("unknown option {}", word), "mora map",
              fmt::format("--mode {} has no such option", name_of(mode)), help);
}

std::optional<MapMode> mode_named(std::string_view name) {
  for (const MapMode mode : {MapMode::openmpi, MapMode::kotomatas, MapMode::slurm}) {
    if (name == name_of(mode)) return mode;
  }
  if (name == "thesis") return MapMode::kotomatas;  // its name before version 0.2
  return std::nullopt;
}

/// "mpirun.openmpi", "/usr/bin/srun": the launcher's mode. With it, the options that follow are read too.
std::optional<MapMode> launcher_mode(std::string_view word) {
  word.remove_prefix(word.rfind('/') == word.npos ? 0 : word.rfind('/') + 1);
  word = word.substr(0, word.find('.'));
  if (word == "mpirun" || word == "mpiexec" || word == "orterun") return MapMode::openmpi;
  if (word == "srun") return MapMode::slurm;
  return std::nullopt;
}

/// How many words follow an option of mpirun, by mpirun's own table; 0 for a word that is not in it, which the
/// placement then refuses.
std::size_t words_behind_mpirun_option(std::string_view name) {
  return predict::openmpi::words_behind(name).value_or(0);
}

bool is_value(const Words& words, std::size_t at) {
  return at < words.size() && (!is_option(words[at]) || words[at] == "-");
}

/// Whether other modes have this option and mpirun does not: core, ntasks …
bool is_of_another_mode(std::string_view name) {
  const bool others = find_in(k_kotomatas, name) != nullptr || find_in(k_slurm, name) != nullptr;
  return others && !predict::openmpi::words_behind(name);
}

/// The end of the words of -host a b c: the next option, or a path, which is the application (node names have no
/// slash).
std::size_t end_of_nodes(const Words& words, std::size_t at) {
  while (is_value(words, at) && words[at].find('/') == std::string::npos) ++at;
  return at;
}

/// The mode, from --mode or the launcher's name. Only words before the application count; it begins at the first word
/// that belongs to no option of any mode.
Result<MapMode> mode_of(const Words& words) {
  std::optional<MapMode> launched;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!is_option(words[i])) {
      if (launched) break;
      launched = launcher_mode(words[i]);
      if (!launched) break;
      continue;
    }
    const std::string_view whole = without_dashes(words[i]);
    const std::string_view name = whole.substr(0, whole.find('='));
    if (name == "mode" && (name.size() < whole.size() || is_value(words, i + 1))) {
      const std::string value = name.size() < whole.size() ? std::string(whole.substr(name.size() + 1)) : words[i + 1];
      if (const auto mode = mode_named(value)) return *mode;
      const std::string guess = did_you_mean(value, {"openmpi", "kotomatas", "slurm"});
      return fail(ErrorKind::usage, fmt::format("unknown mode '{}'", value), "mora map --mode",
                  "there are openmpi, kotomatas and slurm",
                  guess.empty() ? "" : fmt::format("did you mean {}?", guess));
    }
    if (name.size() < whole.size()) continue;
    const Known* known = find_known(MapMode::kotomatas, name);
    if (known == nullptr) known = find_known(MapMode::slurm, name);
    if (known == nullptr) {
      const Known* const skipped = find_skipped(name);
      i += std::max<std::size_t>(words_behind_mpirun_option(name),
                                 skipped != nullptr && skipped->takes == Takes::one ? 1 : 0);
    } else if (known->takes == Takes::nodes) {
      i = std::max(i + 2, end_of_nodes(words, i + 1)) - 1;
    } else if (known->takes == Takes::one || (known->takes == Takes::perhaps_one && is_value(words, i + 1))) {
      ++i;
    }
  }
  return launched.value_or(MapMode::openmpi);
}

Result<MapWords> read_as(MapMode mode, const Words& words) {
  MapWords read;
  read.mode = mode;
  std::size_t i = 0;
  for (bool launched = false; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (!is_option(word)) {
      if (launched || !launcher_mode(word)) break;
      launched = true;
      continue;
    }
    const std::string_view whole = without_dashes(word);
    const std::size_t equals = whole.find('=');
    const Known* known = find_known(mode, whole.substr(0, equals));
    if (known == nullptr && mode == MapMode::openmpi && !is_of_another_mode(whole.substr(0, equals))) {
      const std::size_t end = std::min(words.size(), i + 1 + words_behind_mpirun_option(whole));
      read.launcher.insert(read.launcher.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                           words.begin() + static_cast<std::ptrdiff_t>(end));
      i = end - 1;
      continue;
    }
    const std::string spelling = word.substr(0, word.find('='));
    if (known == nullptr && mode == MapMode::slurm && word[1] != '-' && word.size() > 2) {  // -n4
      const Known* letter = find_known(mode, whole.substr(0, 1));
      if (letter != nullptr && letter->takes == Takes::one) {
        read.options[first_name(*letter)].emplace_back(whole.substr(1));
        continue;
      }
    }
    const bool attached = word[1] != '-' && word.size() > 2 && find_skipped(whole) == nullptr &&
                          find_skipped(whole.substr(0, equals)) == nullptr;  // -pdebug
    const std::string_view skipped_name = attached ? whole.substr(0, 1) : whole.substr(0, equals);
    if (const Known* skipped = find_skipped(skipped_name);
        known == nullptr && mode == MapMode::slurm && skipped != nullptr) {
      if (find_in(k_slurm_unheard, skipped_name) != nullptr)
        read.ignored.push_back(attached ? word.substr(0, 2) : spelling);
      if (skipped->takes == Takes::one && !attached && equals == std::string_view::npos) {
        if (!is_value(words, i + 1))
          return fail(ErrorKind::usage, fmt::format("{} needs an argument", word), "mora map", "",
                      "srun's manual page says which");
        ++i;
      }
      continue;
    }
    if (known == nullptr) return unknown(mode, spelling);
    Words& values = read.options[first_name(*known)];
    if (equals != std::string_view::npos) {
      if (known->takes == Takes::nothing)
        return fail(ErrorKind::usage, fmt::format("{} takes no argument", spelling), "mora map");
      values.emplace_back(whole.substr(equals + 1));
      continue;
    }
    if (known->takes == Takes::nothing || (known->takes == Takes::perhaps_one && !is_value(words, i + 1))) continue;
    if (!is_value(words, i + 1)) {
      return fail(ErrorKind::usage, fmt::format("{} needs an argument", word), "mora map", "",
                  "'mora map --help' says which");
    }
    values.push_back(words[++i]);
    if (known->takes != Takes::nodes) continue;
    for (const std::size_t end = end_of_nodes(words, i + 1); i + 1 < end;) values.push_back(words[++i]);
  }
  read.help = read.has("help");
  read.application.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(i, words.size())), words.end());
  return read;
}

}  // namespace

const char* name_of(MapMode mode) {
  switch (mode) {
    case MapMode::kotomatas:
      return "kotomatas";
    case MapMode::slurm:
      return "slurm";
    case MapMode::openmpi:
      break;
  }
  return "openmpi";
}

Result<MapWords> read_map_words(const Words& words) {
  MORA_TRY(const MapMode mode, mode_of(words));
  return read_as(mode, words);
}

Result<std::uint32_t> number_option(const MapWords& words, const std::string& name, std::uint32_t fallback) {
  if (!words.has(name)) return fallback;
  const std::string text = words.get(name);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = end == text.data() + text.size() && value > 0;
  if (error == std::errc{} && is_number && value <= k_most_ranks) return value;
  if (is_number || error == std::errc::result_out_of_range) {
    return fail(ErrorKind::usage, fmt::format("'{}' is too many", text), "mora map --" + name,
                fmt::format("at most {} can be placed", k_most_ranks));
  }
  return fail(ErrorKind::usage, fmt::format("'{}' is not a number of at least 1", text), "mora map --" + name);
}

std::vector<std::string> launcher_without(const std::vector<std::string>& launcher, const std::string& names) {
  Words kept;
  for (std::size_t i = 0; i < launcher.size();) {
    const std::string_view name = without_dashes(launcher[i]);
    const std::size_t end = std::min(launcher.size(), i + 1 + words_behind_mpirun_option(name));
    if (!names_hold(names, name))
      kept.insert(kept.end(), launcher.begin() + static_cast<std::ptrdiff_t>(i),
                  launcher.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
  return kept;
}

}  // namespace mora::cli
