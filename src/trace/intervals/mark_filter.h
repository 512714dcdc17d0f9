/// Removes the calls that are marks from one location's stream, and begins and ends intervals in their place.
///
/// Whether a call is a mark is known from its records only, and whether a message to oneself is one only when it has
/// been received. So the enter of a call that may be one is held back until the next event; from the record of a send
/// to oneself with a mark as tag on, everything is held back until the message is received or it is clear that it is
/// not received next to it.
///
/// Forms: MPI_Send, MPI_Recv; MPI_Isend, then MPI_Recv or MPI_Irecv, then the completions, in calls that follow each
/// other immediately; MPI_Sendrecv; MPI_Pcontrol. A receive posted before the send is not one of them: its post would
/// have to be held back for every MPI_Irecv. Other records of the recorder (counters, user events) between them are
/// kept. Inside MPI calls there are no marks.
///
/// Cost: O(1) per event; at most 64 events are held back, with other records 4,096. One per location; not thread-safe.
#pragma once

#include <optional>
#include <vector>

#include "trace/intervals/interval_source.h"
#include "trace/intervals/open_intervals.h"

namespace mora::trace {

class MarkFilter : public EventSink {
 public:
  /// `rank`: of the location, in MPI_COMM_WORLD.
  MarkFilter(OpenIntervals& intervals, std::uint32_t rank) : intervals_(intervals), rank_(rank) {
    held_.reserve(most_of_mark);
  }

  void on_event(const Event& event) override {
    ++recorded_;
    take(event);
  }
  std::uint64_t kinds() const override { return ~apart_from_marks | intervals_.kinds(); }
  /// The stream is over: what is held back is passed on, open intervals are closed at the last time.
  void finish();
  /// Events of the stream so far, as it was recorded: marks are among them, what takes their place is not.
  std::uint64_t recorded() const { return recorded_; }

 private:
  void take(const Event& event);
  static constexpr std::size_t most_of_mark = 64, most_held = 4096;
  /// May stand between the records of a mark, and say nothing about it.
  static constexpr std::uint64_t apart_from_marks = kind_bit(EventKind::metric) | kind_bit(EventKind::sample) |
                                                    kind_bit(EventKind::user) | kind_bit(EventKind::other);
  static bool is_apart(const Event& event) { return (apart_from_marks & kind_bit(event.kind)) != 0; }

  void keep(const Event& event);               ///< … as it is
  void note_self_message(const Event& event);  ///< one that is no part of a whole mark
  bool is_to_self(const Event& event) const { return event.peer == rank_; }
  bool continues(const Event& event);  ///< whether the event is one that a mark consists of
  bool is_complete() const { return is_control_ || (is_sent_ && is_received_ && !pending_send_); }
  void replace();  ///< what is held is a mark
  void give_up();  ///< … is none

  OpenIntervals& intervals_;
  const std::uint32_t rank_;
  Nanoseconds last_ = 0;
  std::uint64_t recorded_ = 0;
  std::uint64_t half_sends_ = 0;  ///< kept sends whose receives may still come

  // What is held back; empty: nothing, and the following mean nothing.
  std::vector<Event> held_;
  std::size_t held_apart_ = 0;  ///< of these, apart_from_marks
  Mark mark_;
  std::int32_t tag_ = 0;
  bool is_control_ = false, is_sent_ = false, is_received_ = false;
  bool in_call_ = false;
  std::optional<std::uint64_t> pending_send_, pending_receive_;  ///< requests
};

}  // namespace mora::trace
