/// One table of options per mode; those of launchers are in launcher/options.h. The mode is found first, in a pass that
/// skips the arguments of all options that any mode knows; then the words are read by the table of that mode. Words for
/// mpirun are kept as they are, because the placement reads them by mpirun's own table.
#include "cli/map/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text/did_you_mean.h"
#include "launcher/options.h"

namespace mora::cli {
namespace {

using launcher::LauncherKind;
using Words = std::vector<std::string>;

/// How many words follow an option.
enum class Takes { nothing, one, perhaps_one, nodes };

struct Known {
  std::string_view names;  ///< without dashes, blanks between; the first is the name in MapWords
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
constexpr std::array k_slurm = {Known{"hostfile", Takes::one}, Known{"slots", Takes::one}};
constexpr std::array k_hydra = {Known{"nodes", Takes::one}, Known{"slots", Takes::one}};

constexpr std::uint32_t k_most_ranks = 1 << 24;

std::string first_name(const Known& known) { return std::string(known.names.substr(0, known.names.find(' '))); }

template <std::size_t n>
std::optional<Known> find_in(const std::array<Known, n>& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Known& known) { return launcher::names_hold(known.names, name); });
  return found == table.end() ? std::nullopt : std::optional(*found);
}

/// Of the launchers whose options are read here one by one; mpirun's stay as they are.
LauncherKind launcher_of(MapMode mode) {
  return mode == MapMode::slurm   ? LauncherKind::srun
         : mode == MapMode::hydra ? LauncherKind::mpich
                                  : LauncherKind::none;
}

bool is_of_ranks(const launcher::Option& option) {
  return option.role == launcher::Role::ranks || option.role == launcher::Role::places;
}

std::optional<Known> find_known(MapMode mode, std::string_view name) {
  if (const auto own = find_in(k_own, name)) return own;
  if (mode == MapMode::kotomatas) return find_in(k_kotomatas, name);
  if (mode == MapMode::openmpi) return find_in(k_openmpi, name);
  if (const launcher::Option* option = find_option(launcher_of(mode), name); option != nullptr && is_of_ranks(*option))
    return Known{option->names, option->words == 0 ? Takes::nothing : Takes::one};
  return mode == MapMode::slurm ? find_in(k_slurm, name) : find_in(k_hydra, name);
}

/// An option of srun or mpiexec.hydra that is skipped with its arguments.
const launcher::Option* find_skipped(MapMode mode, std::string_view name) {
  const launcher::Option* option = find_option(launcher_of(mode), name);
  return option == nullptr || is_of_ranks(*option) ? nullptr : option;
}

bool is_of_mpirun(std::string_view name) { return find_option(LauncherKind::openmpi, name) != nullptr; }

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(word.starts_with("--") ? 2 : 1);
  return word;
}

template <std::size_t n>
void add_names(const std::array<Known, n>& table, Words& all) {
  for (const Known& known : table) {
    const std::string names(known.names);
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
  for (const MapMode other : all_modes) {
    const bool has = find_known(other, name) || (other == MapMode::openmpi && is_of_mpirun(name));
    if (other != mode && has) {
      help += fmt::format("{}--mode {}", help.empty() ? "it is an option of " : " and of ", name_of(other));
    }
  }
  if (help.empty()) {
    Words all;
    add_names(k_own, all);
    if (mode == MapMode::kotomatas) add_names(k_kotomatas, all);
    if (launcher_of(mode) != LauncherKind::none) {
      if (mode == MapMode::slurm) add_names(k_slurm, all);
      for (const std::string& known : launcher::option_names(launcher_of(mode), true))
        all.push_back((known.size() == 1 ? "-" : "--") + known);
    }
    const std::string guess = did_you_mean((name.size() == 1 ? "-" : "--") + std::string(name), all);
    help = (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) + "'mora map --help' lists the options";
  }
  return fail(ErrorKind::usage, fmt::format("unknown option {}", word), "mora map",
              fmt::format("--mode {} has no such option", name_of(mode)), help);
}

std::optional<MapMode> mode_named(std::string_view name) {
  for (const MapMode mode : all_modes) {
    if (name == name_of(mode)) return mode;
  }
  if (name == "thesis") return MapMode::kotomatas;  // its name before version 0.2
  return std::nullopt;
}

/// "mpirun.openmpi", "/usr/bin/srun": the launcher's mode, by its spelling alone. With it, the options that follow are
/// read too. A plain mpirun, or one with a version, is Open MPI's; other MPIs name theirs (mpiexec.mpt, mpirun_rsh).
std::optional<MapMode> launcher_mode(std::string_view word) {
  const auto name = launcher::launcher_name(word);
  if (name == "srun") return MapMode::slurm;
  if (name != "mpirun" && name != "mpiexec" && name != "orterun") return std::nullopt;
  const auto has = [&](std::string_view part) { return word.find(part) != word.npos; };
  if (has("hydra") || has("mpich")) return MapMode::hydra;
  const std::string_view rest = word.substr(word.rfind(*name) + name->size());
  const bool is_plain = rest.find_first_not_of("0123456789.-_") == rest.npos;
  return is_plain || rest.find("openmpi") != rest.npos ? std::optional(MapMode::openmpi) : std::nullopt;
}

/// How many words follow an option, by its launcher's own table; 0 for one that it does not have: the placement then
/// refuses it.
std::size_t own_words(LauncherKind kind, std::string_view name) {
  const launcher::Option* option = find_option(kind, name);
  return option == nullptr ? 0 : option->words;
}

bool is_value(const Words& words, std::size_t at) {
  return at < words.size() && (!is_option(words[at]) || words[at] == "-");
}

/// Whether other modes have this option and mpirun does not: core, ntasks …
bool is_of_another_mode(std::string_view name) {
  const bool others =
      find_known(MapMode::kotomatas, name) || find_known(MapMode::slurm, name) || find_known(MapMode::hydra, name);
  return others && !is_of_mpirun(name);
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
  std::string unsupported;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!is_option(words[i])) {
      if (launched) break;
      launched = launcher_mode(words[i]);
      if (!launched && launcher::launcher_name(words[i])) unsupported = words[i];
      if (!launched) break;
      continue;
    }
    const std::string_view whole = without_dashes(words[i]);
    const std::string_view name = whole.substr(0, whole.find('='));
    if (name == "mode" && (name.size() < whole.size() || is_value(words, i + 1))) {
      const std::string value = name.size() < whole.size() ? std::string(whole.substr(name.size() + 1)) : words[i + 1];
      if (const auto mode = mode_named(value)) return *mode;
      const std::string guess = did_you_mean(value, {"openmpi", "kotomatas", "slurm", "hydra"});
      return fail(ErrorKind::usage, fmt::format("unknown mode '{}'", value), "mora map --mode",
                  "there are openmpi, kotomatas, slurm and hydra",
                  guess.empty() ? "" : fmt::format("did you mean {}?", guess));
    }
    if (name.size() < whole.size()) continue;
    auto known = find_known(MapMode::kotomatas, name);
    if (!known) known = find_in(k_slurm, name);
    if (!known) {
      i += std::max({own_words(LauncherKind::openmpi, name), own_words(LauncherKind::srun, name),
                     own_words(LauncherKind::mpich, name)});
    } else if (known->takes == Takes::nodes) {
      i = std::max(i + 2, end_of_nodes(words, i + 1)) - 1;
    } else if (known->takes == Takes::one || (known->takes == Takes::perhaps_one && is_value(words, i + 1))) {
      ++i;
    }
  }
  if (!unsupported.empty()) {
    return fail(ErrorKind::usage, fmt::format("the rules of {} are not known", unsupported), "mora map",
                "known are mpirun of Open MPI 4.1, mpiexec.hydra of MPICH (mpirun.mpich), and srun",
                "translate its options and choose one of these with --mode");
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
    const auto known = find_known(mode, whole.substr(0, equals));
    if (!known && mode == MapMode::openmpi && !is_of_another_mode(whole.substr(0, equals))) {
      const std::size_t end = std::min(words.size(), i + 1 + own_words(LauncherKind::openmpi, whole));
      read.launcher.insert(read.launcher.end(), words.begin() + static_cast<std::ptrdiff_t>(i),
                           words.begin() + static_cast<std::ptrdiff_t>(end));
      i = end - 1;
      continue;
    }
    const std::string spelling = word.substr(0, word.find('='));
    if (!known && mode == MapMode::slurm && word[1] != '-' && word.size() > 2) {  // -n4
      const auto letter = find_known(mode, whole.substr(0, 1));
      if (letter && letter->takes == Takes::one) {
        read.options[first_name(*letter)].emplace_back(whole.substr(1));
        continue;
      }
    }
    const bool attached = mode == MapMode::slurm && word[1] != '-' && word.size() > 2 &&
                          find_skipped(mode, whole) == nullptr &&
                          find_skipped(mode, whole.substr(0, equals)) == nullptr;  // -pdebug
    const std::string_view skipped_name = attached ? whole.substr(0, 1) : whole.substr(0, equals);
    if (const launcher::Option* skipped = find_skipped(mode, skipped_name); !known && skipped != nullptr) {
      if (skipped->role == launcher::Role::unread) read.ignored.push_back(attached ? word.substr(0, 2) : spelling);
      if (skipped->words > 0 && !attached && equals == std::string_view::npos) {
        if (!is_value(words, i + skipped->words))
          return fail(ErrorKind::usage, fmt::format("{} needs an argument", word), "mora map", "",
                      "the launcher's manual page says which");
        i += skipped->words;
      }
      continue;
    }
    if (!known) return unknown(mode, spelling);
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
    case MapMode::hydra:
      return "hydra";
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
    const std::size_t end = std::min(launcher.size(), i + 1 + own_words(LauncherKind::openmpi, name));
    if (!launcher::names_hold(names, name))
      kept.insert(kept.end(), launcher.begin() + static_cast<std::ptrdiff_t>(i),
                  launcher.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
  }
  return kept;
}

}  // namespace mora::cli
