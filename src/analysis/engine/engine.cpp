/// analyze(): match - exchange - score - propagate over partitions of ranks.
///
/// Idea: no event of one rank is compared with an event of another while it is read. Each partition reads its locations
/// once and keeps halves (halves.h); halves find their partners by number alone (the k-th message of a channel, the
/// n-th call of a collective sequence), wherever and whenever they come together; each pair is scored by a pure
/// function of the two halves.
///
///   1. match     each partition reads its locations: plain times go to local call trees, halves are kept
///   2. unify     the local call trees become one, numbered in an order that only the trace decides
///   3. exchange  blocks of collectives go to the partition where their instances are put together, columns of sends go
///                to the receivers
///   4. score     collective rules, Late Sender; the answer to a sender is when each receive was posted
///   5. exchange  answers go back to the senders
///   6. score     Late Receiver
///   7. domains   one-sided communication, non-blocking collectives, threads, files (domain.h): their own exchanges
///   8. propagate causes of the waits (../causes/), then every partition's amounts are added up
///
/// The search for iterations keeps what it reads for step 1, in which what the replay on the ideal network needs is
/// taken along, so that the trace is read once. The replay runs right after it, before there is much else in memory,
/// and beside steps 2 to 8 where there are several workers. Where memory is bounded the replay gets what was kept in
/// memory after all else, since what it makes of it is not in Storage. Steps 3 to 6 are done in slices, as many halves
/// at a time as memory allows. Source: the parallel trace analysis of Scalasca 2.6, in which partners exchange data
/// while both replay their traces; here they exchange after reading, so that the number of processes is free, a missing
/// partner cannot block, and the trace need not fit into memory (docs/adr/0007-windows-and-carriers.md).
///
/// Cost: O(events) time and O(messages + collectives) traffic. Memory: about 40 bytes per half and 12 to 32 bytes while
/// it is on its way; with AnalyzeOptions::memory halves live in a file (storage.h). Limits: all halves of a rank are in
/// one partition, so one rank is read by one thread.
#include <malloc.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "analysis/analyze.h"
#include "analysis/carrier/carrier.h"
#include "analysis/causes/run.h"
#include "analysis/checks/access_order.h"
#include "analysis/core/scores.h"
#include "analysis/efficiency/interval_table.h"
#include "analysis/efficiency/metrics/ideal_time.h"
#include "analysis/engine/collectives.h"
#include "analysis/engine/domains.h"
#include "analysis/engine/engine.h"
#include "analysis/engine/messages.h"
#include "analysis/engine/plain_times.h"
#include "analysis/engine/process_facts.h"
#include "analysis/match/matcher.h"
#include "analysis/match/stopping_sink.h"
#include "analysis/metrics/counted.h"
#include "analysis/metrics/derived.h"
#include "analysis/metrics/registry.h"
#include "analysis/storage/storage.h"
#include "base/worker_pool.h"

namespace mora::analysis {

namespace {

struct Partition {
  std::vector<std::unique_ptr<RankHalves>> ranks;
  std::vector<std::unique_ptr<RankMessages>> messages;  ///< parallel to ranks
  std::vector<CollectiveSender> collectives;            ///< parallel to ranks, while collectives are assembled
  std::unique_ptr<SendQueues> sends;                    ///< while messages are paired
  std::unique_ptr<Scores> scores;
  std::vector<std::unique_ptr<SyncPoints>> sync_points;  ///< parallel to ranks, if causes are asked for
  std::vector<SyncPoints*> sync_points_of;               ///< by location
  std::unique_ptr<DomainContext> context;
  std::vector<std::unique_ptr<DomainPartition>> domains;  ///< parallel to Engine::domains_
};

class Engine {
 public:
  Engine(trace::MarkedSource& source, const DataQuality& quality_before, const AnalyzeOptions& options,
         Carrier& carrier)
      : source_(source),
        definitions_(source.definitions()),
        options_(options),
        carrier_(carrier),
        storage_(options.memory != 0 ? std::make_unique<Storage>(options.memory) : nullptr),
        regions_(classify_regions(definitions_)),
        partitions_(carrier.local_partitions().size()),
        quality_before_(quality_before) {}

  /// Whatever fails here ends the analysis of all processes.
  Result<AnalysisResult> run(const std::string& trace_path) {
    const StorageScope scope(storage_.get());
    auto result = run_here(trace_path);
    if (result) return result;
    MORA_CHECK_OK(carrier_.agree(tl::unexpected(result.error())));
    return result;
  }

 private:
  Result<AnalysisResult> run_here(const std::string& trace_path);
  Result<void> match();
  bool replays_at_once() const { return storage_ == nullptr && partitions_.size() == carrier_.partitions(); }
  bool replays_beside() const { return replays_at_once() && options_.workers > 1; }
  void replay();
  Result<void> unify();
  Result<void> pair_halves();
  Result<void> assemble_collectives_in_slices();
  Result<void> pair_messages_in_slices();
  std::uint64_t slice() const;
  void give_back_memory() const;
  Result<bool> any(const std::function<bool(const Partition&)>& is_true);
  Boxes empty_boxes() const { return Boxes(partitions_.size(), std::vector<Buffer>(carrier_.partitions())); }
  void set_up_domains();
  Result<void> run_domains();
  Result<void> explain();
  Result<void> add_up(AnalysisResult& result);
  void each_partition(const std::function<void(std::size_t)>& task) {
    run_tasks(partitions_.size(), options_.workers, [&](std::size_t p) {
      const StorageScope scope(storage_.get());
      task(p);
    });
  }
  /// Whether to go on: the storage is not full, and nobody wants to stop.
  Result<void> check() const {
    if (options_.stop != nullptr && *options_.stop) return fail(ErrorKind::system, "the analysis was stopped");
    return storage_ != nullptr ? storage_->check() : Result<void>{};
  }
  RankMessages* messages_of(std::uint32_t rank) { return messages_by_rank_[rank]; }

  trace::MarkedSource& source_;
  const trace::Definitions& definitions_;
  const AnalyzeOptions& options_;
  Carrier& carrier_;
  std::unique_ptr<Storage> storage_;  ///< outlives all that holds halves; nullptr: the heap
  std::vector<RegionTraits> regions_;
  std::vector<Partition> partitions_;
  RankPlaces places_;
  std::vector<RankMessages*> messages_by_rank_;
  GlobalCallTree tree_;
  std::vector<const Domain*> domains_;  ///< those that concern this trace
  bool keeps_timelines_ = false;
  std::vector<std::unique_ptr<Timeline>> timelines_;  ///< by location
  std::unique_ptr<replay::ReplayInput> ideal_;        ///< of the first process, if it is asked for
  std::future<Result<replay::Replayed>> replayed_;    ///< what became of it
  DataQuality quality_;
  DataQuality quality_before_;  ///< of the source, before it was read: every process finds the same
};

void Engine::set_up_domains() {
  for (const Domain& domain : domains()) {
    if (domain.concerns != nullptr && !domain.concerns(definitions_)) continue;
    domains_.push_back(&domain);
    keeps_timelines_ = keeps_timelines_ || domain.needs_timelines;
  }
  keeps_timelines_ = keeps_timelines_ || options_.causes;
  timelines_.resize(definitions_.locations.size());
  for (Partition& part : partitions_) {
    part.scores = std::make_unique<Scores>(definitions_.locations.size());
    if (options_.causes) {
      part.sync_points_of.resize(definitions_.locations.size());
      part.scores->keep_for_causes(part.sync_points_of);
    }
    if (options_.follow) part.scores->follow(*options_.follow);
    if (options_.path) part.scores->keep_path();
    part.context = std::make_unique<DomainContext>(DomainContext{definitions_, regions_, tree_,
                                                                 places_.partition_of_rank, timelines_, *part.scores,
                                                                 quality_, carrier_.partitions(), &source_});
    for (const Domain* domain : domains_) part.domains.push_back(domain->make(*part.context));
  }
}

Result<void> Engine::run_domains() {
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    for (unsigned round = 0; round < domains_[d]->rounds; ++round) {
      Boxes outgoing = empty_boxes();
      each_partition([&](std::size_t p) { partitions_[p].domains[d]->send(round, outgoing[p]); });
      MORA_CHECK_OK(check());
      MORA_TRY(const Boxes incoming, carrier_.exchange(std::move(outgoing)));
      each_partition([&](std::size_t p) { partitions_[p].domains[d]->receive(round, incoming[p]); });
    }
    for (Partition& part : partitions_) part.domains[d].reset();
    if (options_.progress) options_.progress(std::string(domains_[d]->name), 1, 1);
  }
  each_partition([&](std::size_t p) { partitions_[p].scores->divide_parts(); });
  give_back_memory();
  return {};
}

/// Reads all local locations. One that cannot be read is data quality; an error only if none can, or if the system
/// failed (what was put aside cannot be read back): then the archive may be whole.
Result<void> Engine::match() {
  const std::vector<unsigned>& local = carrier_.local_partitions();
  std::vector<std::vector<trace::LocationId>> locations(partitions_.size());
  for (trace::LocationId l = 0; l < definitions_.locations.size(); ++l) {
    const auto place = std::lower_bound(local.begin(), local.end(), places_.partition(definitions_.locations[l].rank));
    if (place != local.end() && *place == places_.partition(definitions_.locations[l].rank)) {
      locations[static_cast<std::size_t>(place - local.begin())].push_back(l);
    }
  }
  std::mutex progress_mutex;
  std::uint64_t done = 0;
  Reading reading, broken;
  const std::size_t total = definitions_.locations.size();
  each_partition([&](std::size_t p) {
    for (const trace::LocationId l : locations[p]) {
      if (definitions_.locations[l].kind != trace::LocationKind::cpu) {
        // What runs on a device or only counts spends none of the process's time; bad files are rows of the source's.
        struct : trace::EventSink {
          void on_event(const trace::Event&) override {}  // but all are counted
        } nowhere;
        static_cast<void>(source_.read_location(l, nowhere));
        continue;
      }
      const std::uint32_t rank = definitions_.locations[l].rank;
      auto& ranks = partitions_[p].ranks;
      if (ranks.empty() || ranks.back()->rank != rank) {
        ranks.push_back(std::make_unique<RankHalves>());
        ranks.back()->rank = rank;
      }
      Matcher matcher(definitions_, regions_, l, *ranks.back(), quality_);
      if (keeps_timelines_) {
        timelines_[l] = std::make_unique<Timeline>();
        matcher.fill(*timelines_[l]);
      }
      for (std::size_t d = 0; d < domains_.size(); ++d) {
        matcher.add_collector(partitions_[p].domains[d]->collector(l), domains_[d]->kinds, domains_[d]->all_leaves);
      }
      StoppingSink until_stopped(matcher, storage_.get(), options_.stop);
      const bool may_stop = storage_ != nullptr || options_.stop != nullptr;
      trace::EventSink& sink = may_stop ? static_cast<trace::EventSink&>(until_stopped) : matcher;
      const bool takes_along = ideal_ != nullptr && storage_ == nullptr;
      const auto read = takes_along ? ideal_->read(l, sink) : source_.read_location(l, sink);
      matcher.finish();
      const std::lock_guard lock(progress_mutex);
      ++reading.read;
      if (!read && read.error().kind == ErrorKind::system) {
        broken.fail(l, read.error());
      } else if (!read) {
        reading.fail(l, read.error());
        quality_.add("unreadable-location", Severity::loss, definitions_.locations[l].name, 1,
                     "nothing of this location could be read: " + read.error().why,
                     "its waiting and that of its partners is missing; restore the file and analyse again");
      }
      if (options_.progress) options_.progress("reading", ++done, total);
    }
  });
  MORA_CHECK_OK(check());
  if (broken.unreadable != 0) return tl::unexpected(broken.error);
  return check_reading(reading, carrier_);
}

/// At once, or beside what follows; when it is asked for, where it would keep other processes waiting, or where it
/// still has to be read. Of what it needs nothing is left then.
void Engine::replay() {
  if (ideal_ == nullptr) return;
  replayed_ = std::async(replays_beside() ? std::launch::async : std::launch::deferred, [this] {
    const std::unique_ptr<replay::ReplayInput> input = std::move(ideal_);
    return replay::replay_on_ideal_network(*input);
  });
  if (replays_at_once() && !replays_beside()) replayed_.wait();
}

Result<void> Engine::unify() {
  std::vector<Buffer> own(partitions_.size());
  each_partition([&](std::size_t p) {
    BufferWriter out(own[p]);
    for (const auto& rank : partitions_[p].ranks) {
      for (std::size_t t = 0; t < rank->trees.size(); ++t) pack_tree(rank->locations[t], rank->trees[t], out);
    }
  });
  MORA_TRY(const std::vector<Buffer> all, carrier_.gather_to_all(std::move(own)));
  tree_ = merge_trees(all, definitions_.locations.size());
  return {};
}

/// Halves that each partition may have on their way at a time; 0: any number.
std::uint64_t Engine::slice() const {
  constexpr std::uint64_t unbounded = 1 << 19;  // on its way: fits the cache of no machine, but is no memory either
  if (options_.window != 0) return options_.window;
  if (options_.memory == 0) return unbounded;
  constexpr std::uint64_t bytes_of_half = 64;  // with its answer, in two boxes
  return std::max<std::uint64_t>(1024, options_.memory / 8 / bytes_of_half / carrier_.partitions());
}

/// True everywhere if it is true for a partition anywhere.
Result<bool> Engine::any(const std::function<bool(const Partition&)>& is_true) {
  std::vector<Buffer> own(partitions_.size());
  for (std::size_t p = 0; p < partitions_.size(); ++p) BufferWriter(own[p]).put(is_true(partitions_[p]));
  MORA_TRY(const std::vector<Buffer> all, carrier_.gather_to_all(std::move(own)));
  return std::any_of(all.begin(), all.end(), [](const Buffer& b) { return BufferReader(b).take<bool>(); });
}

Result<void> Engine::pair_halves() {
  messages_by_rank_.assign(places_.partition_of_rank.size(), nullptr);
  MORA_CHECK_OK(assemble_collectives_in_slices());
  if (options_.progress) options_.progress("matching collectives", 1, 1);
  MORA_CHECK_OK(pair_messages_in_slices());
  if (options_.progress) options_.progress("matching messages", 1, 1);
  return {};
}

Result<void> Engine::assemble_collectives_in_slices() {
  const std::uint64_t ranks_here = places_.partition_of_rank.size() / carrier_.partitions() + 1;
  const std::uint64_t size = std::clamp<std::uint64_t>(slice() / ranks_here, 1, trace::calls_per_block);
  each_partition([&](std::size_t p) {
    for (const auto& rank : partitions_[p].ranks) {
      partitions_[p].collectives.emplace_back(*rank, tree_.of_location, source_, static_cast<std::uint32_t>(size));
    }
  });
  std::uint32_t first = 0;
  for (bool more = true; more;) {
    const std::uint32_t last = first + 1;
    Boxes outgoing = empty_boxes();
    each_partition([&](std::size_t p) {
      for (const CollectiveSender& sender : partitions_[p].collectives) sender.send(first, last, outgoing[p]);
    });
    MORA_CHECK_OK(check());
    MORA_TRY(const Boxes incoming, carrier_.exchange(std::move(outgoing)));
    each_partition(
        [&](std::size_t p) { assemble_collectives(incoming[p], definitions_, *partitions_[p].scores, quality_); });
    first = last;
    MORA_TRY(more, any([&](const Partition& part) {
               return std::any_of(part.collectives.begin(), part.collectives.end(),
                                  [&](const CollectiveSender& sender) { return sender.blocks() > first; });
             }));
  }
  each_partition([&](std::size_t p) {
    Partition& part = partitions_[p];
    part.collectives.clear();
    for (const auto& rank : part.ranks) {
      if (options_.causes) {
        part.sync_points.push_back(std::make_unique<SyncPoints>());
        note_group_sync_points(*rank, definitions_, *part.sync_points.back());
        for (const cube::LocationId l : rank->locations) part.sync_points_of[l] = part.sync_points.back().get();
      }
      rank->collectives.clear();
    }
  });
  return {};
}

Result<void> Engine::pair_messages_in_slices() {
  each_partition([&](std::size_t p) {
    Partition& part = partitions_[p];
    part.sends = std::make_unique<SendQueues>(carrier_.partitions());
    for (const auto& rank : part.ranks) {
      auto messages = std::make_unique<RankMessages>(*rank, tree_.of_location, *part.scores, quality_);
      if (options_.causes) messages->note_sync_points(*part.sync_points[part.messages.size()], timelines_);
      part.sends->add(*(messages_by_rank_[rank->rank] = messages.get()), places_);
      part.messages.push_back(std::move(messages));
    }
  });
  // In all buffers of three megabytes, which are found again in what was freed; but each round is an exchange.
  constexpr std::uint64_t few = 1 << 16, least = 1 << 13;
  const std::uint64_t partitions = carrier_.partitions();
  const std::uint64_t most =
      std::max<std::uint64_t>(1, std::min(slice() / partitions, std::max(few / partitions, least)));
  const auto of_rank = [&](std::uint32_t rank) { return messages_of(rank); };
  for (bool more = true; more;) {
    Boxes sends = empty_boxes();
    Boxes answers = empty_boxes();
    each_partition([&](std::size_t p) { partitions_[p].sends->fill(most, sends[p]); });
    MORA_CHECK_OK(check());
    {
      MORA_TRY(const Boxes incoming, carrier_.exchange(std::move(sends)));
      each_partition([&](std::size_t p) { pair_messages(incoming[p], of_rank, answers[p]); });
    }
    MORA_TRY(const Boxes incoming, carrier_.exchange(std::move(answers)));
    each_partition([&](std::size_t p) { take_answers(incoming[p], of_rank); });
    MORA_TRY(more, any([](const Partition& part) { return !part.sends->is_empty(); }));
  }
  each_partition([&](std::size_t p) {
    Partition& part = partitions_[p];
    part.sends.reset();
    for (std::size_t r = 0; r < part.ranks.size(); ++r) {
      part.messages[r]->finish_receives();
      part.messages[r]->finish_calls();
      part.messages[r].reset();
      part.ranks[r]->clear_messages();
    }
    part.messages.clear();
  });
  give_back_memory();
  return {};
}

/// What follows needs as much again. Asking costs more than the rest of a tiny trace: it tidies all free memory.
void Engine::give_back_memory() const {
  constexpr std::size_t worth_it = std::size_t{16} << 20;
  constexpr std::uint64_t worth_asking = 50000;
  std::uint64_t events = 0;
  for (const Partition& part : partitions_) {
    for (const auto& rank : part.ranks) events += rank->events;
  }
  if (events > worth_asking && ::mallinfo2().fordblks > worth_it) ::malloc_trim(0);
}

/// Delay costs and the critical path, from the waits that were found. Nothing if causes are not asked for.
Result<void> Engine::explain() {
  MORA_CHECK_OK(check());
  if (!options_.causes) return {};
  std::vector<std::unique_ptr<PartitionCauses>> causes(partitions_.size());
  for (std::size_t p = 0; p < partitions_.size(); ++p) {
    Partition& part = partitions_[p];
    std::vector<CauseLocation> locals;
    for (std::size_t r = 0; r < part.ranks.size(); ++r) {
      RankHalves& rank = *part.ranks[r];
      for (std::size_t t = 0; t < rank.locations.size(); ++t) {
        locals.push_back({rank.locations[t], &rank.trees[t], part.sync_points[r].get()});
      }
    }
    causes[p] = std::make_unique<PartitionCauses>(*part.context, *part.scores, locals);
  }
  // A buffer that stays small is found again in what was freed; some of each location, whose questions are neighbours.
  const std::uint64_t few = std::max<std::uint64_t>(1 << 13, 4 * definitions_.locations.size() / carrier_.partitions());
  const std::uint64_t questions = std::min(few, slice() / 8 + 1);
  MORA_CHECK_OK(find_causes(
      causes, carrier_, questions, [&](const auto& task) { each_partition(task); }, [&] { return check(); }));
  if (options_.progress) options_.progress("causes", 1, 1);
  return {};
}

/// Every partition's amounts, facts and data quality, as bytes to all processes; the sums are the same everywhere.
Result<void> Engine::add_up(AnalysisResult& result) {
  MORA_CHECK_OK(check());
  std::vector<Buffer> own(partitions_.size());
  const auto counters = static_cast<std::uint32_t>(counted_metrics(definitions_).size());
  each_partition([&](std::size_t p) {
    Partition& part = partitions_[p];
    BufferWriter out(own[p]);
    std::uint64_t events = 0;
    for (trace::LocationId l = 0; l < definitions_.locations.size(); ++l) {
      const std::uint32_t rank = definitions_.locations[l].rank;
      if (places_.partition_of_rank[rank] == carrier_.local_partitions()[p]) events += source_.recorded_events(l);
    }
    trace::MeasuredTime measured;
    for (const auto& rank : part.ranks) {
      measured.add(rank->measured);
      for (std::size_t t = 0; t < rank->trees.size(); ++t) {
        add_plain_times(rank->trees[t], rank->locations[t], regions_, tree_.of_location[rank->locations[t]], counters,
                        *part.scores);
      }
    }
    out.put(events);
    out.put(measured);
    part.scores->pack(out);
  });
  MORA_TRY(const std::vector<Buffer> all, carrier_.gather_to_all(std::move(own)));
  Scores sum(definitions_.locations.size());
  trace::MeasuredTime measured;
  for (const Buffer& buffer : all) {
    BufferReader in(buffer);
    result.run.events += in.take<std::uint64_t>();
    measured.add(in.take<trace::MeasuredTime>());
    sum.unpack(in);
  }
  result.run.wall = measured.length();
  if (carrier_.is_first())
    checks::judge_unordered(source_, sum.take_accesses(), options_.workers, options_.memory, sum, quality_);
  MORA_TRY(result.quality, gather_quality(quality_, quality_before_, source_.quality(), carrier_));
  sum.deliver(result);
  return {};
}

Result<AnalysisResult> Engine::run_here(const std::string& trace_path) {
  places_.partition_of_rank = partition_of_ranks(source_, carrier_.partitions());
  set_up_domains();
  if (options_.ideal_network && carrier_.is_first())
    ideal_ = input_for_ideal_times(source_, options_.workers, options_.memory,
                                   replays_beside() ? ProgressCallback{} : options_.progress);
  MORA_CHECK_OK(match());
  replay();
  MORA_CHECK_OK(unify());
  MORA_CHECK_OK(pair_halves());
  MORA_CHECK_OK(run_domains());
  MORA_CHECK_OK(explain());
  AnalysisResult result;
  set_dimensions(result, definitions_, tree_);
  for (const trace::Window& window : definitions_.windows) result.windows.push_back(window.name);
  result.run.trace = trace_path;
  result.run.trace_format = source_.format();
  result.cube.attributes["trace"] = trace_path;
  result.cube.attributes["intervals"] = trace::text_of(options_.intervals);
  MORA_CHECK_OK(add_up(result));
  result.waiting_over_time.keep(waiting_metrics(result.cube));
  if (replayed_.valid()) add_ideal_times(replayed_.get(), definitions_, tree_, result);
  if (options_.causes) {
    add_cause_sums(result.cube);
    add_path_metrics(result.cube);
  }
  add_derived_metrics(result);
  return result;
}

}  // namespace

Result<AnalysisResult> run_engine(trace::MarkedSource& source, const DataQuality& quality_before,
                                  const std::string& trace_path, const AnalyzeOptions& options, Carrier& carrier) {
  return Engine(source, quality_before, options, carrier).run(trace_path);
}

}  // namespace mora::analysis
