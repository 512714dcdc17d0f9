#include "trace/earl/random_adapter.h"

#include <string>

namespace mora::trace::earl {

// ---- Cursor

// Inside the history every event needed is in memory, and a state can be moved both ways.
void RandomAdapter::Cursor::move(Position at) {
  const auto event = [&](Position number) -> const EventRef& {
    return history[static_cast<std::size_t>(number - first())];
  };
  while (state.index() > at) state.undo(event(state.index()));
  while (state.index() < at) state.apply(event(state.index() + 1));
}

void RandomAdapter::Cursor::restart(const Bookmark& at) {
  state = at.state;
  next = at.next;
  front = at.state.index();
  history.clear();
}

// ---- RandomAdapter

Result<std::unique_ptr<RandomAdapter>> RandomAdapter::make(std::unique_ptr<EventDecoder> decoder,
                                                           const AdapterOptions& options) {
  if (options.hist < 1)
    return fail(ErrorKind::usage, "the history must hold at least one event", "hist", std::to_string(options.hist),
                "give a positive number; the default is 1000");
  if (options.mark < 0)
    return fail(ErrorKind::usage, "the distance of bookmarks cannot be negative", "mark", std::to_string(options.mark),
                "give 0 (one bookmark, at the beginning) or more; the default is 10000");
  return std::unique_ptr<RandomAdapter>(new RandomAdapter(std::move(decoder), options));
}

RandomAdapter::RandomAdapter(std::unique_ptr<EventDecoder> decoder, const AdapterOptions& options)
    : decoder_(std::move(decoder)),
      options_(options),
      bookmarks_{{0, Bookmark{State(decoder_->definitions()), decoder_->position()}}},
      main_(bookmarks_.at(0)) {}

/// Reads one more event at the cursor's front; false at the end of the trace.
Result<bool> RandomAdapter::advance(Cursor& cursor) {
  if (size_ && cursor.front >= *size_) return false;
  if (decoder_at_ != cursor.front) {
    if (!decoder_->seek(cursor.next))
      return fail(ErrorKind::internal, "a position of the trace cannot be reached again",
                  "event " + std::to_string(cursor.front + 1));
    ++seeks_;
  }
  decoder_at_.reset();
  MORA_TRY(auto record, decoder_->read());
  decoder_at_ = cursor.front;
  if (!record) {
    size_ = cursor.front;
    return false;
  }
  ++decoded_;
  cursor.move(cursor.front);
  const Position number = cursor.front + 1;
  EventRef event = buffer_.find(number);
  if (!event) {
    auto [enter, link] = cursor.state.resolve(*record);
    event = buffer_.add(number, *record, std::move(enter), std::move(link));
  }
  cursor.state.apply(event);
  cursor.history.push_back(std::move(event));
  if (cursor.history.size() > static_cast<std::uint64_t>(options_.hist)) cursor.history.pop_front();
  cursor.front = number;
  cursor.next = decoder_->position();
  decoder_at_ = number;
  if (options_.mark > 0 && number % static_cast<std::uint64_t>(options_.mark) == 0)
    bookmarks_.try_emplace(number, Bookmark{cursor.state, cursor.next});
  return true;
}

Result<bool> RandomAdapter::advance_to(Cursor& cursor, Position number) {
  while (cursor.front < number) {
    MORA_TRY(const bool more, advance(cursor));
    if (!more) return false;
  }
  return true;
}

Result<std::optional<ViewEvent>> RandomAdapter::get(Position number) {
  if (number == 0 || (size_ && number > *size_)) return std::nullopt;
  if (!main_.has_event(number)) {
    const auto& [p, bookmark] = *std::prev(bookmarks_.lower_bound(number));  // the youngest with p < number
    if (number <= main_.front || (options_.forward == ForwardJump::nearest && p > main_.front)) main_.restart(bookmark);
    MORA_TRY(const bool there, advance_to(main_, number));
    if (!there) return std::nullopt;
  }
  pointer_ = number;
  return main_.history[static_cast<std::size_t>(number - main_.first())]->event;
}

Result<std::optional<ViewEvent>> RandomAdapter::next() { return get(pointer_ + 1); }

Result<std::optional<ViewEvent>> RandomAdapter::prev() {
  if (pointer_ <= 1) return std::nullopt;
  return get(pointer_ - 1);
}

/// Puts the second cursor where the fewest records separate it from S_at_most: where it is, at a bookmark, at the main
/// one.
void RandomAdapter::start_second(Position at_most) {
  const auto& [p, bookmark] = *std::prev(bookmarks_.upper_bound(at_most));
  if (second_ && second_->front <= at_most && second_->front >= p &&
      (main_.front > at_most || main_.front <= second_->front))
    return;
  if (!second_) second_.emplace(bookmark);
  if (main_.front > p && main_.front <= at_most) {
    main_.move(main_.front);
    second_->restart({main_.state, main_.next});
  } else {
    second_->restart(bookmark);
  }
}

Result<std::optional<ViewEvent>> RandomAdapter::fetch(Position number) {
  if (number == 0 || (size_ && number > *size_)) return std::nullopt;
  if (const EventRef event = buffer_.find(number)) return event->event;
  start_second(number - 1);
  MORA_TRY(const bool there, advance_to(*second_, number));
  if (!there) return std::nullopt;
  return second_->history.back()->event;
}

/// S_at, valid until the next call.
Result<State*> RandomAdapter::state(Position at) {
  Cursor* cursor = &main_;
  if (!main_.has_state(at)) {
    if (!second_ || !second_->has_state(at)) {
      start_second(at);
      MORA_TRY(const bool there, advance_to(*second_, at));
      if (!there)
        return fail(ErrorKind::usage, "no such state", "state " + std::to_string(at),
                    "the trace has " + std::to_string(*size_) + " events", "ask for 0 or the number of an event");
    }
    cursor = &*second_;
  }
  cursor->move(at);
  return &cursor->state;
}

Result<std::vector<Position>> RandomAdapter::stack(Position at, LocationId location) {
  const std::size_t count = definitions().locations.size();
  if (location >= count)
    return fail(ErrorKind::usage, "undefined nodenumber", "location " + std::to_string(location),
                "the trace has " + std::to_string(count) + " locations");
  MORA_TRY(const State* s, state(at));
  return s->stack(location);
}

Result<void> RandomAdapter::check_rank(std::optional<std::uint32_t> rank) const {
  if (!rank || *rank < definitions().world_size) return {};
  return fail(ErrorKind::usage, "undefined nodenumber", "rank " + std::to_string(*rank),
              "the trace has " + std::to_string(definitions().world_size) + " ranks");
}

Result<std::vector<Position>> RandomAdapter::queue(Position at, std::optional<std::uint32_t> destination,
                                                   std::optional<std::uint32_t> source) {
  MORA_CHECK_OK(check_rank(destination));
  MORA_CHECK_OK(check_rank(source));
  MORA_TRY(const State* s, state(at));
  return s->queue(destination, source);
}

Result<std::vector<Position>> RandomAdapter::transfers(Position at) {
  MORA_TRY(const State* s, state(at));
  return s->transfers();
}

Result<std::vector<Position>> RandomAdapter::origins(Position at) {
  MORA_TRY(const State* s, state(at));
  return s->origins();
}

AdapterCounters RandomAdapter::counters() const {
  return {decoded_, seeks_, buffer_.live(), buffer_.peak(), bookmarks_.size()};
}

std::vector<Position> RandomAdapter::bookmarks() const {
  std::vector<Position> numbers;
  for (const auto& [number, bookmark] : bookmarks_) numbers.push_back(number);
  return numbers;
}

}  // namespace mora::trace::earl
