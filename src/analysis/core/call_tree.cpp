/// Local trees, merging, and the names of nodes for people. Merged numbering: preorder, siblings in order of first
/// appearance, smaller locations first; so it does not depend on the number of partitions.
#include "analysis/core/call_tree.h"

#include <algorithm>

#include "base/text/source_place.h"
#include "trace/intervals/interval_source.h"

namespace mora::analysis {

LocalCallTree::LocalCallTree() {
  keys_.push_back(NodeKey{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF});
  amounts_.emplace_back();
  guesses_.emplace_back();
}

std::uint32_t LocalCallTree::find_or_make(const NodeKey& key) {
  const auto [place, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
    amounts_.emplace_back();
    guesses_.emplace_back();
  }
  return place->second;
}

void LocalCallTree::count(std::uint32_t node, std::uint32_t counter, std::uint32_t counters, std::int64_t amount) {
  if (counted_.size() < size() * counters) counted_.resize(size() * counters);
  counted_[std::size_t{node} * counters + counter] += amount;
}

std::uint32_t LocalCallTree::child(std::uint32_t parent, std::uint32_t region, std::uint32_t interval) {
  const std::uint32_t previous = guesses_[parent].last_child;
  std::uint32_t node = previous == 0 ? 0 : guesses_[previous].follower;
  if (node == 0 || keys_[node].region != region || keys_[node].parent != parent || keys_[node].interval != interval) {
    node = find_or_make(NodeKey{parent, 0xFFFFFFFF, region, interval});
    if (previous != 0) guesses_[previous].follower = node;
  }
  guesses_[parent].last_child = node;
  return node;
}

bool NodeKey::is_found_iteration() const { return !is_compute() && (interval & trace::found_phase) != 0; }

std::uint32_t LocalCallTree::compute(std::uint32_t parent, std::uint32_t from, std::uint32_t to) {
  const NodeKey key{parent, from, to};
  const std::uint32_t previous = guesses_[parent].last_compute;
  std::uint32_t node = previous == 0 ? 0 : guesses_[previous].compute_follower;
  if (node == 0 || keys_[node] != key) {
    node = find_or_make(key);
    if (previous != 0) guesses_[previous].compute_follower = node;
  }
  guesses_[parent].last_compute = node;
  return node;
}

std::uint32_t LocalCallTree::function(std::uint32_t parent, trace::CallerId caller,
                                      const trace::Definitions& definitions) {
  if (caller >= definitions.callers.size()) return parent;
  const std::uint64_t key = std::uint64_t{parent} << 32 | caller;
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second;
  const trace::Caller& c = definitions.callers[caller];
  const std::uint32_t above = function(parent, c.parent, definitions);
  const std::uint32_t node = find_or_make(NodeKey{above, 0xFFFFFFFF, c.region});
  functions_.emplace(key, node);
  return node;
}

std::uint32_t LocalCallTree::sampled_function(std::uint32_t node, trace::CallerId caller,
                                              const trace::Definitions& definitions) {
  const auto is_around = [&](std::uint32_t region) {
    for (std::uint32_t n = node; n != root; n = keys_[n].parent)
      if (!keys_[n].is_compute() && keys_[n].region == region) return true;
    return false;
  };
  std::vector<NodeKey> path;  // innermost first
  for (; caller < definitions.callers.size(); caller = definitions.callers[caller].parent) {
    const trace::Caller& c = definitions.callers[caller];
    const bool is_known = is_around(c.region);
    if (!is_known || path.empty()) path.push_back({0, sampled, c.region, 0, is_known ? trace::no_id : c.place});
    if (is_known) break;
  }
  for (auto key = path.rbegin(); key != path.rend(); ++key) {
    key->parent = node;
    node = find_or_make(*key);
  }
  return node;
}

void pack_tree(cube::LocationId location, const LocalCallTree& tree, BufferWriter& out) {
  out.put(location);
  out.put(static_cast<std::uint32_t>(tree.size()));
  for (std::uint32_t node = 0; node < tree.size(); ++node) out.put(tree.key(node));
}

GlobalCallTree merge_trees(const std::vector<Buffer>& packed, std::size_t locations) {
  std::vector<std::vector<NodeKey>> local(locations);
  for (const Buffer& buffer : packed) {
    BufferReader in(buffer);
    while (!in.empty()) {
      auto& tree = local[in.take<cube::LocationId>()];
      tree.resize(in.take<std::uint32_t>());
      for (NodeKey& key : tree) key = in.take<NodeKey>();
    }
  }
  // Order of first appearance: location by location, each in its own order.
  std::vector<NodeKey> found{NodeKey{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  std::vector<std::vector<std::uint32_t>> children(1);
  std::map<NodeKey, std::uint32_t> ids;
  std::vector<std::vector<std::uint32_t>> number(locations);
  for (std::size_t location = 0; location < locations; ++location) {
    number[location].assign(local[location].size(), 0);
    for (std::size_t node = 1; node < local[location].size(); ++node) {
      NodeKey key = local[location][node];
      key.parent = number[location][key.parent];
      const auto [place, is_new] = ids.try_emplace(key, static_cast<std::uint32_t>(found.size()));
      if (is_new) {
        found.push_back(key);
        children.emplace_back();
        children[key.parent].push_back(place->second);
      }
      number[location][node] = place->second;
    }
  }
  // Preorder.
  GlobalCallTree tree;
  std::vector<std::uint32_t> preorder(found.size(), 0);
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    preorder[node] = static_cast<std::uint32_t>(tree.nodes.size());
    NodeKey key = found[node];
    if (node != 0) key.parent = preorder[key.parent];
    tree.nodes.push_back(key);
    open.insert(open.end(), children[node].rbegin(), children[node].rend());
  }
  for (auto& numbers : number) {
    for (std::uint32_t& id : numbers) id = preorder[id];
  }
  tree.of_location = std::move(number);
  return tree;
}

namespace {

std::string call_label(std::uint32_t region, const trace::Definitions& definitions, const char* edge) {
  if (region >= definitions.regions.size()) return edge;
  const trace::Region& r = definitions.regions[region];
  if (r.kind != trace::RegionKind::mpi && r.name.find('@') != r.name.npos) return r.name;  // has its place in its name
  return place_label(r.name, r.call_site_file, r.call_site_line);
}

/// Regions of their own keep their name; marks (MPI calls) and found intervals are called what they are.
void describe_interval(const NodeKey& key, const trace::Definitions& definitions, cube::CallPath& path) {
  path.kind = cube::CallPathKind::interval;
  path.id = (key.interval & ~trace::found_phase) - 1;
  path.name = "interval";
  if (key.is_found_iteration()) {
    path.name = "iteration";
  } else if (key.region < definitions.regions.size() &&
             definitions.regions[key.region].kind == trace::RegionKind::user) {
    path.name = definitions.regions[key.region].name;
    path.replication = definitions.regions[key.region].replication;
  }
}

}  // namespace

std::vector<cube::CallPath> describe(const GlobalCallTree& tree, const trace::Definitions& definitions) {
  std::vector<cube::CallPath> paths;
  paths.reserve(tree.nodes.size());
  for (const NodeKey& key : tree.nodes) {
    cube::CallPath path;
    path.parent = key.parent;
    const std::uint32_t site = key.is_compute() ? key.from : key.region;
    if (site < definitions.regions.size()) {
      path.file = definitions.regions[site].call_site_file;
      path.line = definitions.regions[site].call_site_line;
      if (!key.is_compute()) path.last_line = definitions.regions[site].last_line;
    }
    if (paths.empty()) {
      path.kind = cube::CallPathKind::program;
      path.name = definitions.program.empty() ? "program" : definitions.program;
    } else if (key.from == not_observed) {
      path.kind = cube::CallPathKind::compute;
      path.name = key.region == measurement ? "measurement" : "not recorded";
    } else if (key.is_compute()) {
      path.kind = cube::CallPathKind::compute;
      path.name =
          "compute " + call_label(key.from, definitions, "start") + " -> " + call_label(key.region, definitions, "end");
    } else if (key.interval != 0) {
      describe_interval(key, definitions, path);
    } else {
      const bool known = key.region < definitions.regions.size();
      const bool mpi = known && definitions.regions[key.region].kind == trace::RegionKind::mpi;
      path.kind = mpi                   ? cube::CallPathKind::mpi
                  : key.from == sampled ? cube::CallPathKind::sampled
                                        : cube::CallPathKind::user;
      path.name = known ? definitions.regions[key.region].name : "unknown region";
      if (key.place < definitions.call_places.size()) path.called_at = definitions.call_places[key.place];
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace mora::analysis
