/// The domain "threads": all threads of a process are in one partition, so nothing is exchanged; each process is scored
/// when all of it is read.
#include "analysis/patterns/domains.h"

#include <algorithm>
#include <map>

#include "analysis/patterns/threads/process_threads.h"

namespace mora::analysis {

namespace {

/// All threads of a process are in one partition: nothing is exchanged.
class ThreadPartition : public DomainPartition {
 public:
  explicit ThreadPartition(const DomainContext& context) : context_(context) {}

  std::unique_ptr<Collector> collector(cube::LocationId location) override {
    logs_.push_back(std::make_unique<ThreadLog>());
    logs_.back()->location = location;
    logs_.back()->rank = context_.definitions.locations[location].rank;
    return std::make_unique<ThreadCollector>(*logs_.back());
  }
  void send(unsigned, std::vector<Buffer>&) override {}
  void receive(unsigned, const std::vector<Buffer>&) override {
    std::map<std::uint32_t, std::vector<ThreadLog*>> processes;
    for (const auto& log : logs_) processes[log->rank].push_back(log.get());
    for (const auto& [rank, logs] : processes) {
      ProcessThreads process(logs, context_);
      process.score();
      report(rank, process.damage(), logs);
    }
    logs_.clear();
  }

 private:
  void report(std::uint32_t rank, const ThreadDamage& damage, const std::vector<ThreadLog*>& logs) {
    const auto count = context_.quality.at("rank " + std::to_string(rank));
    std::uint64_t outside = 0;
    for (const ThreadLog* log : logs) outside += log->locks_outside_calls;
    count("incomplete-team", Severity::warning, damage.incomplete,
          "an OpenMP barrier lacks records of some threads of the team; no waiting was computed for it",
          "normal at the end of a killed job; otherwise a thread's records are missing: record again");
    count("mismatched-team", Severity::warning, damage.mismatched,
          "threads of a team are at different OpenMP barriers; no waiting was computed",
          "normal in a parallel region that the program cancels; otherwise records of a thread are missing: record "
          "again");
    count("ambiguous-team", Severity::warning, damage.ambiguous,
          "it is not known which team visits of OpenMP parallel regions or barriers belong to (nested parallelism); no "
          "waiting was computed for them",
          "record the team's forks, or without nested parallelism");
    count("unreleased-lock", Severity::warning, damage.unreleased,
          "a lock of threads was taken that its holder never released, by the trace",
          "records of a thread are missing: record again");
    count("lock-outside-call", Severity::warning, outside,
          "a lock of threads was taken outside a call that is known to take locks; its waiting is not known",
          "record with Score-P, which puts these records inside the region of their call");
  }

  const DomainContext& context_;
  std::vector<std::unique_ptr<ThreadLog>> logs_;
};

bool concerns_threads(const trace::Definitions& definitions) {
  return std::any_of(definitions.regions.begin(), definitions.regions.end(), [](const trace::Region& region) {
    const RegionTraits traits = classify_region(region);
    return traits.is_parallel ||
           (traits.account >= Account::other_openmp && traits.account <= Account::pthread_barrier);
  });
}

}  // namespace

Domain thread_domain() {
  using enum trace::EventKind;
  Domain domain;
  domain.name = "threads";
  domain.kinds = kind_bit(fork) | kind_bit(join) | kind_bit(acquire) | kind_bit(release) | kind_bit(recording_off) |
                 kind_bit(recording_on) | kind_bit(overhead_begin) | kind_bit(overhead_end);
  domain.all_leaves = true;
  domain.rounds = 1;
  domain.concerns = concerns_threads;
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<ThreadPartition>(context);
  };
  return domain;
}

}  // namespace mora::analysis
