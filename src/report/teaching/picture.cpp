/// From a small trace to the rows, arrows and waits of a picture. The events of each location are read once; loose ends
/// of arrows wait in queues by kind, ranks and channel, and are paired in order at the end. Waits come from the
/// analysis, so the picture cannot contradict it. Meant for traces of a few hundred events; everything is kept in
/// memory.
#include "report/teaching/picture.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "report/data/figures.h"
#include "trace/paradigm.h"

namespace mora::report {
namespace {

using trace::Event;
using trace::EventKind;
using trace::LocationId;

/// One end of an arrow before it has its partner.
struct Loose {
  std::size_t row = 0;
  Nanoseconds time = 0;
};

/// Calls in which a process does not compute, besides MPI's.
bool is_library(std::string_view name) { return trace::paradigm_of(name) != trace::Paradigm::unknown; }

/// What pairs the two ends: kind of arrow, from rank, to rank, and what else must agree.
using Pairing = std::tuple<std::string, std::uint32_t, std::uint32_t, std::uint64_t>;

/// Collects rows and loose ends, location by location.
class Collector : public trace::EventSink {
 public:
  explicit Collector(const trace::Definitions& definitions) : definitions_(definitions) {}

  void begin(LocationId location) {
    row_ = PictureRow();
    const trace::Location& l = definitions_.locations[location];
    rank_ = l.rank;
    row_.name = l.thread == 0 ? fmt::format("rank {}", l.rank) : fmt::format("rank {}.{}", l.rank, l.thread);
    open_.clear();
    groups_.clear();
    seen_ = false;
  }
  PictureRow finish() {
    std::stable_sort(row_.calls.begin(), row_.calls.end(), [](const PictureCall& a, const PictureCall& b) {
      return a.enter != b.enter ? a.enter < b.enter : a.leave > b.leave;
    });
    if (!row_.calls.empty()) {
      PictureCall& outermost = row_.calls.front();  // "main" around everything says nothing
      const bool is_all = outermost.enter == row_.first && outermost.leave == row_.last;
      if (is_all && !outermost.is_filled && !is_library(outermost.name)) outermost.name.clear();
    }
    ++rows_;
    return std::move(row_);
  }
  std::map<Pairing, std::deque<Loose>> sources, targets;

  void on_event(const Event& event) override {
    if (!seen_) row_.first = event.time;
    seen_ = true;
    row_.last = event.time;
    const auto from_here = [&](const char* kind, std::uint32_t to, std::uint64_t channel, Nanoseconds time) {
      sources[{kind, rank_, to, channel}].push_back({rows_, time});
    };
    const auto to_here = [&](const char* kind, std::uint32_t from, std::uint64_t channel, Nanoseconds time) {
      targets[{kind, from, rank_, channel}].push_back({rows_, time});
    };
    const std::uint64_t envelope = std::uint64_t{event.comm} << 32 | static_cast<std::uint32_t>(event.tag);
    switch (event.kind) {
      case EventKind::enter:
        if (!open_.empty()) open_.back().has_inner = true;
        open_.push_back({event.region, event.time, false});
        break;
      case EventKind::leave:
        if (!open_.empty()) leave(event.time);
        break;
      case EventKind::send:
      case EventKind::send_request:
        from_here("message", event.peer, envelope, event.time);
        break;
      case EventKind::receive:
      case EventKind::receive_complete:
        to_here("message", event.peer, envelope, event.time);
        break;
      case EventKind::group_sync:
        group_sync(event);
        break;
      case EventKind::put:
      case EventKind::get:
      case EventKind::atomic: {
        // The end of the call is known when it is left.
        transfers_.push_back({event.kind == EventKind::put   ? "put"
                              : event.kind == EventKind::get ? "get"
                                                             : "atomic operation",
                              event.peer, event.end_time, event.time});
        break;
      }
      default:
        break;
    }
  }

 private:
  struct Open {
    trace::RegionId region;
    Nanoseconds enter;
    bool has_inner;
  };
  struct Transfer {
    const char* kind;
    std::uint32_t target;
    Nanoseconds end;
    Nanoseconds begin;
  };

  void leave(Nanoseconds time) {
    const Open call = open_.back();
    open_.pop_back();
    const trace::Region& region = definitions_.regions[call.region];
    const bool is_mpi = region.kind == trace::RegionKind::mpi;
    const bool is_team = region.name.find("parallel") != std::string::npos;  // its threads compute in it
    row_.calls.push_back(
        {call.enter, time, region.name, is_mpi || (is_library(region.name) && !is_team && !call.has_inner)});
    for (const Transfer& t : transfers_) {
      const std::uint64_t channel = ++transfer_;
      sources[{t.kind, rank_, t.target, channel}].push_back({rows_, t.begin});
      ends_.push_back({{t.kind, rank_, t.target, channel}, t.end == trace::at_leave ? time : t.end});
    }
    transfers_.clear();
  }

  void group_sync(const Event& event) {
    using trace::RmaOperation;
    const bool is_begin = event.rma_operation == RmaOperation::post || event.rma_operation == RmaOperation::start;
    const std::uint64_t side = event.rma_operation == RmaOperation::post || event.rma_operation == RmaOperation::wait ||
                               event.rma_operation == RmaOperation::test;
    trace::GroupId& open = groups_[std::uint64_t{event.window} << 1 | side];
    if (is_begin) open = event.group;
    if (event.rma_operation == RmaOperation::test && !event.epoch_closed) return;
    const trace::GroupId group = event.group != trace::no_id ? event.group : open;
    if (group >= definitions_.groups.size() || open_.empty()) return;
    for (const std::uint32_t partner : definitions_.groups[group].members) {
      switch (event.rma_operation) {
        case RmaOperation::post:
          sources[{"post", rank_, partner, event.window}].push_back({rows_, open_.back().enter});
          break;
        case RmaOperation::start:
          targets[{"post", partner, rank_, event.window}].push_back({rows_, event.time});
          break;
        case RmaOperation::complete:
          sources[{"complete", rank_, partner, event.window}].push_back({rows_, open_.back().enter});
          break;
        default:
          targets[{"complete", partner, rank_, event.window}].push_back({rows_, event.time});
      }
    }
  }

  const trace::Definitions& definitions_;
  PictureRow row_;
  std::size_t rows_ = 0;
  std::uint32_t rank_ = 0;
  bool seen_ = false;
  std::vector<Open> open_;
  std::map<std::uint64_t, trace::GroupId> groups_;  ///< open epochs: window, side
  std::vector<Transfer> transfers_;                 ///< of the open call
  std::uint64_t transfer_ = 0;

 public:
  std::vector<std::pair<Pairing, Nanoseconds>> ends_;  ///< transfers: when they end at the target
};

/// Arrows in the order of their sources' times.
void pair(Collector& ends, Picture& picture) {
  struct Arrow {
    Loose from, to;
    std::string text;
  };
  std::vector<Arrow> arrows;
  for (auto& [pairing, sources] : ends.sources) {
    auto& targets = ends.targets[pairing];
    const auto& [kind, from, to, channel] = pairing;
    for (; !sources.empty() && !targets.empty(); sources.pop_front(), targets.pop_front()) {
      arrows.push_back({sources.front(), targets.front(), fmt::format("{}, rank {} to rank {}", kind, from, to)});
    }
  }
  std::stable_sort(arrows.begin(), arrows.end(),
                   [](const Arrow& a, const Arrow& b) { return a.from.time < b.from.time; });
  for (const Arrow& arrow : arrows) {
    picture.arrows.push_back(arrow.text);
    const auto number = static_cast<std::uint32_t>(picture.arrows.size());
    picture.rows[arrow.from.row].marks.push_back({arrow.from.time, number, true});
    picture.rows[arrow.to.row].marks.push_back({arrow.to.time, number, false});
  }
}

}  // namespace

Result<Picture> picture_of(trace::Source& source, const analysis::AnalysisResult& result, cube::MetricId metric) {
  Picture picture;
  const trace::Definitions& definitions = source.definitions();
  Collector collector(definitions);
  std::vector<std::size_t> row_of_rank(definitions.world_size + std::size_t{1}, 0);
  for (LocationId l = 0; l < definitions.locations.size(); ++l) {
    if (definitions.locations[l].thread == 0 && definitions.locations[l].rank < row_of_rank.size()) {
      row_of_rank[definitions.locations[l].rank] = l;
    }
    collector.begin(l);
    MORA_CHECK_OK(source.read_location(l, collector));
    picture.rows.push_back(collector.finish());
    picture.last = std::max(picture.last, picture.rows.back().last);
  }
  for (const auto& [pairing, end] : collector.ends_) {
    const std::uint32_t target = std::get<2>(pairing);
    if (target < row_of_rank.size()) collector.targets[pairing].push_back({row_of_rank[target], end});
  }
  pair(collector, picture);

  const cube::Cube& cube = result.cube;
  picture.total = cube.total(metric);
  for (const analysis::MetricWaits& waits : result.wait_metrics) {
    if (waits.metric != metric) continue;
    std::vector<analysis::WorstInstance> by_time = waits.most_severe;
    std::sort(by_time.begin(), by_time.end(), [](const auto& a, const auto& b) {
      return std::make_tuple(a.begin, a.location, a.end) < std::make_tuple(b.begin, b.location, b.end);
    });
    for (const analysis::WorstInstance& wait : by_time) {
      picture.rows[wait.location].waits.emplace_back(wait.begin, wait.end);
      std::string text = fmt::format("{} waits in {} from {} to {}: {} ns", picture.rows[wait.location].name,
                                     cube.call_paths[wait.call_path].name, wait.begin, wait.end, wait.end - wait.begin);
      if (wait.cause < picture.rows.size()) {
        picture.rows[wait.cause].marks.push_back({wait.end, 0, true});
        if (wait.cause != wait.location) text += ", for " + picture.rows[wait.cause].name;
        if (wait.cause_call_path < cube.call_paths.size()) text += " in " + cube.call_paths[wait.cause_call_path].name;
      }
      picture.waits.push_back(std::move(text));
    }
    if (waits.statistics.count > waits.most_severe.size()) {
      picture.waits.push_back(fmt::format("… and {} more", waits.statistics.count - waits.most_severe.size()));
    }
  }
  return picture;
}

}  // namespace mora::report
