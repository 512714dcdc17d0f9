/// The domain "active target". Match: a collector per location hands finished calls to the epochs of its rank
/// (rank_epochs). Two exchanges: in round 0 epochs come together (transactions), in round 1 fences (fence_epochs).
#include "analysis/patterns/domains.h"

#include <memory>

#include "analysis/patterns/active_target/fence_epochs.h"
#include "analysis/patterns/active_target/transactions.h"
#include "trace/links/recording_gaps.h"

namespace mora::analysis {

namespace {

using trace::Event;
using trace::EventKind;
using trace::no_id;

class EpochCollector : public Collector {
 public:
  EpochCollector(const trace::Definitions& definitions, cube::LocationId location, RankEpochs& epochs)
      : definitions_(definitions), location_(location), epochs_(epochs) {}

  void on_event(const Event& event, const OpenCall& call) override;

  void on_leave(const OpenCall& call, Nanoseconds leave) override {
    std::size_t first = open_.size();
    while (first > 0 && open_[first - 1].visit == call.number) --first;
    for (std::size_t i = first; i < open_.size(); ++i) {
      open_[i].call.leave = leave;
      open_[i].call.broken = call.is_broken;
      epochs_.add(open_[i]);
    }
    open_.resize(first);
  }

 private:
  /// What the record says; false: nothing of interest.
  bool describe(const Event& event, const OpenCall& call, EpochRecord& record);

  const trace::Definitions& definitions_;
  const cube::LocationId location_;
  RankEpochs& epochs_;
  std::vector<EpochRecord> open_;  ///< of calls that are not left yet
  trace::RecordingGaps gaps_;
};

bool EpochCollector::describe(const Event& event, const OpenCall& call, EpochRecord& record) {
  using Kind = EpochRecord::Kind;
  using trace::RmaOperation;
  Account account = Account::post_start_complete_wait;
  record.partner = event.peer;
  switch (event.kind) {
    case EventKind::group_sync:
      record.partner = event.group;
      if (event.rma_operation == RmaOperation::start) {
        record.kind = Kind::start;
      } else if (event.rma_operation == RmaOperation::post) {
        record.kind = Kind::post;
      } else if (event.rma_operation == RmaOperation::complete) {
        record.kind = Kind::complete;
      } else if (event.epoch_closed) {  // a test that failed changes nothing
        record.kind = Kind::close;
        record.by_test = event.rma_operation == RmaOperation::test;
      } else {
        return false;
      }
      break;
    case EventKind::rma_collective_end: {
      record.kind = Kind::collective;
      record.operation = event.rma_operation;
      const bool is_fence = event.rma_operation == RmaOperation::fence;
      account = is_fence ? Account::fence : Account::window_handling;
      const trace::CommId comm = definitions_.windows[event.window].comm;
      if (comm != no_id && definitions_.communicators[comm].self) return false;
      if (is_shmem(call.traits.account)) return false;
      // One that lies elsewhere is counted by the matcher, and has its number all the same.
      if (call.traits.account != account) record.operation = trace::RmaOperation::none;
      return true;
    }
    case EventKind::lock_request:
      record.kind = Kind::lock;
      return true;
    case EventKind::lock_release:
      record.kind = Kind::unlock;
      return true;
    default:
      record.kind = Kind::access;
      account = Account::one_sided;
      if (event.peer == no_id) return false;            // MPI_PROC_NULL
      if (is_shmem(call.traits.account)) return false;  // no epochs there
      break;
  }
  bool fits = call.traits.account == account;
  // A call opens or ends one epoch; its time cannot be charged twice.
  if (event.kind == EventKind::group_sync && !open_.empty() && open_.back().visit == call.number) fits = false;
  if (!fits) epochs_.count_outside_call();
  return fits;
}

void EpochCollector::on_event(const Event& event, const OpenCall& call) {
  if (event.kind == EventKind::recording_off) gaps_.off();
  if (event.kind == EventKind::recording_on) gaps_.on();
  if (event.window == no_id || event.window >= definitions_.windows.size()) return;
  EpochRecord record;
  if (!describe(event, call, record)) return;
  record.window = event.window;
  record.stretch = gaps_.stretch();
  record.time = event.time;
  record.begin = call.begin;
  record.visit = call.number;
  record.call.enter = record.call.leave = call.enter;
  record.call.location = location_;
  record.call.call_path = call.node;
  open_.push_back(record);
}

class ActiveTarget : public DomainPartition {
 public:
  explicit ActiveTarget(const DomainContext& context) : context_(context) {}

  std::unique_ptr<Collector> collector(cube::LocationId location) override {
    const std::uint32_t rank = context_.definitions.locations[location].rank;
    if (ranks_.empty() || ranks_.back()->rank() != rank) {
      std::size_t threads = 0;
      for (cube::LocationId l = location; l < context_.definitions.locations.size(); ++l) {
        const trace::Location& other = context_.definitions.locations[l];
        if (other.rank != rank) break;
        threads += other.kind == trace::LocationKind::cpu ? 1 : 0;
      }
      ranks_.push_back(std::make_unique<RankEpochs>(context_.definitions, rank, threads));
    }
    return std::make_unique<EpochCollector>(context_.definitions, location, *ranks_.back());
  }

  void send(unsigned round, std::vector<Buffer>& outgoing) override {
    for (const auto& epochs : ranks_) {
      if (round == 0) {
        epochs->finish();
        send_epochs(*epochs, context_, outgoing);
      } else {
        send_fences(*epochs, context_, outgoing);
      }
    }
  }

  void receive(unsigned round, const std::vector<Buffer>& incoming) override {
    std::vector<BufferReader> readers(incoming.begin(), incoming.end());
    if (round == 1) {
      score_fences(readers, context_);
      return;
    }
    SeenEpochs seen;
    for (BufferReader& in : readers) seen.take(in);
    for (const auto& epochs : ranks_) seen.score(*epochs, context_);
  }

 private:
  const DomainContext& context_;
  std::vector<std::unique_ptr<RankEpochs>> ranks_;
};

}  // namespace

Domain active_target_domain() {
  Domain domain;
  domain.name = "active target";
  for (const EventKind kind :
       {EventKind::group_sync, EventKind::rma_collective_end, EventKind::lock_request, EventKind::lock_release,
        EventKind::put, EventKind::get, EventKind::atomic, EventKind::recording_off, EventKind::recording_on}) {
    domain.kinds |= kind_bit(kind);
  }
  domain.rounds = 2;
  domain.concerns = [](const trace::Definitions& definitions) { return !definitions.windows.empty(); };
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<ActiveTarget>(context);
  };
  return domain;
}

}  // namespace mora::analysis
