/// mpirun's options to policies: binding first, then mapping (an option wins over its parameter), ranking, and the old
/// spellings (-bynode, --bind-to-core …); at last defaults by the number of ranks. Contradictions are refused where
/// mpirun refuses them. Source: Open MPI 4.1, mpirun(1), orte/mca/rmaps/base/rmaps_base_frame.c and
/// orte/orted/orted_submit.c; where the texts are silent, answers of mpirun 4.1.4 (tests/map/oracle). Rules
/// `mpirun-oddities`, `mpirun-refusals` (docs/rules.md).
#include "predict/placement/openmpi/words/policies.h"

#include <array>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/text/did_you_mean.h"
#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

constexpr std::string_view known_objects = "slot, hwthread, core, l1cache, l2cache, l3cache, socket, numa, board, node";

/// mpirun's words for objects, in the order in which it tries them: a beginning of a word is enough, so "c" is core and
/// "s" slot.
struct ObjectWord {
  std::string_view word;
  Level level;
};
constexpr std::array<ObjectWord, 7> objects = {{{"core", Level::core},
                                                {"l1cache", Level::l1cache},
                                                {"l2cache", Level::l2cache},
                                                {"l3cache", Level::l3cache},
                                                {"socket", Level::package},
                                                {"numa", Level::numa},
                                                {"hwthread", Level::hwthread}}};

/// A help text: the most similar known word, then all known ones.
std::string nearest_of(const std::string& word, const std::string& known) {
  std::vector<std::string> words;
  for (std::string& one : split(known, ',')) words.push_back(one.substr(one.find_first_not_of(' ')));
  // hwloc's name, which mpirun knows from version 5 on
  const std::string guess = lower(word) == "package" ? "socket" : did_you_mean(lower(word), words);
  return (guess.empty() ? "" : fmt::format("did you mean {}? ", guess)) + "known are " + known;
}

/// The subject of "oversubscribe" may be given once one way and once the other; that is a contradiction.
struct Modifiers {
  bool span = false;
  std::optional<bool> oversubscribe;
  std::optional<std::int64_t> cpus_per_rank;
  bool unknown = false;  ///< one of them is not known; those before it hold
};

Result<Modifiers> read_modifiers(const std::string& text) {
  Modifiers modifiers;
  for (const std::string& word : split(text, ',')) {
    if (begins(word, "span")) {
      modifiers.span = true;
    } else if (lower(word).starts_with("pe")) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) return refuse("missing value", "the modifier 'pe' needs a number: pe=2");
      modifiers.cpus_per_rank = std::strtol(word.c_str() + equals + 1, nullptr, 10);
    } else if (begins(word, "oversubscribe")) {
      modifiers.oversubscribe = true;
    } else if (begins(word, "nooversubscribe")) {
      modifiers.oversubscribe = false;
    } else {
      modifiers.unknown = true;
      break;
    }
  }
  return modifiers;
}

struct Mapping {
  MappingPolicy policy;
  Modifiers modifiers;
};

Result<Mapping> read_mapping(const std::string& spec, const Command& command) {
  Mapping mapping;
  MappingPolicy& policy = mapping.policy;
  policy.given = true;
  const std::size_t colon = spec.find(':');
  const std::string word = spec.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : spec.substr(colon + 1);
  if (colon != std::string::npos && split(rest, ',').empty())
    return refuse("missing value", fmt::format("'{}' has no modifier behind ':'", spec));
  if (colon == 0) {  // only modifiers; mpirun ignores an unknown one
    MORA_TRY(mapping.modifiers, read_modifiers(rest));
    policy.given =
        mapping.modifiers.span;  // as in mpirun: of the modifiers only span makes it a policy that was asked for
    policy.set = !policy.given;
    policy.way = Way::object;
    policy.level = Level::package;
  } else if (colon != std::string::npos && begins(word, "ppr")) {
    const std::size_t object = rest.find(':');
    if (object == std::string::npos) return refuse("wrong pattern", fmt::format("'{}' is not ppr:NUMBER:OBJECT", spec));
    std::string pattern = rest;
    if (const std::size_t last = rest.rfind(':'); last != object) {  // mpirun ignores an unknown modifier
      MORA_TRY(mapping.modifiers, read_modifiers(rest.substr(last + 1)));
      pattern.resize(last);
    }
    policy.way = Way::per_object;
    policy.ppr = pattern;
  } else {
    if (colon != std::string::npos) {
      MORA_TRY(mapping.modifiers, read_modifiers(rest));
      if (mapping.modifiers.unknown) {
        return refuse("unknown modifier", fmt::format("'{}' has a modifier that is not known", spec),
                      nearest_of(rest, "span, pe=N, oversubscribe, nooversubscribe") + ", separated by ','");
      }
    }
    if (begins(word, "slot")) {
      policy.way = Way::slot;
    } else if (begins(word, "node")) {
      policy.way = Way::object;
      policy.level = Level::node;
    } else if (begins(word, "seq")) {
      policy.way = Way::sequence;
    } else if (begins(word, "board")) {
      policy.way = Way::board;
    } else if (begins(word, "dist")) {
      if (!command.dist_device)
        return refuse("no device", "mapping by distance needs a device", "--mca rmaps_dist_device NAME, or auto");
      policy.way = Way::distance;
      policy.device = command.dist_device->substr(0, command.dist_device->find(':'));
    } else {
      bool known = false;
      for (const ObjectWord& object : objects) {
        if (!begins(word, object.word)) continue;
        policy.way = Way::object;
        policy.level = object.level;
        known = true;
        break;
      }
      if (!known) {
        return refuse("unknown policy", fmt::format("the mapping policy '{}' is not known", word),
                      nearest_of(word, fmt::format("{}, seq, dist, ppr:N:OBJECT", known_objects)));
      }
    }
  }
  policy.span = mapping.modifiers.span;
  return mapping;
}

Result<RankingPolicy> read_ranking(const std::string& spec) {
  RankingPolicy policy;
  policy.given = true;
  const std::vector<std::string> words = split(spec, ':');
  if (words.empty() || words.size() > 2)
    return refuse("unknown policy", fmt::format("the ranking policy '{}' is not known", spec));
  if (words.size() == 2) {
    if (begins(words[1], "span")) {
      policy.order = RankingPolicy::Order::span;
    } else if (begins(words[1], "fill")) {
      policy.order = RankingPolicy::Order::fill;
    } else {
      return refuse("unknown modifier", fmt::format("the ranking policy has no modifier '{}'", words[1]),
                    nearest_of(words[1], "span, fill"));
    }
  }
  const std::string& word = words.front();
  if (begins(word, "slot")) return policy;
  policy.by_object = true;
  if (begins(word, "node")) return policy;
  if (begins(word, "hwthread")) {
    policy.level = Level::hwthread;
    return policy;
  }
  for (const ObjectWord& object : objects) {
    if (!begins(word, object.word)) continue;
    policy.level = object.level;
    return policy;
  }
  if (begins(word, "board")) return policy;
  return refuse("unknown policy", fmt::format("the ranking policy '{}' is not known", word),
                nearest_of(word, std::string(known_objects)));
}

/// Ranks follow the mapping that was asked for.
RankingPolicy ranking_of(const MappingPolicy& mapping) {
  RankingPolicy policy;
  if (mapping.given && (mapping.way == Way::object || mapping.way == Way::board)) {
    policy.by_object = true;
    policy.level = mapping.level;
  }
  return policy;
}

Result<BindingPolicy> read_binding(const std::string& spec) {
  BindingPolicy policy;
  policy.given = true;
  if (lower(spec).starts_with("none")) {
    policy.to = BindingPolicy::To::none;
    return policy;
  }
  const std::size_t colon = spec.find(':');
  if (split(spec, ':').empty()) return refuse("unknown policy", "the binding policy is empty");
  if (colon != std::string::npos) {
    const std::vector<std::string> words = split(spec.substr(colon == 0 ? 1 : 0), ':');
    const std::string qualifiers = colon == 0 ? spec.substr(1) : words.size() > 1 ? words[1] : std::string();
    for (const std::string& qualifier : split(qualifiers, ',')) {
      if (begins(qualifier, "overload-allowed") || begins(qualifier, "oversubscribe-allowed")) {
        policy.overload = true;
      } else if (begins(qualifier, "ordered")) {
        policy.ordered = true;
      } else if (!begins(qualifier, "if-supported")) {
        return refuse("unknown modifier", fmt::format("the binding policy has no qualifier '{}'", qualifier),
                      nearest_of(qualifier, "overload-allowed, if-supported, ordered"));
      }
    }
  }
  const std::string word = lower(spec.substr(0, colon));
  if (word.empty()) {
    policy.given = false;
    return policy;
  }
  policy.to = BindingPolicy::To::object;
  for (const ObjectWord& object : objects) {
    if (word != object.word) continue;
    policy.level = object.level;
    return policy;
  }
  if (word == "board") {
    policy.to = BindingPolicy::To::board;
  } else if (word == "cpu-list" || word == "cpulist") {
    policy.to = BindingPolicy::To::cpu_list;
  } else {
    return refuse("unknown policy", fmt::format("the binding policy '{}' is not known", spec),
                  nearest_of(word, "none, hwthread, core, l1cache, l2cache, l3cache, socket, numa, board, cpu-list"));
  }
  return policy;
}

tl::unexpected<Error> conflict(std::string_view what, std::string_view word) {
  return refuse("conflicting policies", fmt::format("'{}' contradicts the {} policy that is given too", word, what));
}

void note_old(Policies& policies, std::string_view old, std::string_view now) {
  policies.warnings.push_back(fmt::format("{} is an old spelling of {}", old, now));
}

/// -bycore and similar options: they set both policies, which must not be set to something else.
Result<void> take_old_spelling(Policies& policies, std::string_view word, const MappingPolicy& mapping,
                               const RankingPolicy& ranking) {
  note_old(policies, fmt::format("--{}", word), fmt::format("--map-by {}", word.substr(2)));
  const bool same_way = policies.mapping.way == mapping.way && policies.mapping.level == mapping.level;
  if (policies.mapping.given && !same_way) return conflict("mapping", word);
  const bool same_ranking = policies.ranking.by_object == ranking.by_object && policies.ranking.level == ranking.level;
  if (policies.ranking.given && !same_ranking) return conflict("ranking", word);
  if (!policies.mapping.set) {
    policies.mapping.way = mapping.way;
    policies.mapping.level = mapping.level;
    policies.mapping.given = true;
  }
  policies.ranking.by_object = ranking.by_object;
  policies.ranking.level = ranking.level;
  policies.ranking.given = true;
  return {};
}

Result<void> settle_binding(const Command& command, Policies& policies) {
  BindingPolicy& binding = policies.binding;
  if (const auto& spec = command.bind_to ? command.bind_to : command.parameter_bind_to) {
    MORA_TRY(binding, read_binding(*spec));
  }
  const auto old_spelling = [&](bool asked, Level level, std::string_view word) -> Result<void> {
    if (!asked) return {};
    note_old(policies, fmt::format("--bind-to-{}", word), fmt::format("--bind-to {}", word));
    if (binding.given && !(binding.to == BindingPolicy::To::object && binding.level == level))
      return conflict("binding", fmt::format("--bind-to-{}", word));
    binding.to = BindingPolicy::To::object;
    binding.level = level;
    binding.given = true;
    return {};
  };
  MORA_CHECK_OK(old_spelling(command.bind_to_core, Level::core, "core"));
  MORA_CHECK_OK(old_spelling(command.bind_to_socket, Level::package, "socket"));
  if (command.cpu_list && !(command.bind_to && binding.given)) {
    binding.to = BindingPolicy::To::cpu_list;
    binding.given = true;
  }
  policies.cpu_list = command.cpu_list;
  policies.hwthread_cpus =
      command.hwthread_cpus || (binding.to == BindingPolicy::To::object && binding.level == Level::hwthread);
  policies.default_slots_are_threads = policies.hwthread_cpus;
  return {};
}

/// Several cpus for a rank: only cpus can be bound to, and the object that is mapped to must have several.
Result<void> settle_cpus_per_rank(Policies& policies) {
  if (policies.cpus_per_rank <= 0) return {};
  BindingPolicy& binding = policies.binding;
  const Level cpu = policies.hwthread_cpus ? Level::hwthread : Level::core;
  if (binding.given && binding.to != BindingPolicy::To::none &&
      !(binding.to == BindingPolicy::To::object && binding.level == cpu)) {
    return refuse(
        "conflicting policies",
        fmt::format("{} cpus for a rank are bound to cpus, not to {}", policies.cpus_per_rank, text_of(binding)),
        fmt::format("--bind-to {}", name_of(cpu)));
  }
  if (!binding.given) {
    binding.to = BindingPolicy::To::object;
    binding.level = cpu;
    binding.given = true;
  }
  MappingPolicy& mapping = policies.mapping;
  if (policies.cpus_per_rank == 1) return {};
  if (mapping.set) return {};
  if (!mapping.given) {
    mapping.way = Way::object;
    mapping.level = Level::numa;
    mapping.given = true;
  } else if (mapping.way == Way::object &&
             (mapping.level == Level::hwthread || (mapping.level == Level::core && !policies.hwthread_cpus))) {
    return refuse("mapping too low", fmt::format("with {} cpus for each rank, ranks cannot be mapped to single cpus",
                                                 policies.cpus_per_rank));
  }
  return {};
}

}  // namespace

Result<Policies> settle_policies(const Command& command) {
  Policies policies;
  MORA_CHECK_OK(settle_binding(command, policies));
  policies.cpus_per_rank = command.cpus_per_rank;
  policies.per_node = command.per_node;
  policies.n_per_node = command.n_per_node;
  policies.n_per_socket = command.n_per_socket;

  std::optional<std::string> map_by = command.map_by ? command.map_by : command.parameter_map_by;
  if (command.ppr) {
    note_old(policies, "--ppr", "--map-by ppr:N:OBJECT");
    if (map_by) return conflict("mapping", "--ppr");
    map_by = "ppr:" + *command.ppr;
  }
  if (command.cpus_per_rank > 1) note_old(policies, "--cpus-per-proc N", "--map-by OBJECT:pe=N");
  std::optional<bool> oversubscribe;
  if (map_by) {
    MORA_TRY(Mapping mapping, read_mapping(*map_by, command));
    policies.mapping = mapping.policy;
    oversubscribe = mapping.modifiers.oversubscribe;
    if (mapping.modifiers.cpus_per_rank) policies.cpus_per_rank = *mapping.modifiers.cpus_per_rank;
    if (mapping.policy.way == Way::object && mapping.policy.level == Level::hwthread) policies.hwthread_cpus = true;
  }
  if (command.rank_by) {
    MORA_TRY(policies.ranking, read_ranking(*command.rank_by));
  } else if (command.map_by && command.parameter_map_by) {
    MORA_TRY(const Mapping parameter, read_mapping(*command.parameter_map_by, command));
    policies.ranking = ranking_of(parameter.policy);
  } else {
    policies.ranking = ranking_of(policies.mapping);
  }
  MappingPolicy by;
  RankingPolicy ranks;
  if (command.by_core) {
    by.way = Way::object;
    by.level = Level::core;
    MORA_CHECK_OK(take_old_spelling(policies, "bycore", by, {true, Level::core, {}, true}));
  }
  if (command.by_slot) MORA_CHECK_OK(take_old_spelling(policies, "byslot", {}, ranks));
  if (command.by_node) {
    by.way = Way::object;
    by.level = Level::node;
    MORA_CHECK_OK(take_old_spelling(policies, "bynode", by, {true, Level::node, {}, true}));
  }
  MORA_CHECK_OK(settle_cpus_per_rank(policies));
  if (policies.mapping.set && command.by_core && policies.cpus_per_rank > 1 && !policies.hwthread_cpus) {
    return refuse("mapping too low", fmt::format("with {} cpus for each rank, ranks cannot be mapped to single cpus",
                                                 policies.cpus_per_rank));
  }

  MappingPolicy& mapping = policies.mapping;
  bool by_option = map_by.has_value();
  const auto every =
      [&](bool asked,
          std::string pattern) {  // -bynode and similar options lose for mapping, and still decide the ranking
        if (!asked || by_option) return;
        by_option = true;
        mapping.way = Way::per_object;
        mapping.ppr = std::move(pattern);
        mapping.given = true;
      };
  every(command.per_node, "1:node");
  every(command.n_per_node > 0, fmt::format("{}:node", command.n_per_node));
  every(command.n_per_socket > 0, fmt::format("{}:socket", command.n_per_socket));
  mapping.no_local = command.no_local;
  if (command.no_oversubscribe) {
    if (oversubscribe == true) return conflict("mapping", "--nooversubscribe");
    oversubscribe = false;
  }
  if (command.oversubscribe) {
    if (oversubscribe == false) return conflict("mapping", "--oversubscribe");
    oversubscribe = true;
    const bool bound_by_option = command.bind_to && policies.binding.given;
    policies.binding.overload = policies.binding.overload || !bound_by_option;
  }
  mapping.oversubscribe = oversubscribe.value_or(false);
  if (command.rankfile || (command.cpu_list && !policies.binding.ordered)) {
    if (mapping.given) return conflict("mapping", command.rankfile ? "--rankfile" : "--cpu-list");
    mapping.way = Way::rankfile;
    mapping.given = true;
  }
  return policies;
}

void settle_defaults(Policies& policies, std::uint64_t ranks, const Topology* topology) {
  MappingPolicy& mapping = policies.mapping;
  const Level cpu = policies.hwthread_cpus ? Level::hwthread : Level::core;
  const bool has_numa = topology != nullptr && !topology->at(Level::numa).empty();
  const bool has_packages = topology != nullptr && !topology->at(Level::package).empty();
  if (!mapping.given && !mapping.set) {
    mapping.way = topology == nullptr || (ranks > 2 && !has_numa && !has_packages) ? Way::slot : Way::object;
    mapping.level = ranks <= 2 ? cpu : has_numa ? Level::numa : Level::package;
    if (mapping.way == Way::slot) mapping.level = Level::node;
  }
  BindingPolicy& binding = policies.binding;
  if (binding.given) return;
  binding.to = BindingPolicy::To::object;
  if (mapping.given && mapping.way == Way::object && mapping.level != Level::node) {
    binding.level = mapping.level;
  } else if (ranks <= 2) {
    binding.level = cpu;
  } else if (has_numa || has_packages) {
    binding.level = has_numa ? Level::numa : Level::package;
  } else {
    binding.to = BindingPolicy::To::none;
  }
}

namespace {

std::string object_text(Level level) {
  constexpr std::array<std::string_view, level_count> names = {"NODE",    "NUMA",    "SOCKET", "L3CACHE",
                                                               "L2CACHE", "L1CACHE", "CORE",   "HWTHREAD"};
  return std::string(names[static_cast<std::size_t>(level)]);
}

}  // namespace

std::string text_of(const MappingPolicy& policy) {
  switch (policy.way) {
    case Way::object:
      return "BY" + object_text(policy.level);
    case Way::slot:
      return "BYSLOT";
    case Way::board:
      return "BYBOARD";
    case Way::sequence:
      return "SEQUENTIAL";
    case Way::distance:
      return "MINDIST";
    case Way::per_object:
      return "PPR";
    case Way::rankfile:
      return "BYUSER";
  }
  return {};
}

std::string text_of(const RankingPolicy& policy) { return policy.by_object ? object_text(policy.level) : "SLOT"; }

std::string text_of(const BindingPolicy& policy) {
  switch (policy.to) {
    case BindingPolicy::To::unset:
      return "UNSET";
    case BindingPolicy::To::none:
      return "NONE";
    case BindingPolicy::To::board:
      return "BOARD";
    case BindingPolicy::To::cpu_list:
      return "CPUSET";
    case BindingPolicy::To::object:
      return object_text(policy.level);
  }
  return {};
}

}  // namespace mora::predict::openmpi
