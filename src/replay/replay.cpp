/// Reads all locations into actions, puts their sequences together, simulates, and reports what was guessed or kept.
#include "replay/replay.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/worker_pool.h"
#include "replay/actions/action_collector.h"
#include "replay/simulation.h"

namespace mora::replay {

namespace {

struct Reading {
  std::uint64_t done = 0, all = 0;
  std::size_t tried = 0, failed = 0;
  std::optional<Error> unreadable, full;
};

/// Threads of a rank are read in turn: the others need the first one's forks.
Reading read_all(trace::Source& source, const ReplayOptions& options, Actions& actions, DataQuality& quality) {
  const trace::Definitions& definitions = source.definitions();
  std::vector<std::vector<trace::LocationId>> ranks;
  Reading reading;
  for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
    actions.locations[l].nodes.resize(1);
    if (definitions.locations[l].kind != trace::LocationKind::cpu) continue;
    if (ranks.empty() || definitions.locations[ranks.back().front()].rank != definitions.locations[l].rank)
      ranks.emplace_back();
    ranks.back().push_back(l);
    reading.all += source.event_count_hint(l);
    ++reading.tried;
  }
  std::mutex mutex;
  run_tasks(ranks.size(), options.workers, [&](std::size_t task) {
    for (const trace::LocationId l : ranks[task]) {
      const LocationActions* first = l == ranks[task].front() ? nullptr : &actions.locations[ranks[task].front()];
      ActionCollector collector(source, l, first, ranks[task].size() > 1, actions);
      const auto read = source.read_location(l, collector);
      const auto kept = collector.finish();
      const std::lock_guard lock(mutex);
      reading.done += source.event_count_hint(l);
      if (options.progress) options.progress("reading for the replay", reading.done, reading.all);
      if (!kept && !reading.full) reading.full = kept.error();
      if (read) continue;
      ++reading.failed;
      reading.unreadable = read.error();
      quality.add("replay-unread-location", Severity::loss, definitions.locations[l].name, 1,
                  "nothing of this location could be read: " + read.error().why,
                  "what others would have waited for it is not known on the ideal network; restore the file");
    }
  });
  return reading;
}

void report(const trace::Definitions& definitions, const Actions& actions, const Simulated& simulated,
            DataQuality& quality) {
  for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
    const std::string& where = definitions.locations[l].name;
    quality.add("replay-without-partner", Severity::warning, where, simulated.without_partner[l],
                "calls whose partners are not in the trace lasted on the ideal network as long as they were recorded",
                "record all ranks from begin to end");
    quality.add("replay-several-threads", Severity::warning, where, simulated.several_threads[l],
                "several threads of a rank have epochs with the same process: which belong together is not recorded; "
                "on the ideal network their calls lasted as long as they were recorded",
                "give each thread its own window");
    quality.add(
        "replay-unrecorded-members", Severity::info, where, actions.locations[l].unrecorded_partners,
        "calls that make or free communicators wait for nobody on the ideal network: who took part is not recorded",
        "nothing, unless they are called often");
  }
  quality.add(
      "replay-circle", Severity::warning, "", simulated.given_up,
      "calls wait for each other in a circle, which no order of events can satisfy; they lasted as long as they were "
      "recorded",
      "the trace lacks events, or its windows' locks are recorded with clocks that disagree; correct the clocks");
}

}  // namespace

namespace {

Result<Replayed> replayed_on(const Network& network, const trace::Source& source, const Actions& actions,
                             const LockOrder& locks, const SimulationOptions& order, const ProgressCallback& progress) {
  Replayed result;
  MORA_TRY(Simulated simulated, simulate(source, actions, locks, order, network, progress));
  report(source.definitions(), actions, simulated, result.quality);
  for (const trace::JoinedSequence& s : actions.joined.all()) {
    const trace::SequenceKind kind = s.key.kind;
    if (kind == trace::SequenceKind::message) result.messages += s.count;
    if (trace::is_collective(kind) && kind <= trace::SequenceKind::window) result.collectives += s.count;
  }
  result.collectives_by_need = simulated.collectives_by_need;
  result.blocked = std::move(simulated.blocked);
  result.locations = std::move(simulated.locations);
  for (trace::LocationId l = 0; l < result.locations.size(); ++l) {
    if (actions.locations[l].was_read) result.end = std::max(result.end, result.locations[l].end);
  }
  return result;
}

}  // namespace

Result<std::vector<Replayed>> replay_in_order(trace::Source& source, const std::vector<const Network*>& networks,
                                              const ReplayOptions& options, const Collecting& collecting,
                                              const SimulationOptions& order) {
  const trace::Definitions& definitions = source.definitions();
  DataQuality quality;
  Actions actions(definitions.locations.size(), options.memory, collecting);
  const Reading reading = read_all(source, options, actions, quality);
  if (reading.full) return tl::unexpected(*reading.full);
  if (reading.tried > 0 && reading.failed == reading.tried) return tl::unexpected(*reading.unreadable);
  std::vector<std::vector<trace::LocalSequence>> sequences;
  for (LocationActions& location : actions.locations) sequences.push_back(std::move(location.sequences));
  actions.joined = trace::JoinedSequences(definitions, std::move(sequences));
  const LockOrder locks = order_locks(actions.locations);
  std::vector<Replayed> results;
  for (const Network* network : networks) {
    MORA_TRY(Replayed result, replayed_on(*network, source, actions, locks, order, options.progress));
    result.quality.merge(quality);
    results.push_back(std::move(result));
  }
  return results;
}

Result<Replayed> replay_in_order(trace::Source& source, const ReplayOptions& options, const SimulationOptions& order) {
  const IdealNetwork ideal;
  MORA_TRY(std::vector<Replayed> replayed, replay_in_order(source, {&ideal}, options, {}, order));
  return std::move(replayed.front());
}

Result<Replayed> replay_on_ideal_network(trace::Source& source, const ReplayOptions& options) {
  return replay_in_order(source, options, {});
}

Result<std::vector<Replayed>> replay_on(trace::Source& source, const std::vector<const Network*>& networks,
                                        const ReplayOptions& options, const ReplayedProgram& program) {
  Collecting collecting;
  collecting.detailed = true;
  collecting.compute_factor = program.compute_factor;
  collecting.location_factors = program.location_factors;
  SimulationOptions order;
  order.stops_at_circle = true;
  return replay_in_order(source, networks, options, collecting, order);
}

}  // namespace mora::replay
