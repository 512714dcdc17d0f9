/// A pattern matrix as text tables, JSON and CSV (docs/formats/pattern-matrix.md).
#include "predict/pattern/matrix_report.h"
#include "base/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/json_writer.h"
#include "base/quality_json.h"
#include "predict/pattern/text_columns.h"

namespace mora::predict {
namespace {

constexpr std::uint32_t whole_matrix_at_most = 16;  ///< ranks of a matrix that is written out in the text

std::vector<const PhaseTraffic*> chosen(const PatternMatrix& matrix, const MatrixReport& report, bool with_total) {
  if (report.phase != nullptr) return {report.phase};
  std::vector<const PhaseTraffic*> phases;
  for (const PhaseTraffic& p : matrix.phases) phases.push_back(&p);
  if (with_total) phases.push_back(&matrix.total);
  return phases;
}

const PhaseTraffic& main_one(const PatternMatrix& matrix, const MatrixReport& report) {
  return report.phase != nullptr ? *report.phase : matrix.total;
}

std::string phases_text(const PatternMatrix& matrix, const MatrixReport& report) {
  TextColumns table(
      {"phase", "visits", "messages", "bytes", "point-to-point", "collective", "one-sided", "payload x P"});
  for (const PhaseTraffic* p : chosen(matrix, report, true)) {
    const Traffic all = p->ranks.total();
    table.row({p->name, std::to_string(p->visits), std::to_string(all.messages), std::to_string(all.bytes),
               std::to_string(p->point_to_point.total().bytes), std::to_string(p->collective.total().bytes),
               std::to_string(p->one_sided.total().bytes), std::to_string(p->payload_volume)});
  }
  return table.text();
}

std::string pairs_text(const PhaseTraffic& phase, unsigned top) {
  auto cells = phase.ranks.cells;
  const auto total = phase.ranks.total().bytes;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const TrafficCell& a, const TrafficCell& b) { return a.traffic.bytes > b.traffic.bytes; });
  const auto shown = top == 0 ? cells.size() : std::min<std::size_t>(top, cells.size());
  TextColumns table({"from", "to", "messages", "bytes", "share"});
  for (std::size_t i = 0; i < shown; ++i)
    table.row({std::to_string(cells[i].from), std::to_string(cells[i].to), std::to_string(cells[i].traffic.messages),
               std::to_string(cells[i].traffic.bytes),
               total == 0 ? "-"
                          : fmt::format("{:.1f} %", 100.0 * static_cast<double>(cells[i].traffic.bytes) /
                                                        static_cast<double>(total))});
  return fmt::format("\nPairs of ranks, {}{}\n", phase.name,
                     shown < cells.size() ? fmt::format(": the {} with most bytes of {}", shown, cells.size()) : "") +
         table.text();
}

std::string whole_text(const PhaseTraffic& phase) {
  std::vector<std::string> head{"from \\ to"};
  for (std::uint32_t r = 0; r < phase.ranks.size; ++r) head.push_back(std::to_string(r));
  TextColumns table(head);
  for (std::uint32_t from = 0; from < phase.ranks.size; ++from) {
    std::vector<std::string> row{std::to_string(from)};
    for (std::uint32_t to = 0; to < phase.ranks.size; ++to) {
      const Traffic t = phase.ranks.at(from, to);
      row.push_back(t.messages == 0 ? "." : std::to_string(t.bytes));
    }
    table.row(row);
  }
  return fmt::format("\nBytes from rank to rank, {}\n", phase.name) + table.text();
}

std::string collectives_text(const PatternMatrix& matrix) {
  if (matrix.collectives.empty()) return {};
  TextColumns table({"collective", "communicator", "ranks", "calls", "algorithm", "messages", "bytes"}, {0, 1, 4});
  for (const auto& c : matrix.collectives)
    table.row({c.operation, c.communicator, std::to_string(c.ranks), std::to_string(c.calls), c.algorithm,
               std::to_string(c.traffic.messages), std::to_string(c.traffic.bytes)});
  return "\nCollectives, total\n" + table.text();
}

std::string nodes_text(const PhaseTraffic& phase, const Placement& placement) {
  const NodeMatrix nodes = by_node(phase.ranks, placement);
  TextColumns table(
      {"node", "ranks", "inside messages", "inside bytes", "out messages", "out bytes", "in messages", "in bytes"});
  for (const NodeTraffic& n : nodes.per_node)
    table.row({n.node, std::to_string(n.ranks), std::to_string(n.intra.messages), std::to_string(n.intra.bytes),
               std::to_string(n.out.messages), std::to_string(n.out.bytes), std::to_string(n.in.messages),
               std::to_string(n.in.bytes)});
  return fmt::format("\nNodes, {}\n", phase.name) + table.text();
}

std::string histogram_text(const PhaseTraffic& phase) {
  // Bin b holds sizes of b bits: 0, 1, 2…3, 4…7, …
  std::map<int, Traffic> bins;
  for (const auto& [bytes, messages] : phase.sizes) bins[std::bit_width(bytes)] += {messages, bytes * messages};
  std::uint64_t most = 1;
  for (const auto& [bits, t] : bins) most = std::max(most, t.messages);
  TextColumns table({"message size", "messages", "bytes", ""}, {0, 3});
  for (const auto& [bits, t] : bins) {
    const auto low = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    const auto high = bits < 2 ? low : bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    const auto width =
        static_cast<std::size_t>(std::lround(40.0 * static_cast<double>(t.messages) / static_cast<double>(most)));
    table.row({low == high ? fmt::format("{} B", low) : fmt::format("{}-{} B", low, high), std::to_string(t.messages),
               std::to_string(t.bytes), std::string(std::max<std::size_t>(width, 1), '#')});
  }
  return fmt::format("\nMessage sizes, {}\n", phase.name) + table.text();
}

void traffic_json(JsonWriter& json, const char* name, const Traffic& t) {
  json.key(name).begin_line_object();
  json.key("messages").unsigned_integer(t.messages).key("bytes").unsigned_integer(t.bytes).end_object();
}

/// Cells of all kinds at once: [from, to, messages, bytes, point-to-point bytes, collective bytes, one-sided bytes].
void cells_json(JsonWriter& json, const PhaseTraffic& p) {
  json.key("cells").begin_array();
  for (const TrafficCell& c : p.ranks.cells) {
    json.begin_line_array().unsigned_integer(c.from).unsigned_integer(c.to).unsigned_integer(c.traffic.messages);
    json.unsigned_integer(c.traffic.bytes).unsigned_integer(p.point_to_point.at(c.from, c.to).bytes);
    json.unsigned_integer(p.collective.at(c.from, c.to).bytes)
        .unsigned_integer(p.one_sided.at(c.from, c.to).bytes)
        .end_array();
  }
  json.end_array();
}

void nodes_json(JsonWriter& json, const PhaseTraffic& p, const Placement& placement) {
  const NodeMatrix nodes = by_node(p.ranks, placement);
  json.key("nodes").begin_array();
  for (const NodeTraffic& n : nodes.per_node) {
    json.begin_object().key("node").string(n.node).key("ranks").unsigned_integer(n.ranks);
    traffic_json(json, "inside", n.intra);
    traffic_json(json, "out", n.out);
    traffic_json(json, "in", n.in);
    json.end_object();
  }
  json.end_array().key("node_cells").begin_array();
  for (const TrafficCell& c : nodes.nodes.cells)
    json.begin_line_array()
        .unsigned_integer(c.from)
        .unsigned_integer(c.to)
        .unsigned_integer(c.traffic.messages)
        .unsigned_integer(c.traffic.bytes)
        .end_array();
  json.end_array();
}

void phase_json(JsonWriter& json, const PhaseTraffic& p, const Placement* placement) {
  json.begin_object().key("name").string(p.name).key("visits").unsigned_integer(p.visits);
  traffic_json(json, "all", p.ranks.total());
  traffic_json(json, "point_to_point", p.point_to_point.total());
  traffic_json(json, "collective", p.collective.total());
  traffic_json(json, "one_sided", p.one_sided.total());
  json.key("payload_times_ranks").unsigned_integer(p.payload_volume);
  json.key("calls").begin_object();
  for (const auto& [name, times] : p.calls) json.key(name).unsigned_integer(times);
  json.end_object().key("sizes").begin_array();
  for (const auto& [bytes, messages] : p.sizes)
    json.begin_line_array().unsigned_integer(bytes).unsigned_integer(messages).end_array();
  json.end_array();
  cells_json(json, p);
  if (placement != nullptr) nodes_json(json, p, *placement);
  json.end_object();
}

}  // namespace

std::string matrix_text(const PatternMatrix& matrix, const MatrixReport& report) {
  const PhaseTraffic& one = main_one(matrix, report);
  std::string out =
      fmt::format("{}: {} ranks, collectives: {}\n\n", report.source, matrix.world_size, to_string(report.model));
  out += phases_text(matrix, report);
  if (matrix.world_size <= whole_matrix_at_most)
    out += whole_text(one);
  else
    out += pairs_text(one, report.top);
  if (report.phase == nullptr) out += collectives_text(matrix);
  if (report.placement != nullptr) out += nodes_text(one, *report.placement);
  if (report.histogram) out += histogram_text(one);
  return out;
}

std::string matrix_json(const PatternMatrix& matrix, const MatrixReport& report) {
  JsonWriter json;
  json.begin_object().key("format").string("mora-pattern-matrix-1").key("source").string(report.source);
  json.key("ranks").unsigned_integer(matrix.world_size).key("collective_model").string(to_string(report.model));
  json.key("cell_columns").begin_line_array();
  for (const char* name :
       {"from", "to", "messages", "bytes", "point_to_point_bytes", "collective_bytes", "one_sided_bytes"})
    json.string(name);
  json.end_array();
  if (report.placement != nullptr) {
    json.key("node_of").begin_line_array();
    for (const auto node : report.placement->node_of) json.unsigned_integer(node);
    json.end_array();
  }
  json.key("phases").begin_array();
  for (const PhaseTraffic* p : chosen(matrix, report, false)) phase_json(json, *p, report.placement);
  json.end_array();
  if (report.phase == nullptr) {
    json.key("total");
    phase_json(json, matrix.total, report.placement);
  }
  json.key("collectives").begin_array();
  for (const auto& c : matrix.collectives) {
    json.begin_line_object().key("operation").string(c.operation).key("communicator").string(c.communicator);
    json.key("ranks")
        .unsigned_integer(c.ranks)
        .key("calls")
        .unsigned_integer(c.calls)
        .key("algorithm")
        .string(c.algorithm);
    json.key("messages")
        .unsigned_integer(c.traffic.messages)
        .key("bytes")
        .unsigned_integer(c.traffic.bytes)
        .end_object();
  }
  json.end_array().key("quality");
  write_quality(json, matrix.quality.rows());
  json.end_object();
  return json.str() + "\n";
}

std::string matrix_csv(const PatternMatrix& matrix, const MatrixReport& report) {
  std::string out =
      "phase,from,to,messages,bytes,point_to_point_messages,point_to_point_bytes,collective_messages,collective_bytes,"
      "one_sided_messages,one_sided_bytes\n";
  const bool nodes = report.nodes && report.placement != nullptr;
  const auto folded = [&](const TrafficMatrix& m) { return nodes ? by_node(m, *report.placement).nodes : m; };
  const auto name = [&](std::uint32_t i) { return nodes ? csv_cell(report.placement->nodes[i]) : std::to_string(i); };
  for (const PhaseTraffic* p : chosen(matrix, report, false)) {
    const auto all = folded(p->ranks), pairs = folded(p->point_to_point), collective = folded(p->collective),
               one_sided = folded(p->one_sided);
    for (const TrafficCell& c : all.cells) {
      out += fmt::format("{},{},{},{},{}", csv_cell(p->name), name(c.from), name(c.to), c.traffic.messages,
                         c.traffic.bytes);
      for (const TrafficMatrix* part : {&pairs, &collective, &one_sided}) {
        const Traffic t = part->at(c.from, c.to);
        out += fmt::format(",{},{}", t.messages, t.bytes);
      }
      out += '\n';
    }
  }
  return out;
}

Result<const PhaseTraffic*> find_phase(const PatternMatrix& matrix, const std::string& name) {
  if (name == matrix.total.name) return &matrix.total;
  std::string names;
  for (const PhaseTraffic& p : matrix.phases) {
    if (p.name == name) return &p;
    names += p.name + ", ";
  }
  return fail(ErrorKind::usage, "there is no phase '" + name + "'", "--phase", "",
              "there are " + names + matrix.total.name);
}

}  // namespace mora::predict
