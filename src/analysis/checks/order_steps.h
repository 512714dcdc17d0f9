/// What happens on a location that orders accesses, beside the links of trace/clock/.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/storage/spool.h"
#include "trace/source.h"

namespace mora::analysis::checks {

/// Records that RuleHalves::records counts: what rma_rules_domain() asks for.
bool is_rule_record(trace::EventKind kind);

enum class StepKind : std::uint8_t {
  issue,     ///< of the tracked access `index` of the location
  complete,  ///< of the tracked accesses that complete at the record `index`
  exposed,   ///< an exposure epoch of `window` is over (MPI_Win_wait): accesses to this process are complete
  unlock,    ///< of window and target (no_id: all)
  lock,      ///< the lock may have been got here
  atomic,    ///< an accumulate on window, target, offset is under way
  fetched,   ///< … its result is there, or what it did is done
  update,    ///< memory of `target` may be changed by what was done before
  look,      ///< the location's process sees what was done to its own memory (MPI_Win_sync)
  anything,  ///< whatever happened before may have been waited for
};

/// 48 bytes. In stream order.
struct OrderStep {
  Nanoseconds time = 0;       ///< when it takes part, by which steps of all locations are followed
  std::uint64_t ordinal = 0;  ///< of the event in its location's stream
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  trace::WindowId window = trace::no_id;
  std::uint32_t target = trace::no_id;
  StepKind kind = StepKind::issue;
  bool is_exclusive = false;
};

/// Reads one location. `issued`, `completed`: records (counted as RuleHalves::records) at which its tracked accesses
/// are issued and complete, ascending, each once. Not thread-safe. O(log open locks) per record.
class StepCollector : public trace::EventSink {
 public:
  StepCollector(const trace::Definitions& definitions, trace::LocationId location, bool follows_updates,
                std::vector<std::uint32_t> issued, std::vector<std::uint32_t> completed, Spool<OrderStep>& steps);
  void on_event(const trace::Event& event) override;
  /// The stream is over. Errors (system): a step could not be spooled.
  Result<void> finish();

 private:
  struct Lock {
    trace::WindowId window = trace::no_id;
    std::uint32_t target = trace::no_id;
    auto operator<=>(const Lock&) const = default;
  };
  struct Place {
    trace::WindowId window = trace::no_id;
    std::uint32_t target = trace::no_id;
    std::uint64_t offset = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Frame {
    Nanoseconds enter = 0;
    trace::RegionId region = trace::no_id;
  };
  void add(StepKind kind, Nanoseconds time, std::uint32_t index = 0);
  void add(OrderStep step);
  void spool(const OrderStep& step);
  void delay(Nanoseconds time, trace::RegionId region);
  void release();
  void count(const trace::Event& event);
  void atomic(const trace::Event& event);
  void leave(Nanoseconds time);
  Nanoseconds enter_time() const { return stack_.empty() ? last_ : stack_.back().enter; }

  const trace::Definitions& definitions_;
  const trace::LocationId location_;
  const bool follows_updates_;
  const std::vector<std::uint32_t> issued_, completed_;
  Spool<OrderStep>& steps_;
  std::vector<Frame> stack_;
  bool is_delaying_ = false;                  ///< in a call that may end an epoch
  OrderStep first_delayed_;                   ///< where its accesses are complete
  std::vector<OrderStep> delayed_;            ///< since the call was entered
  std::map<Lock, bool> held_;                 ///< exclusive
  std::map<Lock, bool> asked_;                ///< got at the leave of the call at the latest
  std::map<Place, std::uint64_t> under_way_;  ///< atomics whose result is not there yet; their number
  std::set<Place> done_;                      ///< … is there when the call is left
  std::set<std::uint64_t> unnamed_;           ///< non-blocking collectives on communicators not yet known
  std::set<std::uint64_t> synchronous_;       ///< requests of synchronous sends
  bool waits_for_anything_ = false;
  std::uint32_t records_ = 0;
  std::size_t next_issued_ = 0, next_completed_ = 0;
  std::uint64_t ordinal_ = 0;
  Nanoseconds last_ = 0;
  std::optional<Error> error_;
};

}  // namespace mora::analysis::checks
