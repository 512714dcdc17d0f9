/// Scores: the amounts of one partition. Waits come with their cause; counts are plain numbers. Addition only, so the
/// order in which amounts arrive never changes the result. Memory: per (metric, call path) a row over locations. Not
/// thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/core/distribution.h"
#include "analysis/core/kept_waits.h"
#include "analysis/core/rma_facts.h"
#include "analysis/core/sync_points.h"
#include "analysis/core/waits.h"
#include "analysis/metric_info.h"
#include "analysis/result.h"
#include "analysis/storage/buffer.h"
#include "cube/kept/waiting_over_time.h"

namespace mora::analysis {

/// One metric at one call path.
struct ScoreRow {
  Distribution distribution;
  std::vector<WorstInstance> worst;  ///< the instances_listed most severe: a heap, the least severe in front
  std::vector<std::int64_t> by_location;
  std::unordered_map<std::uint64_t, Nanoseconds> caused_by;  ///< location << 32 | call path

  void add(const WorstInstance& instance);
  /// All but by_location.
  void merge(const ScoreRow& other);
};

class Scores final : public WaitSink {
 public:
  explicit Scores(std::size_t locations) : locations_(locations), violations_(locations) {}

  void add(const Wait& wait) override;
  void add_shared(const Wait& wait, std::span<const WaitShare> shares) override;
  void add(const CallTrend& trend) { trends_.push_back(trend); }
  void add_part(const Wait& wait, const CallPart& of) override { parts_.push_back({wait, of}); }
  /// After all waits: adds what add_part() was given.
  void divide_parts();
  void clock_violation(cube::LocationId location) override { ++violations_[location]; }
  void count(cube::MetricId metric, cube::CallPathId call_path, cube::LocationId location,
             std::int64_t amount) override {
    if (amount == 0) return;
    const std::uint64_t cell = key(metric, call_path);
    Recent& recent = recent_[(call_path + metric * 61U) % recent_.size()];
    if (recent.key != cell) [[unlikely]]
      recent = {cell, row_of(cell)};
    recent.cells[location] += amount;
  }
  void sync_point(const SyncPoint& point) override {
    if (points_of_ == nullptr) return;
    note_side(point);
    note_side({point.partner, point.partner_time, point.location, point.time});
  }

  void broken_rule(const CheckFinding& finding) override { facts_.add(finding); }
  void transfer(const TransferCell& cell) override { facts_.add(cell); }
  void access(const MetAccess& access) override { facts_.add(access); }
  /// Gives them away.
  std::vector<MetAccess> take_accesses() { return facts_.take_accesses(); }

  /// From here on every wait of these cells is kept, for AnalysisResult::followed.
  void follow(const FollowedCell& cell) {
    for (const cube::CallPathId call_path : cell.call_paths) followed_cells_.push_back(key(cell.metric, call_path));
  }

  /// From here on pieces of the critical path are kept, for AnalysisResult::critical_path.
  void keep_path() { keeps_path_ = true; }
  void path_piece(const PathPiece& piece) {
    if (keeps_path_) path_.push_back(piece);
  }

  /// From here on waits that have a cause and a DelayClass are kept one by one, for causes/, and synchronisation
  /// points: each side of one is added to those of its location. `points_of`: of this partition, by location, nullptr:
  /// of another one; outlives this object.
  void keep_for_causes(const std::vector<SyncPoints*>& points_of) {
    points_of_ = &points_of;
    kept_.resize(locations_);
  }
  /// By location; nullptr: it has none.
  std::vector<std::unique_ptr<KeptWaits>>& kept_waits() { return kept_; }
  /// The sides that belong to locations of other partitions: of SyncPoint::location.
  Chunked<SyncPoint>& sync_points() { return sync_points_; }

  /// As bytes, to be added to the Scores of another partition. After that nothing is added.
  void pack(BufferWriter& out);
  void unpack(BufferReader& in);

  /// Empties the scores into a result that has its dimensions: cells, sorted wait summaries, clock violations.
  void deliver(AnalysisResult& result);

 private:
  ScoreRow& add_amount(const Wait& wait);
  void add_cause(const Wait& wait, ScoreRow& row);
  void add_over_time(cube::MetricId metric, Nanoseconds begin, Nanoseconds amount) {
    if (metrics_[metric].delay != DelayClass::none) over_time_.add(metric, begin, amount);
  }
  void note_side(const SyncPoint& side) {
    if (SyncPoints* points = (*points_of_)[side.location]) {
      points->add(side.location, side.time, side.partner, side.partner_time);
    } else {
      sync_points_.push_back(side);
    }
  }
  void add_rest(Wait wait, std::span<const WaitShare> rest);
  static std::uint64_t key(cube::MetricId metric, cube::CallPathId call_path) {
    return std::uint64_t{metric} << 32 | call_path;
  }
  const std::vector<MetricInfo>& metrics_ = all_metrics();
  std::size_t locations_;
  std::unordered_map<std::uint64_t, ScoreRow> waits_;
  std::vector<CallTrend> trends_;
  std::unordered_map<std::uint64_t, std::vector<std::int64_t>> counts_;
  /// Rows of counts_ that were added to of late: most amounts go to the same few.
  struct Recent {
    std::uint64_t key = UINT64_MAX;
    std::int64_t* cells = nullptr;  ///< of all locations
  };
  std::int64_t* row_of(std::uint64_t cell);
  std::array<Recent, 512> recent_;
  std::vector<std::uint64_t> violations_;
  struct Part {
    Wait wait;
    CallPart of;
  };
  std::vector<Part> parts_;
  RmaFacts facts_;
  std::vector<std::uint64_t> followed_cells_;
  std::vector<WorstInstance> followed_;
  bool keeps_path_ = false;
  std::vector<PathPiece> path_;
  cube::WaitingOverTime over_time_;
  const std::vector<SyncPoints*>* points_of_ = nullptr;  ///< nullptr: nothing is kept for causes
  std::vector<std::unique_ptr<KeptWaits>> kept_;
  Chunked<SyncPoint> sync_points_;
};

}  // namespace mora::analysis
