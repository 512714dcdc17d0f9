#include "serve/offline/store.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/json/json_writer.h"
#include "cube/labels.h"
#include "serve/cells.h"

namespace mora::serve {
namespace {

using cube::CallPathId;
using cube::Cube;
using cube::MetricId;
using Values = std::vector<std::int64_t>;

bool is_zero(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value == 0; });
}

/// Different rows, each once; the first is that of zeros.
class Rows {
 public:
  Rows(const Cube& cube, std::size_t at_most) : cube_(cube), room_(at_most) {
    rows_.emplace_back(cube.locations.size());
    folds_.push_back(cube::Fold::sum);
  }

  std::int64_t add(const Values& values, cube::Fold fold) {
    if (is_zero(values)) return 0;
    std::string key(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t));
    key += static_cast<char>(fold);
    const auto found = number_.find(key);
    if (found != number_.end()) return found->second;
    if (values.size() > room_) return ++left_out_, -1;
    room_ -= values.size();
    rows_.push_back(values);
    folds_.push_back(fold);
    return number_[std::move(key)] = static_cast<std::int64_t>(rows_.size()) - 1;
  }

  void write(JsonWriter& json) const {
    json.key("rows").begin_array();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const FoldedRow row = fold_row(cube_, rows_[i], folds_[i]);
      json.begin_line_object().fields("values", rows_[i]);
      if (row.ranks != rows_[i]) json.fields("ranks", row.ranks);
      json.fields("nodes", row.nodes).end_object();
    }
    json.end_array().fields("left_out", left_out_);
  }

 private:
  const Cube& cube_;
  std::size_t room_;
  std::uint64_t left_out_ = 0;
  std::vector<Values> rows_;
  std::vector<cube::Fold> folds_;
  std::unordered_map<std::string, std::int64_t> number_;
};

/// A metric with or without its children.
struct Block {
  cube::Fold fold = cube::Fold::sum;
  Values own, all;
  std::vector<Values> alone, below;  ///< by call path; empty: zeros
  Values total;
  std::int64_t total_row = 0;
  Values alone_rows, below_rows;

  void add_rows(Rows& rows) {
    total_row = rows.add(total, fold);
    alone_rows.resize(alone.size());
    below_rows.resize(below.size());
    for (std::size_t c = 0; c < below.size(); ++c) {
      below_rows[c] = rows.add(below[c], fold);
      alone_rows[c] = rows.add(alone[c], fold);
    }
  }
  void write(JsonWriter& json) const {
    json.begin_line_object().fields("own", own, "all", all, "total", total_row, "below", below_rows, "alone",
                                    alone_rows);
    json.end_object();
  }
};

Block block_of(const Cube& cube, const ChosenMetric& chosen) {
  Block block;
  block.fold = cube.metrics[chosen.metric].fold;
  const std::size_t paths = cube.call_paths.size(), locations = cube.locations.size();
  const auto fold_into = [&](Values& to, const Values& from) {
    if (from.empty()) return;
    to.resize(locations);
    for (std::size_t l = 0; l < from.size(); ++l) to[l] = cube::folded(block.fold, to[l], from[l]);
  };
  block.alone.resize(paths);
  for (CallPathId c = 0; c < paths; ++c) {
    block.own.push_back(path_value(cube, chosen, c));
    Values& row = block.alone[c];
    fold_into(row, cube.row(chosen.metric, c));
    for (const MetricId child : chosen.without) {
      const Values& part = cube.row(child, c);
      if (!part.empty()) row.resize(locations);
      for (std::size_t l = 0; l < part.size(); ++l) row[l] -= part[l];
    }
    fold_into(block.total, row);
  }
  block.all = with_paths_below(cube, block.fold, block.own);
  block.below = block.alone;
  for (std::size_t c = paths; c-- > 0;) {  // children stand behind their parents
    const CallPathId parent = cube.call_paths[c].parent;
    if (parent != cube::no_id) fold_into(block.below[parent], block.below[c]);
  }
  return block;
}

}  // namespace

std::string store_json(const Cube& cube, std::size_t at_most) {
  Rows rows(cube, at_most);
  /// Those that are not zero everywhere, one after another, so that one is in memory at a time.
  const auto each = [&cube](MetricId metric, const auto& use) {
    for (const bool own : {false, true}) {
      const ChosenMetric chosen = chosen_metric(cube, metric, own);
      if (own && chosen.without.empty()) return;
      Block block = block_of(cube, chosen);
      if (!own && is_zero(block.own)) return;
      use(block);
    }
  };
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {  // the program's rows first: they are kept before others
    each(m, [&](const Block& block) { rows.add(block.total, block.fold); });
  }
  JsonWriter json;
  json.begin_object().key("metrics").begin_array();
  for (MetricId m = 0; m < cube.metrics.size(); ++m) {
    json.begin_array();
    each(m, [&](Block& block) {
      block.add_rows(rows);
      block.write(json);
    });
    json.end_array();
  }
  json.end_array();
  rows.write(json);
  json.end_object();
  return json.take();
}

}  // namespace mora::serve
