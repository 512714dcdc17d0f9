// Records beyond MPI's messages, collectives and epochs: atomics, flushes, threads, input and output, counters.
#include <algorithm>

#include "trace/paradigm.h"
#include "trace/readers/otf2/location_reader.h"

namespace mora::trace::otf2 {

void LocationReader::atomic(std::uint64_t stamp, OTF2_AttributeList* list, std::uint64_t window, std::uint32_t remote,
                            OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received, std::uint64_t id) {
  // What fetches nothing is an accumulate, whose record says again at the target what it sent.
  if (type == OTF2_RMA_ATOMIC_TYPE_ACCUMULATE || type == OTF2_RMA_ATOMIC_TYPE_INCREMENT)
    return transfer(EventKind::put, stamp, list, window, remote, sent, sent, id, RmaOperation::accumulate);
  RmaOperation operation = fetching_operation(function());
  if (operation == RmaOperation::none) {
    operation = type == OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE ? RmaOperation::get_accumulate
                : type == OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP   ? RmaOperation::compare_and_swap
                                                                  : RmaOperation::fetch_and_op;
  }
  transfer(EventKind::atomic, stamp, list, window, remote, sent, received, id, operation);
}

void LocationReader::rma_complete(std::uint64_t stamp, std::uint64_t window, std::uint64_t id) {
  Event& e = begin(EventKind::rma_complete, stamp);
  e.request = id;
  e.window = definitions_.windows[window];
  deliver();
}

void LocationReader::rma_sync(std::uint64_t stamp, std::uint64_t window, std::uint32_t remote) {
  const mpi::Function& f = function();
  if (f.rma != RmaOperation::flush && f.rma != RmaOperation::flush_local)
    return user(UserRecord::rma_sync, stamp, window_name(window), 0);
  const bool all = f.id == FunctionId::win_flush_all || f.id == FunctionId::win_flush_local_all;
  Event& e = begin(EventKind::flush, stamp);
  e.rma_operation = f.rma;
  e.window = definitions_.windows[window];
  if (!all && remote != OTF2_UNDEFINED_UINT32) e.peer = window_rank(e.window, remote);
  if (e.window == no_id || (!all && e.peer == no_id)) undefined();
  deliver();
}

void LocationReader::fork(std::uint64_t stamp, std::uint32_t threads, std::uint64_t id) {
  Event& e = begin(EventKind::fork, stamp);
  e.peer = threads;
  e.request = id;
  deliver();
}

void LocationReader::join(std::uint64_t stamp, std::uint64_t id) {
  begin(EventKind::join, stamp).request = id;
  deliver();
}

void LocationReader::thread_lock(EventKind kind, std::uint64_t stamp, std::uint64_t lock) {
  begin(kind, stamp).request = lock;
  deliver();
}

void LocationReader::io(EventKind kind, std::uint64_t stamp, std::uint64_t handle, bool collective, std::uint64_t bytes,
                        std::uint64_t id) {
  Event& e = begin(kind, stamp);
  e.file = definitions_.handles[handle];
  e.comm = definitions_.handle_comms[handle];
  e.bytes = bytes == OTF2_UNDEFINED_UINT64 ? 0 : bytes;
  e.request = id;
  e.collective_io = collective;
  if (e.file == no_id) ++undefined_;
  deliver();
}

void LocationReader::io_begin(std::uint64_t stamp, std::uint64_t handle, bool collective, std::uint64_t bytes,
                              std::uint64_t id) {
  if (collective) collective_io_.insert(id);
  io(EventKind::io_begin, stamp, handle, collective, bytes, id);
}

void LocationReader::io_end(std::uint64_t stamp, std::uint64_t handle, std::uint64_t bytes, std::uint64_t id) {
  io(EventKind::io_end, stamp, handle, !collective_io_.empty() && collective_io_.erase(id) != 0, bytes, id);
}

void LocationReader::metric(std::uint64_t stamp, std::uint64_t ref, std::uint8_t n, const OTF2_Type* types,
                            const OTF2_MetricValue* values) {
  const std::uint32_t set = definitions_.metrics[ref];
  const std::size_t members = set == no_id ? 0 : definitions_.metric_sets[set].size();
  if (members != n) ++undefined_;
  const std::size_t known = std::min<std::size_t>(members, n);
  if (known == 0) return plain(EventKind::other, stamp);
  const std::uint64_t clamped = repairs_.clamped;
  Event& e = begin(EventKind::metric, stamp);
  repairs_.clamped += (known - 1) * (repairs_.clamped - clamped);  // counted for each event
  const std::uint32_t* const counters = definitions_.metric_sets[set].data();
  if ((wanted_ & kind_bit(EventKind::metric)) == 0) {
    undefined_ += static_cast<std::uint64_t>(std::count(counters, counters + known, no_id));
    return;
  }
  for (std::size_t i = 0; i < known; ++i) {
    e.kind = EventKind::metric;
    e.vector = counters[i];
    set_metric_value(e, types[i] == OTF2_TYPE_DOUBLE  ? metric_value(values[i].floating_point)
                        : types[i] == OTF2_TYPE_INT64 ? metric_value(values[i].signed_int)
                                                      : metric_value(values[i].unsigned_int));
    if (e.vector == no_id) undefined();
    deliver();
  }
}

void LocationReader::number_parameter(std::uint64_t stamp, std::uint64_t parameter, const MetricValue& value) {
  Event& e = begin(EventKind::metric, stamp);
  e.vector = definitions_.number_parameters[parameter];
  set_metric_value(e, value);
  if (e.vector == no_id) undefined();
  deliver();
}

void LocationReader::text_parameter(std::uint64_t stamp, std::uint64_t parameter, std::uint64_t text) {
  Event& e = begin(EventKind::user, stamp);
  e.vector = definitions_.text_parameters[parameter];
  const std::uint32_t index = definitions_.texts[text];
  e.request = index == no_id ? 0 : index;
  if (e.vector == no_id || index == no_id) ++undefined_;
  if (e.vector == no_id) e.kind = EventKind::other;
  deliver();
}

bool LocationReader::in_shmem() const {
  if (stack_.empty()) return false;
  return paradigm_of(definitions_.trace.regions[stack_.back().region]) == Paradigm::shmem;
}

bool LocationReader::shmem_lock(EventKind kind, std::uint64_t stamp, std::uint64_t lock) {
  if (!in_shmem()) return false;
  if (kind == EventKind::other)
    ++records_;  // asked for; what counts is that it was got
  else
    thread_lock(kind, stamp, lock);
  return true;
}

void LocationReader::user(UserRecord record, std::uint64_t stamp, std::uint32_t text, std::uint64_t number,
                          std::uint32_t file) {
  Event& e = begin(EventKind::user, stamp);
  e.vector = static_cast<std::uint32_t>(record);
  e.request = text == no_id ? 0 : text;
  e.bytes = number;
  e.file = file;
  deliver();
}

/// In archives by Mora functions have paths; others' samples name a region.
void LocationReader::sample(std::uint64_t stamp, std::uint64_t context) {
  const CallerId caller = definitions_.callers[context];
  if (caller == no_id) return user(UserRecord::sample, stamp, context_name(context), 0);
  Event& e = begin(EventKind::sample, stamp);
  e.vector = caller;
  deliver();
}

std::uint32_t LocationReader::handle_name(std::uint64_t handle) const {
  const std::uint32_t file = definitions_.handles[handle];
  return file == no_id ? no_id : definitions_.file_names[file];
}

std::uint32_t LocationReader::file_name(std::uint64_t ref) const {
  const std::uint32_t file = definitions_.files[ref];
  return file == no_id ? no_id : definitions_.file_names[file];
}

std::uint32_t LocationReader::context_name(std::uint64_t context) const {
  const RegionId region = definitions_.contexts[context];
  return region == no_id ? no_id : definitions_.region_names[region];
}

std::uint32_t LocationReader::window_name(std::uint64_t ref) const {
  const WindowId window = definitions_.windows[ref];
  return window == no_id ? no_id : definitions_.window_names[window];
}

}  // namespace mora::trace::otf2
