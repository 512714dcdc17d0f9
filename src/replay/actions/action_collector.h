/// One location's stream becomes actions (action.h). Cost: O(1) amortised per event; nothing that grows with the events
/// stays in memory but lock epochs and forks. Not thread-safe; locations of one rank in turn, the first thread first.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/actions/action.h"
#include "trace/links/location_ends.h"
#include "trace/mpi_function.h"
#include "trace/source.h"

namespace mora::replay {

class ActionCollector : public trace::EventSink {
 public:
  /// `master`: the actions of the first thread of the same rank, read before; null for the first thread itself.
  /// `threads`: the rank has several.
  ActionCollector(const trace::Source& source, trace::LocationId location, const LocationActions* master, bool threads,
                  Actions& actions);
  /// In the order of the stream. After an error nothing is appended any more; finish() reports it.
  void on_event(const trace::Event& event) override;
  /// The stream is over. An error of any append is reported here.
  Result<void> finish();

 private:
  /// What time in a frame is.
  enum class Pace : std::uint8_t {
    kept,
    dropped,  ///< in an MPI call that only communicates
  };
  struct Frame {
    std::uint32_t node = 0;
    trace::RegionId region = no_id;
    trace::CallClass call = trace::CallClass::none;
    bool synchronous = false;
    bool buffered = false;  ///< MPI_Bsend, MPI_Ibsend: never waits
    bool probes = false;    ///< MPI_Probe: waits for a message
    bool makes_request = false;
    bool is_inside = false;  ///< … a call
    bool met_others = false;
    bool has_acted = false;  ///< some action is of this frame
    WindowCall window_call = WindowCall::none;
    Pace pace = Pace::kept;
    Nanoseconds enter = 0;
    std::uint32_t late = 0;  ///< actions that stand at the frame's leave
  };
  struct OpenIo {
    std::uint64_t request = 0;
    std::size_t depth = 0;
    std::uint32_t key = no_id, serial = 0;
  };
  struct Requested {
    Detail detail;
    bool waits = false;  ///< its completion is an action
  };
  struct OpenCollective {
    Action collect;
    Detail detail;
    std::vector<std::uint32_t> partners;
  };

  void take(const trace::Event& event);
  void pass_time(Nanoseconds time);
  void append(const Action& action);
  void append(const std::vector<std::uint32_t>& partners);
  void emit(Action action, const Detail& detail = {});
  void emit(ActionKind kind, std::uint32_t key, std::uint32_t serial, const Detail& detail = {},
            std::uint8_t flags = 0);
  void emit_at_leave(ActionKind kind, std::uint32_t key, std::uint32_t serial, const Detail& detail = {});
  Nanoseconds kept_of(Nanoseconds amount) const;
  SequenceTraits& traits(std::uint32_t key);
  /// Of the innermost open region; of the program, if none is.
  Nanoseconds enter_time() const { return stack_.empty() ? into_.begin : stack_.back().enter; }
  std::uint32_t child(std::uint32_t parent, trace::RegionId region, std::uint32_t interval);

  void enter(const trace::Event& event);
  void leave(const trace::Event& event);
  void outermost_enter(Nanoseconds time);
  void outermost_leave(Nanoseconds time);
  void send(const trace::Event& event, bool requested);
  void receive(const trace::Event& event);
  std::optional<OpenCollective> collective(const trace::Event& event);
  void collective_end(const trace::Event& event);
  void collective_request(const trace::Event& event);
  void window_collective(const trace::Event& event);
  void whole_program(trace::SequenceKind kind);
  void transfer(const trace::Event& event);
  void transferred(trace::WindowId window, std::uint32_t target, bool at_target = true, bool at_leave = false,
                   WindowCall then = WindowCall::none);
  void works(std::uint32_t peer);
  void request_transferred(const trace::Event& event);
  void group_sync(const trace::Event& event);
  void lock_request(const trace::Event& event);
  void lock_release(const trace::Event& event);
  void io_begin(const trace::Event& event);
  void io_end(const trace::Event& event);
  bool read_partners(const trace::Event& event, std::vector<std::uint32_t>& partners) const;
  bool in_call() const { return !stack_.empty() && stack_.back().call != trace::CallClass::none; }

  const trace::Source& source_;
  const trace::Definitions& definitions_;
  const trace::LocationId location_;
  const std::uint32_t rank_;
  const std::uint64_t factor_;  ///< of computation, millionths
  const LocationActions* master_;
  Actions& actions_;
  LocationActions& into_;
  trace::LocationEnds ends_;
  std::optional<Error> error_;

  std::map<std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>, std::uint32_t> children_;
  std::pair<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> last_child_key_;
  std::uint32_t last_child_ = 0;

  std::vector<Frame> stack_;
  std::vector<std::pair<Action, Detail>> late_;  ///< of all open frames
  std::vector<Requested> requested_;             ///< non-blocking sends, by LocationEnds::place()
  std::uint32_t node_ = 0;
  Nanoseconds last_ = 0, kept_ = 0, dropped_ = 0, idle_ = 0;
  bool started_ = false, finalizes_ = false, unrecorded_ = false, overhead_ = false;
  std::optional<Action> probe_;  ///< which message it found is known by the next action
  std::unordered_map<std::uint64_t, OpenCollective> collectives_;
  trace::OpenLocks<trace::LockTurn> locks_;
  std::optional<OpenIo> io_;
  std::uint32_t last_fork_ = no_id;
  std::uint32_t forks_ = 0, joins_ = 0;
  std::uint64_t added_ = 0;  ///< actions, by the event at hand
};

}  // namespace mora::replay
