/// Two matrices are made: without collectives, for what the program sends itself whatever the library does (sizes,
/// partners), and with them broken down, for volumes per rank and node. A pass over the distinct calls adds what
/// matrices do not hold: datatypes, wildcards, completions.
#include "predict/pattern/features/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/json/json_document.h"
#include "base/table/table.h"
#include "predict/pattern/matrix/walk.h"

namespace mora::predict {
namespace {

/// What the matrices do not hold, of one phase.
struct CallFacts {
  std::uint64_t strided_messages = 0, strided_bytes = 0, wildcards = 0, completing_calls = 0, completed = 0;
  CallFacts& operator+=(const CallFacts& o) {
    strided_messages += o.strided_messages;
    strided_bytes += o.strided_bytes;
    wildcards += o.wildcards;
    completing_calls += o.completing_calls;
    completed += o.completed;
    return *this;
  }
};

CallFacts facts_of(const Call& call, std::uint64_t times, const RankTrace& rank, const Definitions& d) {
  CallFacts f;
  const auto kind = info(call.operation).kind;
  const bool sends = (kind == OperationClass::send || kind == OperationClass::sendrecv) && call.peer >= 0;
  if (sends && call.sent.type < d.datatypes.size() && !d.datatypes[call.sent.type].contiguous) {
    f.strided_messages = times;
    f.strided_bytes = times * bytes_of(call.sent, d);
  }
  if (call.posted_any_source) f.wildcards = times;
  if (call.completions < rank.completions.size()) {
    f.completing_calls = times;
    f.completed = times * rank.completions[call.completions].size();
  }
  return f;
}

std::vector<CallFacts> facts_by_phase(const PatternTrace& trace, std::size_t phases) {
  std::vector<CallFacts> facts(phases);
  PhasePaths paths;  // the same ranks in the same order as make_matrix: the same numbers
  for (const RankTrace& rank : trace.ranks)
    for (const auto& [path, call, times] : count_calls(rank, paths).calls)
      if (path < facts.size()) facts[path] += facts_of(rank.calls[call], times, rank, trace.definitions);
  return facts;
}

/// Columns in their order, with the values of one row.
class Row {
 public:
  Row(std::vector<std::string>& columns, bool name_columns) : columns_(columns), name_(name_columns) {}
  void add(const std::string& column, FeatureValue value) {
    if (name_) columns_.push_back(column);
    values.push_back(value);
  }
  void count(const std::string& column, std::uint64_t value) { add(column, value); }
  void share(const std::string& column, std::uint64_t part, std::uint64_t whole) {
    add(column, whole == 0 ? FeatureValue{} : static_cast<double>(part) / static_cast<double>(whole));
  }
  std::vector<FeatureValue> values;

 private:
  std::vector<std::string>& columns_;
  bool name_;
};

struct Kinds {
  std::uint64_t send = 0, isend = 0, receive = 0, irecv = 0, sendrecv = 0, started = 0, collective = 0, nonblocking = 0,
                one_sided = 0, window = 0, file = 0, communicator = 0, wait = 0, test = 0, probe = 0, all = 0;
};

Kinds kinds_of(const PhaseTraffic& p) {
  Kinds k;
  for (const auto& [name, times] : p.calls) {
    const auto operation = mpi::operation_of_mpi_name(name).value_or(Operation::other);
    const bool starts = starts_request(operation);
    const mpi::CallClass call = mpi::function(operation).call;
    k.all += info(operation).kind == OperationClass::phase ? 0 : times;
    if (call == mpi::CallClass::wait_single || call == mpi::CallClass::wait_multiple) k.wait += times;
    if (call == mpi::CallClass::test) k.test += times;
    if (call == mpi::CallClass::probe || call == mpi::CallClass::matched_probe) k.probe += times;
    switch (info(operation).kind) {
      case OperationClass::send:
        (operation == Operation::start_send ? k.started : starts ? k.isend : k.send) += times;
        break;
      case OperationClass::receive:
        (operation == Operation::start_recv ? k.started : starts ? k.irecv : k.receive) += times;
        break;
      case OperationClass::sendrecv:
        k.sendrecv += times;
        break;
      case OperationClass::rooted:
      case OperationClass::rootless:
      case OperationClass::neighborhood:
        (starts ? k.nonblocking : k.collective) += times;
        break;
      case OperationClass::one_sided:
        k.one_sided += times;
        break;
      case OperationClass::window:
        k.window += times;
        break;
      case OperationClass::file:
        k.file += times;
        break;
      case OperationClass::communicator:
        k.communicator += times;
        break;
      default:
        break;
    }
  }
  return k;
}

void add_calls(Row& row, const PhaseTraffic& p, const CallFacts& facts) {
  const Kinds k = kinds_of(p);
  row.count("calls", k.all);
  row.count("calls_send", k.send);
  row.count("calls_isend", k.isend);
  row.count("calls_recv", k.receive);
  row.count("calls_irecv", k.irecv);
  row.count("calls_sendrecv", k.sendrecv);
  row.count("calls_start", k.started);
  row.count("calls_collective", k.collective);
  row.count("calls_collective_nonblocking", k.nonblocking);
  row.count("calls_one_sided", k.one_sided);
  row.count("calls_window", k.window);
  row.count("calls_file", k.file);
  row.count("calls_communicator", k.communicator);
  row.count("calls_wait", k.wait);
  row.count("calls_test", k.test);
  row.count("calls_probe", k.probe);
  row.count("receives_any_source", facts.wildcards);
  row.share("asynchronous_share", k.isend + k.irecv + k.started,
            k.send + k.isend + k.receive + k.irecv + 2 * k.sendrecv + k.started);
  row.share("completions_per_wait", facts.completed, facts.completing_calls);
}

constexpr std::array<std::pair<const char*, std::uint64_t>, 8> size_bins{{{"messages_0B", 0},
                                                                          {"messages_to_64B", 64},
                                                                          {"messages_to_512B", 512},
                                                                          {"messages_to_4KiB", 4096},
                                                                          {"messages_to_32KiB", 32768},
                                                                          {"messages_to_256KiB", 262144},
                                                                          {"messages_to_2MiB", 2097152},
                                                                          {"messages_to_16MiB", 16777216}}};

void add_sizes(Row& row, const PhaseTraffic& p) {
  std::uint64_t messages = 0, bytes = 0;
  for (const auto& [size, n] : p.sizes) messages += n, bytes += size * n;
  const auto at = [&](std::uint64_t index) {
    for (const auto& [size, n] : p.sizes) {
      if (index < n) return size;
      index -= n;
    }
    return std::uint64_t{0};
  };
  const auto if_any = [&](std::uint64_t value) { return messages == 0 ? FeatureValue{} : FeatureValue{value}; };
  row.add("size_min", if_any(p.sizes.empty() ? 0 : p.sizes.begin()->first));
  row.add("size_median", if_any(at((messages - 1) / 2)));
  row.share("size_mean", bytes, messages);
  row.add("size_max", if_any(p.sizes.empty() ? 0 : p.sizes.rbegin()->first));
  auto next = p.sizes.begin();
  for (const auto& [name, limit] : size_bins) {
    std::uint64_t n = 0;
    for (; next != p.sizes.end() && next->first <= limit; ++next) n += next->second;
    row.count(name, n);
  }
  std::uint64_t larger = 0;
  for (; next != p.sizes.end(); ++next) larger += next->second;
  row.count("messages_over_16MiB", larger);
}

void add_traffic(Row& row, const char* prefix, const Traffic& t) {
  row.count(std::string(prefix) + "messages", t.messages);
  row.count(std::string(prefix) + "bytes", t.bytes);
}

void add_degrees(Row& row, const PhaseTraffic& own) {
  std::vector<std::uint64_t> to(own.ranks.size);
  for (const TrafficCell& c : own.ranks.cells)
    if (c.from != c.to) ++to[c.from];
  std::uint64_t sum = 0, most = 0;
  for (const auto n : to) sum += n, most = std::max(most, n);
  row.share("partners_mean", sum, own.ranks.size);
  row.count("partners_max", most);
}

void add_balance(Row& row, const PhaseTraffic& p) {
  std::vector<Traffic> sent(p.ranks.size), received(p.ranks.size);
  for (const TrafficCell& c : p.ranks.cells) {
    sent[c.from] += c.traffic;
    received[c.to] += c.traffic;
  }
  Traffic most_sent, most_received;
  for (const auto& t : sent) most_sent = {std::max(most_sent.messages, t.messages), std::max(most_sent.bytes, t.bytes)};
  for (const auto& t : received)
    most_received = {std::max(most_received.messages, t.messages), std::max(most_received.bytes, t.bytes)};
  const Traffic all = p.ranks.total();
  row.count("rank_sent_bytes_max", most_sent.bytes);
  row.share("rank_sent_bytes_mean", all.bytes, p.ranks.size);
  row.share("rank_sent_imbalance", most_sent.bytes * p.ranks.size, all.bytes);
  row.count("rank_received_bytes_max", most_received.bytes);
  row.share("rank_received_imbalance", most_received.bytes * p.ranks.size, all.bytes);
  row.count("rank_sent_messages_max", most_sent.messages);
  row.count("rank_received_messages_max", most_received.messages);
}

constexpr std::array collective_columns{"Barrier",  "Bcast",     "Reduce",    "Gather",         "Gatherv",
                                        "Scatter",  "Scatterv",  "Allreduce", "Allgather",      "Allgatherv",
                                        "Alltoall", "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block",
                                        "Scan",     "Exscan"};

void add_collectives(Row& row, const PhaseTraffic& p) {
  const auto add = [&](std::string name, const CollectiveUse& use) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    row.count(name + "_calls", use.calls);
    row.count(name + "_payload", use.payload);
    row.share(name + "_ranks_mean", use.ranks, use.calls);
  };
  for (const char* name : collective_columns) {
    const auto at = p.collective_use.find(name);
    add(name, at == p.collective_use.end() ? CollectiveUse{} : at->second);
  }
  CollectiveUse neighbors;
  for (const auto& [name, use] : p.collective_use)
    if (name.starts_with("Neighbor_")) neighbors += use;
  add("neighbor", neighbors);
}

void add_nodes(Row& row, const PhaseTraffic& p, const Placement* placement) {
  const auto all = p.ranks.total();
  NodeMatrix nodes;
  if (placement != nullptr) nodes = by_node(p.ranks, *placement);
  std::uint64_t used = 0, fewest = 0, most = 0, pairs = 0, pair_max = 0;
  Traffic inside, out, out_max, in_max;
  for (const NodeTraffic& n : nodes.per_node) {
    if (n.ranks == 0) continue;
    fewest = used == 0 ? n.ranks : std::min<std::uint64_t>(fewest, n.ranks);
    most = std::max<std::uint64_t>(most, n.ranks);
    ++used;
    inside += n.intra;
    out += n.out;
    out_max = {std::max(out_max.messages, n.out.messages), std::max(out_max.bytes, n.out.bytes)};
    in_max = {std::max(in_max.messages, n.in.messages), std::max(in_max.bytes, n.in.bytes)};
  }
  for (const TrafficCell& c : nodes.nodes.cells) {
    if (c.from == c.to) continue;
    ++pairs;
    pair_max = std::max(pair_max, c.traffic.bytes);
  }
  const auto add = [&](const char* column, std::uint64_t value) {
    row.add(column, placement == nullptr ? FeatureValue{} : FeatureValue{value});
  };
  const auto share = [&](const char* column, std::uint64_t part, std::uint64_t whole) {
    row.share(column, part, placement == nullptr ? 0 : whole);
  };
  add("nodes", used);
  add("node_ranks_min", fewest);
  add("node_ranks_max", most);
  add("intra_node_messages", inside.messages);
  add("intra_node_bytes", inside.bytes);
  add("inter_node_messages", out.messages);
  add("inter_node_bytes", out.bytes);
  share("inter_node_share", out.bytes, all.bytes);
  add("node_out_bytes_max", out_max.bytes);
  share("node_out_bytes_mean", out.bytes, used);
  add("node_out_messages_max", out_max.messages);
  add("node_in_bytes_max", in_max.bytes);
  add("node_in_messages_max", in_max.messages);
  add("node_pairs", pairs);
  add("node_pair_bytes_max", pair_max);
}

std::string value_text(const FeatureValue& v) {
  if (const auto* n = std::get_if<std::uint64_t>(&v)) return std::to_string(*n);
  if (const auto* x = std::get_if<double>(&v)) return fmt::format("{:.6g}", *x);
  return {};
}

}  // namespace

Result<FeatureTable> make_features(const PatternTrace& trace, const FeatureOptions& options) {
  MORA_TRY(const PatternMatrix whole, make_matrix(trace, {.collectives = options.collectives}));
  MORA_TRY(const PatternMatrix own, make_matrix(trace, {.collectives = CollectiveModel::none}));
  auto facts = facts_by_phase(trace, whole.phases.size());
  CallFacts all;
  for (const CallFacts& f : facts) all += f;
  facts.push_back(all);
  FeatureTable table;
  table.quality = whole.quality;
  for (std::size_t i = 0; i <= whole.phases.size(); ++i) {
    const bool total = i == whole.phases.size();
    const PhaseTraffic& p = total ? whole.total : whole.phases[i];
    const PhaseTraffic& sent = total ? own.total : own.phases[i];
    Row row(table.columns, i == 0);
    row.count("visits", p.visits);
    row.count("ranks", whole.world_size);
    row.count("phases", total ? whole.phases.size() : 1);
    add_calls(row, p, facts[i]);
    add_traffic(row, "", p.ranks.total());
    add_traffic(row, "point_to_point_", p.point_to_point.total());
    add_traffic(row, "one_sided_", p.one_sided.total());
    add_traffic(row, "collective_", p.collective.total());
    row.count("payload_times_ranks", p.payload_volume);
    add_sizes(row, sent);
    row.count("noncontiguous_messages", facts[i].strided_messages);
    row.count("noncontiguous_bytes", facts[i].strided_bytes);
    add_degrees(row, sent);
    add_balance(row, p);
    add_collectives(row, p);
    add_nodes(row, p, options.placement);
    table.rows.push_back({p.name, std::move(row.values)});
  }
  return table;
}

std::string features_csv(const FeatureTable& table) {
  std::vector<Column> columns{words("phase")};
  for (const auto& column : table.columns) columns.push_back(number(column));
  return csv_of({columns, table.rows, [](const FeatureTable::Row& row) {
                   Cells cells{row.phase};
                   for (const auto& v : row.values) cells.emplace_back(value_text(v));
                   return cells;
                 }});
}

std::string features_json(const FeatureTable& table) {
  JsonDocument json("mora-pattern-features");
  json.fields("phases", list(table.rows, [&](const FeatureTable::Row& row) {
                json.begin_object().fields("phase", row.phase);
                for (std::size_t i = 0; i < table.columns.size(); ++i) {
                  json.key(table.columns[i]);
                  std::visit([&](const auto& value) { json.value(value); }, row.values[i]);
                }
                json.end_object();
              }));
  return json.finish(table.quality.rows());
}

std::string features_text(const FeatureTable& table) {
  std::vector<Column> columns{words("feature")};
  for (const auto& row : table.rows) columns.push_back(number(row.phase));
  Table text(columns);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Cells cells{table.columns[i]};
    bool something = false;
    for (const auto& row : table.rows) {
      const std::string value = value_text(row.values[i]);
      something |= !value.empty() && value != "0";
      cells.emplace_back(value.empty() ? "-" : value);
    }
    if (something) text.add(std::move(cells));
  }
  return text_of(text, {.indent = 2});
}

}  // namespace mora::predict
