/// Replays, and puts the nodes of all ranks together by their call paths.
#include "predict/prediction/prediction.h"

#include <algorithm>

#include "base/text/source_place.h"
#include "predict/prediction/requested_replay.h"
#include "trace/mpi_function.h"
#include "trace/text/event_text.h"

namespace mora::predict {

namespace {

using replay::Replayed;
using replay::ReplayedNode;

bool is_apart(const mpi::Function& function) {
  return function.call == mpi::CallClass::init || function.call == mpi::CallClass::finalize;
}

/// The MPI function of a node; nullptr: it is none, or begins or ends MPI.
const mpi::Function* call_of(const trace::Definitions& definitions, const ReplayedNode& node) {
  if (node.region >= definitions.regions.size() || node.interval != 0) return nullptr;
  const trace::Region& region = definitions.regions[node.region];
  if (region.kind != trace::RegionKind::mpi) return nullptr;
  const mpi::Function& function = trace::function_of(region);
  return is_apart(function) ? nullptr : &function;
}

std::string path_of(const trace::Definitions& definitions, const std::vector<ReplayedNode>& nodes, std::uint32_t at) {
  std::string path;
  const auto prepend = [&](const std::string& name) {
    path = path.empty() || name.empty() ? name + path : name + " > " + path;
  };
  for (std::uint32_t n = at; n != 0; n = nodes[n].parent) {
    if (nodes[n].region >= definitions.regions.size()) continue;
    const trace::Region& region = definitions.regions[nodes[n].region];
    prepend(region.kind == trace::RegionKind::mpi
                ? place_label(region.name, region.call_site_file, region.call_site_line)
                : region.name);
    prepend(trace::call_path_text(definitions, nodes[n].region));
  }
  return path;
}

/// One run of a replay: `end` of its locations and `time` of its calls say whether as predicted or as recorded.
PredictedRun run_of(const trace::Definitions& definitions, const Replayed& replayed,
                    Nanoseconds replay::ReplayedLocation::*end = &replay::ReplayedLocation::end,
                    Nanoseconds ReplayedNode::*time = &ReplayedNode::own) {
  PredictedRun run;
  run.ranks.resize(definitions.world_size, 0);
  run.run_time = run_time_of(definitions, replayed, end);
  for (trace::LocationId l = 0; l < replayed.locations.size(); ++l) {
    const replay::ReplayedLocation& location = replayed.locations[l];
    if (definitions.locations[l].kind != trace::LocationKind::cpu || location.end == 0) continue;
    for (const ReplayedNode& node : location.nodes) {
      if (call_of(definitions, node) == nullptr) continue;
      run.mpi_time += node.*time;
      if (definitions.locations[l].rank < run.ranks.size()) run.ranks[definitions.locations[l].rank] += node.*time;
    }
  }
  return run;
}

/// Each rank's time less what it waits in calls, and what is recorded of its computation.
void add_bound(const trace::Definitions& definitions, const Replayed& replayed, Prediction& p) {
  p.without_waiting = p.machine;
  p.without_waiting.run_time = 0;
  p.computation.resize(definitions.world_size, 0);
  Nanoseconds begin = INT64_MAX;
  for (const replay::ReplayedLocation& location : replayed.locations) {
    if (location.end != 0) begin = std::min(begin, location.begin);
  }
  for (trace::LocationId l = 0; l < replayed.locations.size(); ++l) {
    const replay::ReplayedLocation& location = replayed.locations[l];
    const std::uint32_t rank = definitions.locations[l].rank;
    if (definitions.locations[l].kind != trace::LocationKind::cpu || location.end == 0) continue;
    if (rank >= definitions.world_size || definitions.location_of_rank(rank) != l) continue;
    Nanoseconds waiting = 0, in_all = 0;  // the latter with MPI_Init and MPI_Finalize
    for (const ReplayedNode& node : location.nodes) {
      if (call_of(definitions, node) != nullptr) waiting += node.waiting;
      in_all += node.waiting;
      const bool is_call = node.interval == 0 && node.region < definitions.regions.size() &&
                           definitions.regions[node.region].kind == trace::RegionKind::mpi;
      if (!is_call) p.computation[rank] += node.recorded;
    }
    p.without_waiting.mpi_time -= waiting;
    p.without_waiting.ranks[rank] -= waiting;
    p.without_waiting.run_time = std::max(p.without_waiting.run_time, location.end - begin - in_all);
  }
}

}  // namespace

PredictedTime& PredictedTime::operator+=(const PredictedTime& other) {
  waiting += other.waiting;
  transfer += other.transfer;
  overhead += other.overhead;
  local += other.local;
  measured += other.measured;
  visits += other.visits;
  return *this;
}

PredictedTime PredictedCall::sum() const {
  PredictedTime sum;
  for (const PredictedTime& time : by_rank) sum += time;
  return sum;
}

Result<Prediction> predict(trace::Source& source, const PredictionRequest& request) {
  const trace::Definitions& definitions = source.definitions();
  const auto make = [&](CostModel model) {
    return MachineNetwork::make(*request.machine, request.places, request.collectives, model, request.machine_file);
  };
  MORA_TRY(const MachineNetwork machine, make(CostModel::machine));
  MORA_TRY(const MachineNetwork hockney, make(CostModel::hockney));
  const MachineNetwork low = machine.bounded(-1), high = machine.bounded(1);
  const replay::IdealNetwork free;
  replay::ReplayOptions options;
  options.progress = request.progress;
  std::vector<const replay::Network*> networks = {&machine, &free, &hockney};
  if (machine.states_errors()) networks.insert(networks.end(), {&low, &high});
  MORA_TRY(const std::vector<Replayed> replayed,
           replay::replay_on(source, networks, options, program_of(definitions, request)));
  for (const Replayed& one : replayed) {
    if (!one.blocked.empty()) return deadlock_error(definitions, one, request.machine_file);
  }
  Prediction p;
  p.machine = run_of(definitions, replayed[0]);
  p.free = run_of(definitions, replayed[1]);
  p.hockney = run_of(definitions, replayed[2]);
  p.low = p.high = p.machine;
  if (machine.states_errors()) {
    p.low = run_of(definitions, replayed[3]);
    p.high = run_of(definitions, replayed[4]);
  }
  p.measured = run_of(definitions, replayed[0], &replay::ReplayedLocation::finalize, &ReplayedNode::recorded);
  add_bound(definitions, replayed[0], p);
  p.largest_beyond = machine.largest_beyond();
  p.classes = machine.used();
  p.shared = request.machine->shared;
  p.messages = replayed[0].messages;
  p.collectives = replayed[0].collectives;
  p.collectives_by_need = replayed[0].collectives_by_need;
  p.quality = replayed[0].quality;
  p.by_rank.resize(definitions.world_size);
  std::map<std::string, std::size_t> places;
  std::map<std::pair<std::string, std::string>, Unmodelled> unmodelled;
  UsedWindows windows;
  windows.shares_locks = replayed[0].shared_locks != 0;
  for (const trace::Window& window : definitions.windows) {
    if (window.comm < definitions.communicators.size())
      windows.most_ranks = std::max(windows.most_ranks, definitions.communicators[window.comm].members.size());
  }
  for (trace::LocationId l = 0; l < replayed[0].locations.size(); ++l) {
    const std::uint32_t rank = definitions.locations[l].rank;
    const auto& nodes = replayed[0].locations[l].nodes;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const mpi::Function* function = call_of(definitions, nodes[n]);
      if (function == nullptr || rank >= p.by_rank.size()) continue;
      const ReplayedNode& node = nodes[n];
      PredictedTime time;
      time.waiting = node.waiting;
      time.transfer = node.transfer;
      time.overhead = node.overhead;
      time.local = node.own - node.waiting - node.transfer - node.overhead;
      time.measured = node.recorded;
      time.visits = node.visits;
      const auto [at, is_new] = places.try_emplace(path_of(definitions, nodes, n), p.calls.size());
      if (is_new) {
        PredictedCall call;
        call.path = at->first;
        call.function = definitions.regions[node.region].name;
        call.kind = kind_of(*function);
        call.by_rank.resize(definitions.world_size);
        call.free_by_rank.resize(definitions.world_size, 0);
        call.hockney_by_rank.resize(definitions.world_size, 0);
        p.calls.push_back(std::move(call));
      }
      PredictedCall& call = p.calls[at->second];
      call.by_rank[rank] += time;
      call.free_by_rank[rank] += replayed[1].locations[l].nodes[n].own;
      call.hockney_by_rank[rank] += replayed[2].locations[l].nodes[n].own;
      p.by_rank[rank] += time;
      const std::string how = approximation_of(*function, machine.has_measured(*function), windows);
      if (how.empty()) continue;
      Unmodelled& entry = unmodelled[{call.function, how}];
      entry.function = call.function;
      entry.how = how;
      entry.calls += node.visits;
      entry.measured += node.recorded;
    }
  }
  std::stable_sort(p.calls.begin(), p.calls.end(), [](const PredictedCall& a, const PredictedCall& b) {
    const Nanoseconds x = a.sum().total(), y = b.sum().total();
    return x != y ? x > y : a.path < b.path;
  });
  for (auto& [key, entry] : unmodelled) p.unmodelled.push_back(std::move(entry));
  std::stable_sort(p.unmodelled.begin(), p.unmodelled.end(),
                   [](const Unmodelled& a, const Unmodelled& b) { return a.measured > b.measured; });
  return p;
}

}  // namespace mora::predict
