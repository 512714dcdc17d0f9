/// Reads all locations into actions, puts their sequences together, simulates, and reports what was guessed or kept.
#include "replay/replay.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/worker_pool.h"
#include "replay/actions/action_collector.h"
#include "replay/simulation.h"
#include "replay/times/replayed_times.h"

namespace mora::replay {

namespace {

/// The actions of all locations, as they are read.
class Reading {
 public:
  Reading(trace::Source& source, const ReplayOptions& options, const Collecting& collecting)
      : actions(source.definitions().locations.size(), options.memory, collecting), source_(source), options_(options) {
    const trace::Definitions& definitions = source.definitions();
    rank_of_.resize(definitions.locations.size());
    for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
      actions.locations[l].nodes.resize(1);
      if (definitions.locations[l].kind != trace::LocationKind::cpu) continue;
      if (ranks_.empty() || definitions.locations[ranks_.back().front()].rank != definitions.locations[l].rank)
        ranks_.emplace_back();
      ranks_.back().push_back(l);
      rank_of_[l] = ranks_.size() - 1;
      all_ += source.event_count_hint(l);
    }
    was_read_.resize(definitions.locations.size());
  }

  /// Threads of a rank are read in turn: the others need the first one's forks. `also`: gets the events first.
  Result<void> read(trace::LocationId l, trace::EventSink& also) {
    const std::vector<trace::LocationId>& rank = ranks_[rank_of_[l]];
    const LocationActions* first = l == rank.front() ? nullptr : &actions.locations[rank.front()];
    ActionCollector collector(source_, l, first, rank.size() > 1, actions);
    Both both(also, collector);
    was_read_[l] = 1;
    auto read = source_.read_location(l, both);
    const auto kept = collector.finish();
    const std::lock_guard lock(mutex_);
    ++tried_;
    if (!kept && !full_) full_ = kept.error();
    if (read) return read;
    ++failed_;
    unreadable_ = read.error();
    quality.add("replay-unread-location", Severity::loss, source_.definitions().locations[l].name, 1,
                "nothing of this location could be read: " + read.error().why,
                "what others would have waited for it is not known on the ideal network; restore the file");
    return read;
  }

  /// Reads the rest, and puts the sequences together; once.
  Result<void> finish() {
    if (is_finished_) return {};
    std::uint64_t done = 0;
    run_tasks(ranks_.size(), options_.workers, [&](std::size_t task) {
      for (const trace::LocationId l : ranks_[task]) {
        if (was_read_[l] != 0) continue;
        trace::NullSink nobody;
        static_cast<void>(read(l, nobody));  // what cannot be read is counted
        const std::lock_guard lock(mutex_);
        done += source_.event_count_hint(l);
        if (options_.progress) options_.progress("reading for the replay", done, all_);
      }
    });
    if (full_) return tl::unexpected(*full_);
    if (tried_ > 0 && failed_ == tried_) return tl::unexpected(*unreadable_);
    std::vector<std::vector<trace::LocalSequence>> sequences;
    for (LocationActions& location : actions.locations) sequences.push_back(std::move(location.sequences));
    actions.joined = trace::JoinedSequences(source_.definitions(), std::move(sequences));
    is_finished_ = true;
    return {};
  }

  Actions actions;
  DataQuality quality;

 private:
  class Both : public trace::EventSink {
   public:
    Both(trace::EventSink& first, trace::EventSink& second) : first_(first), second_(second) {}
    void on_event(const trace::Event& event) override {
      first_.on_event(event);
      second_.on_event(event);
    }

   private:
    trace::EventSink& first_;
    trace::EventSink& second_;
  };

  trace::Source& source_;
  const ReplayOptions options_;
  std::vector<std::vector<trace::LocationId>> ranks_;
  std::vector<std::size_t> rank_of_;  ///< index of ranks_, by location
  std::vector<char> was_read_;        ///< by location; several threads write to it
  std::uint64_t all_ = 0;
  bool is_finished_ = false;
  std::mutex mutex_;
  std::size_t tried_ = 0, failed_ = 0;
  std::optional<Error> unreadable_, full_;
};

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
  for (const LocationActions& one : actions.locations)
    result.shared_locks += static_cast<std::uint64_t>(std::count_if(
        one.locks.begin(), one.locks.end(), [](const LockEpoch& e) { return e.ordered && !e.turn.exclusive; }));
  result.collectives_by_need = simulated.collectives_by_need;
  result.blocked = std::move(simulated.blocked);
  result.under_way = simulated.under_way;
  result.locations = std::move(simulated.locations);
  for (trace::LocationId l = 0; l < result.locations.size(); ++l) {
    if (actions.locations[l].was_read) result.end = std::max(result.end, result.locations[l].end);
  }
  return result;
}

Result<std::vector<Replayed>> replayed_on(const std::vector<const Network*>& networks, const trace::Source& source,
                                          Reading& reading, const SimulationOptions& order,
                                          const ProgressCallback& progress) {
  MORA_CHECK_OK(reading.finish());
  const LockOrder locks = order_locks(reading.actions.locations);
  std::vector<Replayed> results;
  for (const Network* network : networks) {
    MORA_TRY(Replayed result, replayed_on(*network, source, reading.actions, locks, order, progress));
    result.quality.merge(reading.quality);
    results.push_back(std::move(result));
  }
  return results;
}

SimulationOptions programs_own_circles() {
  SimulationOptions order;
  order.stops_at_circle = true;
  return order;
}

Collecting collecting_of(const ReplayedProgram& program) {
  Collecting collecting;
  collecting.detailed = true;
  collecting.compute_factor = program.compute_factor;
  collecting.location_factors = program.location_factors;
  return collecting;
}

}  // namespace

Result<std::vector<Replayed>> replay_in_order(trace::Source& source, const std::vector<const Network*>& networks,
                                              const ReplayOptions& options, const Collecting& collecting,
                                              const SimulationOptions& order) {
  Reading reading(source, options, collecting);
  return replayed_on(networks, source, reading, order, options.progress);
}

Result<Replayed> replay_in_order(trace::Source& source, const ReplayOptions& options, const SimulationOptions& order) {
  const IdealNetwork ideal;
  MORA_TRY(std::vector<Replayed> replayed, replay_in_order(source, {&ideal}, options, {}, order));
  return std::move(replayed.front());
}

struct ReplayInput::State {
  State(trace::Source& of, const ReplayOptions& with, const Collecting& collecting)
      : source(of), options(with), reading(of, with, collecting) {}
  trace::Source& source;
  const ReplayOptions options;
  Reading reading;
};

ReplayInput::ReplayInput(trace::Source& source, const ReplayOptions& options)
    : state_(std::make_unique<State>(source, options, Collecting{})) {}
ReplayInput::ReplayInput(trace::Source& source, const ReplayOptions& options, const ReplayedProgram& program)
    : state_(std::make_unique<State>(source, options, collecting_of(program))) {}
ReplayInput::~ReplayInput() = default;

Result<void> ReplayInput::read(trace::LocationId location, trace::EventSink& sink) {
  return state_->reading.read(location, sink);
}
Result<void> ReplayInput::finish() { return state_->reading.finish(); }

Result<Replayed> replay_on_ideal_network(ReplayInput& input) {
  ReplayInput::State& state = *input.state_;
  const IdealNetwork ideal;
  MORA_TRY(std::vector<Replayed> replayed,
           replayed_on({&ideal}, state.source, state.reading, {}, state.options.progress));
  return std::move(replayed.front());
}

Result<Replayed> replay_on_ideal_network(trace::Source& source, const ReplayOptions& options) {
  ReplayInput input(source, options);
  return replay_on_ideal_network(input);
}

Result<std::vector<Replayed>> replay_on(ReplayInput& input, const std::vector<const Network*>& networks) {
  ReplayInput::State& state = *input.state_;
  return replayed_on(networks, state.source, state.reading, programs_own_circles(), state.options.progress);
}
Result<std::vector<Replayed>> replay_on(trace::Source& source, const std::vector<const Network*>& networks,
                                        const ReplayOptions& options, const ReplayedProgram& program) {
  return replay_in_order(source, networks, options, collecting_of(program), programs_own_circles());
}

Result<Replayed> replay_on(trace::Source& source, const Network& network, const ReplayOptions& options,
                           const ReplayedProgram& program, MessageListener& listener) {
  SimulationOptions order = programs_own_circles();
  order.listener = &listener;
  MORA_TRY(std::vector<Replayed> replayed, replay_in_order(source, {&network}, options, collecting_of(program), order));
  return std::move(replayed.front());
}

Result<Replayed> replay_on(trace::Source& source, const Network& network, const ReplayOptions& options,
                           const ReplayedProgram& program, std::unique_ptr<ReplayedTimes>& times) {
  times = std::make_unique<ReplayedTimes>(source.definitions().locations.size(), options.memory / 3);
  Collecting collecting = collecting_of(program);
  collecting.places = &times->places;
  Reading reading(source, options, collecting);
  MORA_CHECK_OK(reading.finish());
  SimulationOptions order = programs_own_circles();
  order.ends = &times->ends;
  MORA_TRY(Replayed result, replayed_on(network, source, reading.actions, order_locks(reading.actions.locations), order,
                                        options.progress));
  result.quality.merge(reading.quality);
  for (const ReplayedLocation& location : result.locations) times->begins.push_back(location.begin);
  return result;
}

}  // namespace mora::replay
