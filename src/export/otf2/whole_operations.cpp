#include "export/otf2/whole_operations.h"

#include <vector>

namespace mora::exports {

using trace::EarlType;
using trace::Event;
using trace::EventKind;
using trace::Position;
using trace::View;

namespace {

/// How many must take part; 0: not known.
std::size_t members_of(const View& view, Position exit) {
  const auto& communicators = view.definitions().communicators;
  const trace::CommId comm = view.event(exit).comm;
  if (comm >= communicators.size()) return 0;
  const trace::Communicator& c = communicators[comm];
  return c.self ? 1 : c.members.size() + c.remote_members.size();
}

}  // namespace

// The exits of one operation are a chain in the view: its first one has no link backwards.
WholeOperations::WholeOperations(const View& view, Position forget_every) : view_(view) {
  std::vector<Position> chain;
  for (Position p = 1; p <= view.size(); ++p) {
    if (p % forget_every == 0) view.forget_before(p);
    if (view.type(p) != EarlType::mpicexit || view.link(p) != 0) continue;
    chain.clear();
    for (Position exit = p; exit != 0; exit = view.forward(exit)) chain.push_back(exit);
    if (chain.size() != members_of(view, p)) incomplete_.insert(chain.begin(), chain.end());
  }
}

bool WholeOperations::is_whole_message(Position end) const {
  const Position partner = view_.forward(end) != 0 ? view_.forward(end) : view_.link(end);
  return partner != 0 && view_.definitions().locations[view_.location(partner)].kind == trace::LocationKind::cpu;
}

bool WholeRecords::keeps(const Event& e, std::uint64_t ordinal) {
  switch (e.kind) {
    case EventKind::send:
    case EventKind::receive:
    case EventKind::receive_complete:
      if (keeps_message()) return true;
      break;
    case EventKind::send_request:
      if (keeps_message()) {
        requests_.erase(e.request);
        return true;
      }
      requests_.insert(e.request);
      break;
    case EventKind::send_complete:
    case EventKind::cancelled:
      return requests_.erase(e.request) == 0;
    case EventKind::collective_begin:
      collective_ = keeps_collective(ordinal);
      return collective_;
    case EventKind::collective_end:
      if (collective_) return true;
      break;
    default:
      return true;
  }
  ++left_out_;
  return false;
}

/// Each record of a message is one event of the view, in the same order.
bool WholeRecords::keeps_message() {
  const View& view = operations_.view();
  while (next_message_ < count_) {
    const Position p = view.nth_on(location_, next_message_++);
    if (view.type(p) == EarlType::send || view.type(p) == EarlType::recv) return operations_.is_whole_message(p);
  }
  return false;
}

/// The operation that begins at this record: the next one that is left.
bool WholeRecords::keeps_collective(std::uint64_t ordinal) {
  const View& view = operations_.view();
  for (; next_collective_ < count_; ++next_collective_) {
    const Position p = view.nth_on(location_, next_collective_);
    if (view.type(p) == EarlType::mpicexit && view.event(p).ordinal > ordinal)
      return operations_.is_whole_collective(p);
  }
  return false;
}

}  // namespace mora::exports
