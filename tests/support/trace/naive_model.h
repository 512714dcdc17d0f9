/// The naive model: a whole trace in a vector, states by definition (Wolf 1998, 4.2 and 4.3; Hermanns 2004, 5.4). Tests
/// only.
///
/// Every state is kept as sets of event numbers; every pointer is found by looking at all members of a set, but those
/// of messages and transfers, which are given.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "trace/view/view.h"

namespace mora::trace::naive {

struct NaiveState {
  std::set<Position> activations;  ///< R: ENTERs
  std::set<Position> messages;     ///< N: SENDs
  std::set<Position> transfers;    ///< transfer queue: PUT_1TS, GET_1TS, ATOMIC_1TS
  std::set<Position> origins;      ///< origin queue: GET_1TO
  std::set<Position> locks;        ///< WLOCKs and ALOCKs whose release has not come
  std::set<Position> others;       ///< NBC_STARTs, IO_STARTs, FORKs whose end has not come
};

class NaiveModel {
 public:
  /// `events`: in order, without enter pointers and chains of locks; with those of collective exits, and messages that
  /// are received before they are sent with each other as `forward`.
  NaiveModel(const Definitions& definitions, std::vector<ViewEvent> events)
      : definitions_(definitions), events_(std::move(events)) {
    states_.emplace_back();
    for (Position i = 1; i <= events_.size(); ++i) {
      states_.push_back(states_.back());
      transition(i);
    }
  }

  Position size() const { return events_.size(); }
  const ViewEvent& event(Position i) const { return events_[i - 1]; }
  const NaiveState& state(Position i) const { return states_[i]; }

  std::vector<Position> stack(LocationId location, Position at) const {
    return youngest_first(states_[at].activations, [&](Position p) { return event(p).location == location; });
  }
  std::vector<Position> queue(Position at) const {
    return youngest_first(states_[at].messages, [](Position) { return true; });
  }
  std::vector<Position> queue(Position at, std::uint32_t destination) const {
    return youngest_first(states_[at].messages, [&](Position p) { return event(p).peer == destination; });
  }
  std::vector<Position> queue(Position at, std::uint32_t destination, std::uint32_t source) const {
    return youngest_first(states_[at].messages,
                          [&](Position p) { return event(p).peer == destination && rank(p) == source; });
  }
  std::vector<Position> transfers(Position at) const {
    return youngest_first(states_[at].transfers, [](Position) { return true; });
  }
  std::vector<Position> origins(Position at) const {
    return youngest_first(states_[at].origins, [](Position) { return true; });
  }

 private:
  template <class Wanted>
  static std::vector<Position> youngest_first(const std::set<Position>& set, const Wanted& wanted) {
    std::vector<Position> result;
    for (auto it = set.rbegin(); it != set.rend(); ++it) {
      if (wanted(*it)) result.push_back(*it);
    }
    return result;
  }
  std::uint32_t rank(Position p) const { return definitions_.locations[event(p).location].rank; }

  /// Takes the partner out of the set and notes the link both ways.
  void take(std::set<Position>& set, Position i, Position partner) {
    events_[i - 1].link = partner;
    if (partner == 0) return;
    set.erase(partner);
    events_[partner - 1].forward = i;
  }
  void transition(Position i) {
    ViewEvent& e = events_[i - 1];
    NaiveState& s = states_.back();
    e.enter = 0;
    const Position received_before = e.type == EarlType::send ? e.forward : 0;
    if (e.type != EarlType::send && e.type != EarlType::recv) e.forward = 0;
    for (const Position p : s.activations) {
      if (event(p).location == e.location) e.enter = p;  // the youngest in the end
    }
    if (is_exit(e.type)) {
      s.activations.erase(e.enter);
      if (e.enter != 0) events_[e.enter - 1].forward = i;
    }
    switch (e.type) {
      case EarlType::enter:
        s.activations.insert(i);
        break;
      case EarlType::send:
        if (received_before == 0) s.messages.insert(i);
        break;
      case EarlType::recv:
        take(s.messages, i, e.link);
        break;
      case EarlType::get_1to:
        s.origins.insert(i);
        break;
      case EarlType::get_1ts:
        take(s.origins, i, e.link);
        s.transfers.insert(i);
        break;
      case EarlType::put_1ts:
      case EarlType::atomic_1ts:
        s.transfers.insert(i);
        break;
      case EarlType::put_1te:
        take(s.transfers, i, e.link);
        break;
      case EarlType::get_1te:
        take(s.transfers, i, e.link);
        break;
      case EarlType::atomic_1te:
        take(s.transfers, i, e.link);
        break;
      case EarlType::wlock:
      case EarlType::wunlock:
        lock(i, s);
        break;
      case EarlType::alock:
      case EarlType::rlock:
        lock(i, s);
        break;
      case EarlType::nbc_start:
        s.others.insert(i);
        break;
      case EarlType::io_start:
      case EarlType::fork:
        s.others.insert(i);
        break;
      case EarlType::nbc_end:
        take(s.others, i, youngest(s.others, i, EarlType::nbc_start));
        break;
      case EarlType::io_end:
        take(s.others, i, youngest(s.others, i, EarlType::io_start));
        break;
      case EarlType::join:
        take(s.others, i, youngest(s.others, i, EarlType::fork));
        break;
      case EarlType::mpicexit:
      case EarlType::mpiwcexit:
        if (e.link != 0) events_[e.link - 1].forward = i;
        break;
      default:
        break;
    }
  }
  /// Of the same location and id.
  Position youngest(const std::set<Position>& set, Position i, EarlType type) const {
    Position found = 0;
    for (const Position p : set) {
      const ViewEvent& k = event(p);
      if (k.type == type && k.location == event(i).location && k.id == event(i).id) found = p;
    }
    return found;
  }
  bool same_lock(Position a, Position b) const {
    const ViewEvent &x = event(a), &y = event(b);
    const auto window = [](const ViewEvent& e) { return e.type == EarlType::wlock || e.type == EarlType::wunlock; };
    const auto thread = [](const ViewEvent& e) { return e.type == EarlType::alock || e.type == EarlType::rlock; };
    return (window(x) && window(y) && x.window == y.window && x.peer == y.peer) ||
           (thread(x) && thread(y) && rank(a) == rank(b) && x.id == y.id);
  }
  void lock(Position i, NaiveState& s) {
    ViewEvent& e = events_[i - 1];
    e.link = 0;
    for (Position p = 1; p < i; ++p) {
      if (same_lock(p, i)) e.link = p;
    }
    if (e.type == EarlType::wlock || e.type == EarlType::alock) {
      s.locks.insert(i);
      return;
    }
    for (auto p = s.locks.rbegin(); p != s.locks.rend(); ++p) {  // its own youngest
      if (event(*p).location != e.location || !same_lock(*p, i)) continue;
      events_[*p - 1].forward = i;
      s.locks.erase(*p);
      return;
    }
  }
  const Definitions& definitions_;
  std::vector<ViewEvent> events_;
  std::vector<NaiveState> states_;
};

}  // namespace mora::trace::naive
