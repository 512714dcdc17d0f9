/// RandomAdapter: events and states by number, in any order, out of a sequential decoder.
///
/// Source: EARL's buffering, Wolf 1998, 5.3.1; the commands of its language, 6.1.2.
/// Idea: reading goes forward from where it stands; on the way states are kept as bookmarks: S_0, and S_p for every p =
/// mark·i. A read before the history starts again at the youngest bookmark p *before* the event wanted (p < q, because
/// event q is made from its record and S_q-1). The last `hist` consecutive events are the history: inside it neither
/// events nor states cost a read. Everything that events in memory point to is in memory too (event_object.h).
///
/// There are two cursors: the main one follows the read pointer; fetch() and questions about distant states use a
/// second one, so that the next relative read goes on where the last one ended, with at most one seek.
///
/// Cost in decoded records, m events: a whole pass m, each once, no seek; inside history or closure 0; back to q
/// outside: q - p; forward by h: h; a backward pass over the whole trace (mark/hist + 1)/2 per event for hist < mark.
/// Memory: 2·hist events, the states, and their closures; counters() says how many. An event that does not exist is no
/// error: the result is empty. A failed read leaves the read pointer where it is. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "trace/earl/event_decoder.h"
#include "trace/earl/event_object.h"
#include "trace/earl/state.h"

namespace mora::trace::earl {

/// Forward reads beyond the history: read on from the current position, as EARL does, or start at a nearer bookmark if
/// one is known.
enum class ForwardJump : std::uint8_t { read_on, nearest };

struct AdapterOptions {
  std::int64_t hist = 1000;   ///< history in events, >= 1
  std::int64_t mark = 10000;  ///< distance of bookmarks in events, >= 0; 0 = only S_0
  ForwardJump forward = ForwardJump::read_on;
};

struct AdapterCounters {
  std::uint64_t decoded = 0;    ///< records read from the decoder
  std::uint64_t seeks = 0;      ///< changes of the decoder's position
  std::uint64_t live = 0;       ///< events in memory now
  std::uint64_t peak = 0;       ///< … at most so far
  std::uint64_t bookmarks = 0;  ///< states kept, S_0 included
};

class RandomAdapter {
 public:
  /// Errors (kind usage): hist < 1, mark < 0. The decoder must stand before its first event.
  static Result<std::unique_ptr<RandomAdapter>> make(std::unique_ptr<EventDecoder> decoder,
                                                     const AdapterOptions& options);

  // Reading. An empty result: no such event. Events have all pointers as numbers.
  Result<std::optional<ViewEvent>> get(Position number);    ///< sets the read pointer
  Result<std::optional<ViewEvent>> fetch(Position number);  ///< does not (EARL's -fetchonly)
  Result<std::optional<ViewEvent>> next();                  ///< the event after the read pointer, and sets it
  Result<std::optional<ViewEvent>> prev();                  ///< … before it
  void reset() { pointer_ = 0; }
  Position pointer() const { return pointer_; }  ///< 0: before the first event

  // States S_at, youngest event first; EARL asks at pointer(). Errors (usage): no such state, undefined location or
  // rank.
  Result<std::vector<Position>> stack(Position at, LocationId location);
  Result<std::vector<Position>> queue(Position at, std::optional<std::uint32_t> destination = {},
                                      std::optional<std::uint32_t> source = {});
  Result<std::vector<Position>> transfers(Position at);  ///< transfer queue (Hermanns 2004, 5.4)
  Result<std::vector<Position>> origins(Position at);    ///< origin queue: GET_1TOs

  /// Number of events, once the end has been read.
  std::optional<Position> size() const { return size_; }
  const Definitions& definitions() const { return decoder_->definitions(); }
  AdapterCounters counters() const;
  /// First and last event of the history; {1, 0} when empty. Numbers p of the states kept.
  std::pair<Position, Position> history() const { return {main_.first(), main_.front}; }
  std::vector<Position> bookmarks() const;

 private:
  struct Bookmark {
    State state;
    EventDecoder::Mark next;  ///< position of record p + 1
  };
  struct Cursor {
    explicit Cursor(const Bookmark& start) : state(start.state), next(start.next), front(start.state.index()) {}
    State state;              ///< of any event in first() - 1 … front
    EventDecoder::Mark next;  ///< position of record front + 1
    Position front;           ///< youngest event read
    std::deque<EventRef> history;

    Position first() const { return front + 1 - history.size(); }
    bool has_event(Position number) const { return number >= first() && number <= front; }
    bool has_state(Position at) const { return at + 1 >= first() && at <= front; }
    void move(Position at);  ///< state := S_at. Precondition: has_state(at)
    void restart(const Bookmark& at);
  };

  RandomAdapter(std::unique_ptr<EventDecoder> decoder, const AdapterOptions& options);
  Result<bool> advance(Cursor& cursor);
  Result<bool> advance_to(Cursor& cursor, Position number);
  void start_second(Position at_most);
  Result<State*> state(Position at);
  Result<void> check_rank(std::optional<std::uint32_t> rank) const;

  std::unique_ptr<EventDecoder> decoder_;
  const AdapterOptions options_;
  EventBuffer buffer_;  // before all that refers to events
  std::map<Position, Bookmark> bookmarks_;
  Cursor main_;
  std::optional<Cursor> second_;
  Position pointer_ = 0;
  std::optional<Position> size_;
  std::optional<Position> decoder_at_ = 0;  ///< event the decoder has read last; unknown after an error
  std::uint64_t decoded_ = 0, seeks_ = 0;
};

}  // namespace mora::trace::earl
