/// `mora map --mode slurm`: srun's options about tasks, nodes and their distribution.
#include <algorithm>
#include <cstdlib>
#include <unordered_set>

#include <fmt/format.h>

#include "base/file.h"
#include "cli/map/modes.h"
#include "predict/placement/hostfile.h"
#include "predict/placement/line_words.h"
#include "predict/placement/openmpi/topology/topology.h"
#include "predict/placement/slurm/hostlist.h"
#include "predict/placement/slurm/slurm_placement.h"

namespace mora::cli {
namespace {

using predict::slurm::NodeInside;
using predict::slurm::SlurmRequest;

/// --nodes: "4" or "4-4"; with a real range Slurm itself chooses the number.
Result<std::optional<std::uint32_t>> node_count_of(const MapWords& words) {
  if (!words.has("nodes")) return std::nullopt;
  const std::string text = words.get("nodes");
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto least = predict::whole_number(std::string_view(text).substr(0, dash));
  const auto most = dash == text.size() ? least : predict::whole_number(std::string_view(text).substr(dash + 1));
  if (!least || !most || *least == 0 || *least > *most) {
    return fail(ErrorKind::usage, fmt::format("'{}' is not a number of nodes", text), "mora map --nodes",
                "expected N or N-N");
  }
  if (*least != *most) {
    return fail(ErrorKind::usage, fmt::format("--nodes {}", text), "mora map",
                "how many nodes of the range Slurm takes depends on which are free", "give one number");
  }
  return least;
}

Result<std::optional<NodeInside>> inside_of(const MapWords& words) {
  if (!words.has("topology")) return std::nullopt;
  using predict::openmpi::Level;
  MORA_TRY(const predict::openmpi::Topology topology, predict::openmpi::load_topology(words.get("topology")));
  const auto count = [&](Level level) { return static_cast<std::uint32_t>(topology.at(level).size()); };
  const std::uint32_t cpus = count(Level::hwthread), sockets = std::max(count(Level::package), 1u),
                      cores = std::max(count(Level::core), 1u);
  if (cpus == 0 || cores % sockets != 0 || cpus % cores != 0) {
    return fail(ErrorKind::usage, "sockets or cores of different size", "mora map --topology",
                "srun's documentation describes only nodes whose sockets and cores are equal");
  }
  return NodeInside{sockets, cores / sockets, cpus / cores};
}

/// One node a line or separated by commas: SLURM_HOSTFILE.
std::vector<std::string> listed_nodes(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }, ',');
  return names_in(text);
}

Result<void> add_nodes(const MapWords& words, SlurmRequest& request) {
  if (request.distribution && request.distribution->nodes == predict::slurm::AcrossNodes::arbitrary) {
    const char* variable = std::getenv("SLURM_HOSTFILE");
    const std::string file = words.has("hostfile") ? words.get("hostfile") : variable == nullptr ? "" : variable;
    if (!file.empty()) {
      MORA_TRY(const std::string text, read_file(file));
      request.arbitrary = listed_nodes(text);
    }
    std::unordered_set<std::string> taken;
    for (const std::string& name : request.arbitrary) {
      if (taken.insert(name).second) request.nodes.push_back({name, request.inside ? request.inside->cpus() : 1});
    }
    return {};
  }
  if (words.has("nodelist") && words.has("hostfile")) {
    return fail(ErrorKind::usage, "--nodelist and --hostfile", "mora map", "both name the nodes", "give one of them");
  }
  if (words.has("hostfile")) {
    const std::string file = words.get("hostfile");
    MORA_TRY(const std::string text, read_file(file));
    MORA_TRY(const auto entries, predict::parse_hostfile(text, file));
    for (const predict::HostEntry& entry : entries) {
      const std::uint32_t cpus = entry.slots.value_or(entry.max_slots.value_or(1)) * entry.cores_per_slot.value_or(1);
      request.nodes.push_back({entry.name, request.inside ? request.inside->cpus() : cpus});
    }
    return {};
  }
  std::vector<std::string> names;
  if (words.has("nodelist")) {
    const std::string list = words.get("nodelist");
    if (list.find('/') != std::string::npos) {  // srun(1): then it is a file
      MORA_TRY(const std::string text, read_file(list));
      names = listed_nodes(text);
    } else {
      MORA_TRY(names, predict::slurm::expand_hostlist(list, "--nodelist"));
    }
    request.all_nodes = true;
  } else {
    if (!request.node_count) {
      MORA_TRY(request.node_count,
               number_or_ask(words, "nodes", "Please specify number of host on the cluster:", "hosts of the cluster"));
    }
    for (std::uint32_t n = 0; n < *request.node_count; ++n) names.push_back(fmt::format("node{}", n));
  }
  std::uint32_t cpus = 0;
  if (request.inside) {
    cpus = request.inside->cpus();
  } else {
    MORA_TRY(cpus, number_or_ask(words, "slots", "Please specify number of slots on each host:", "CPUs on each host"));
  }
  std::unordered_set<std::string> taken;
  for (const std::string& name : names) {
    if (taken.insert(name).second) request.nodes.push_back({name, cpus});
  }
  return {};
}

Result<SlurmRequest> slurm_request(const MapWords& words) {
  SlurmRequest request;
  if (words.has("distribution")) {
    MORA_TRY(request.distribution, predict::slurm::parse_distribution(words.get("distribution")));
  }
  MORA_TRY(request.node_count, node_count_of(words));
  MORA_TRY(request.inside, inside_of(words));
  MORA_TRY(request.cpus_per_task, number_option(words, "cpus-per-task", 1));
  if (words.has("ntasks")) {
    MORA_TRY(request.tasks, number_option(words, "ntasks", 1));
  }
  if (words.has("ntasks-per-node")) {
    MORA_TRY(request.tasks_per_node, number_option(words, "ntasks-per-node", 1));
  }
  request.overcommit = words.has("overcommit");
  request.exclusive = words.has("exclusive");
  MORA_CHECK_OK(add_nodes(words, request));
  return request;
}

std::string picture_of(const SlurmRequest& request) {
  std::string out = "#####SIMULATION ENV#####\n";
  for (const auto& node : request.nodes) {
    out += fmt::format("Node id={} CPUs={}", node.name, node.cpus);
    if (request.inside) {
      out += fmt::format(" Sockets={} CoresPerSocket={} ThreadsPerCore={}", request.inside->sockets,
                         request.inside->cores_per_socket, request.inside->threads_per_core);
    }
    out += '\n';
  }
  return out + "#####\n";
}

}  // namespace

Result<Mapped> map_as_slurm(const MapWords& words) {
  MORA_TRY(const SlurmRequest request, slurm_request(words));
  MORA_TRY(auto placed, place_slurm(request));
  Mapped mapped;
  mapped.placement = std::move(placed.placement);
  mapped.slots = std::move(placed.slots);
  mapped.notes = std::move(placed.notes);
  for (const std::string& option : words.ignored) mapped.notes.push_back(option + " is ignored");
  mapped.notes.emplace_back("placed by Slurm's documentation; this was not compared with a real srun");
  mapped.policies = {"distribution " + text_of(placed.distribution)};
  mapped.picture = picture_of(request);
  mapped.seats = [request](const std::string& name, std::uint32_t ranks) -> Result<std::vector<Seat>> {
    const auto node =
        std::find_if(request.nodes.begin(), request.nodes.end(), [&](const auto& n) { return n.name == name; });
    const auto cores = cores_on_node(request, node->cpus, ranks);
    std::vector<Seat> seats;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::vector<std::uint32_t> own = cores.empty() ? std::vector<std::uint32_t>{} : cores[rank];
      seats.push_back(
          {own.empty() ? "" : std::to_string(own.front()), std::to_string(rank), rankfile_slot(request, own, rank)});
    }
    return seats;
  };
  const predict::Placement& p = mapped.placement;
  std::vector<std::uint32_t> position(p.nodes.size());
  for (std::uint32_t r = 0; r < p.size(); ++r) {
    const std::uint32_t node = p.node_of[r];
    const auto slot =
        rankfile_slot(request, placed.cores.empty() ? std::vector<std::uint32_t>{} : placed.cores[r], position[node]++);
    mapped.rankfile += fmt::format("rank {}={} slot={}\n", r, p.nodes[node], slot);
  }
  return mapped;
}

}  // namespace mora::cli
