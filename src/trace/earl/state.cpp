#include "trace/earl/state.h"

#include <algorithm>

namespace mora::trace::earl {

namespace {

/// Waits for an event that closes it.
bool opens(EarlType type) {
  switch (type) {
    case EarlType::send:
    case EarlType::put_1ts:
    case EarlType::atomic_1ts:
    case EarlType::get_1ts:
    case EarlType::get_1to:
    case EarlType::nbc_start:
    case EarlType::io_start:
    case EarlType::fork:
      return true;
    default:
      return false;
  }
}

/// A SEND whose RECV came before it, by the clocks: it is under way at no time.
bool is_received(Position number, const ViewEvent& event) {
  return event.type == EarlType::send && event.forward != 0 && event.forward < number;
}

/// Its link leads to what it closes, not along a chain (locks, exits of collectives).
bool closes(EarlType type) {
  switch (type) {
    case EarlType::recv:
    case EarlType::put_1te:
    case EarlType::get_1te:
    case EarlType::atomic_1te:
    case EarlType::get_1ts:
    case EarlType::nbc_end:
    case EarlType::io_end:
    case EarlType::join:
      return true;
    default:
      return false;
  }
}

}  // namespace

State::State(const Definitions& definitions) : definitions_(&definitions), stacks_(definitions.locations.size()) {}

// ---- Transitions

State::Pointers State::resolve(ViewEvent& e) const {
  Pointers pointers;
  e.enter = 0;
  const auto& stack = stacks_[e.location];
  if (!stack.empty()) {
    pointers.enter = stack.back();
    e.enter = pointers.enter->number;
  }
  if (closes(e.type)) {
    const auto at = open_.find(e.link);
    if (at != open_.end()) pointers.link = at->second;
  }
  return pointers;
}

void State::apply(const EventRef& event) {
  const ViewEvent& e = event->event;
  index_ = event->number;
  auto& stack = stacks_[e.location];
  if (e.type == EarlType::enter) stack.push_back(event);
  if (is_exit(e.type) && !stack.empty()) stack.pop_back();
  if (closes(e.type)) open_.erase(e.link);
  if (opens(e.type) && !is_received(event->number, e)) open_.emplace(event->number, event);
}

void State::undo(const EventRef& event) {
  const ViewEvent& e = event->event;
  index_ = event->number - 1;
  if (opens(e.type)) open_.erase(event->number);
  if (event->link) open_.emplace(e.link, event->link);
  auto& stack = stacks_[e.location];
  if (is_exit(e.type) && e.enter != 0) stack.push_back(event->enter);
  if (e.type == EarlType::enter) stack.pop_back();
}

// ---- Queries

std::vector<Position> State::stack(LocationId location) const {
  std::vector<Position> result;
  for (auto it = stacks_[location].rbegin(); it != stacks_[location].rend(); ++it) result.push_back((*it)->number);
  return result;
}

/// Open events of these types, youngest first.
std::vector<Position> State::open(EarlType a, EarlType b, EarlType c) const {
  std::vector<Position> result;
  for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
    const EarlType type = it->second->event.type;
    if (type == a || type == b || type == c) result.push_back(it->first);
  }
  return result;
}

std::vector<Position> State::queue(std::optional<std::uint32_t> destination,
                                   std::optional<std::uint32_t> source) const {
  std::vector<Position> result = open(EarlType::send, EarlType::send, EarlType::send);
  std::erase_if(result, [&](Position p) {
    const ViewEvent& e = open_.at(p)->event;
    return (destination && e.peer != *destination) || (source && definitions_->locations[e.location].rank != *source);
  });
  return result;
}

std::vector<Position> State::transfers() const {
  return open(EarlType::put_1ts, EarlType::get_1ts, EarlType::atomic_1ts);
}

std::vector<Position> State::origins() const { return open(EarlType::get_1to, EarlType::get_1to, EarlType::get_1to); }

std::uint64_t State::elements() const {
  std::uint64_t count = open_.size();
  for (const auto& stack : stacks_) count += stack.size();
  return count;
}

bool State::operator==(const State& other) const {
  return index_ == other.index_ && stacks_ == other.stacks_ && open_ == other.open_;
}

}  // namespace mora::trace::earl
