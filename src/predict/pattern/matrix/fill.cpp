/// Collective calls as messages. A call counts once per communicator, as its representative (the lowest member in the
/// trace) made it, and its messages are those of the algorithm that the model chooses (mpi/schedules/algorithm.h).
/// Operations of which every member knows only its own counts (Gatherv, Scatterv, Alltoallv, Alltoallw, neighbourhoods)
/// and calls on inter-communicators go straight: each block one message from its owner to its receiver; blocks of
/// members that are not in the trace are taken from the other side, if it is there. Rules:
/// `collective-decomposed-once`, `library-traffic`, `load-column` (docs/rules.md). Cost: the messages of each distinct
/// call, whatever the number of its executions.
#include "predict/pattern/matrix/fill.h"

#include <algorithm>

namespace mora::predict {

using mpi::Collective;
using mpi::schedule::Algorithm;
using mpi::schedule::CollectiveCase;

namespace {

bool says_something(const Payload& p, const Definitions& d) { return p.count >= 0 && p.type < d.datatypes.size(); }

/// `first` unless it is empty or not significant.
const Payload& either(const Payload& first, const Payload& second, const Definitions& d) {
  if (!says_something(first, d)) return second;
  return first.count == 0 && says_something(second, d) ? second : first;
}

/// The case that the communicator's members agree on, from one member's call. False: it cannot be told from this call.
bool agreed(const Call& call, const Definitions& d, CollectiveCase& c) {
  const Payload* payload = nullptr;
  switch (c.collective) {
    case Collective::barrier:
      return true;
    case Collective::scatter:
    case Collective::reduce_scatter_block:
      payload = &either(call.received, call.sent, d);
      break;
    default:
      payload = call.in_place ? &either(call.received, call.sent, d) : &either(call.sent, call.received, d);
  }
  if (!says_something(*payload, d)) return false;
  c.element = d.datatypes[payload->type].size;
  c.count = static_cast<std::uint64_t>(payload->count);
  if (c.element == 0) c.element = 1, c.count = 0;
  if (c.collective == Collective::reduce_scatter_block && payload == &call.sent && !call.in_place) c.count /= c.ranks;
  return true;
}

std::uint64_t median(std::vector<std::uint64_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// All members know all counts.
bool counts_known_to_all(Operation operation) {
  return info(operation).kind == OperationClass::rootless && info(operation).vector &&
         !mpi::has_partners(mpi::function(operation).collective);
}

bool straight(Operation operation) {
  return info(operation).kind == OperationClass::neighborhood ||
         (info(operation).vector && !counts_known_to_all(operation));
}

}  // namespace

CollectiveFill::CollectiveFill(const PatternTrace& trace, CollectiveModel model)
    : trace_(trace),
      model_(model),
      present_(trace.definitions.world_size),
      representative_(trace.definitions.communicators.size(), no_id) {
  for (const RankTrace& rank : trace.ranks)
    if (rank.rank < present_.size()) present_[rank.rank] = true;
  for (std::size_t i = 0; i < representative_.size(); ++i)
    for (const auto member : trace.definitions.communicators[i].members)
      if (here(member)) representative_[i] = std::min(representative_[i], member);
}

const Communicator* CollectiveFill::communicator(const Call& call) const {
  const auto& all = trace_.definitions.communicators;
  return call.communicator < all.size() ? &all[call.communicator] : nullptr;
}

const std::vector<std::uint64_t>* CollectiveFill::vector(const RankTrace& rank, std::uint32_t index) const {
  return index < rank.vectors.size() ? &rank.vectors[index] : nullptr;
}

DecomposedCollective& CollectiveFill::entry(Operation operation, const std::string& algorithm,
                                            const Communicator& comm) {
  auto& e = entries_[{operation, algorithm, comm.name}];
  e.operation = info(operation).mpi_name;
  e.algorithm = algorithm;
  e.communicator = comm.name;
  e.ranks = size_of(comm) + static_cast<std::uint32_t>(comm.remote.size());
  return e;
}

void CollectiveFill::message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t times,
                             PhaseFill& phase, Traffic& traffic) {
  phase.collective.add(from, to, times, bytes * times);
  traffic += {times, bytes * times};
  if (last_phase_ != &phase || last_bytes_ != bytes || last_cell_ == nullptr) {
    last_phase_ = &phase;
    last_bytes_ = bytes;
    last_cell_ = &phase.sizes[bytes];
  }
  *last_cell_ += times;
}

void CollectiveFill::add(const RankTrace& rank, const Call& call, std::uint64_t times, PhaseFill& phase) {
  const Communicator* comm = communicator(call);
  if (comm == nullptr) {
    without_communicator_ += times;
    return;
  }
  if (comm->members.empty()) return;  // MPI_COMM_SELF
  calls_[{call.communicator, rank.rank}] += times;
  if (!comm->remote.empty()) return add_between_groups(rank, call, *comm, times, phase);
  const auto operation = blocking_form(call.operation);
  // Without the counts of all, each member's own share goes straight to all others.
  const bool counts_missing =
      counts_known_to_all(operation) && !vector(rank, call.received_vector) && !vector(rank, call.sent_vector);
  if (straight(operation) || counts_missing) return add_straight(rank, call, *comm, times, phase);
  if (rank.rank == representative_[call.communicator]) add_uniform(rank, call, *comm, times, phase);
}

void CollectiveFill::add_uniform(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                                 PhaseFill& phase) {
  const auto operation = blocking_form(call.operation);
  CollectiveCase c;
  c.collective = mpi::function(operation).collective;
  c.ranks = size_of(comm);
  if (info(operation).kind == OperationClass::rooted) {
    if (call.peer < 0 || static_cast<std::uint32_t>(call.peer) >= c.ranks) {
      without_payload_ += times;
      return;
    }
    c.root = static_cast<std::uint32_t>(call.peer);
  }
  bool known = agreed(call, trace_.definitions, c);
  c.in_place = call.in_place;
  if (counts_known_to_all(operation)) {
    const auto* blocks = vector(rank, operation == Operation::reduce_scatter ? call.sent_vector : call.received_vector);
    if (blocks == nullptr)
      blocks = vector(rank, operation == Operation::reduce_scatter ? call.received_vector : call.sent_vector);
    c.blocks = *blocks;
    c.blocks.resize(c.ranks);
    known = true;
  }
  if (!known) {
    without_payload_ += times;
    return;
  }
  const auto payload = c.blocks.empty() ? c.bytes() : median(c.blocks);
  phase.payload_volume += times * c.ranks * payload;
  phase.collective_use[operation] += {times, times * payload, times * c.ranks};
  const Algorithm algorithm = choose_algorithm(model_, c);
  auto& e = entry(operation, algorithm.name, comm);
  e.calls += times;
  if (!algorithm.run) return;
  algorithm.run([&](const mpi::schedule::Message& m) {
    message(comm.members[m.from], comm.members[m.to], m.bytes, times, phase, e.traffic);
  });
}

void CollectiveFill::add_straight(const RankTrace& rank, const Call& call, const Communicator& comm,
                                  std::uint64_t times, PhaseFill& phase) {
  const auto operation = blocking_form(call.operation);
  const auto& d = trace_.definitions;
  const auto* sent = vector(rank, call.sent_vector);
  const auto* received = vector(rank, call.received_vector);
  const bool models = model_ != CollectiveModel::none && model_ != CollectiveModel::payload;
  auto& e = entry(operation, models ? "straight" : "none", comm);
  const auto root = world_rank(comm, rank.rank, call.peer);
  const bool represents = rank.rank == representative_[call.communicator];
  if (represents) e.calls += times;
  if (info(operation).kind == OperationClass::neighborhood) {
    std::uint64_t given = 0;
    for (std::size_t i = 1; sent != nullptr && i < sent->size(); i += 2) given += (*sent)[i];
    if (represents) phase.collective_use[operation] += {times, times * given, times * size_of(comm)};
    if (models) neighbors(rank, call, comm, times, phase, e.traffic);
    return;
  }
  const bool rooted = operation == Operation::gatherv || operation == Operation::scatterv;
  // payload x P: the counts of rooted calls are the root's, if it is in the trace.
  if (rooted ? rank.rank == root || (represents && !here(root)) : represents) {
    const auto* counts = operation == Operation::gatherv ? received : sent != nullptr ? sent : received;
    const auto own = std::max(bytes_of(call.sent, d), bytes_of(call.received, d));
    const auto payload = counts != nullptr ? median(*counts) : own;
    phase.payload_volume += times * size_of(comm) * payload;
    phase.collective_use[operation] += {times, times * payload, times * size_of(comm)};
  }
  if (!models) return;
  // Open MPI's MPI_Alltoallv sends blocks without bytes, too, unless in place, its MPI_Alltoallw does not; of MPICH's
  // both do in place, when they exchange in pairs.
  // Non-blocking calls leave them out.
  const bool is_v = call.operation == Operation::alltoallv, is_w = call.operation == Operation::alltoallw;
  const bool also_nothing =
      call.in_place ? model_ == CollectiveModel::mpich && (is_v || is_w) : model_ == CollectiveModel::openmpi && is_v;
  const auto send = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    if ((bytes > 0 || also_nothing) && from != to && from != no_id && to != no_id)
      message(from, to, bytes, times, phase, e.traffic);
  };
  const auto n = comm.members.size();
  switch (operation) {
    case Operation::gatherv:
      if (rank.rank != root) {
        send(rank.rank, root, bytes_of(call.sent, d));
      } else if (received != nullptr) {
        for (std::size_t i = 0; i < std::min(n, received->size()); ++i)
          if (!here(comm.members[i])) send(comm.members[i], root, (*received)[i]);
      }
      break;
    case Operation::scatterv:
      if (rank.rank == root && sent != nullptr) {
        for (std::size_t i = 0; i < std::min(n, sent->size()); ++i) send(root, comm.members[i], (*sent)[i]);
      } else if (rank.rank != root && !here(root)) {
        send(root, rank.rank, bytes_of(call.received, d));
      }
      break;
    case Operation::alltoallv:
    case Operation::alltoallw: {
      if (sent == nullptr || call.in_place) sent = received;
      if (sent == nullptr) {
        without_payload_ += times;
        break;
      }
      for (std::size_t i = 0; i < std::min(n, sent->size()); ++i) send(rank.rank, comm.members[i], (*sent)[i]);
      for (std::size_t i = 0; received != nullptr && i < std::min(n, received->size()); ++i)
        if (!here(comm.members[i])) send(comm.members[i], rank.rank, (*received)[i]);
      break;
    }
    default:  // allgatherv, reduce_scatter without counts
      if (operation == Operation::reduce_scatter) {
        without_payload_ += times;
        break;
      }
      for (const auto member : comm.members) send(rank.rank, member, bytes_of(call.sent, d));
  }
}

void CollectiveFill::neighbors(const RankTrace& rank, const Call& call, const Communicator& comm, std::uint64_t times,
                               PhaseFill& phase, Traffic& traffic) {
  const auto* sent = vector(rank, call.sent_vector);
  const auto* received = vector(rank, call.received_vector);
  if (sent == nullptr && received == nullptr) {
    // The recorder names the neighbours that a process has; other traces may leave them out.
    const auto& d = trace_.definitions;
    const bool recorded = d.origin == Origin::record || d.origin == Origin::dryrun;
    if (!recorded && bytes_of(call.sent, d) + bytes_of(call.received, d) > 0) without_payload_ += times;
    return;
  }
  // What a process sends to itself (a periodic dimension of one process, a loop of a graph) is a message: both
  // libraries send it as one. They send blocks without bytes, too, where each neighbour has a count of its own, and in
  // non-blocking calls.
  const bool also_nothing = (model_ == CollectiveModel::openmpi || model_ == CollectiveModel::mpich) &&
                            (info(call.operation).vector || call.operation != blocking_form(call.operation));
  for (std::size_t i = 0; sent != nullptr && i + 1 < sent->size(); i += 2)
    if ((*sent)[i] < comm.members.size() && ((*sent)[i + 1] > 0 || also_nothing))
      message(rank.rank, comm.members[(*sent)[i]], (*sent)[i + 1], times, phase, traffic);
  for (std::size_t i = 0; received != nullptr && i + 1 < received->size(); i += 2) {
    if ((*received)[i] >= comm.members.size() || ((*received)[i + 1] == 0 && !also_nothing)) continue;
    const auto from = comm.members[(*received)[i]];
    if (!here(from)) message(from, rank.rank, (*received)[i + 1], times, phase, traffic);
  }
}

void CollectiveFill::add_between_groups(const RankTrace& rank, const Call& call, const Communicator& comm,
                                        std::uint64_t times, PhaseFill& phase) {
  // Both groups' members stand for themselves; blocks go straight to the other group. Of reductions the operands go to
  // the first of the other group, which sends the result to its own group.
  const auto operation = blocking_form(call.operation);
  const bool models = model_ != CollectiveModel::none && model_ != CollectiveModel::payload;
  const bool local = std::find(comm.members.begin(), comm.members.end(), rank.rank) != comm.members.end();
  const auto& mine = local ? comm.members : comm.remote;
  const auto& others = local ? comm.remote : comm.members;
  const auto& d = trace_.definitions;
  auto& e = entry(operation, models ? "straight between groups" : "none", comm);
  if (rank.rank == representative_[call.communicator]) {
    e.calls += times;
    const auto payload = std::max(bytes_of(call.sent, d), bytes_of(call.received, d));
    phase.collective_use[operation] += {times, times * payload, times * e.ranks};
  }
  if (!models || operation == Operation::barrier) return;
  const auto* sent = vector(rank, call.sent_vector);
  const auto send = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    if (bytes > 0 && from != no_id && to != no_id) message(from, to, bytes, times, phase, e.traffic);
  };
  const auto share = bytes_of(call.sent, d);
  const auto to_all = [&] {
    for (std::size_t i = 0; i < others.size(); ++i)
      send(rank.rank, others[i], sent == nullptr ? share : i < sent->size() ? (*sent)[i] : 0);
  };
  const bool at_root = call.peer == root_here;
  const auto root = at_root ? rank.rank : world_rank(comm, rank.rank, call.peer);
  switch (operation) {
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      if (at_root)
        to_all();
      else if (root != no_id && !here(root))
        send(root, rank.rank, bytes_of(call.received, d));
      break;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      if (!at_root && root != no_id) send(rank.rank, root, share);
      break;
    case Operation::allgather:
    case Operation::allgatherv:
      sent = nullptr;
      to_all();
      break;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      to_all();
      break;
    case Operation::allreduce:
      if (!others.empty()) send(rank.rank, others[0], share);
      if (!mine.empty() && rank.rank == mine[0])
        for (const auto member : mine)
          if (member != rank.rank) send(rank.rank, member, share);
      break;
    default:
      not_decomposed_ += times;
  }
}

std::vector<DecomposedCollective> CollectiveFill::finish(DataQuality& quality) {
  const auto row = quality.at("");
  row("communicator-unknown", Severity::warning, without_communicator_,
      "collective calls on a communicator that is not known are not in the matrix",
      "record with `mora pattern record`");
  row("payload-unknown", Severity::warning, without_payload_,
      "collective calls whose bytes are not known are not in the matrix", "record with `mora pattern record`");
  row("collective-not-decomposed", Severity::warning, not_decomposed_,
      "collective calls of kinds without an algorithm here are not in the matrix", "");
  std::map<std::uint32_t, std::uint64_t> differ;
  for (const auto& [key, times] : calls_) {
    const auto first = representative_[key.first];
    const auto said = calls_.find({key.first, first});
    if (said == calls_.end() || said->second != times) ++differ[key.first];
  }
  for (const auto& [comm, ranks] : differ)
    quality.add("collective-count-differs", Severity::warning, trace_.definitions.communicators[comm].name, ranks,
                "ranks made another number of collective calls than the communicator's first one, which stands for all "
                "in the matrix",
                "`mora pattern parse --check` names the first call");
  std::vector<DecomposedCollective> result;
  for (auto& [key, e] : entries_) result.push_back(std::move(e));
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return std::tie(a.operation, a.communicator, a.algorithm) < std::tie(b.operation, b.communicator, b.algorithm);
  });
  return result;
}

}  // namespace mora::predict
