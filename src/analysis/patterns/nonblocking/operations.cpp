/// One collector per location: a start opens an operation under its request, a completion closes it. What the operation
/// is may be recorded with either.
#include "analysis/patterns/nonblocking/operations.h"

namespace mora::analysis {

namespace {

constexpr std::uint32_t no_id = 0xFFFFFFFF;

using trace::Event;
using trace::EventKind;

class OperationCollector : public Collector {
 public:
  OperationCollector(const DomainContext& context, cube::LocationId location, RankOperations& operations)
      : context_(context), location_(location), operations_(operations.operations), polled_(operations.polled) {}

  void on_event(const Event& event, const OpenCall& call) override {
    switch (event.kind) {
      case EventKind::collective_request:
        start(event, call);
        break;
      case EventKind::collective_complete:
        complete(event, call);
        break;
      case EventKind::recording_off:
        gaps_.off();
        break;
      case EventKind::recording_on:
        gaps_.on();
        break;
      default:
        break;
    }
  }

  void on_leave(const OpenCall& call, Nanoseconds leave) override {
    const auto first_polled = static_cast<std::uint32_t>(polled_.size());
    if (call.polled != nullptr) polled_.insert(polled_.end(), call.polled->begin(), call.polled->end());
    std::erase_if(starting_, [&](const Pending& p) {
      if (p.call != call.number) return false;
      operations_[p.operation].start_leave = leave;
      operations_[p.operation].start_is_broken = call.is_broken;
      return true;
    });
    std::erase_if(completing_, [&](const Pending& p) {
      if (p.call != call.number) return false;
      NonblockingOperation& operation = operations_[p.operation];
      operation.leave = leave;
      operation.completion_is_broken = call.is_broken;
      operation.first_polled = first_polled;
      operation.polled = static_cast<std::uint32_t>(polled_.size()) - first_polled;
      operation.may_wait = (!call.traits.is_test || operation.polled != 0) && !call.is_broken &&
                           call.traits.account == Account::point_to_point;
      operation.is_mixed = is_mixed(call.completes, completes_collective);
      operation.account = first_kind(call.completes);
      return true;
    });
  }

  void finish(Nanoseconds) override {
    std::uint64_t open = 0;
    std::uint32_t lost = 0;
    for (NonblockingOperation& operation : operations_) {
      if (operation.location != location_) continue;
      open += operation.is_complete ? 0 : 1;
      // After a start on an unknown communicator numbers are as uncertain as after a gap.
      operation.stretch += lost << 16;
      lost += operation.comm == no_id ? 1 : 0;
    }
    const auto count = context_.quality.at(context_.definitions.locations[location_].name);
    count("uncompleted-collective", Severity::info, open,
          "a non-blocking collective was started and its completion is not in the trace",
          "normal at the end of a killed job; otherwise the program frees requests or records are missing");
    count("unknown-request", Severity::warning, unknown_, "a request was completed that was never started",
          "the trace lost its beginning or a record of this location; record again");
    count("unknown-communicator", Severity::warning, unknown_communicator_,
          "collective operations on a communicator or window that the trace does not define",
          "the trace's definitions are incomplete; record again");
  }

 private:
  struct Pending {
    std::uint64_t call = 0;
    std::uint32_t operation = 0;
  };

  /// Some formats tell at the start which operation it is (trace texts), others at its completion (OTF2).
  void describe(const Event& event, NonblockingOperation& operation) {
    if (event.comm >= context_.definitions.communicators.size()) return;
    operation.comm = event.comm;
    operation.root = event.root;
    operation.vector = event.vector;
    operation.collective = event.collective;
    operation.sends = event.bytes != 0;
    operation.receives = event.received != 0;
  }

  void start(const Event& event, const OpenCall& call) {
    NonblockingOperation operation;
    operation.start_enter = operation.start_leave = call.enter;
    operation.start_node = call.node;
    operation.location = location_;
    operation.stretch = gaps_.stretch();
    operation.collective = event.collective;
    describe(event, operation);
    const auto index = static_cast<std::uint32_t>(operations_.size());
    open_.set(event.request, index);
    starting_.push_back(Pending{call.number, index});
    operations_.push_back(operation);
  }

  void complete(const Event& event, const OpenCall& call) {
    const std::uint32_t index = open_.take(event.request);
    if (index == trace::RequestMap::none) {
      ++unknown_;
      return;
    }
    NonblockingOperation& operation = operations_[index];
    describe(event, operation);
    if (operation.comm == no_id) ++unknown_communicator_;
    operation.is_complete = true;
    operation.node = call.node;
    if (call.traits.keeps_own()) {
      operation.enter = operation.leave = call.enter;
      completing_.push_back(Pending{call.number, index});
    } else {  // in another thread's call: it was complete at this instant
      operation.enter = operation.leave = event.time;
    }
  }

  const DomainContext& context_;
  cube::LocationId location_;
  SpillVector<NonblockingOperation>& operations_;
  SpillVector<TimeInterval>& polled_;
  trace::RequestMap open_;  ///< request -> operation
  std::vector<Pending> starting_, completing_;
  trace::RecordingGaps gaps_;
  std::uint64_t unknown_ = 0;
  std::uint64_t unknown_communicator_ = 0;
};

}  // namespace

std::unique_ptr<Collector> make_operation_collector(const DomainContext& context, cube::LocationId location,
                                                    RankOperations& operations) {
  return std::make_unique<OperationCollector>(context, location, operations);
}

}  // namespace mora::analysis
