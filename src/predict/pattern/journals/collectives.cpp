// Collective calls, which wait for the vectors behind them, and calls that make communicators.
#include <utility>

#include "predict/pattern/journals/reader.h"

namespace mora::predict {

void RankReader::collective(const Record& r, Call& call) {
  const auto& p = r.payload;
  call.communicator = r.object;
  call.in_place = (r.flags & MORA_FLAG_IN_PLACE) != 0;
  const auto kind = info(call.operation).kind;
  if (kind == OperationClass::communicator) {
    communicator(call);
    if (call.operation == Operation::comm_idup)
      start(call, p.size() > 3 ? p[3] : 0);
    else
      calls_.add(call);
    return;
  }
  if (kind == OperationClass::file || call.operation == Operation::other) {
    if (call.operation == Operation::other) call.argument = r.function;
    calls_.add(call);
    return;
  }
  const auto moves = call.operation == Operation::collective_init ? mpi::function(r.function).started : call.operation;
  if (info(moves).kind == OperationClass::rooted) {
    const auto root = pair_low(p[0]);
    call.peer = root == MORA_PEER_ANY ? peer_none : root;  // -2: MPI_PROC_NULL as root of an inter-communicator
  }
  if (blocking_form(moves) != Operation::barrier) {
    if (data_.empty()) {
      call.sent = bytes(p[1]);
      call.received = bytes(p[2]);
    } else {
      call.sent = sent(data_.front());
      call.received = received(data_.front());
    }
  }
  pending_ = call;
  pending_moves_ = moves;
  request_ = p.size() > 3 ? p[3] : 0;
  waiting_ = true;
}

void RankReader::fill_sum(Payload& payload, const std::vector<std::uint64_t>& vector) const {
  if (payload.count >= 0 || payload.type == no_id || !info(pending_moves_).vector || vector.empty()) return;
  const auto size = part_.types[payload.type].size;
  std::uint64_t sum = 0;
  const bool pairs = info(pending_moves_).kind == OperationClass::neighborhood;
  for (std::size_t i = pairs ? 1 : 0; i < vector.size(); i += pairs ? 2 : 1) sum += vector[i];
  payload.count = size == 0 ? 0 : static_cast<std::int64_t>(sum / size);
}

void RankReader::flush_collective() {
  if (!waiting_) return;
  waiting_ = false;
  const bool pairs = info(pending_moves_).kind == OperationClass::neighborhood;
  auto& given = vectors_[pairs ? 2 : 0];
  auto& taken = vectors_[pairs ? 3 : 1];
  fill_sum(pending_.sent, given);
  fill_sum(pending_.received, taken);
  if (!given.empty()) pending_.sent_vector = calls_.vector(std::exchange(given, {}));
  if (!taken.empty()) pending_.received_vector = calls_.vector(std::exchange(taken, {}));
  for (auto& counts : vectors_) counts.clear();
  if (pending_.operation == Operation::collective_init) {
    Call started = pending_;
    started.operation = pending_moves_;
    persistent_[request_] = started;
    Call init = begin(Operation::collective_init);
    init.thread = pending_.thread;
    init.communicator = pending_.communicator;
    calls_.add(init);
  } else if (starts_request(pending_.operation)) {
    start(pending_, request_);
  } else {
    calls_.add(pending_);
  }
}

void RankReader::communicator(Call& call) {
  if (call.operation == Operation::comm_free) return;
  if (new_communicator_ == no_id) {
    Creation none;
    none.made_by = call.operation;
    none.parent = call.communicator;
    none.ordinal = children_[call.communicator]++;
    none.collective = true;
    part_.creations.push_back(none);
    return;
  }
  auto& creation = part_.creations[new_communicator_];
  creation.made_by = call.operation;
  call.argument = creation.made;
  if (call.communicator == creation.made) call.communicator = creation.parent;  // MPI_Comm_create_group and the like
  if (call.operation == Operation::comm_split && !data_.empty() && data_.front().has_word) {
    creation.colored = true;
    creation.color = pair_low(data_.front().word);
    creation.key = call.tag2 = pair_high(data_.front().word);
  }
}

}  // namespace mora::predict
