/// Translator: records of a .prv file to events of a trace, in one pass in the file's order.
///
/// Source: Paraver (records); Extrae's event types (extrae.h); rule `paraver` for what they mean in Mora's model.
/// Idea: the file is one stream ordered by time; each location's part of it is that location's stream, except the
/// halves of messages (pending.h). A call to MPI is entered by a value of an MPI event type and left by the type's next
/// 0; user functions nest the same way. README.md lists what becomes of every kind of record, and why.
/// Cost: O(log) per record. Memory: one entry per thread, communicator and region; halves of messages that are not yet
/// in place, up to `memory`, beyond it on disk; receives that are posted and not yet complete, up to `memory`, beyond
/// it without the oldest.
/// Limits: states are regions only if asked for: paraver_source.cpp asks when a first pass has met no other regions;
/// but those in which threads of a process beside its first one do nothing always are. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/mpi_function.h"
#include "trace/readers/building/reading_damage.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/paraver/labels.h"
#include "trace/readers/paraver/late_halves.h"
#include "trace/readers/paraver/pending.h"
#include "trace/readers/paraver/regions.h"
#include "trace/readers/paraver/syntax/header.h"
#include "trace/readers/paraver/syntax/record.h"

namespace mora::trace::paraver {

/// Roots of the rooted collectives of each communicator, in their order. Extrae names the root only on the root itself.
using Roots = std::vector<std::vector<std::uint32_t>>;

class Translator {
 public:
  /// `application`: the one that is read, from 1; the header has it. `late`: what an earlier pass
  /// found, sorted; null in the first one. `memory`: bytes of halves that wait, and of postings.
  Translator(const Header& header, const Labels& labels, TraceBuilder& builder, std::uint64_t application,
             bool states_are_regions, const LateHalves* late, std::size_t memory);

  /// The next record of the file; `line` is for messages.
  void record(const Record& record, std::uint64_t line);
  /// After the last record. Adds to the builder's data quality.
  void finish();

  ReadingDamage& damage() { return damage_; }
  /// The roots of rooted collectives, once, after finish().
  Roots take_roots() { return std::move(roots_); }
  /// Halves that came too late to be put into their calls, or too early, once, after finish(). Nothing in a pass that
  /// was given some.
  LateHalves take_late() { return std::move(found_late_); }
  /// What an earlier pass found could not be read back.
  bool failed() const { return next_late_ && next_late_->failed(); }
  bool any_region() const { return any_region_; }
  bool any_state() const { return states_ > 0; }
  Nanoseconds last_time() const { return last_; }

 private:
  struct CollectiveCall {
    CommId comm = no_id;
    bool has_comm = false, is_root = false;
    std::uint64_t sent = 0, received = 0;
  };
  struct Function {
    RegionId region = no_id;
    std::size_t depth = 0;  ///< of the stack before it
  };
  /// The last call of a direction that ended: whether a half at that very time is its own.
  struct Ended {
    Nanoseconds begin = 0, time = INT64_MIN;
    bool takes_more = false, takes_several = false;
  };
  /// One thread of one task.
  struct Place {
    LocationId location = no_id;
    std::uint32_t rank = 0;
    std::uint64_t application = 0;
    std::uint64_t mpi_type = 0;  ///< event type of the open MPI call; 0 = none
    RegionId mpi_region = no_id;
    const mpi::Function* function = nullptr;
    std::size_t mpi_depth = 0;
    CollectiveCall collective;
    std::vector<Function> functions;
    PendingHalves sends, receives;
    Nanoseconds now = INT64_MIN;  ///< of the last record
    Nanoseconds mpi_begin = 0;
    std::uint32_t sent = 0, received = 0;  ///< halves in the open MPI call
    Ended last_send, last_receive;
    std::multimap<Nanoseconds, std::uint64_t> postings;  ///< end of MPI_Irecv to request
    Nanoseconds forgotten_until = INT64_MIN;             ///< the latest posting that was forgotten
    std::uint64_t requests = 0;
    std::unordered_map<CommId, std::uint32_t> rooted;  ///< rooted collectives so far
    RegionId state = no_id;                            ///< open state, if states are regions
    Nanoseconds state_begin = 0, state_end = 0;
    bool state_begun = false;  ///< its enter is written: not before something later is met
    bool in_overhead = false, is_off = false;
    bool is_seen = false;  ///< a thread that its states show, and until when
    Nanoseconds seen_until = INT64_MIN;
  };

  /// The place of a thread, made when first met; null (and counted) if the header defines no such thread.
  Place* place(const Object& object, std::uint64_t line);
  std::uint32_t rank_of(const Object& object) const;
  void pass_over(const Record& record) { last_ = std::max(last_, record.time); }
  /// Another application of the header than the one that is read.
  bool is_elsewhere(const Object& object) const {
    return object.application != application_ && object.application - 1 < header_.applications.size();
  }

  // Communicators (communicators.cpp).
  void communicator(const Record& record, std::uint64_t line);
  void intercommunicator(const Record& record, std::uint64_t line);
  /// The communicator of all messages: the world's.
  CommId message_comm();

  // Messages (messages.cpp).
  void message(const Record& record, std::uint64_t line);
  void bring_late(Nanoseconds until);
  void advance(Place& place, Nanoseconds time);
  void settle(Place& place, Nanoseconds time);
  bool is_late(const Place& place, const Half& half, bool is_send) const;
  void add_half(const Object& object, const Half& half, bool is_send, std::uint64_t line);
  void note_end(Place& place, Nanoseconds time);
  void emit_send(Place& place, const Half& half);
  void emit_receive(Place& place, const Half& half);
  void add_posting(Place& place, Nanoseconds time);
  /// The request of a receive that was posted then, or a new one.
  std::uint64_t take_posting(Place& place, Nanoseconds time);

  // Calls and values (translator.cpp, values.cpp).
  void events(const Record& record, std::uint64_t line);
  void pair(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site, std::uint64_t line);
  void mpi_event(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                 std::uint64_t line);
  void leave_mpi(Place& place, Nanoseconds time);
  void function_event(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                      std::uint64_t line);
  void collective_value(Place& place, const Record& record, const Record::Pair& pair, std::uint64_t line);
  void end_collective(Place& place, Nanoseconds time);
  void state(const Record& record, std::uint64_t line);
  bool in_library(const Place& place) const;
  void begin_state(Place& place);
  void end_state(Place& place);
  struct Interrupted {
    RegionId region = no_id;
    Nanoseconds end = 0;
  };
  Interrupted interrupt_state(Place& place, Nanoseconds time);
  void resume_state(Place& place, Nanoseconds time, const Interrupted& state);
  /// Begin and end of program, recording, overhead; false if the pair is none of them.
  bool marker(Place& place, Nanoseconds time, const Record::Pair& pair);
  /// A value that is no call: a user event if labelled, a metric if not, counted if its type is unknown.
  void value(Place& place, Nanoseconds time, const Record::Pair& pair, std::uint64_t line);
  void simple(Place& place, Nanoseconds time, EventKind kind);
  void uninterpreted(std::uint64_t type, std::uint64_t line);
  void report_uninterpreted();

  const Header& header_;
  const Labels& labels_;
  TraceBuilder& builder_;
  Regions regions_;
  const bool states_are_regions_;
  const LateHalves* const late_;
  std::optional<LateHalves::Cursor> next_late_;
  const LateHalf* first_late_ = nullptr;  ///< of those that are not yet pending
  LateHalves found_late_;
  const std::size_t most_pending_;
  std::size_t pending_ = 0;  ///< halves of all places
  const std::size_t most_postings_;
  std::size_t postings_ = 0;  ///< of all places

  const std::uint64_t application_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> first_threads_;                                       ///< place of thread 1 of each rank
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> more_threads_;  ///< of (rank, thread)
  std::map<std::pair<std::uint64_t, std::uint64_t>, CommId> comms_;                ///< of (application, id)
  CommId world_ = no_id;
  Roots roots_;
  std::unordered_map<std::uint64_t, std::uint32_t> metrics_;

  struct Uninterpreted {
    std::uint64_t count = 0, line = 0;
  };
  std::map<std::uint64_t, Uninterpreted> uninterpreted_;
  Uninterpreted uninterpreted_rest_;
  ReadingDamage damage_;
  std::uint64_t states_ = 0, idle_states_ = 0, order_ = 0;
  Nanoseconds last_ = INT64_MIN;
  bool any_region_ = false;
};

}  // namespace mora::trace::paraver
