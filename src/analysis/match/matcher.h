/// Matcher: the match stage of one location. It is fed by Source::read_location, adds plain times and counts to the
/// location's call tree, and keeps the halves of messages and collectives; domains get the records that they asked for.
///
/// Idea: a stack of open regions; time passes for the innermost one. Computation between two MPI calls belongs to a
/// node that is known at the second call only, so its time, overlap and counters wait in the frame (Pending) until
/// then. Time of the recorder and time that was not recorded are kept apart (Interruption); a call that reaches into
/// either is marked, so that no waiting is claimed for it.
///
/// Cost: O(1) amortised per event; memory: the stack, open requests, and the halves (halves.h). Limits: a region inside
/// an MPI call marks that call as broken (Mora's rule regions-inside-mpi); sizes above 16 TiB are cut. Not thread-safe:
/// one matcher per location, locations of one rank in turn.
#pragma once

#include <optional>

#include "analysis/core/domain.h"
#include "analysis/match/counter_readings.h"
#include "analysis/match/counters_by_path.h"
#include "analysis/match/halves.h"
#include "analysis/match/interval_shares.h"
#include "analysis/match/interval_visits.h"
#include "analysis/match/poll_loop.h"
#include "analysis/match/request_overlap.h"
#include "analysis/metrics/classification.h"
#include "base/data_quality.h"
#include "trace/links/recording_gaps.h"
#include "trace/links/request_map.h"
#include "trace/source.h"

namespace mora::analysis {

class Matcher : public trace::EventSink {
 public:
  /// `halves` belongs to the location's rank and outlives the matcher; locations of one rank are matched one after
  /// the other, in thread order.
  Matcher(const trace::Definitions& definitions, const std::vector<RegionTraits>& regions, cube::LocationId location,
          RankHalves& halves, DataQuality& quality);

  /// Both before the first event. `timeline` (optional) outlives the matcher; it is filled with what the location was
  /// doing.
  void fill(Timeline& timeline) { timeline_ = &timeline; }
  /// `kinds`: bits of kind_bit(); `all_leaves`: on_leave for every region. At most 32 collectors.
  void add_collector(std::unique_ptr<Collector> collector, std::uint64_t kinds, bool all_leaves);

  void on_event(const trace::Event& event) override;

  /// After the last event, once: closes what is open and adds what stayed incomplete to the data quality.
  void finish();

 private:
  /// What is known of a region since its last MPI call.
  struct Pending {
    Nanoseconds own = 0;
    Nanoseconds overhead = 0;
    Nanoseconds unrecorded = 0;
    std::int64_t instructions = 0;
    std::int64_t cycles = 0;
    CoreReadings core;
    bool has_counted = false;  ///< something in counted_
    bool has_time() const { return own != 0 || overhead != 0 || unrecorded != 0; }
    bool has_counts() const { return has_counted || instructions != 0 || cycles != 0 || core.read != 0; }
  };
  /// An open region, or the program (the first).
  struct Frame {
    std::uint32_t node = 0;
    std::uint32_t region = no_id;
    std::uint32_t call = no_id;    ///< index of RankHalves::calls once a message half is in it
    std::uint32_t from = outside;  ///< last MPI call within this frame
    std::uint32_t next = no_id;    ///< of an iteration that was found: the call that the next one begins with
    Nanoseconds enter = 0;
    Nanoseconds resume = 0;  ///< start of the current exclusive stretch
    Nanoseconds begin = 0;   ///< collective begin
    Pending pending;         ///< since `from`
    std::uint64_t number = 0;
    std::uint32_t chain = Timeline::no_chain;  ///< segments of the timeline that are still without a node
    std::uint32_t touched = 0;                 ///< collectors that saw a record in it
    std::uint32_t interval = 0;                ///< the innermost around it: IntervalVisits
    std::int32_t argument = 0;                 ///< Event::tag of its enter
    std::int64_t polls = 1;                    ///< that it stands for
    std::uint8_t completes = 0;                ///< CompletionKind
    bool is_first_visit = false;               ///< of an interval
    bool found = false;                        ///< completed, cancelled or matched something
    bool is_mpi = false;
    bool keeps_own = false;  ///< a library's call: RegionTraits::keeps_own
    bool had_mpi = false;
    bool is_broken = false;
    bool is_no_call = false;  ///< `call` is call_is_none
  };
  /// A probe, or a loop of probes, whose message the next receive tells.
  struct Probed {
    std::vector<TimeInterval> waits;  ///< empty: none
    std::uint32_t node = 0;
    Nanoseconds polling = 0;
    std::int64_t polls = 0;
  };
  /// What the location is doing apart from the program.
  enum class Interruption { none, overhead, unrecorded };

  // One per kind of record that the matcher itself knows; the rest goes to the collectors only.
  void on_enter(const trace::Event& event);
  void on_leave(const trace::Event& event);
  void on_send(const trace::Event& event);
  void on_receive(const trace::Event& event);
  void on_send_request(const trace::Event& event);
  void on_send_complete(const trace::Event& event);
  void on_receive_request(const trace::Event& event);
  void on_receive_complete(const trace::Event& event);
  void on_cancelled(const trace::Event& event);
  void on_collective_end(const trace::Event& event);
  void on_window_collective_end(const trace::Event& event);
  void on_metric(const trace::Event& event);
  void count_in_intervals(CounterReadings::Counter counter, const CounterReadings::Gain& gain);
  void on_sample(const trace::Event& event);
  void begin_request(trace::RequestMap& open, std::uint64_t number);
  void end_request(trace::RequestMap& open, std::uint64_t number);
  /// Slot of RankHalves::sends * 2, or of receives * 2 + 1; RequestMap::none: it was never started.
  std::uint32_t end_message_request(std::uint64_t number);
  void begin_interruption(Nanoseconds time, Interruption kind);
  void end_interruption(Nanoseconds time);

  void hand_out(const trace::Event& event);
  OpenCall open_call(const Frame& frame) const;
  void mark(Nanoseconds time);
  void begin_segment();
  void account(Nanoseconds time);
  void account_wait(Frame& frame);
  static Nanoseconds& own_for(CompletionKind kind, NodeAmounts& amounts);
  void close_frame(Nanoseconds time);
  // Polls and probes: matcher_polls.cpp.
  bool joins_poll_loop(std::uint32_t region, Nanoseconds time);
  void end_poll_loop();
  void close_poll(Frame& frame, Nanoseconds time);
  void close_probe(Frame& frame, Nanoseconds time);
  void take_probed(std::uint32_t call);
  void waited_before(std::uint32_t call, const std::vector<TimeInterval>& waits, std::uint32_t node);
  void add_pending(std::uint32_t node, Frame& frame);
  void add_samples(std::uint32_t node, std::size_t depth);
  void computes(std::size_t depth) {
    computing_depth_ = depth;
    computing_node_ = no_id;
  }
  /// Call of the innermost frame, made on first use; call_is_none (and counted) if that is no point-to-point call.
  std::uint32_t current_call();
  void make_call(Frame& frame);
  bool is_inside(Account account);
  bool is_silent(const Frame& frame) const;
  std::uint32_t channel(const trace::Event& event, Channels& channels) const;
  /// `id`: communicator or window.
  void add_collective(const Frame& frame, SequenceKind kind, std::uint32_t id, std::uint8_t operation,
                      const trace::Event& event);
  void complete_in(std::uint32_t call);
  std::uint32_t flags_of(const trace::Event& event) const;  ///< of its half

  std::uint32_t parent_of(std::uint32_t region) const;
  /// The node that calls, of functions whose call path is recorded, below the open region or interval.
  std::uint32_t caller_node(std::uint32_t node, std::uint32_t region) {
    return has_callers_ ? tree_.function(node, caller_of(region), definitions_) : node;
  }
  /// The innermost function that the last call of an open region and `next` were both called through, below the region.
  std::uint32_t function_between(const Frame& frame, std::uint32_t next) {
    if (!has_callers_) return frame.node;
    return tree_.function(frame.node, definitions_.common_caller(caller_of(frame.from), caller_of(next)), definitions_);
  }
  trace::CallerId caller_of(std::uint32_t region) const {
    return region < definitions_.regions.size() ? definitions_.regions[region].caller : no_id;
  }

  const trace::Definitions& definitions_;
  const bool has_callers_;  ///< call paths were recorded
  const std::vector<RegionTraits>& regions_;
  RankHalves& halves_;
  DataQuality& quality_;
  LocalCallTree& tree_;
  std::string where_;
  std::uint16_t thread_;
  std::vector<Frame> stack_;
  trace::RequestMap open_;  ///< request of a message -> request of overlap_, whose tag is slot * 2 + (1 for receives)
  trace::RequestMap open_collectives_, open_transfers_, open_io_;  ///< the same, without tags
  RequestOverlap overlap_;
  IntervalVisits intervals_;
  CounterReadings counters_;
  const bool has_kernel_counters_;
  IntervalShares shares_;
  CountersByPath counted_;
  PollLoop polls_;
  Probed probed_;
  /// Samples of open regions whose node is not known yet: depth in the stack, function.
  std::vector<std::pair<std::size_t, trace::CallerId>> samples_;
  std::uint32_t mpi_depth_ = 0;  ///< MPI calls on the stack
  std::optional<Call> last_silent_;
  /// What computed last: depth in the stack, or, once it is known, a node of the call tree.
  std::size_t computing_depth_ = 0;
  std::uint32_t computing_node_ = no_id;
  struct Listener {
    std::unique_ptr<Collector> collector;
    std::uint64_t kinds = 0;
  };
  std::vector<Listener> listeners_;
  std::uint64_t heard_kinds_ = 0;
  std::uint32_t all_leaves_ = 0;  ///< bit per listener
  Timeline* timeline_ = nullptr;
  bool has_mark_ = false;  ///< computation began, and is not in the timeline yet
  Nanoseconds marked_ = 0;
  std::uint64_t visits_ = 0;
  trace::RecordingGaps gaps_;
  std::uint32_t last_sequence_ = no_id;  ///< of collectives
  Interruption interruption_ = Interruption::none;
  Nanoseconds last_ = 0;
  bool started_ = false;
  // counted damage
  std::uint64_t impossible_sizes_ = 0;
  std::uint64_t outside_call_ = 0;
  std::uint64_t unknown_request_ = 0;
  std::uint64_t unposted_ = 0;
  std::uint64_t unknown_partner_ = 0;
  std::uint64_t stray_leaves_ = 0;
  std::uint64_t calls_around_others_ = 0;
};

}  // namespace mora::analysis
