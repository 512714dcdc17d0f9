/// Writes .cubex. Every metric is of type EXCLUSIVE (along the call tree), so its rows stand in depth-first order of
/// the call tree, and its index is sparse: only call paths with a non-zero cell have a row. Sizes are known before
/// the first byte is written, so the archive is one sequential stream and needs no memory beyond one row.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/xml_text.h"
#include "cube/cubex.h"
#include "cube/cubex_anchor.h"
#include "cube/cubex_values.h"
#include "cube/tar.h"

namespace mora::cube {
namespace {

using Sink = std::function<Result<void>(std::string_view)>;

const char* unit_text(Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return "sec";
    case Unit::occurrences:
      return "occ";
    case Unit::bytes:
      return "bytes";
  }
  return "";
}

/// Children of every node, in order of id; the last entry holds the roots.
template <class Node>
std::vector<std::vector<std::uint32_t>> child_lists(const std::vector<Node>& nodes) {
  std::vector<std::vector<std::uint32_t>> lists(nodes.size() + 1);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t parent = nodes[i].parent;
    lists[parent < nodes.size() ? parent : nodes.size()].push_back(i);
  }
  return lists;
}

/// Calls open(node) and close(node) in depth-first order without recursion.
void walk(const std::vector<std::vector<std::uint32_t>>& children, const std::function<void(std::uint32_t)>& open,
          const std::function<void(std::uint32_t)>& close) {
  struct Frame {
    std::uint32_t node;
    std::size_t next = 0;
  };
  std::vector<Frame> stack{{static_cast<std::uint32_t>(children.size() - 1)}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < children[frame.node].size()) {
      const std::uint32_t child = children[frame.node][frame.next++];
      open(child);
      stack.push_back({child});
    } else {
      if (stack.size() > 1) close(frame.node);
      stack.pop_back();
    }
  }
}

/// A region is what call paths of the same callee share.
struct RegionKey {
  CallPathKind kind;
  std::string name, file;
  std::uint32_t line;
  std::uint32_t id, replication, last_line;
  auto operator<=>(const RegionKey&) const = default;
};

RegionKey region_of(const CallPath& path) {
  const bool call_site = path.kind == CallPathKind::mpi || path.kind == CallPathKind::compute;
  return {path.kind,        path.name,     call_site ? "" : path.file, call_site ? 0 : path.line, path.id,
          path.replication, path.last_line};
}

std::pair<const char*, const char*> paradigm_and_role(CallPathKind kind) {
  switch (kind) {
    case CallPathKind::program:
      return {"measurement", "artificial"};
    case CallPathKind::mpi:
      return {"mpi", "function"};
    case CallPathKind::compute:
      return {"unknown", "artificial"};
    case CallPathKind::interval:
      return {"user", "phase"};
    case CallPathKind::sampled:
      return {"sampling", "function"};
    case CallPathKind::user:
      break;
  }
  return {"compiler", "function"};
}

bool has_negative_cell(const Cube& cube, MetricId metric) {
  for (CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    for (const std::int64_t cell : cube.row(metric, c)) {
      if (cell < 0) return true;
    }
  }
  return false;
}

std::string metrics_xml(const Cube& cube) {
  std::string out = "<metrics>\n";
  walk(
      child_lists(cube.metrics.list()),
      [&](std::uint32_t m) {
        const Metric& metric = cube.metrics[m];
        const char* type = metric.fold == Fold::least     ? "MINDOUBLE"
                           : metric.fold == Fold::most    ? "MAXDOUBLE"
                           : metric.unit == Unit::seconds ? "DOUBLE"
                           : has_negative_cell(cube, m)   ? "INT64"
                                                          : "UINT64";
        out += fmt::format(
            "<metric id=\"{}\" type=\"EXCLUSIVE\">\n<disp_name>{}</disp_name>\n<uniq_name>{}</uniq_name>\n"
            "<dtype>{}</dtype>\n<uom>{}</uom>\n<url></url>\n<descr>{}</descr>\n<attr key=\"mora:id\" value=\"{}\"/>\n",
            m, xml_text(metric.name), xml_text(metric.unique_name), type, unit_text(metric.unit),
            xml_text(metric.description), xml_text(metric.id));
      },
      [&](std::uint32_t) { out += "</metric>\n"; });
  return out + "</metrics>\n";
}

std::string program_xml(const Cube& cube) {
  std::string out = "<program>\n";
  std::map<RegionKey, std::uint32_t> regions;
  for (const CallPath& path : cube.call_paths) {
    const auto [entry, added] = regions.emplace(region_of(path), static_cast<std::uint32_t>(regions.size()));
    if (!added) continue;
    const auto [paradigm, role] = paradigm_and_role(path.kind);
    const RegionKey& key = entry->first;
    out += fmt::format(
        "<region id=\"{}\" mod=\"{}\" begin=\"{}\" end=\"{}\">\n<name>{}</name>\n<mangled_name>{}</mangled_name>\n"
        "<paradigm>{}</paradigm>\n<role>{}</role>\n<url></url>\n<descr>{}</descr>\n</region>\n",
        entry->second, xml_text(key.file), key.line == 0 ? "-1" : std::to_string(key.line),
        key.last_line == 0 ? "-1" : std::to_string(key.last_line), xml_text(key.name), xml_text(key.name), paradigm,
        role, key.kind == CallPathKind::interval ? interval_description(key.id, key.replication) : "");
  }
  walk(
      child_lists(cube.call_paths),
      [&](std::uint32_t c) {
        const CallPath& path = cube.call_paths[c];
        const RegionKey key = region_of(path);
        out += fmt::format("<cnode id=\"{}\" ", c);
        const bool is_sampled = path.kind == CallPathKind::sampled;
        const std::string& file = is_sampled ? path.called_at.file : path.file;
        const std::uint32_t line = is_sampled ? path.called_at.line : path.line;
        if (is_sampled ? line != 0 : key.line != line) out += fmt::format("line=\"{}\" ", line);
        if (is_sampled ? !file.empty() : key.file != file) out += fmt::format("mod=\"{}\" ", xml_text(file));
        out += fmt::format("calleeId=\"{}\">\n", regions.at(key));
      },
      [&](std::uint32_t) { out += "</cnode>\n"; });
  return out + "</program>\n";
}

/// As CubeLib writes them: a process's place is that of its first location.
std::string topologies_xml(const Cube& cube) {
  std::unordered_map<std::uint32_t, LocationId> location_of;
  for (LocationId l = 0; l < cube.locations.size(); ++l) location_of.try_emplace(cube.locations[l].rank, l);
  std::string out = "<topologies>\n";
  for (const CartesianGrid& grid : cube.grids) {
    const std::size_t count = grid.dimensions.size();
    out += fmt::format("<cart name=\"{}\" ndims=\"{}\">\n", xml_text(grid.name), count);
    for (const auto& [name, extent, is_periodic] : grid.dimensions)
      out += fmt::format("<dim {}size=\"{}\" periodic=\"{}\"/>\n",
                         name.empty() ? "" : fmt::format("name=\"{}\" ", xml_text(name)), extent, is_periodic);
    for (std::size_t i = 0; i < grid.ranks.size(); ++i) {
      const auto location = location_of.find(grid.ranks[i]);
      if (location == location_of.end()) continue;
      const auto* const at = grid.coordinates.data() + i * count;
      out += fmt::format("<coord locId=\"{}\">{}</coord>\n", location->second, fmt::join(at, at + count, " "));
    }
    out += "</cart>\n";
  }
  return out + "</topologies>\n";
}

std::string system_xml(const Cube& cube) {
  // node -> process -> location, in order of first appearance; a location's Id is its column.
  struct Process {
    std::uint32_t rank;
    std::vector<LocationId> locations;
  };
  struct Node {
    std::string name;
    std::vector<Process> processes;
  };
  std::vector<Node> nodes;
  std::unordered_map<std::string, std::size_t> node_at;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> process_at;
  for (LocationId l = 0; l < cube.locations.size(); ++l) {
    const Location& location = cube.locations[l];
    const auto [node, new_node] = node_at.try_emplace(location.node, nodes.size());
    if (new_node) nodes.push_back({location.node, {}});
    std::vector<Process>& processes = nodes[node->second].processes;
    const auto [process, new_process] = process_at.try_emplace({node->second, location.rank}, processes.size());
    if (new_process) processes.push_back({location.rank, {}});
    processes[process->second].locations.push_back(l);
  }
  std::string out =
      "<system>\n<systemtreenode Id=\"0\">\n<name>machine</name>\n<class>machine</class>\n<descr></descr>\n";
  std::uint32_t node_id = 0, process_id = 0;
  for (const Node& node : nodes) {
    out += fmt::format("<systemtreenode Id=\"{}\">\n<name>{}</name>\n<class>node</class>\n<descr></descr>\n", ++node_id,
                       xml_text(node.name));
    for (const Process& process : node.processes) {
      out += fmt::format("<locationgroup Id=\"{}\">\n<name>MPI Rank {}</name>\n<rank>{}</rank>\n<type>process</type>\n",
                         process_id++, process.rank, process.rank);
      for (const LocationId l : process.locations) {
        out += fmt::format("<location Id=\"{}\">\n<name>{}</name>\n<rank>{}</rank>\n<type>thread</type>\n</location>\n",
                           l, xml_text(cube.locations[l].name), cube.locations[l].thread);
      }
      out += "</locationgroup>\n";
    }
    out += "</systemtreenode>\n";
  }
  return out + "</systemtreenode>\n" + topologies_xml(cube) + "</system>\n";
}

std::string anchor_xml(const Cube& cube) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\n<cube version=\"4.4\">\n";
  for (const auto& [key, value] : cube.attributes) {
    out += fmt::format("<attr key=\"{}\" value=\"{}\"/>\n", xml_text(key), xml_text(value));
  }
  out += "<doc>\n<mirrors>\n</mirrors>\n</doc>\n";
  return out + metrics_xml(cube) + program_xml(cube) + system_xml(cube) + "</cube>\n";
}

template <class Integer>
void append_raw(std::string& out, Integer value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

Result<void> write_stream(const Cube& cube, const Sink& sink) {
  const auto whole_member = [&](const std::string& name, const std::string& content) -> Result<void> {
    MORA_CHECK_OK(sink(tar_header(name, content.size())));
    MORA_CHECK_OK(sink(content));
    return sink(tar_padding(content.size()));
  };
  MORA_CHECK_OK(whole_member("anchor.xml", anchor_xml(cube)));

  std::vector<CallPathId> depth_first;
  walk(
      child_lists(cube.call_paths), [&](std::uint32_t c) { depth_first.push_back(c); }, [](std::uint32_t) {});

  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    std::string index = "CUBEX.INDEX";
    append_raw<std::uint32_t>(index, 1);  // tells the byte order
    append_raw<std::uint16_t>(index, 0);  // version
    append_raw<std::uint8_t>(index, 1);   // sparse
    std::vector<std::uint32_t> positions;
    for (std::uint32_t p = 0; p < depth_first.size(); ++p) {
      const auto& row = cube.row(m, depth_first[p]);
      if (std::any_of(row.begin(), row.end(), [](std::int64_t cell) { return cell != 0; })) positions.push_back(p);
    }
    append_raw<std::uint32_t>(index, static_cast<std::uint32_t>(positions.size()));
    for (const std::uint32_t p : positions) append_raw(index, p);
    MORA_CHECK_OK(whole_member(std::to_string(m) + ".index", index));

    const std::string marker = "CUBEX.DATA";
    const std::uint64_t size = marker.size() + std::uint64_t{8} * positions.size() * cube.locations.size();
    MORA_CHECK_OK(sink(tar_header(std::to_string(m) + ".data", size) + marker));
    std::string bytes;
    for (const std::uint32_t p : positions) {
      bytes.clear();
      const auto& row = cube.row(m, depth_first[p]);
      for (LocationId l = 0; l < cube.locations.size(); ++l) {
        const std::int64_t cell = l < row.size() ? row[l] : 0;
        if (cube.metrics[m].fold != Fold::sum && cell == 0) {
          append_raw(bytes, no_value(cube.metrics[m].fold));
        } else if (cube.metrics[m].unit == Unit::seconds) {
          append_raw(bytes, seconds_as_double(cell));
        } else if (cube.metrics[m].fold != Fold::sum) {
          append_raw(bytes, static_cast<double>(cell));
        } else {
          append_raw(bytes, cell);
        }
      }
      MORA_CHECK_OK(sink(bytes));
    }
    MORA_CHECK_OK(sink(tar_padding(size)));
  }
  return sink(tar_end());
}

}  // namespace

Result<std::string> cubex_bytes(const Cube& cube) {
  std::string out;
  MORA_CHECK_OK(write_stream(cube, [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  }));
  return out;
}

Result<void> write_cubex(const Cube& cube, const std::string& path) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  const auto system_error = [&](int error) {
    std::remove(temporary.c_str());
    return fail(ErrorKind::system, "cannot write the result file", path, system_reason(error),
                "check free space and permissions of the directory");
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(temporary.c_str(), "wb"), std::fclose);
  if (!file) return system_error(errno);
  auto written = write_stream(cube, [&](std::string_view bytes) -> Result<void> {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size()) return {};
    return system_error(errno);
  });
  if (!written) return written;
  if (std::fclose(file.release()) != 0) return system_error(errno);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return system_error(errno);
  return {};
}

}  // namespace mora::cube
