/// A pattern matrix as text tables, JSON and CSV (docs/formats/pattern-matrix.md). JSON and CSV have every cell with
/// traffic; text has the whole matrix as far as it fits on a terminal, else the pairs with most bytes, equal ones in
/// order of ranks. O(cells log cells).
#include "predict/pattern/matrix/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/json/json_document.h"
#include "base/table/table.h"

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

/// A table with two blanks before each line.
std::string indented(const Table& table) { return text_of(table, {.indent = 2}); }

std::string phases_text(const PatternMatrix& matrix, const MatrixReport& report) {
  return indented({{words("phase"), number("visits"), number("messages"), number("bytes"), number("point-to-point"),
                    number("collective"), number("one-sided"), number("payload x P")},
                   chosen(matrix, report, true),
                   [](const PhaseTraffic* p) {
                     const Traffic all = p->ranks.total();
                     return Cells{p->name,
                                  p->visits,
                                  all.messages,
                                  all.bytes,
                                  p->point_to_point.total().bytes,
                                  p->collective.total().bytes,
                                  p->one_sided.total().bytes,
                                  p->payload_volume};
                   }});
}

std::string pairs_text(const PhaseTraffic& phase, unsigned top) {
  auto cells = phase.ranks.cells;
  const auto total = phase.ranks.total().bytes;
  std::stable_sort(cells.begin(), cells.end(),
                   [](const TrafficCell& a, const TrafficCell& b) { return a.traffic.bytes > b.traffic.bytes; });
  const auto all = cells.size();
  if (top != 0 && top < all) cells.resize(top);
  const Table table({words("from"), number("to"), number("messages"), number("bytes"), number("share")}, cells,
                    [&](const TrafficCell& c) {
                      const auto bytes = static_cast<double>(c.traffic.bytes);
                      return Cells{
                          c.from, c.to, c.traffic.messages, c.traffic.bytes,
                          total == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * bytes / static_cast<double>(total))};
                    });
  return fmt::format("\nPairs of ranks, {}{}\n", phase.name,
                     cells.size() < all ? fmt::format(": the {} with most bytes of {}", cells.size(), all) : "") +
         indented(table);
}

std::string whole_text(const PhaseTraffic& phase) {
  std::vector<Column> columns{words("from \\ to")};
  for (std::uint32_t r = 0; r < phase.ranks.size; ++r) columns.push_back(number(std::to_string(r)));
  Table table(columns);
  for (std::uint32_t from = 0; from < phase.ranks.size; ++from) {
    Cells row{from};
    for (std::uint32_t to = 0; to < phase.ranks.size; ++to) {
      const Traffic t = phase.ranks.at(from, to);
      row.push_back(t.messages == 0 ? Cell(".") : Cell(t.bytes));
    }
    table.add(std::move(row));
  }
  return fmt::format("\nBytes from rank to rank, {}\n", phase.name) + indented(table);
}

/// Text and JSON.
Table collectives_table(const PatternMatrix& matrix) {
  Column operation = words("operation");
  operation.heading = "collective";
  return {{operation, words("communicator"), number("ranks"), number("calls"), words("algorithm"), number("messages"),
           number("bytes")},
          matrix.collectives,
          [](const auto& c) {
            return Cells{c.operation, c.communicator,     c.ranks,        c.calls,
                         c.algorithm, c.traffic.messages, c.traffic.bytes};
          }};
}

std::string nodes_text(const PhaseTraffic& phase, const Placement& placement) {
  const Table table({words("node"), number("ranks"), number("inside messages"), number("inside bytes"),
                     number("out messages"), number("out bytes"), number("in messages"), number("in bytes")},
                    by_node(phase.ranks, placement).per_node, [](const NodeTraffic& n) {
                      return Cells{n.node,         n.ranks,     n.intra.messages, n.intra.bytes,
                                   n.out.messages, n.out.bytes, n.in.messages,    n.in.bytes};
                    });
  return fmt::format("\nNodes, {}\n", phase.name) + indented(table);
}

std::string histogram_text(const PhaseTraffic& phase) {
  // Bin b holds sizes of b bits: 0, 1, 2…3, 4…7, …
  std::map<int, Traffic> bins;
  for (const auto& [bytes, messages] : phase.sizes) bins[std::bit_width(bytes)] += {messages, bytes * messages};
  std::uint64_t most = 1;
  for (const auto& [bits, t] : bins) most = std::max(most, t.messages);
  Table table({words("message size"), number("messages"), number("bytes"), words("")});
  for (const auto& [bits, t] : bins) {
    const auto low = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    const auto high = bits < 2 ? low : bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    const auto width =
        static_cast<std::size_t>(std::lround(40.0 * static_cast<double>(t.messages) / static_cast<double>(most)));
    table.add({low == high ? fmt::format("{} B", low) : fmt::format("{}-{} B", low, high), t.messages, t.bytes,
               std::string(std::max<std::size_t>(width, 1), '#')});
  }
  return fmt::format("\nMessage sizes, {}\n", phase.name) + indented(table);
}

/// [from, to, messages, bytes, …] on one line.
template <class... Numbers>
void write_cell(JsonWriter& json, const TrafficCell& c, const Numbers&... more) {
  json.value(std::vector<std::uint64_t>{c.from, c.to, c.traffic.messages, c.traffic.bytes, more...});
}

void write_phase_matrix(JsonWriter& json, const PhaseTraffic& p, const Placement* placement) {
  const auto traffic = [&](const Traffic& t) {
    return [&json, t] { json.line("messages", t.messages, "bytes", t.bytes); };
  };
  json.begin_object();
  json.fields("name", p.name, "visits", p.visits, "all", traffic(p.ranks.total()), "point_to_point",
              traffic(p.point_to_point.total()), "collective", traffic(p.collective.total()), "one_sided",
              traffic(p.one_sided.total()), "payload_times_ranks", p.payload_volume, "calls", p.calls, "sizes",
              list(p.sizes,
                   [&](const auto& size) {
                     json.value(std::vector<std::uint64_t>{size.first, size.second});
                   }),
              "cells", list(p.ranks.cells, [&](const TrafficCell& c) {
                write_cell(json, c, p.point_to_point.at(c.from, c.to).bytes, p.collective.at(c.from, c.to).bytes,
                           p.one_sided.at(c.from, c.to).bytes);
              }));
  if (placement != nullptr) {
    const NodeMatrix nodes = by_node(p.ranks, *placement);
    json.fields("nodes",
                list(nodes.per_node,
                     [&](const NodeTraffic& n) {
                       json.object("node", n.node, "ranks", n.ranks, "inside", traffic(n.intra), "out", traffic(n.out),
                                   "in", traffic(n.in));
                     }),
                "node_cells", list(nodes.nodes.cells, [&](const TrafficCell& c) { write_cell(json, c); }));
  }
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
  if (report.phase == nullptr && !matrix.collectives.empty())
    out += "\nCollectives, total\n" + indented(collectives_table(matrix));
  if (report.placement != nullptr) out += nodes_text(one, *report.placement);
  if (report.histogram) out += histogram_text(one);
  return out;
}

std::string matrix_json(const PatternMatrix& matrix, const MatrixReport& report) {
  JsonDocument json("mora-pattern-matrix");
  json.fields("source", report.source, "ranks", matrix.world_size, "collective_model", to_string(report.model),
              "cell_columns",
              std::vector<std::string>{"from", "to", "messages", "bytes", "point_to_point_bytes", "collective_bytes",
                                       "one_sided_bytes"});
  if (report.placement != nullptr) json.fields("node_of", report.placement->node_of);
  json.fields("phases", list(chosen(matrix, report, false),
                             [&](const PhaseTraffic* p) { write_phase_matrix(json, *p, report.placement); }));
  if (report.phase == nullptr) json.fields("total", [&] { write_phase_matrix(json, matrix.total, report.placement); });
  json.fields("collectives", collectives_table(matrix));
  return json.finish(matrix.quality.rows());
}

std::string matrix_csv(const PatternMatrix& matrix, const MatrixReport& report) {
  std::string out =
      "phase,from,to,messages,bytes,point_to_point_messages,point_to_point_bytes,collective_messages,collective_bytes,"
      "one_sided_messages,one_sided_bytes\n";
  const bool nodes = report.nodes && report.placement != nullptr;
  const auto folded = [&](const TrafficMatrix& m) { return nodes ? by_node(m, *report.placement).nodes : m; };
  const auto name = [&](std::uint32_t i) { return nodes ? Cell(report.placement->nodes[i]) : Cell(i); };
  for (const PhaseTraffic* p : chosen(matrix, report, false)) {
    const auto all = folded(p->ranks), pairs = folded(p->point_to_point), collective = folded(p->collective),
               one_sided = folded(p->one_sided);
    for (const TrafficCell& c : all.cells) {
      Cells cells{p->name, name(c.from), name(c.to), c.traffic.messages, c.traffic.bytes};
      for (const TrafficMatrix* part : {&pairs, &collective, &one_sided}) {
        const Traffic t = part->at(c.from, c.to);
        cells.insert(cells.end(), {t.messages, t.bytes});
      }
      out += csv_line(cells);
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
