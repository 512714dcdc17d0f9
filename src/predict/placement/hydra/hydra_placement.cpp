/// Ranks go from node to node in the order of the list, as many to each as its number says, and round again until all
/// are placed. Inside a node, the hardware threads are one circle. The objects of -map-by cut it into stretches that
/// begin one after the other (round the circle, until it closes); ranks take the stretches in turn, and at each further
/// visit the next objects of -bind-to inside the stretch, which is a circle again. Where the binding is no smaller than
/// the stretch, it begins with the object that holds the stretch's first thread. Cost: linear in ranks and cpus.
/// Limits: objects of one kind are taken to be equally large; devices (pci, gpu …) are not known.
#include "predict/placement/hydra/hydra_placement.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "predict/placement/line_words.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::hydra {

namespace {

using openmpi::Level;
using openmpi::Part;
using openmpi::Topology;
using Threads = std::vector<std::uint32_t>;

constexpr std::uint32_t most_ranks = 1 << 24;

tl::unexpected<Error> refuse(const std::string& what, std::string where, std::string why = {}) {
  return fail(ErrorKind::usage, "mpiexec would refuse: " + what, std::move(where), std::move(why));
}

Result<void> add_node(std::string_view text, const std::string& where, std::vector<HydraNode>& nodes) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  HydraNode node{std::string(text.substr(0, colon)), 1};
  if (colon < text.size()) {
    const auto count = whole_number(text.substr(colon + 1));
    if (!count || *count == 0 || *count > most_ranks)
      return refuse(fmt::format("'{}' is not NAME or NAME:RANKS", text), where, "RANKS is a number of at least 1");
    node.ranks = *count;
  }
  if (!nodes.empty() && nodes.back().name == node.name) {
    nodes.back().ranks += node.ranks;
  } else {
    nodes.push_back(std::move(node));
  }
  return {};
}

/// "core:2": a kind of object, and how many of them.
struct Objects {
  const std::vector<Part>* parts = nullptr;
  std::uint32_t count = 1;
};

Result<Objects> objects_of(const Topology& topology, const std::string& text, const char* option) {
  struct Word {
    std::string_view word;
    Level level;
  };
  static constexpr Word words[] = {
      {"machine", Level::node},    {"numa", Level::numa},        {"socket", Level::package},
      {"package", Level::package}, {"core", Level::core},        {"hwthread", Level::hwthread},
      {"l1cache", Level::l1cache}, {"l1dcache", Level::l1cache}, {"l1ucache", Level::l1cache},
      {"l2cache", Level::l2cache}, {"l2dcache", Level::l2cache}, {"l2ucache", Level::l2cache},
      {"l3cache", Level::l3cache}, {"l3dcache", Level::l3cache}, {"l3ucache", Level::l3cache}};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string word = text.substr(0, colon);
  const auto found = std::find_if(std::begin(words), std::end(words), [&](const Word& w) { return w.word == word; });
  if (found == std::end(words)) {
    for (const char* device : {"pci", "gpu", "ib", "en", "eth", "hfi"})
      if (word.starts_with(device))
        return fail(ErrorKind::usage, fmt::format("-{} {}", option, text), "mora map --mode hydra",
                    "bindings near a device are not supported",
                    "give machine, numa, socket, core, hwthread or a cache");
    return refuse(fmt::format("'{}' is not known", text), fmt::format("mpiexec -{}", option));
  }
  Objects objects{&topology.at(found->level), 1};
  if (objects.parts->empty())
    return refuse(fmt::format("the nodes have no {}", word), fmt::format("mpiexec -{}", option));
  if (colon < text.size()) {
    const auto count = whole_number(std::string_view(text).substr(colon + 1));
    if (!count || *count == 0)
      return refuse(fmt::format("'{}' is no number of objects", text), fmt::format("mpiexec -{}", option));
    objects.count = *count;
  }
  return objects;
}

Threads threads_of(const std::vector<Part>& parts, std::uint32_t thread) {
  for (const Part& part : parts)
    if (part.hwthreads.has(thread)) return part.hwthreads.members();
  return {};
}

void unite(Threads& threads, const Threads& more) {
  threads.insert(threads.end(), more.begin(), more.end());
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
}

/// The cpus of the ranks on a node, by their order there.
Result<std::vector<Threads>> bindings(const HydraRequest& request, const Topology& topology, std::uint32_t ranks) {
  std::vector<Threads> bound(ranks);
  const std::vector<Part>& all = topology.at(Level::hwthread);
  const auto by_os_index = [&](std::uint32_t index) -> Threads {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Part& p) { return p.os_index == index; });
    return found == all.end() ? Threads{} : found->hwthreads.members();
  };
  if (request.bind_to == "rr") {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      bound[rank] = by_os_index(rank % static_cast<std::uint32_t>(all.size()));
    return bound;
  }
  if (request.bind_to.starts_with("user:")) {
    std::uint32_t rank = 0;
    for (const std::string& list : openmpi::split(std::string_view(request.bind_to).substr(5), ',')) {
      if (rank == ranks) break;
      for (const std::string& cpu : openmpi::split(list, '+'))
        if (const auto number = whole_number(cpu)) unite(bound[rank], by_os_index(*number));
      ++rank;
    }
    return bound;
  }
  MORA_TRY(const Objects bind, objects_of(topology, request.bind_to, "bind-to"));
  Objects map = bind;
  if (!request.map_by.empty()) {
    MORA_TRY(map, objects_of(topology, request.map_by, "map-by"));
  }
  if (map.count > map.parts->size())
    return refuse(fmt::format("{} objects to map by are more than the {} of a node", map.count, map.parts->size()),
                  "mpiexec -map-by", "it crashes");
  const auto total = static_cast<std::uint64_t>(all.size());
  const std::uint64_t object = total / bind.parts->size(), stretch = total / map.parts->size() * map.count,
                      together = object * bind.count;
  const std::uint64_t stretches = total / std::gcd(total, stretch);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint64_t begin = rank % stretches * stretch, visit = rank / stretches;
    for (std::uint32_t n = 0; n < bind.count; ++n) {
      const std::uint64_t inside = together < stretch ? (visit * together + n * object) % stretch : n * object;
      unite(bound[rank], threads_of(*bind.parts, static_cast<std::uint32_t>((begin + inside) % total)));
    }
  }
  return bound;
}

}  // namespace

Result<std::vector<HydraNode>> parse_hosts(std::string_view list) {
  std::vector<HydraNode> nodes;
  for (const std::string& name : openmpi::split(list, ',')) MORA_CHECK_OK(add_node(name, "mpiexec -hosts", nodes));
  if (nodes.empty()) return refuse("no node is named", "mpiexec -hosts");
  return nodes;
}

Result<std::vector<HydraNode>> parse_host_file(std::string_view text, const std::string& file) {
  std::vector<HydraNode> nodes;
  MORA_CHECK_OK(for_each_line(text, [&](std::string_view line, std::uint32_t number) -> Result<void> {
    const std::vector<Word> words = words_of(line.substr(0, line.find('#')));
    if (words.empty()) return {};
    for (std::size_t w = 1; w < words.size(); ++w) {
      const bool is_setting = words[w].text.find('=') != std::string_view::npos;
      if (!is_setting || words[w].text.starts_with("slots"))
        return bad_word(file, number, words[w], "mpiexec of MPICH takes NAME:RANKS (slots=N is Open MPI's form)");
    }
    return add_node(words.front().text, fmt::format("{}:{}", file, number), nodes);
  }));
  if (nodes.empty()) return fail(ErrorKind::unreadable, "no node is named", file);
  return nodes;
}

Result<HydraPlacement> place_hydra(const HydraRequest& request) {
  const std::vector<HydraNode>& nodes = request.nodes;
  std::uint64_t one_visit = 0;
  for (const HydraNode& node : nodes) one_visit += request.per_node.value_or(node.ranks);
  const std::uint64_t ranks = request.ranks ? *request.ranks : one_visit;
  if (ranks > most_ranks)
    return fail(ErrorKind::usage, fmt::format("{} ranks are too many", ranks), {},
                fmt::format("up to {} can be placed", most_ranks));
  std::vector<std::uint32_t> entry_of;  // by rank: index of nodes
  while (entry_of.size() < ranks) {
    for (std::uint32_t n = 0; n < nodes.size() && entry_of.size() < ranks; ++n) {
      const std::uint64_t more =
          std::min<std::uint64_t>(request.per_node.value_or(nodes[n].ranks), ranks - entry_of.size());
      entry_of.insert(entry_of.end(), more, n);
    }
  }
  std::vector<std::uint32_t> counts(nodes.size(), 0), node_of_entry;
  for (const std::uint32_t entry : entry_of) ++counts[entry];

  HydraPlacement placed;
  Placement& placement = placed.placement;
  for (const HydraNode& node : nodes) {
    const auto found = std::find(placement.nodes.begin(), placement.nodes.end(), node.name);
    node_of_entry.push_back(static_cast<std::uint32_t>(found - placement.nodes.begin()));
    if (found == placement.nodes.end()) placement.nodes.push_back(node.name);
  }
  std::vector<std::vector<Threads>> bound(nodes.size());
  if (request.topology && request.bind_to != "none") {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      MORA_TRY(bound[n], bindings(request, *request.topology, counts[n]));
    }
  }
  std::vector<std::uint32_t> position(placement.nodes.size(), 0);
  std::fill(counts.begin(), counts.end(), 0);
  for (const std::uint32_t entry : entry_of) {
    const std::uint32_t node = node_of_entry[entry], in_entry = counts[entry]++;
    placement.node_of.push_back(node);
    placement.slot.push_back(std::to_string(position[node]++));
    Threads threads = bound[entry].empty() ? Threads{} : std::move(bound[entry][in_entry]);
    const bool some = !threads.empty() && threads.size() < request.topology->at(Level::hwthread).size();
    const std::uint32_t core = some ? request.topology->core_of[threads.front()] : UINT32_MAX;
    placement.core.push_back(core == UINT32_MAX ? "" : std::to_string(core));
    placed.hwthreads.push_back(std::move(threads));
  }
  return placed;
}

}  // namespace mora::predict::hydra
