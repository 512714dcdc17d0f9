/// Candidates are the placement asked for, all policies of the mode (those that give the same placement are counted
/// once), and what predict/search finds by itself. All get common node numbers first, so that they can be compared. A
/// candidate says which node each rank gets; inside a node ranks get what the request asked for gives to so many ranks.
#include "cli/map/improve.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/table/table.h"
#include "cli/terminal/progress_line.h"
#include "predict/pattern/matrix/matrix.h"
#include "predict/pattern/open/open.h"

namespace mora::cli {
namespace {

using predict::Candidate;

/// The nodes of all candidates under common numbers, filled as the request asked for fills them.
class Nodes {
 public:
  explicit Nodes(const Mapped& asked) : seats_(asked.seats) {}

  /// The placement, with the common numbers of nodes.
  std::vector<std::uint32_t> add(const Mapped& mapped) {
    std::vector<std::uint32_t> number;
    for (std::size_t n = 0; n < mapped.placement.nodes.size(); ++n) {
      const auto [found, is_new] =
          numbers_.emplace(mapped.placement.nodes[n], static_cast<std::uint32_t>(names_.size()));
      if (is_new) {
        names_.push_back(mapped.placement.nodes[n]);
        slots_.push_back(mapped.slots[n]);
      }
      number.push_back(found->second);
    }
    std::vector<std::uint32_t> node_of;
    for (const std::uint32_t node : mapped.placement.node_of) node_of.push_back(number[node]);
    return node_of;
  }

  /// How many ranks each node gets.
  std::vector<std::uint32_t> shares(const std::vector<std::uint32_t>& node_of) const {
    std::vector<std::uint32_t> counts(names_.size(), 0);
    for (const std::uint32_t node : node_of) ++counts[node];
    return counts;
  }

  /// The most ranks that the request allows on each node: its slots, or `given` if these are more, unless it has room
  /// for fewer of them.
  std::vector<std::uint32_t> capacity(const std::vector<std::uint32_t>& given) {
    std::vector<std::uint32_t> most;
    for (std::size_t node = 0; node < names_.size(); ++node) {
      const auto [found, is_new] = most_.try_emplace({slots_[node], given[node]}, given[node]);
      for (std::uint32_t over = std::max(slots_[node], given[node]) + 1; is_new && found->second + 1 < over;) {
        const std::uint32_t middle = found->second + (over - found->second) / 2;
        (seats_(names_[node], middle) ? found->second : over) = middle;
      }
      most.push_back(found->second);
    }
    return most;
  }

  /// Ranks of a node take its seats in order. Errors: the request does not allow this.
  Result<Mapped> seated(const std::vector<std::uint32_t>& node_of) const {
    Mapped mapped;
    mapped.placement.nodes = names_;
    mapped.placement.node_of = node_of;
    mapped.slots = slots_;
    std::vector<std::vector<Seat>> seats(names_.size());
    const auto counts = shares(node_of);
    for (std::size_t node = 0; node < names_.size(); ++node) {
      if (counts[node] == 0) continue;
      MORA_TRY(seats[node], seats_(names_[node], counts[node]));
    }
    std::vector<std::uint32_t> taken(names_.size(), 0);
    for (std::uint32_t rank = 0; rank < node_of.size(); ++rank) {
      const std::uint32_t node = node_of[rank];
      const Seat& seat = seats[node][taken[node]++];
      mapped.placement.core.push_back(seat.core);
      mapped.placement.slot.push_back(seat.slot);
      mapped.rankfile += fmt::format("rank {}={} slot={}\n", rank, names_[node], seat.rankfile_slot);
    }
    return mapped;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> slots_;
  std::function<Result<std::vector<Seat>>(const std::string&, std::uint32_t)> seats_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      most_;  ///< by slots and ranks given: nodes alike take equally many
};

void set_ranks(MapWords& words, std::uint32_t ranks) {
  const std::string number = std::to_string(ranks);
  if (words.mode == MapMode::openmpi) {
    if (launcher_without(words.launcher, "np n c").size() != words.launcher.size()) return;
    words.launcher.insert(words.launcher.end(), {"-np", number});
  } else {
    words.options.try_emplace(words.mode == MapMode::kotomatas ? "np" : "ntasks", std::vector<std::string>{number});
  }
}

using Variants = std::vector<std::pair<std::string, MapWords>>;

Variants variants_of_slurm(const MapWords& words) {
  Variants variants;
  const std::string asked = words.get("distribution");
  const std::string inside = asked.substr(std::min(asked.find(':'), asked.size()));  // stays
  const auto add = [&](const std::string& across) {
    MapWords variant = words;
    variant.options["distribution"] = {across + inside};
    variants.emplace_back("--distribution " + across + inside, variant);
  };
  for (const char* across : {"block", "cyclic"}) add(across);
  for (std::uint32_t size = 2; size <= 64; size *= 2) add(fmt::format("plane={}", size));
  return variants;
}

Variants variants_of_kotomatas(const MapWords& words) {
  Variants variants;
  for (const std::string map : {"slot", "node", "core"}) {
    for (const std::string rank : {"slot", "node", "core"}) {
      MapWords variant = words;
      variant.options.erase("bynode");
      variant.options["map-by"] = {map};
      variant.options["rank-by"] = {rank};
      variants.emplace_back(fmt::format("--map-by {} --rank-by {}", map, rank), variant);
    }
  }
  return variants;
}

/// What mpirun's words ask for stays: a list of places, a number of ranks for each object (then only ranks are given
/// out otherwise), the modifiers of the mapping.
Variants variants_of_openmpi(const MapWords& words) {
  const auto has = [&](const char* names) { return launcher_without(words.launcher, names) != words.launcher; };
  std::string asked;
  for (std::size_t i = 0; i + 1 < words.launcher.size(); ++i) {
    if (words.launcher[i] == "--map-by" || words.launcher[i] == "-map-by") asked = words.launcher[i + 1];
  }
  if (has("rf rankfile cpu-list cpu-set") || asked.starts_with("seq")) return {};
  const bool has_shares = has("npernode N pernode npersocket ppr") || asked.starts_with("ppr");
  const std::string modifiers = has_shares ? "" : asked.substr(std::min(asked.find(':'), asked.size()));
  const bool names_topology =
      std::find(words.launcher.begin(), words.launcher.end(), "hwloc_base_topo_file") != words.launcher.end();
  std::vector<std::string> map_by = {"slot", "node"}, rank_by = {"slot", "node"};
  if (names_topology || words.has("topology")) {
    map_by.insert(map_by.end(), {"core", "socket", "numa", "l3cache", "l2cache", "hwthread"});
    rank_by.insert(rank_by.end(), {"core", "socket"});
  }
  if (has_shares) map_by = {""};
  Variants variants;
  for (const std::string& map : map_by) {
    for (const std::string& rank : rank_by) {
      MapWords variant = words;
      variant.launcher =
          launcher_without(words.launcher, has_shares ? "rank-by" : "map-by rank-by bynode byslot bycore");
      if (!map.empty()) variant.launcher.insert(variant.launcher.end(), {"--map-by", map + modifiers});
      variant.launcher.insert(variant.launcher.end(), {"--rank-by", rank});
      const std::string shown = !map.empty()    ? fmt::format("--map-by {}{} ", map, modifiers)
                                : asked.empty() ? ""
                                                : fmt::format("--map-by {} ", asked);
      variants.emplace_back(fmt::format("{}--rank-by {}", shown, rank), variant);
    }
  }
  return variants;
}

/// The policies of the mode: for each its name, and the words with this policy in place of what was asked for.
Variants variants_of(const MapWords& words) {
  switch (words.mode) {
    case MapMode::kotomatas:
      return variants_of_kotomatas(words);
    case MapMode::slurm:
      return variants_of_slurm(words);
    case MapMode::hydra:
    case MapMode::openmpi:
      break;
  }
  return variants_of_openmpi(words);
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string time_text(const predict::Score& score) {
  return score.time ? fmt::format("{:.3f}", static_cast<double>(*score.time) / 1e6) : "";
}

}  // namespace

Result<Improved> improve(const MapWords& asked) {
  if (asked.mode == MapMode::kotomatas && asked.has("rankfile")) {
    return fail(ErrorKind::usage, "--improve and --rankfile", "mora map --mode kotomatas",
                "a rankfile is placed without knowing the nodes, so no other placement can be tried",
                "leave out the rankfile");
  }
  if (asked.mode == MapMode::hydra) {
    return fail(ErrorKind::usage, "--improve and --mode hydra", "mora map", "mpiexec takes no list of places for ranks",
                "use the words of another launcher");
  }
  ProgressLine line(!asked.has("quiet") && !asked.has("json"));
  MORA_TRY(const predict::PatternTrace trace, predict::open_pattern(asked.get("improve"), line.callback()));
  MORA_TRY(const predict::PatternMatrix pattern,
           make_matrix(trace, {.collectives = recorded_model(trace.definitions)}));
  std::optional<predict::MachineModel> machine;
  if (asked.has("machine")) {
    MORA_TRY(const std::string text, read_file(asked.get("machine")));
    MORA_TRY(machine, predict::parse_machine_model(text, asked.get("machine")));
    for (const auto locality : {predict::Locality::same_node, predict::Locality::other_node}) {
      if (machine->find(locality) == nullptr)
        return fail(ErrorKind::unreadable, "the machine model cannot be used", asked.get("machine"),
                    fmt::format("it has no {}", name_of(locality)), "docs/formats/machine.md describes the file");
    }
  }

  MapWords words = asked;
  set_ranks(words, pattern.world_size);
  MORA_TRY(const Mapped given, map_as(words));
  if (given.placement.size() != pattern.world_size) {
    return fail(ErrorKind::usage, "the pattern has another number of ranks", asked.get("improve"),
                fmt::format("it has {} ranks, {} are placed", pattern.world_size, given.placement.size()),
                "leave out -np: then the number of ranks is that of the pattern");
  }
  Improved improved;
  Nodes nodes(given);
  predict::SearchRequest request;
  request.given = {{"as asked for", nodes.add(given), {}}};
  improved.alike = {0};
  std::size_t refused = 0;
  MapWords plain = words;
  plain.options.erase("improve");
  for (const auto& [name, variant] : variants_of(plain)) {
    const auto mapped = map_as(variant);
    if (!mapped || mapped->placement.size() != pattern.world_size) {
      ++refused;
      continue;
    }
    std::vector<std::uint32_t> node_of = nodes.add(*mapped);
    const auto shares = nodes.shares(node_of);
    const auto most = nodes.capacity(nodes.shares(request.given.front().node_of));
    const bool fits = std::equal(shares.begin(), shares.end(), most.begin(),
                                 [](std::uint32_t share, std::uint32_t limit) { return share <= limit; });
    const auto seated = nodes.seated(node_of);
    if (!fits || !seated) {
      ++refused;
      continue;
    }
    const auto same = std::find_if(request.given.begin(), request.given.end(),
                                   [&](const Candidate& c) { return c.node_of == node_of; });
    if (same != request.given.end()) {
      ++improved.alike[static_cast<std::size_t>(same - request.given.begin())];
      continue;
    }
    const bool as_named = seated->rankfile == mapped->rankfile;
    request.given.push_back({as_named ? name : name + ", inside nodes as asked for", std::move(node_of), {}});
    improved.alike.push_back(0);
  }
  request.slots = nodes.capacity(nodes.shares(request.given.front().node_of));
  request.machine = machine ? &*machine : nullptr;
  request.keep_shares = asked.has("keep-shares");
  request.progress = line.callback();
  improved.search = search_placement(pattern.total.ranks, request);
  line.erase();
  improved.alike.resize(improved.search.candidates.size(), 0);
  const std::size_t best = improved.search.best;
  improved.best = given;
  if (best != 0) {
    MORA_TRY(improved.best, nodes.seated(improved.search.candidates[best].node_of));
  }
  improved.best.picture = given.picture;
  improved.best.policies = {improved.search.candidates[best].name};
  improved.notes = given.notes;
  if (refused > 0)
    improved.notes.push_back(fmt::format("{} other policies cannot place these ranks on these nodes", refused));
  const auto rows = pattern.quality.rows();
  if (!rows.empty())
    improved.notes.push_back(
        fmt::format("the pattern is incomplete or damaged: {} (details: mora pattern matrix)", rows.front().what));
  return improved;
}

std::string improvement_text(const Improved& improved) {
  const auto& candidates = improved.search.candidates;
  const bool has_time = candidates[0].score.time.has_value();
  std::vector<Column> columns{{"#", 2, 0, true}, {"bytes between nodes", 20, 0}, number("", 9), number("messages", 14)};
  if (has_time) columns.push_back(number("time ms", 11));
  columns.push_back({"placement", 0, has_time ? std::size_t{2} : std::size_t{1}, true});
  Table table(columns);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const predict::Score& score = candidates[i].score;
    std::string name = candidates[i].name;
    if (improved.alike[i] > 0)
      name += fmt::format(" ({} other polic{} the same)", improved.alike[i], improved.alike[i] == 1 ? "y" : "ies");
    Cells cells{i == improved.search.best ? "#*" : "#", score.bytes, share_text(score.bytes, candidates[0].score.bytes),
                score.messages};
    if (has_time) cells.emplace_back(time_text(score));
    cells.emplace_back(name);
    table.add(std::move(cells));
  }
  std::string out = text_of(table);
  const predict::Score& first = candidates[0].score;
  const predict::Score& best = candidates[improved.search.best].score;
  if (improved.search.best == 0) {
    out += improved.search.is_optimum ? "# nothing is better than what was asked for\n"
                                      : "# nothing better was found than what was asked for\n";
    return out;
  }
  out += fmt::format("# best: {}: {} instead of {} bytes between nodes", candidates[improved.search.best].name,
                     best.bytes, first.bytes);
  if (has_time) out += fmt::format(", {} instead of {} ms", time_text(best), time_text(first));
  return out + "\n";
}

void improvement_json(const Improved& improved, JsonWriter& json) {
  std::size_t i = 0;
  json.fields("candidates",
              list(improved.search.candidates,
                   [&](const Candidate& candidate) {
                     const predict::Score& score = candidate.score;
                     json.begin_line_object().fields("name", candidate.name, "bytes", score.bytes, "messages",
                                                     score.messages);
                     if (score.time) json.fields("time", Seconds{*score.time});
                     json.fields("alike", improved.alike[i], "best", i == improved.search.best).end_object();
                     ++i;
                   }),
              "optimum", improved.search.is_optimum);
}

}  // namespace mora::cli
