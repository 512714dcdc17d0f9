#include "trace/earl/state.h"

#include <algorithm>

namespace mora::trace::earl {

State::State(const Definitions& definitions) : definitions_(&definitions), stacks_(definitions.locations.size()) {}

// ---- What an event does

std::optional<State::Key> State::opens(const ViewEvent& e) const {
  switch (e.type) {
    case EarlType::send:
      return Key{Queue::message, rank(e), e.peer, e.comm, static_cast<std::uint32_t>(e.tag)};
    case EarlType::put_1ts:
    case EarlType::atomic_1ts:
      return Key{Queue::transfer, rank(e), static_cast<std::uint32_t>(e.type), 0, e.id};
    case EarlType::get_1ts:  // stands at the target, names its origin
      return Key{Queue::transfer, e.peer, static_cast<std::uint32_t>(e.type), 0, e.id};
    case EarlType::get_1to:
      return Key{Queue::origin, rank(e), 0, 0, e.id};
    case EarlType::nbc_start:
      return Key{Queue::request, e.location, 0, 0, e.id};
    case EarlType::io_start:
      return Key{Queue::io, e.location, 0, 0, e.id};
    case EarlType::fork:
      return Key{Queue::fork, e.location, 0, 0, e.id};
    default:
      return {};
  }
}

std::optional<State::Key> State::closes(const ViewEvent& e) const {
  switch (e.type) {
    case EarlType::recv:
      return Key{Queue::message, e.peer, rank(e), e.comm, static_cast<std::uint32_t>(e.tag)};
    case EarlType::put_1te:  // stands at the target, names its origin
      return Key{Queue::transfer, e.peer, static_cast<std::uint32_t>(EarlType::put_1ts), 0, e.id};
    case EarlType::get_1te:
      return Key{Queue::transfer, rank(e), static_cast<std::uint32_t>(EarlType::get_1ts), 0, e.id};
    case EarlType::atomic_1te:
      return Key{Queue::transfer, rank(e), static_cast<std::uint32_t>(EarlType::atomic_1ts), 0, e.id};
    case EarlType::get_1ts:
      return Key{Queue::origin, e.peer, 0, 0, e.id};
    case EarlType::nbc_end:
      return Key{Queue::request, e.location, 0, 0, e.id};
    case EarlType::io_end:
      return Key{Queue::io, e.location, 0, 0, e.id};
    case EarlType::join:
      return Key{Queue::fork, e.location, 0, 0, e.id};
    default:
      return {};
  }
}

std::optional<State::Lock> State::lock(const ViewEvent& e) const {
  if (e.type == EarlType::wlock || e.type == EarlType::wunlock) return Lock{true, e.window, e.peer};
  if (e.type == EarlType::alock || e.type == EarlType::rlock) return Lock{false, rank(e), e.id};
  return {};
}

// ---- Transitions

State::Pointers State::resolve(ViewEvent& e) const {
  Pointers pointers;
  e.enter = e.link = e.forward = 0;
  const auto& stack = stacks_[e.location];
  if (!stack.empty()) {
    pointers.enter = stack.back();
    e.enter = pointers.enter->number;
  }
  if (const auto key = closes(e)) {
    const bool oldest = key->queue <= Queue::origin;
    auto at = open_.lower_bound({*key, oldest ? 0 : UINT64_MAX});
    if (!oldest) at = at == open_.begin() ? open_.end() : std::prev(at);
    if (at != open_.end() && at->first.first == *key) {
      pointers.link = at->second;
      e.link = pointers.link->number;
    }
  }
  if (const auto key = lock(e)) {
    const auto at = locks_.find(*key);
    if (at != locks_.end()) e.link = at->second;
  }
  return pointers;
}

void State::apply(const EventRef& event) {
  const ViewEvent& e = event->event;
  index_ = event->number;
  auto& stack = stacks_[e.location];
  if (e.type == EarlType::enter) stack.push_back(event);
  if (is_exit(e.type) && !stack.empty()) stack.pop_back();
  if (const auto key = closes(e); key && e.link != 0) open_.erase({*key, e.link});
  if (const auto key = opens(e)) open_.emplace(std::pair(*key, event->number), event);
  if (const auto key = lock(e)) locks_[*key] = event->number;
}

void State::undo(const EventRef& event) {
  const ViewEvent& e = event->event;
  index_ = event->number - 1;
  if (const auto key = lock(e)) {
    if (e.link != 0)
      locks_[*key] = e.link;
    else
      locks_.erase(*key);
  }
  if (const auto key = opens(e)) open_.erase({*key, event->number});
  if (const auto key = closes(e); key && e.link != 0) open_.emplace(std::pair(*key, e.link), event->link);
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

std::vector<Position> State::queue(std::optional<std::uint32_t> destination,
                                   std::optional<std::uint32_t> source) const {
  std::vector<Position> result;
  for (const auto& [key, event] : open_) {
    if (key.first.queue != Queue::message) break;
    if ((!destination || key.first.b == *destination) && (!source || key.first.a == *source))
      result.push_back(key.second);
  }
  std::sort(result.rbegin(), result.rend());
  return result;
}

std::vector<Position> State::transfers() const {
  std::vector<Position> result;
  for (const auto& [key, event] : open_) {
    if (key.first.queue == Queue::transfer) result.push_back(key.second);
  }
  std::sort(result.rbegin(), result.rend());
  return result;
}

std::vector<Position> State::origins() const {
  std::vector<Position> result;
  for (const auto& [key, event] : open_) {
    if (key.first.queue == Queue::origin) result.push_back(key.second);
  }
  std::sort(result.rbegin(), result.rend());
  return result;
}

std::uint64_t State::elements() const {
  std::uint64_t count = open_.size();
  for (const auto& stack : stacks_) count += stack.size();
  return count;
}

bool State::operator==(const State& other) const {
  return index_ == other.index_ && stacks_ == other.stacks_ && open_ == other.open_ && locks_ == other.locks_;
}

}  // namespace mora::trace::earl
