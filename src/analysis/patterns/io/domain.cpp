/// Collective file operations: the n-th collective call of each rank on one file is one instance; its members are the
/// communicator that opened the file, as the record says, or the file's definition (OTF2's handles). The barrier
/// formula with full overlap (Mora's rule collective-files-and-shmem). Cost: O(n log n) for n calls
/// (member_sequences.h). Limits: unknown communicators are counted; split and non-blocking calls are charged where they
/// complete, by the matcher.
#include "analysis/patterns/domains.h"

#include <algorithm>

#include "analysis/efficiency/metrics/metrics.h"
#include "analysis/patterns/member_sequences.h"
#include "analysis/patterns/pattern.h"
#include "trace/links/recording_gaps.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t unknown = 0xFFFFFFFF;
enum FileOperation : std::uint32_t { data = 0, management = 1 };

/// Blocking collective calls on files; the others do not wait.
bool is_collective(const mpi::Function& function, Account account) {
  return function.by_all && !function.makes_request &&
         (account == Account::io_collective || account == Account::file_management);
}

class IoPartition : public DomainPartition {
 public:
  explicit IoPartition(const DomainContext& context) : context_(context) {}

  std::unique_ptr<Collector> collector(cube::LocationId location) override;
  void send(unsigned, std::vector<Buffer>& outgoing) override { sequences_.send(context_, outgoing); }
  void receive(unsigned, const std::vector<Buffer>& incoming) override;

  MemberSequences& sequences() { return sequences_; }
  const DomainContext& context() const { return context_; }

 private:
  const DomainContext& context_;
  MemberSequences sequences_;
};

class IoCollector : public Collector {
 public:
  IoCollector(IoPartition& partition, cube::LocationId location)
      : partition_(partition), definitions_(partition.context().definitions), location_(location) {}

  void on_event(const trace::Event& event, const OpenCall& call) override {
    if (event.kind == trace::EventKind::recording_off) gaps_.off();
    if (event.kind == trace::EventKind::recording_on) gaps_.on();
    if (event.file == unknown || call.region >= definitions_.regions.size()) return;
    if (!is_collective(trace::function_of(definitions_.regions[call.region]), call.traits.account)) return;
    if (call.number == number_) return;  // one operation a call
    number_ = call.number;
    file_ = event.file;
    comm_ = event.comm;
    if (comm_ == unknown && file_ < definitions_.file_comms.size()) comm_ = definitions_.file_comms[file_];
  }

  void on_leave(const OpenCall& call, Nanoseconds leave) override {
    if (call.number != number_) return;
    number_ = UINT64_MAX;
    if (comm_ >= definitions_.communicators.size()) {
      ++unknown_;
      return;
    }
    if (definitions_.communicators[comm_].self) return;
    MemberHalf half;
    half.sequence = {trace::SequenceKind::file, comm_, file_, trace::no_id, 0, gaps_.stretch()};
    half.begin = call.begin;
    half.end = leave;
    half.location = location_;
    half.rank = definitions_.locations[location_].rank;
    half.node = call.node;
    // The function's number, so that members in different calls are noticed.
    half.operation = static_cast<std::uint32_t>(definitions_.regions[call.region].function) << 1 |
                     (call.traits.account == Account::io_collective ? data : management);
    half.broken = call.is_broken;
    partition_.sequences().add(half);
  }

  void finish(Nanoseconds) override {
    if (unknown_ == 0) return;
    partition_.context().quality.add("unknown-file-communicator", Severity::warning,
                                     definitions_.locations[location_].name, unknown_,
                                     "the trace does not tell which ranks opened a file together; waiting in "
                                     "collective operations on it is not known",
                                     "record with a tool that names the communicator of files");
  }

 private:
  IoPartition& partition_;
  const trace::Definitions& definitions_;
  cube::LocationId location_;
  std::uint64_t number_ = UINT64_MAX;
  std::uint32_t file_ = unknown;
  std::uint32_t comm_ = unknown;
  trace::RecordingGaps gaps_;
  std::uint64_t unknown_ = 0;
};

std::unique_ptr<Collector> IoPartition::collector(cube::LocationId location) {
  return std::make_unique<IoCollector>(*this, location);
}

void IoPartition::receive(unsigned, const std::vector<Buffer>& incoming) {
  static const cube::MetricId io_wait = metric_index("io-collective-wait");
  static const cube::MetricId file_wait = metric_index("file-collective-wait");
  const trace::Definitions& definitions = context_.definitions;
  MemberSequences::receive(
      incoming, context_,
      [&](const trace::SequenceKey& s) {
        return "file " + (s.b < definitions.files.size() ? definitions.files[s.b] : std::to_string(s.b));
      },
      [&](std::uint32_t operation, const CollectiveInstance& instance) {
        efficiency_of_collective(instance, context_.waits);
        add_full_overlap_waits((operation & 1U) == data ? io_wait : file_wait, instance.members, context_.waits);
      });
}

}  // namespace

Domain io_domain() {
  using enum trace::EventKind;
  Domain domain;
  domain.name = "files";
  domain.kinds =
      kind_bit(io_begin) | kind_bit(io_end) | kind_bit(user) | kind_bit(recording_off) | kind_bit(recording_on);
  domain.rounds = 1;
  domain.concerns = [](const trace::Definitions& definitions) {
    return !definitions.files.empty() &&
           std::any_of(definitions.regions.begin(), definitions.regions.end(),
                       [](const trace::Region& r) { return trace::call_class(r) == trace::CallClass::file; });
  };
  domain.make = [](const DomainContext& context) -> std::unique_ptr<DomainPartition> {
    return std::make_unique<IoPartition>(context);
  };
  return domain;
}

}  // namespace mora::analysis
