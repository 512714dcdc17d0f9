// One-sided communication, of MPI and of OpenSHMEM. OpenSHMEM's transfers and locks name all processes by one window,
// its collective calls their active set by a window of its own (definitions.h). What such a call does its name says, as
// in archives of others.
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

void Translator::library_call(const Record& r, std::uint64_t enter, std::uint64_t leave) {
  const auto named = thread_.code->functions.find(r.function);
  if (named == thread_.code->functions.end()) return;
  const std::string& name = named->second.name;
  switch (r.shape) {
    case MORA_SHAPE_SHMEM_TRANSFER:
      shmem_transfer(r, name, enter, leave);
      break;
    case MORA_SHAPE_SHMEM_COLLECTIVE:
      shmem_collective(r, name, enter, leave);
      break;
    case MORA_SHAPE_SHMEM_LOCK:
      if (ids_.everyone == no_id || (r.flags & MORA_FLAG_UNSUCCESSFUL) != 0) break;
      if (name.find("_clear_") != name.npos)
        out_.shmem_release(enter, ids_.everyone, r.payload[0]);
      else
        out_.shmem_acquire(leave, ids_.everyone, r.payload[0]);
      break;
    case MORA_SHAPE_THREAD_LOCK:
      thread_lock(r, enter, leave);
      break;
    default:
      break;
  }
}

/// Calls that do not wait for completion (…_nbi) have no record of it: shmem_quiet and barriers complete them all.
void Translator::shmem_transfer(const Record& r, const std::string& name, std::uint64_t enter, std::uint64_t leave) {
  const auto pe = pair_low(r.payload[0]);
  const std::uint64_t id = static_cast<std::uint32_t>(pair_high(r.payload[0])), put = r.payload[1], got = r.payload[2];
  const auto win = ids_.everyone;
  if (win == no_id || pe < 0) return;
  const auto has = [&](const char* word) { return name.find(word) != name.npos; };
  if (!has("put") && !has("get") && !name.ends_with("_p") && !name.ends_with("_g")) {
    const auto type = has("swap") ? (has("compare") || has("cswap") ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP
                                                                    : OTF2_RMA_ATOMIC_TYPE_SWAP)
                      : got != 0  ? OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE
                                  : OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
    out_.atomic(enter, win, peer(pe), type, put, got, id, {});
  } else if (put != 0 || got == 0) {
    out_.put(enter, win, peer(pe), put, id, {});
  } else {
    out_.get(enter, win, peer(pe), got, id, {});
  }
  if (!name.ends_with("_nbi")) out_.rma_complete_blocking(leave, win, id);
}

void Translator::shmem_collective(const Record& r, const std::string& name, std::uint64_t enter, std::uint64_t leave) {
  const auto& p = r.payload;
  const ActiveSet members{pair_low(p[0]), pair_high(p[0]), pair_low(p[1])};
  const auto set = ids_.sets.find(members);
  if (set == ids_.sets.end()) return;  // no processes of this job: the call is enter and leave
  const auto has = [&](const char* word) { return name.find(word) != name.npos; };
  const OTF2_CollectiveOp op = has("_broadcast")  ? OTF2_COLLECTIVE_OP_BCAST
                               : has("_fcollect") ? OTF2_COLLECTIVE_OP_ALLGATHER
                               : has("_collect")  ? OTF2_COLLECTIVE_OP_ALLGATHERV
                               : has("_alltoall") ? OTF2_COLLECTIVE_OP_ALLTOALL
                               : has("_to_all")   ? OTF2_COLLECTIVE_OP_ALLREDUCE
                                                  : OTF2_COLLECTIVE_OP_BARRIER;
  const auto root = pair_high(p[1]);
  out_.rma_collective_begin(enter);
  out_.shmem_collective_end(leave, op, set->second, root < 0 ? OTF2_COLLECTIVE_ROOT_NONE : peer(root), p[2],
                            p[3] == MORA_BYTES_UNKNOWN ? ids_.received(members, r.begin) : p[3]);
}

}  // namespace mora::experiment
