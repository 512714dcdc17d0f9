// Communicators, and the collective operations on them.
#include <algorithm>

#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/kinds.h"
#include "trace/readers/paraver/translator.h"

namespace mora::trace::paraver {

/// A `c:` line. The first communicator of all tasks in their order is called MPI_COMM_WORLD.
void Translator::communicator(const Record& record, std::uint64_t line) {
  Communicator made;
  for (const std::uint64_t member : record.members) {
    const std::uint32_t rank = rank_of({record.object.application, member, 1});
    if (rank == no_id) return damage_.add(paraver_damage::communicator, "line", line);
    made.members.push_back(rank);
  }
  std::vector<std::uint32_t> sorted = made.members;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end() || sorted.empty())
    return damage_.add(paraver_damage::communicator, "line", line);
  auto& all = builder_.definitions().communicators;
  const auto [at, is_new] = comms_.try_emplace({record.object.application, record.id}, static_cast<CommId>(all.size()));
  if (!is_new) return damage_.add(paraver_damage::second_communicator, "line", line);
  made.name = "communicator " + std::to_string(record.id);
  const bool everybody = sorted.size() == first_threads_.size() && made.members == sorted;
  if (everybody && world_ == no_id) {
    made.name = "MPI_COMM_WORLD";
    world_ = at->second;
  }
  all.push_back(std::move(made));
}

void Translator::intercommunicator(const Record& record, std::uint64_t line) {
  const auto local = comms_.find({record.object.application, record.members[0]});
  const auto remote = comms_.find({record.object.application, record.members[2]});
  if (local == comms_.end() || remote == comms_.end()) return damage_.add(paraver_damage::communicator, "line", line);
  auto& all = builder_.definitions().communicators;
  Communicator made;
  made.name = "communicator " + std::to_string(record.id);
  made.members = all[local->second].members;
  made.remote_members = all[remote->second].members;
  if (made.remote_members.empty() || all[local->second].inter() || all[remote->second].inter())
    return damage_.add(paraver_damage::communicator, "line", line);
  if (!comms_.try_emplace({record.object.application, record.id}, static_cast<CommId>(all.size())).second)
    return damage_.add(paraver_damage::second_communicator, "line", line);
  all.push_back(std::move(made));
}

/// Messages do not say on which communicator they were sent: the one of all tasks.
CommId Translator::message_comm() {
  if (world_ == no_id) world_ = builder_.world();
  return world_;
}

/// A value that describes the open collective call; only with its communicator does the call become a collective.
void Translator::collective_value(Place& place, const Record& record, const Record::Pair& pair, std::uint64_t line) {
  if (place.mpi_type == 0 || place.function->call != CallClass::collective) return uninterpreted(pair.type, line);
  CollectiveCall& call = place.collective;
  switch (pair.type) {
    case extrae::send_size:
      call.sent = pair.value.bits;
      return;
    case extrae::receive_size:
      call.received = pair.value.bits;
      return;
    case extrae::is_root:
      call.is_root = pair.value.bits != 0;
      return;
    default:
      break;
  }
  if (call.has_comm) return;
  const auto at = comms_.find({place.application, pair.value.bits});
  if (at == comms_.end()) return damage_.add(paraver_damage::collective, "line", line);
  call.has_comm = true;
  call.comm = at->second;
  Event begin;
  begin.kind = EventKind::collective_begin;
  begin.time = record.time;
  builder_.append(place.location, begin);
}

/// Notes the root where it is named, for the other members (RootedSource in paraver_source.cpp).
void Translator::end_collective(Place& place, Nanoseconds time) {
  const CollectiveCall& call = place.collective;
  if (!call.has_comm) return;
  Event e;
  e.kind = EventKind::collective_end;
  e.time = time;
  e.collective = place.function->collective;
  e.comm = call.comm;
  e.bytes = call.sent;
  e.received = call.received;
  if (is_rooted(e.collective) && !builder_.definitions().communicators[e.comm].inter()) {
    const std::uint32_t ordinal = place.rooted[e.comm]++;
    if (call.is_root) {
      e.root = place.rank;
      if (roots_.size() <= e.comm) roots_.resize(e.comm + 1);
      auto& roots = roots_[e.comm];
      if (roots.size() <= ordinal) roots.resize(ordinal + 1, no_id);
      if (roots[ordinal] == no_id) roots[ordinal] = e.root;
    }
  }
  builder_.append(place.location, e);
}

}  // namespace mora::trace::paraver
