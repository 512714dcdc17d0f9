/// Candidates are the placement asked for, all policies of the mode (those that give the same placement are counted
/// once), and what predict/placement finds by itself. All get common node numbers first, so that they can be compared.
#include "cli/map_improve.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file.h"
#include "base/table/table.h"
#include "cli/progress_line.h"
#include "predict/pattern/matrix.h"
#include "predict/pattern/open.h"

namespace mora::cli {
namespace {

using predict::Candidate;

/// The nodes of all candidates under common numbers, and the seats there.
class Nodes {
 public:
  /// The placement, with the common numbers of nodes.
  std::vector<std::uint32_t> add(const Mapped& mapped) {
    std::vector<std::uint32_t> number;
    for (std::size_t n = 0; n < mapped.placement.nodes.size(); ++n) {
      const auto [found, is_new] =
          numbers_.emplace(mapped.placement.nodes[n], static_cast<std::uint32_t>(names.size()));
      if (is_new) {
        names.push_back(mapped.placement.nodes[n]);
        slots.push_back(mapped.slots[n]);
        seats.push_back(n < mapped.seats.size() ? mapped.seats[n] : std::vector<Seat>{});
      }
      number.push_back(found->second);
    }
    std::vector<std::uint32_t> node_of;
    for (const std::uint32_t node : mapped.placement.node_of) node_of.push_back(number[node]);
    return node_of;
  }

  /// Ranks of a node take its seats in order.
  Mapped seated(const std::vector<std::uint32_t>& node_of) const {
    Mapped mapped;
    mapped.placement.nodes = names;
    mapped.placement.node_of = node_of;
    mapped.slots = slots;
    std::vector<std::uint32_t> taken(names.size(), 0);
    for (std::uint32_t rank = 0; rank < node_of.size(); ++rank) {
      const std::uint32_t node = node_of[rank];
      const std::uint32_t position = taken[node]++;
      const std::vector<Seat>& of_node = seats[node];
      const std::size_t count = of_node.size();
      const Seat seat =
          count == 0 ? Seat{"", std::to_string(position), std::to_string(position)} : of_node[position % count];
      mapped.placement.core.push_back((position >= count && !seat.core.empty() ? "o" : "") + seat.core);
      mapped.placement.slot.push_back(seat.slot);
      mapped.rankfile += fmt::format("rank {}={} slot={}\n", rank, names[node], seat.rankfile_slot);
    }
    return mapped;
  }

  std::vector<std::string> names;
  std::vector<std::uint32_t> slots;
  std::vector<std::vector<Seat>> seats;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
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

/// The policies of the mode: for each its name, and the words with this policy in place of what was asked for.
std::vector<std::pair<std::string, MapWords>> variants_of(const MapWords& words) {
  std::vector<std::pair<std::string, MapWords>> variants;
  if (words.mode == MapMode::slurm) {
    const auto add = [&](const std::string& distribution) {
      MapWords variant = words;
      variant.options["distribution"] = {distribution};
      variants.emplace_back("--distribution " + distribution, variant);
    };
    for (const char* distribution : {"block", "cyclic"}) add(distribution);
    for (std::uint32_t size = 2; size <= 64; size *= 2) add(fmt::format("plane={}", size));
    return variants;
  }
  const bool is_kotomatas = words.mode == MapMode::kotomatas;
  const bool names_topology =
      std::find(words.launcher.begin(), words.launcher.end(), "hwloc_base_topo_file") != words.launcher.end();
  const bool has_inside = is_kotomatas || names_topology || words.has("topology");
  std::vector<std::string> map_by = {"slot", "node"}, rank_by = {"slot", "node"};
  if (has_inside) {
    map_by.emplace_back("core");
    rank_by.emplace_back("core");
    for (const char* object : {"socket", "numa", "l3cache", "l2cache", "hwthread"}) {
      if (!is_kotomatas) map_by.emplace_back(object);
    }
    if (!is_kotomatas) rank_by.emplace_back("socket");
  }
  for (const std::string& map : map_by) {
    for (const std::string& rank : rank_by) {
      MapWords variant = words;
      if (is_kotomatas) {
        variant.options.erase("bynode");
        variant.options["map-by"] = {map};
        variant.options["rank-by"] = {rank};
      } else {
        variant.launcher = launcher_without(
            words.launcher, "map-by rank-by bynode byslot bycore npernode N pernode npersocket ppr rf rankfile");
        variant.launcher.insert(variant.launcher.end(), {"--map-by", map, "--rank-by", rank});
      }
      variants.emplace_back(fmt::format("--map-by {} --rank-by {}", map, rank), variant);
    }
  }
  return variants;
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
  ProgressLine line(!asked.has("quiet") && !asked.has("json"));
  MORA_TRY(const predict::PatternTrace trace, predict::open_pattern(asked.get("improve"), line.callback()));
  MORA_TRY(const predict::PatternMatrix pattern, make_matrix(trace, predict::MatrixOptions{}));
  std::optional<predict::MachineModel> machine;
  if (asked.has("machine")) {
    MORA_TRY(const std::string text, read_file(asked.get("machine")));
    MORA_TRY(machine, predict::parse_machine_model(text, asked.get("machine")));
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
  Nodes nodes;
  predict::SearchRequest request;
  std::vector<Mapped> placed = {given};
  request.given = {{"as asked for", nodes.add(given), {}}};
  improved.alike = {0};
  std::size_t refused = 0;
  for (const auto& [name, variant] : variants_of(words)) {
    auto mapped = map_as(variant);
    if (!mapped || mapped->placement.size() != pattern.world_size) {
      ++refused;
      continue;
    }
    std::vector<std::uint32_t> node_of = nodes.add(*mapped);
    const auto same = std::find_if(request.given.begin(), request.given.end(),
                                   [&](const Candidate& c) { return c.node_of == node_of; });
    if (same != request.given.end()) {
      ++improved.alike[static_cast<std::size_t>(same - request.given.begin())];
      continue;
    }
    request.given.push_back({name, std::move(node_of), {}});
    improved.alike.push_back(0);
    placed.push_back(std::move(*mapped));
  }
  request.slots = nodes.slots;
  request.machine = machine ? &*machine : nullptr;
  request.keep_shares = asked.has("keep-shares");
  request.progress = line.callback();
  improved.search = search_placement(pattern.total.ranks, request);
  line.erase();
  improved.alike.resize(improved.search.candidates.size(), 0);
  const std::size_t best = improved.search.best;
  improved.best = best < placed.size() ? placed[best] : nodes.seated(improved.search.candidates[best].node_of);
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
