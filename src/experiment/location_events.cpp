// A record becomes the records that docs/formats/otf2.md lists for its call. Stamps must not decrease on a location:
// what a record says is clamped to the stamp before it (journals are written in order of return, and calls do not nest, so
// that this only touches damaged journals; it is counted).
#include "experiment/location_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "archive/mpi_functions.h"
#include "measure/mpi/function_table.h"

namespace mora::experiment {
namespace {

using archive::no_id;
using journal::pair_high;
using journal::pair_low;
using journal::Record;

constexpr auto both_levels = static_cast<OTF2_RmaSyncLevel>(OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY);

/// What the converter must know of a function beyond its record's shape; looked up once per function.
enum class Meaning : std::uint8_t { plain, put, get, atomic, window_create, window_free, fence, post, start, complete, wait, test, lock, unlock };

struct Function {
  Meaning meaning = Meaning::plain;
  std::optional<OTF2_CollectiveOp> collective;
  OTF2_RmaAtomicType atomic = OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
  bool allocates = false;  ///< MPI_Win_allocate, MPI_Win_allocate_shared
};

Function describe(std::string_view name) {
  Function f;
  f.collective = archive::collective_operation(name);
  if (name.size() > 2 && name.substr(name.size() - 2) == "_c") name.remove_suffix(2);
  auto is = [&](auto... names) { return ((name == names) || ...); };
  if (is("MPI_Put", "MPI_Rput", "MPI_Accumulate", "MPI_Raccumulate")) f.meaning = Meaning::put;
  if (is("MPI_Get", "MPI_Rget")) f.meaning = Meaning::get;
  if (is("MPI_Get_accumulate", "MPI_Rget_accumulate", "MPI_Fetch_and_op", "MPI_Compare_and_swap")) {
    f.meaning = Meaning::atomic;
    f.atomic = is("MPI_Compare_and_swap") ? OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP : OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
  }
  if (is("MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic")) f.meaning = Meaning::window_create;
  f.allocates = is("MPI_Win_allocate", "MPI_Win_allocate_shared");
  if (is("MPI_Win_free")) f.meaning = Meaning::window_free;
  if (is("MPI_Win_fence")) f.meaning = Meaning::fence;
  if (is("MPI_Win_post")) f.meaning = Meaning::post;
  if (is("MPI_Win_start")) f.meaning = Meaning::start;
  if (is("MPI_Win_complete")) f.meaning = Meaning::complete;
  if (is("MPI_Win_wait")) f.meaning = Meaning::wait;
  if (is("MPI_Win_test")) f.meaning = Meaning::test;
  if (is("MPI_Win_lock", "MPI_Win_lock_all")) f.meaning = Meaning::lock;
  if (is("MPI_Win_unlock", "MPI_Win_unlock_all")) f.meaning = Meaning::unlock;
  return f;
}

const std::vector<Function>& functions() {
  static const std::vector<Function> table = [] {
    std::vector<Function> t(mora_function_count() + 1);
    for (unsigned id = 1; id < t.size(); ++id)
      if (const char* name = mora_function_name(id)) t[id] = describe(name);
    return t;
  }();
  return table;
}

/// Ranks of peers as OTF2 has them.
std::uint32_t peer(std::int32_t rank) { return static_cast<std::uint32_t>(rank); }

std::uint32_t root_of(std::int32_t root) {
  if (root >= 0) return static_cast<std::uint32_t>(root);
  if (root == -3) return OTF2_COLLECTIVE_ROOT_SELF;
  if (root == -2) return OTF2_COLLECTIVE_ROOT_THIS_GROUP;
  return OTF2_COLLECTIVE_ROOT_NONE;
}

class Translator {
 public:
  Translator(const ClockFit& clock, const IdMap& ids, const std::unordered_map<std::uint64_t, std::uint32_t>& regions,
             archive::LocationWriter& out, VectorTable& vectors, DataQuality& quality)
      : clock_(clock), ids_(ids), regions_(regions), out_(out), vectors_(vectors), quality_(quality),
        where_(fmt::format("rank {}", out.rank())) {}

  LocationSummary run(const journal::Journal& journal);

 private:
  struct Pending {  ///< a collective waits for the vectors behind it
    bool waiting = false;
    std::uint64_t enter = 0, leave = 0;
    std::uint32_t region = 0, communicator = 0;
    OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
    std::int32_t root = 0;
    std::uint64_t sent = 0, received = 0;
    std::vector<std::uint64_t> counts[2];  ///< sent, received
  };
  struct Transfer {
    std::uint64_t id;
    std::int32_t target;
  };

  std::uint64_t monotone(std::uint64_t stamp) {
    if (stamp >= last_) return last_ = stamp;
    ++clamped_;
    return last_;
  }
  void count(const char* kind, Severity severity, const char* what, const char* remedy = "") {
    quality_.add(kind, severity, where_, 1, what, remedy);
  }
  void translate(const Record& r);
  void call(const Record& r);
  void body(const Record& r, const Function& f, std::uint64_t enter, std::uint64_t leave);
  void completions(const Record& r, std::uint64_t leave);
  void starts(const Record& r, std::uint64_t enter);
  void transfer(const Record& r, const Function& f, std::uint64_t enter);
  void window_collective(const Record& r, const Function& f, std::uint64_t enter, std::uint64_t leave);
  void group_sync(const Record& r, const Function& f, std::uint64_t leave);
  void lock(const Record& r, const Function& f, std::uint64_t leave);
  void complete_transfers(std::uint32_t window, std::int32_t target, std::uint64_t leave, bool remote);
  void flush_pending();
  void note(const Record& r);
  std::uint32_t region_of(const Record& r) const {
    const auto it = regions_.find(region_key(r.function, r.site));
    return it == regions_.end() ? no_id : it->second;
  }
  /// Communicator of the record; counts those nobody defined.
  std::uint32_t communicator(std::uint32_t local) {
    const auto id = ids_.communicator(local);
    if (id == no_id)
      count("unknown-communicator", Severity::loss, "messages or collectives on a communicator that was not recorded",
            "their calls are there as enter and leave only");
    return id;
  }
  std::uint32_t window(const Record& r) {
    const auto id = ids_.window(r.object).global;
    if (id == no_id)
      count("unknown-window", Severity::loss, "one-sided operations on a window that was not recorded",
            "their calls are there as enter and leave only");
    return id;
  }

  const ClockFit& clock_;
  const IdMap& ids_;
  const std::unordered_map<std::uint64_t, std::uint32_t>& regions_;
  archive::LocationWriter& out_;
  VectorTable& vectors_;
  DataQuality& quality_;
  std::string where_;
  std::uint64_t last_ = 0;
  std::uint64_t clamped_ = 0;
  Pending pending_;
  bool open_ = false;          ///< a call was entered and has not returned yet
  unsigned open_function_ = 0;
  std::uint32_t open_region_ = 0;
  std::uint64_t open_enter_ = 0;
  std::unordered_map<std::uint32_t, std::vector<Transfer>> transfers_;  ///< by window, not yet complete
  LocationSummary summary_;
};

LocationSummary Translator::run(const journal::Journal& journal) {
  // The header's reading is taken when MPI_Init has returned; the program begins where it was entered.
  Record record;
  auto start = journal.header().start.ticks;
  for (auto first = journal.records(); first.next(record);)
    if (record.function != 0) {
      start = std::min(start, record.begin);
      break;
    }
  summary_.begin = last_ = clock_.stamp(start);
  out_.program_begin(last_);
  auto cursor = journal.records();
  while (cursor.next(record)) translate(record);
  flush_pending();
  if (open_) {
    out_.leave(last_, open_region_);
    summary_.mpi_ns += last_ - open_enter_;
    ++summary_.open_calls;
  }
  summary_.ended = journal.ended();
  summary_.finalized = journal.finalized();
  summary_.end = last_;
  out_.program_end(last_, summary_.finalized ? 0 : OTF2_UNDEFINED_INT64);
  if (clamped_ != 0)
    quality_.add("clock-backwards", Severity::warning, where_, clamped_, "stamps that went backwards were set to the one before",
                 "the time stamp counter of this machine may not be synchronised: try mora record --clock monotonic");
  return summary_;
}

void Translator::translate(const Record& r) {
  if (r.shape == MORA_SHAPE_VECTOR && pending_.waiting) {
    auto& counts = pending_.counts[pair_low(r.payload[0]) == 0 ? 0 : 1];
    counts.insert(counts.end(), r.payload.begin() + 1, r.payload.end());
    return;
  }
  flush_pending();
  if (r.function != 0) {
    call(r);
    return;
  }
  switch (r.shape) {
    case MORA_SHAPE_OVERHEAD: {
      const auto begin = std::max(last_, clock_.stamp(r.begin));
      const auto end = std::max(begin, clock_.stamp(r.end()));
      summary_.recorder_ns += end - begin;
      out_.buffer_flush(last_ = begin, end);
      break;
    }
    case MORA_SHAPE_RECORDING: out_.measurement(last_ = std::max(last_, clock_.stamp(r.begin)), pair_low(r.payload[0]) != 0); break;
    case MORA_SHAPE_LOST: summary_.lost_calls += r.payload[1]; break;
    case MORA_SHAPE_END: last_ = std::max(last_, clock_.stamp(r.begin)); break;
    case MORA_SHAPE_NOTE: note(r); break;
    default: break;  // definitions and clocks were read before
  }
}

void Translator::note(const Record& r) {
  const auto value = r.payload[1];
  switch (pair_low(r.payload[0])) {
    case MORA_NOTE_REQUEST_UNKNOWN:
      count("unknown-request", Severity::warning, "requests were completed whose start was not recorded");
      break;
    case MORA_NOTE_SPAWNED:
      count("spawned-process", Severity::loss, "processes made by MPI_Comm_spawn are not recorded");
      break;
    case MORA_NOTE_NO_FULL_EVENTS: {
      const char* name = mora_function_name(static_cast<unsigned>(value));
      quality_.add("no-full-events", Severity::warning, name == nullptr ? "an MPI function" : name, 1,
                   "data-moving calls recorded as enter and leave only", "waiting in them is not classified");
      break;
    }
    case MORA_NOTE_THREADS:
      quality_.add("other-threads", Severity::loss, where_, value, "MPI calls of threads other than the one that called MPI_Init are not recorded",
                   "");
      break;
    case MORA_NOTE_FORKED: count("forked", Severity::info, "the process forked; the child is not recorded"); break;
    default: count("unknown-note", Severity::info, "notes of a newer recorder"); break;
  }
}

void Translator::call(const Record& r) {
  const auto region = region_of(r);
  if (region == no_id || r.function >= functions().size()) {
    count("unknown-function", Severity::loss, "calls of a function this version does not know", "convert with the mora that recorded");
    return;
  }
  ++summary_.calls;
  if (r.flags & MORA_FLAG_FAILED) quality_.add("failed-call", Severity::info, mora_function_name(r.function), 1, "MPI calls returned an error code", "");
  if (open_ && open_function_ == r.function && !(r.flags & MORA_FLAG_OPEN)) {  // the call announced before has returned
    const auto leave = monotone(clock_.stamp(r.end()));
    out_.leave(leave, open_region_);
    summary_.mpi_ns += leave - open_enter_;
    open_ = false;
    --summary_.calls;
    return;
  }
  const auto enter = monotone(clock_.stamp(r.begin));
  out_.enter(enter, region);
  if (r.flags & MORA_FLAG_OPEN) {
    open_ = true;
    open_function_ = r.function;
    open_region_ = region;
    open_enter_ = enter;
    return;
  }
  const auto leave = std::max(enter, clock_.stamp(r.end()));
  const auto& f = functions()[r.function];
  if (r.shape == MORA_SHAPE_COLLECTIVE && f.collective && r.payload.size() == 3) {
    const auto comm = communicator(r.object);
    if (comm != no_id) {
      pending_.waiting = true;
      pending_.enter = enter;
      pending_.leave = leave;
      pending_.region = region;
      pending_.communicator = comm;
      pending_.op = *f.collective;
      pending_.root = pair_low(r.payload[0]);
      pending_.sent = r.payload[1];
      pending_.received = r.payload[2];
      pending_.counts[0].clear();
      pending_.counts[1].clear();
      return;
    }
  }
  body(r, f, enter, leave);
  out_.leave(last_ = leave, region);
  summary_.mpi_ns += leave - enter;
}

void Translator::flush_pending() {
  if (!pending_.waiting) return;
  pending_.waiting = false;
  auto& p = pending_;
  archive::Attributes attributes;
  if (!p.counts[0].empty() || !p.counts[1].empty()) {
    auto all = p.counts[0];
    all.insert(all.end(), p.counts[1].begin(), p.counts[1].end());
    attributes.vector_plus_1 = vectors_.intern(std::move(all)) + 1;
  }
  out_.collective_begin(p.enter);
  out_.collective_end(p.leave, p.op, p.communicator, root_of(p.root), p.sent, p.received, attributes);
  out_.leave(last_ = p.leave, p.region);
  summary_.mpi_ns += p.leave - p.enter;
}

void Translator::body(const Record& r, const Function& f, std::uint64_t enter, std::uint64_t leave) {
  const auto& p = r.payload;
  const bool no_peer = (r.flags & (MORA_FLAG_NO_PEER | MORA_FLAG_FAILED)) != 0;
  auto tag = [](std::uint64_t word) { return static_cast<std::uint32_t>(pair_high(word)); };
  switch (r.shape) {
    case MORA_SHAPE_SEND:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id) out_.send(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
      break;
    case MORA_SHAPE_RECV:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id) {
          if (p.size() > 2 && p[2] != 0) out_.receive_complete(leave, peer(pair_low(p[0])), c, tag(p[0]), p[1], p[2]);
          else out_.receive(leave, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
        }
      break;
    case MORA_SHAPE_ISEND:
      if (!no_peer)
        if (const auto c = communicator(r.object); c != no_id) out_.send_request(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1], p[2]);
      break;
    case MORA_SHAPE_IRECV:
      if (!no_peer && !(r.flags & MORA_FLAG_UNSUCCESSFUL)) out_.receive_request(enter, p[2]);
      break;
    case MORA_SHAPE_SENDRECV:
      if (const auto c = (r.flags & MORA_FLAG_FAILED) ? no_id : communicator(r.object); c != no_id) {
        if (pair_low(p[0]) >= 0) out_.send(enter, peer(pair_low(p[0])), c, tag(p[0]), p[1]);
        if (pair_low(p[2]) >= 0) out_.receive(leave, peer(pair_low(p[2])), c, tag(p[2]), p[3]);
      }
      break;
    case MORA_SHAPE_COMPLETE: completions(r, leave); break;
    case MORA_SHAPE_START: starts(r, enter); break;
    case MORA_SHAPE_RMA: if (!no_peer) transfer(r, f, enter); break;
    case MORA_SHAPE_WIN_COLLECTIVE: if (!(r.flags & MORA_FLAG_FAILED)) window_collective(r, f, enter, leave); break;
    case MORA_SHAPE_WIN_GROUP: group_sync(r, f, leave); break;
    case MORA_SHAPE_WIN_LOCK: if (!no_peer) lock(r, f, leave); break;
    default: break;
  }
}

void Translator::completions(const Record& r, std::uint64_t leave) {
  for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
    const auto* c = r.payload.data() + i;
    const auto request = c[0];
    if (request == 0) continue;  // counted by the recorder's note
    switch (pair_high(c[3])) {
      case MORA_COMPLETED_SEND:
        if (pair_low(c[1]) >= 0) out_.send_complete(leave, request);  // else MPI_PROC_NULL
        break;
      case MORA_COMPLETED_RECV: {
        if (pair_low(c[1]) < 0) break;  // MPI_PROC_NULL
        const auto comm = communicator(static_cast<std::uint32_t>(pair_low(c[3])));
        if (comm != no_id)
          out_.receive_complete(leave, peer(pair_low(c[1])), comm, static_cast<std::uint32_t>(pair_high(c[1])), c[2], request);
        break;
      }
      case MORA_CANCELLED:
        if (pair_low(c[1]) != MORA_PEER_NONE) out_.cancelled(leave, request);
        break;
      case MORA_FREED:
        count("request-freed", Severity::info, "active requests were freed: when they completed is not known");
        break;
      default: break;
    }
  }
}

void Translator::starts(const Record& r, std::uint64_t enter) {
  for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
    const auto* c = r.payload.data() + i;
    if (pair_high(c[3]) == MORA_COMPLETED_SEND) {
      if (pair_low(c[1]) < 0) continue;  // MPI_PROC_NULL
      const auto comm = communicator(static_cast<std::uint32_t>(pair_low(c[3])));
      if (comm != no_id) out_.send_request(enter, peer(pair_low(c[1])), comm, static_cast<std::uint32_t>(pair_high(c[1])), c[2], c[0]);
    } else if (pair_high(c[3]) == MORA_COMPLETED_RECV && pair_low(c[1]) != MORA_PEER_NONE) {
      out_.receive_request(enter, c[0]);
    }
  }
}

void Translator::transfer(const Record& r, const Function& f, std::uint64_t enter) {
  const auto win = window(r);
  if (win == no_id) return;
  const auto target = pair_low(r.payload[0]);
  const std::uint64_t id = static_cast<std::uint32_t>(pair_high(r.payload[0]));
  const auto at_origin = r.payload[1], at_target = r.payload[2];
  archive::Attributes attributes;
  attributes.has_received = at_origin != at_target;
  if (f.meaning == Meaning::get) {
    attributes.received = at_origin;
    out_.get(enter, win, peer(target), at_target, id, attributes);
  } else if (f.meaning == Meaning::atomic) {
    out_.atomic(enter, win, peer(target), f.atomic, at_origin, at_target, id);
  } else {
    attributes.received = at_target;
    out_.put(enter, win, peer(target), at_origin, id, attributes);
  }
  transfers_[win].push_back({id, target});
}

void Translator::complete_transfers(std::uint32_t win, std::int32_t target, std::uint64_t leave, bool remote) {
  const auto it = transfers_.find(win);
  if (it == transfers_.end()) return;
  auto& list = it->second;
  for (const auto& t : list)
    if (target < 0 || t.target == target) out_.rma_complete(leave, win, t.id, remote);
  std::erase_if(list, [&](const Transfer& t) { return target < 0 || t.target == target; });
}

void Translator::window_collective(const Record& r, const Function& f, std::uint64_t enter, std::uint64_t leave) {
  const auto local = ids_.window(r.object);
  const auto win = window(r);
  if (win == no_id) return;
  archive::Attributes attributes;
  attributes.assertion = static_cast<std::uint32_t>(pair_low(r.payload[0]));
  const bool allocated = local.function < functions().size() && functions()[local.function].allocates;
  out_.rma_collective_begin(enter);
  if (f.meaning == Meaning::window_create) {
    out_.window_create(leave, win);
    out_.rma_collective_end(leave, f.allocates ? OTF2_COLLECTIVE_OP_ALLOCATE : OTF2_COLLECTIVE_OP_CREATE_HANDLE,
                            OTF2_RMA_SYNC_LEVEL_PROCESS, win, {});
  } else if (f.meaning == Meaning::window_free) {
    out_.window_free(leave, win);
    out_.rma_collective_end(leave, allocated ? OTF2_COLLECTIVE_OP_DEALLOCATE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
                            OTF2_RMA_SYNC_LEVEL_PROCESS, win, {});
  } else {
    complete_transfers(win, -1, leave, false);
    out_.rma_collective_end(leave, OTF2_COLLECTIVE_OP_BARRIER, both_levels, win, attributes);
  }
}

void Translator::group_sync(const Record& r, const Function& f, std::uint64_t leave) {
  const auto win = window(r);
  if (win == no_id || (r.flags & MORA_FLAG_FAILED)) return;
  archive::Attributes attributes;
  attributes.assertion = static_cast<std::uint32_t>(pair_high(r.payload[0]));
  const auto group = ids_.group(static_cast<std::uint32_t>(pair_low(r.payload[0])));
  OTF2_RmaSyncLevel level = both_levels;
  if (f.meaning == Meaning::post || f.meaning == Meaning::start) level = OTF2_RMA_SYNC_LEVEL_PROCESS;
  if (f.meaning == Meaning::test && !(r.flags & MORA_FLAG_EPOCH_CLOSED)) level = OTF2_RMA_SYNC_LEVEL_NONE;
  if (f.meaning == Meaning::complete) complete_transfers(win, -1, leave, false);
  out_.group_sync(leave, level, win, group, attributes);
}

void Translator::lock(const Record& r, const Function& f, std::uint64_t leave) {
  const auto win = window(r);
  if (win == no_id) return;
  const auto target = pair_low(r.payload[0]);
  if (f.meaning == Meaning::unlock) {
    complete_transfers(win, target, leave, true);
    out_.lock_release(leave, win, peer(target));
  } else {
    archive::Attributes attributes;
    attributes.assertion = static_cast<std::uint32_t>(r.payload[1]);
    out_.lock_request(leave, win, peer(target), pair_high(r.payload[0]) == 1, attributes);
  }
}

}  // namespace

std::size_t VectorTable::Hash::operator()(const std::vector<std::uint64_t>& v) const {
  std::uint64_t h = v.size();
  for (const auto x : v) h = (h ^ x) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

std::uint32_t VectorTable::intern(std::vector<std::uint64_t> counts) {
  const auto [it, inserted] = ids_.try_emplace(std::move(counts), static_cast<std::uint32_t>(order_.size()));
  if (inserted) order_.push_back(&it->first);
  return it->second;
}

std::string VectorTable::file_content() const {
  std::string out = "MORAVEC1";
  auto word = [&](std::uint64_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  word(order_.size());
  for (const auto* v : order_) {
    word(v->size());
    for (const auto x : *v) word(x);
  }
  return out;
}

LocationSummary write_location(const journal::Journal& journal, const ClockFit& clock, const IdMap& ids,
                               const std::unordered_map<std::uint64_t, std::uint32_t>& regions,
                               archive::LocationWriter& out, VectorTable& vectors, DataQuality& quality) {
  return Translator(clock, ids, regions, out, vectors, quality).run(journal);
}

}  // namespace mora::experiment
