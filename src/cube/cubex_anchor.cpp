/// Reads anchor.xml. The XML is walked without recursion, because files may nest deeply. Ids in the file are kept where
/// they number 0 … n-1 with parents first; else nodes are numbered in document order. Processes, threads and
/// coordinates may be millions, and a tree of XML takes a kilobyte for each: they are cut out in runs, of which one at
/// a time is a tree (`cut_xml.h`). A file that cannot be read so is read as a whole. Cost: linear in the file.
#include "cube/cubex_anchor.h"

#include "cube/cubex_values.h"
#include "cube/xml/cut_xml.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace mora::cube {
namespace {

tl::unexpected<Error> bad(std::string where, std::string why) {
  return fail(ErrorKind::unreadable, "anchor.xml does not describe a CUBE4 result", std::move(where), std::move(why),
              "the file is damaged or not a .cubex file: write it again with the tool it came from");
}

/// Nodes of one kind in document order with the index of their parent; no recursion, files may nest deeply.
struct Nested {
  pugi::xml_node node;
  std::uint32_t parent;
};

std::vector<Nested> nested_nodes(const pugi::xml_node& top, const char* name) {
  std::vector<Nested> found;
  std::vector<std::pair<pugi::xml_node, std::uint32_t>> stack;
  const auto push_children = [&](const pugi::xml_node& node, std::uint32_t parent) {
    for (pugi::xml_node child = node.last_child(); child; child = child.previous_sibling()) {
      if (std::string_view(child.name()) == name) stack.emplace_back(child, parent);
    }
  };
  push_children(top, no_id);
  while (!stack.empty()) {
    const auto [node, parent] = stack.back();
    stack.pop_back();
    found.push_back({node, parent});
    push_children(node, static_cast<std::uint32_t>(found.size() - 1));
  }
  return found;
}

/// Element i: the new index of the i-th node: the file's own id where these are 0 … n-1 with parents first (then
/// nothing moves), else document order.
std::vector<std::uint32_t> stable_order(const std::vector<Nested>& nodes, const char* attribute) {
  std::vector<std::uint32_t> ids(nodes.size());
  std::vector<char> seen(nodes.size(), 0);
  bool usable = true;
  for (std::size_t i = 0; i < nodes.size() && usable; ++i) {
    const auto id = nodes[i].node.attribute(attribute).as_ullong(nodes.size());
    usable = id < nodes.size() && seen[id] == 0 && (nodes[i].parent == no_id || ids[nodes[i].parent] < id);
    if (!usable) break;
    seen[id] = 1;
    ids[i] = static_cast<std::uint32_t>(id);
  }
  if (!usable) {
    for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
  }
  return ids;
}

Unit unit_of(std::string_view text) {
  if (text == "sec" || text == "s" || text == "seconds") return Unit::seconds;
  if (text == "bytes" || text == "byte") return Unit::bytes;
  return Unit::occurrences;
}

Result<void> parse_metrics(const pugi::xml_node& root, Anchor& anchor) {
  const auto nodes = nested_nodes(root.child("metrics"), "metric");
  const auto index = stable_order(nodes, "id");
  auto& metrics = anchor.dimensions.metrics.change();
  metrics.resize(nodes.size());
  anchor.metrics.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const pugi::xml_node node = nodes[i].node;
    Metric& metric = metrics[index[i]];
    AnchorMetric& file = anchor.metrics[index[i]];
    const std::string type = node.attribute("type").as_string("EXCLUSIVE");
    if (node.attribute("id").empty()) return bad(fmt::format("metric number {}", i), "it has no id");
    file.file_id = node.attribute("id").as_ullong();
    file.number_type = node.child_value("dtype");
    metric.fold = number_type(file.number_type).value_or(NumberType{}).fold;
    if (type == "INCLUSIVE") {
      file.layout = MetricLayout::inclusive;
    } else if (type == "SIMPLE") {
      file.layout = MetricLayout::simple;
    } else if (type.find("DERIVED") != std::string::npos) {
      file.layout = MetricLayout::derived;
    }
    metric.name = node.child_value("disp_name");
    metric.unique_name = node.child_value("uniq_name");
    metric.id = metric.unique_name;
    metric.unit = unit_of(node.child_value("uom"));
    metric.description = node.child_value("descr");
    metric.parent = nodes[i].parent == no_id ? no_id : index[nodes[i].parent];
    for (pugi::xml_node attr = node.child("attr"); attr; attr = attr.next_sibling("attr")) {
      if (std::string_view(attr.attribute("key").as_string()) == "mora:id") {
        metric.id = attr.attribute("value").as_string();
      }
    }
  }
  return {};
}

CallPathKind kind_of(std::string_view paradigm, std::string_view role, std::string_view name) {
  if (paradigm == "measurement") return CallPathKind::program;
  if (paradigm == "mpi" || (paradigm.empty() && name.starts_with("MPI_"))) return CallPathKind::mpi;
  if (paradigm == "unknown" && role == "artificial") return CallPathKind::compute;
  if (paradigm == "user" && role == "phase") return CallPathKind::interval;
  if (paradigm == "sampling") return CallPathKind::sampled;
  return CallPathKind::user;
}

}  // namespace

std::string interval_description(std::uint32_t id, std::uint32_t replication) {
  return fmt::format("mora:interval id={} replication={}", id,
                     replication == all_processes ? "all" : std::to_string(replication));
}

void parse_interval_description(std::string_view text, CallPath& path) {
  const auto number = [&](std::string_view key, std::uint32_t otherwise) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) return otherwise;
    const std::string_view value = text.substr(at + key.size());
    if (value.starts_with("all")) return all_processes;
    std::uint32_t found = otherwise;
    std::from_chars(value.data(), value.data() + value.size(), found);
    return found;
  };
  path.id = number(" id=", 0);
  path.replication = number(" replication=", 1);
}

namespace {

Result<void> parse_program(const pugi::xml_node& root, Anchor& anchor) {
  std::unordered_map<std::uint64_t, CallPath> regions;
  const pugi::xml_node program = root.child("program");
  for (pugi::xml_node node = program.child("region"); node; node = node.next_sibling("region")) {
    CallPath region;
    region.name = node.child_value("name");
    region.kind = kind_of(node.child_value("paradigm"), node.child_value("role"), region.name);
    if (region.kind == CallPathKind::interval) parse_interval_description(node.child_value("descr"), region);
    region.file = node.attribute("mod").as_string();
    region.line = static_cast<std::uint32_t>(std::max(0, node.attribute("begin").as_int(0)));
    region.last_line = static_cast<std::uint32_t>(std::max(0, node.attribute("end").as_int(0)));
    regions[node.attribute("id").as_ullong()] = region;
  }
  const auto nodes = nested_nodes(program, "cnode");
  const auto index = stable_order(nodes, "id");
  auto& paths = anchor.dimensions.call_paths;
  paths.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const pugi::xml_node node = nodes[i].node;
    const auto region = regions.find(node.attribute("calleeId").as_ullong(UINT64_MAX));
    if (region == regions.end()) {
      return bad(fmt::format("cnode {}", node.attribute("id").as_string("?")), "its region is not defined");
    }
    CallPath& path = paths[index[i]];
    path = region->second;
    path.parent = nodes[i].parent == no_id ? no_id : index[nodes[i].parent];
    const bool is_sampled = path.kind == CallPathKind::sampled;
    if (const auto mod = node.attribute("mod")) (is_sampled ? path.called_at.file : path.file) = mod.as_string();
    if (const auto line = node.attribute("line"))
      (is_sampled ? path.called_at.line : path.line) = static_cast<std::uint32_t>(std::max(0, line.as_int(0)));
    anchor.deep.push_back(index[i]);
  }
  // "Wide": all children of a node, then each child's children, depth first (not breadth first).
  std::vector<std::vector<CallPathId>> children(nodes.size());
  std::vector<CallPathId> stack;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent != no_id) children[index[nodes[i].parent]].push_back(index[i]);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].parent != no_id) continue;
    anchor.wide.push_back(index[i]);
    stack.push_back(index[i]);
    while (!stack.empty()) {
      const CallPathId node = stack.back();
      stack.pop_back();
      anchor.wide.insert(anchor.wide.end(), children[node].begin(), children[node].end());
      stack.insert(stack.end(), children[node].rbegin(), children[node].rend());
    }
  }
  std::vector<std::pair<std::uint64_t, CallPathId>> ids;
  for (std::size_t i = 0; i < nodes.size(); ++i) ids.emplace_back(nodes[i].node.attribute("id").as_ullong(), index[i]);
  std::sort(ids.begin(), ids.end());
  for (const auto& [id, path] : ids) anchor.by_id.push_back(path);
  return {};
}

/// What was cut out of the text, one tree at a time.
class Runs {
 public:
  explicit Runs(std::span<const std::string_view> texts) : texts_(texts) {}
  /// `use` has the parent of the run's elements. The mark of a run that there is not has none.
  Result<void> open(const pugi::xml_node& mark, const std::function<Result<void>(const pugi::xml_node&)>& use) const {
    const auto number = mark.attribute(CutXml::number.data()).as_ullong(texts_.size());
    if (number >= texts_.size()) return {};
    const std::string_view text = texts_[number];
    pugi::xml_document tree;
    const auto parsed =
        tree.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
    if (!parsed) return bad("system", parsed.description());
    return use(tree);
  }

 private:
  std::span<const std::string_view> texts_;
};

struct SystemTree {
  std::vector<std::uint64_t> ids;  ///< of locations
  std::vector<Location> locations;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ranks;  ///< of processes by their id
};

/// Locations of files since CUBE 4.1 (systemtreenode/locationgroup/location) and before (machine/node/process/thread).
Result<void> collect_locations(const pugi::xml_node& top, const std::string& host, std::uint32_t rank, const Runs& runs,
                               SystemTree& found) {
  struct Frame {
    pugi::xml_node node;
    std::string host;
    std::uint32_t rank;
  };
  std::vector<Frame> stack{{top, host, rank}};
  while (!stack.empty()) {
    const Frame frame = stack.back();
    stack.pop_back();
    const std::string_view kind = frame.node.name();
    if (kind == "location" || kind == "thread") {
      Location location;
      location.name = frame.node.child_value("name");
      location.thread = frame.node.child("rank").text().as_uint();
      location.rank = frame.rank;
      location.node = frame.host;
      found.ids.push_back(frame.node.attribute("Id").as_ullong(found.ids.size()));
      found.locations.push_back(std::move(location));
      continue;
    }
    if (kind == CutXml::mark) {  // a run holds no marks: the recursion ends with it
      MORA_CHECK_OK(runs.open(frame.node, [&](const pugi::xml_node& run) {
        return collect_locations(run, frame.host, frame.rank, runs, found);
      }));
      continue;
    }
    Frame inner = frame;
    if (kind == "systemtreenode" || kind == "node") {
      const std::string_view tree_class = frame.node.child_value("class");
      if (kind == "node" || tree_class == "node" || frame.host.empty()) inner.host = frame.node.child_value("name");
    } else if (kind == "locationgroup" || kind == "process") {
      inner.rank = frame.node.child("rank").text().as_uint();
      found.ranks.emplace_back(frame.node.attribute("Id").as_ullong(found.ranks.size()), inner.rank);
    }
    for (pugi::xml_node child = frame.node.last_child(); child; child = child.previous_sibling()) {
      if (child.type() != pugi::node_element) continue;
      inner.node = child;
      stack.push_back(inner);
    }
  }
  return {};
}

std::vector<std::uint32_t> numbers_in(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc()) numbers.push_back(number);
    at = read.ptr == at ? at + 1 : read.ptr;
  }
  return numbers;
}

/// CUBE's topologies: <cart> with <dim>s, and <coord>s of locations, processes or machines. Of several locations of a
/// process the first that has a place counts; topologies of machines alone have no place for a process: left out.
Result<void> parse_topologies(const pugi::xml_node& topologies, const Runs& runs, const SystemTree& system,
                              Cube& cube) {
  std::unordered_map<std::uint64_t, std::uint32_t> of_group, of_location;
  if (topologies.child("cart")) {
    of_group.insert(system.ranks.begin(), system.ranks.end());
    for (std::size_t i = 0; i < system.ids.size(); ++i) of_location.emplace(system.ids[i], cube.locations[i].rank);
  }
  for (pugi::xml_node cart = topologies.child("cart"); cart; cart = cart.next_sibling("cart")) {
    CartesianGrid grid;
    grid.name = cart.attribute("name").as_string();
    for (pugi::xml_node dim = cart.child("dim"); dim; dim = dim.next_sibling("dim"))
      grid.dimensions.push_back(
          {dim.attribute("name").as_string(), dim.attribute("size").as_uint(), dim.attribute("periodic").as_bool()});
    std::unordered_set<std::uint32_t> placed;
    const auto place = [&](const pugi::xml_node& coord) {
      const auto rank_by = [&](const char* one, const char* other, const auto& ranks) {
        const auto id = coord.attribute(one) ? coord.attribute(one) : coord.attribute(other);
        const auto rank = id ? ranks.find(id.as_ullong(UINT64_MAX)) : ranks.end();
        return rank == ranks.end() ? no_id : rank->second;
      };
      std::uint32_t rank = rank_by("locId", "thrdId", of_location);
      if (rank == no_id) rank = rank_by("lgId", "procId", of_group);
      if (rank != no_id && placed.count(rank) == 0 && grid.place(rank, numbers_in(coord.child_value())))
        placed.insert(rank);
    };
    for (const pugi::xml_node& child : cart.children()) {
      if (std::string_view(child.name()) == "coord") place(child);
      if (child.name() != CutXml::mark) continue;
      MORA_CHECK_OK(runs.open(child, [&](const pugi::xml_node& run) -> Result<void> {
        for (const pugi::xml_node& coord : run.children("coord")) place(coord);
        return {};
      }));
    }
    if (!grid.dimensions.empty() && !grid.ranks.empty()) cube.grids.push_back(std::move(grid));
  }
  return {};
}

constexpr std::uint32_t most_ranks = std::uint32_t{1} << 24;  ///< arrays by rank are made of it

Result<void> parse_system(const pugi::xml_node& root, const Runs& runs, Anchor& anchor) {
  SystemTree found;
  MORA_CHECK_OK(collect_locations(root.child("system"), "", 0, runs, found));
  if (found.ids.empty()) return bad("system", "it has no location");
  for (const Location& location : found.locations)
    if (location.rank >= most_ranks) return bad("system", fmt::format("rank {} is too large", location.rank));
  auto& locations = anchor.dimensions.locations;
  if (std::is_sorted(found.ids.begin(), found.ids.end())) {
    locations = std::move(found.locations);
  } else {
    std::vector<std::size_t> order(found.ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return found.ids[a] < found.ids[b]; });
    for (const std::size_t i : order) locations.push_back(std::move(found.locations[i]));
    std::sort(found.ids.begin(), found.ids.end());
  }
  anchor.column.resize(locations.size());
  std::iota(anchor.column.begin(), anchor.column.end(), LocationId{0});
  return parse_topologies(root.child("system").child("topologies"), runs, found, anchor.dimensions);
}

Result<Anchor> parse(std::string_view xml, const Runs& runs) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) return bad(fmt::format("anchor.xml, byte {}", parsed.offset), parsed.description());
  const pugi::xml_node root = document.child("cube");
  if (!root) return bad("anchor.xml", "there is no element <cube>");
  Anchor anchor;
  for (pugi::xml_node attr = root.child("attr"); attr; attr = attr.next_sibling("attr")) {
    anchor.dimensions.attributes[attr.attribute("key").as_string()] = attr.attribute("value").as_string();
  }
  MORA_CHECK_OK(parse_metrics(root, anchor));
  MORA_CHECK_OK(parse_program(root, anchor));
  MORA_CHECK_OK(parse_system(root, runs, anchor));
  return anchor;
}

}  // namespace

Result<Anchor> parse_anchor(std::string_view xml, std::size_t run_bytes) {
  constexpr std::string_view many[] = {"locationgroup", "process", "location", "thread", "coord"};
  if (const auto cut = cut_out(xml, "system", many, run_bytes)) {
    if (auto anchor = parse(cut->rest, Runs(cut->runs))) return anchor;
  }
  return parse(xml, Runs({}));  // what is wrong is said of the whole text
}

}  // namespace mora::cube
