// One-sided communication.
#include "experiment/convert/translator.h"

namespace mora::experiment {

namespace {

using mpi::RmaOperation;

constexpr auto both_levels = static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);

bool allocates(const mpi::Function& f) {
  return f.standard == mpi::FunctionId::win_allocate || f.standard == mpi::FunctionId::win_allocate_shared;
}

}  // namespace

void Translator::transfer(const Record& r, const mpi::Function& f, std::uint64_t enter) {
  const auto win = window(r);
  if (win == no_id) return;
  const auto target = pair_low(r.payload[0]);
  const std::uint64_t id = static_cast<std::uint32_t>(pair_high(r.payload[0]));
  const RmaOperation fetching = mpi::fetching_operation(f);
  const auto at_origin = r.payload[1], at_target = r.payload[2];
  archive::Attributes attributes;
  set_range(r, win, attributes);
  attributes.reduction = static_cast<std::uint8_t>(r.payload[5] >> 56);
  attributes.has_received = fetching == RmaOperation::none && at_origin != at_target;
  if (f.rma == RmaOperation::get) {
    attributes.received = at_origin;
    out_.get(enter, win, peer(target), at_target, id, attributes);
  } else if (fetching != RmaOperation::none) {
    const auto type = fetching == RmaOperation::compare_and_swap ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                                                 : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    out_.atomic(enter, win, peer(target), type, at_origin, at_target, id, attributes);
  } else {
    attributes.received = at_target;
    out_.put(enter, win, peer(target), at_origin, id, attributes);
  }
  transfers_[win].push_back({id, target});
  if (r.payload.size() > 6) requested_transfers_[r.payload[6]] = {win, id};
}

void Translator::set_range(const Record& r, std::uint32_t win, archive::Attributes& attributes) const {
  const auto& p = r.payload;
  const auto unit = job_.window_units.of(job_.definitions, win, static_cast<std::uint32_t>(pair_low(p[0])), rank_);
  if (unit == 0) return;
  attributes.has_range = true;
  attributes.offset = p[3] * unit + p[4];
  attributes.extent = p[5] & ((std::uint64_t{1} << 56) - 1);
}

void Translator::flush_window(const Record& r, const mpi::Function& f, std::uint64_t leave) {
  const auto win = window(r);
  if (win == no_id) return;
  const auto target = pair_low(r.payload[0]);
  // MPI_Win_flush_local: the origin's buffers are free, the target may still wait for the data.
  if (f.rma == RmaOperation::flush) complete_transfers(win, target, leave, true);
  out_.flush(leave, win, target < 0 ? OTF2_UNDEFINED_UINT32 : peer(target));
}

void Translator::complete_transfers(std::uint32_t win, std::int32_t target, std::uint64_t leave, bool remote) {
  const auto it = transfers_.find(win);
  if (it == transfers_.end()) return;
  auto& list = it->second;
  for (const auto& t : list)
    if (target < 0 || t.target == target) out_.rma_complete(leave, win, t.id, remote);
  std::erase_if(list, [&](const Transfer& t) { return target < 0 || t.target == target; });
}

void Translator::window_collective(const Record& r, const mpi::Function& f, std::uint64_t enter, std::uint64_t leave) {
  const auto local = ids_.window(r.object);
  const auto win = window(r);
  if (win == no_id) return;
  archive::Attributes attributes;
  attributes.assertion = static_cast<std::uint32_t>(pair_low(r.payload[0]));
  const bool allocated = allocates(mpi::function(local.function));
  out_.rma_collective_begin(enter);
  if (f.rma == RmaOperation::win_create) {
    out_.window_create(leave, win);
    out_.rma_collective_end(leave, allocates(f) ? OTF2_COLLECTIVE_OP_ALLOCATE : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                            OTF2_RMA_SYNC_LEVEL_PROCESS, win, {});
  } else if (f.rma == RmaOperation::win_free) {
    out_.window_free(leave, win);
    out_.rma_collective_end(leave, allocated ? OTF2_COLLECTIVE_OP_DEALLOCATE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                            OTF2_RMA_SYNC_LEVEL_PROCESS, win, {});
  } else {
    complete_transfers(win, -1, leave, false);
    out_.rma_collective_end(leave, OTF2_COLLECTIVE_OP_BARRIER, both_levels, win, attributes);
  }
}

void Translator::group_sync(const Record& r, const mpi::Function& f, std::uint64_t leave) {
  const auto win = window(r);
  if (win == no_id || (r.flags & MORA_FLAG_FAILED)) return;
  archive::Attributes attributes;
  attributes.assertion = static_cast<std::uint32_t>(pair_high(r.payload[0]));
  const auto group = ids_.group(static_cast<std::uint32_t>(pair_low(r.payload[0])));
  OTF2_RmaSyncLevel level = both_levels;
  if (f.rma == RmaOperation::post || f.rma == RmaOperation::start) level = OTF2_RMA_SYNC_LEVEL_PROCESS;
  if (f.rma == RmaOperation::test && !(r.flags & MORA_FLAG_EPOCH_CLOSED)) level = OTF2_RMA_SYNC_LEVEL_NONE;
  if (f.rma == RmaOperation::complete) complete_transfers(win, -1, leave, false);
  out_.group_sync(leave, level, win, group, attributes);
}

void Translator::lock(const Record& r, const mpi::Function& f, std::uint64_t leave) {
  const auto win = window(r);
  if (win == no_id) return;
  const auto target = pair_low(r.payload[0]);
  if (f.rma == RmaOperation::unlock) {
    complete_transfers(win, target, leave, true);
    out_.lock_release(leave, win, peer(target));
  } else {
    archive::Attributes attributes;
    attributes.assertion = static_cast<std::uint32_t>(r.payload[1]);
    out_.lock_request(leave, win, peer(target), pair_high(r.payload[0]) == 1, attributes);
  }
}

}  // namespace mora::experiment
