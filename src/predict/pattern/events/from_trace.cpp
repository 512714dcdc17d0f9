/// Each location is read twice: first for what completions say about the requests they complete (the sender, which
/// collective), then call by call. A call is what stands between the enter and the leave of an MPI region; the events
/// inside say what it moved. Threads of a process come one after the other. Cost: two passes over the trace; memory
/// follows the number of distinct calls. Limits and choices: rule `timed-experiments-as-patterns` (docs/rules.md).
#include "predict/pattern/events/from_trace.h"

#include <fmt/format.h>

#include <deque>
#include <unordered_map>

#include "predict/pattern/events/rank_events.h"
#include "trace/links/completions.h"
#include "trace/mpi_function.h"

namespace mora::predict {
namespace {

using trace::Event;
using trace::EventKind;

/// A function's number, large-count forms apart; no_id if it has none.
std::uint32_t function_number(const trace::Region& region) {
  std::string_view name = region.name;
  if (name.starts_with('P')) name.remove_prefix(1);
  auto id = mpi::find_exactly(name);
  if (id == mpi::FunctionId::none) id = trace::function_of(region).id;
  return id == mpi::FunctionId::none || id == mpi::FunctionId::other ? no_id : static_cast<std::uint32_t>(id);
}

/// First reading: what completions say about requests.
class Requests : public trace::EventSink {
 public:
  trace::Completions completions;
  void on_event(const Event& event) override { completions.on_event(event); }
};

struct Losses {
  std::uint64_t receives_without_source = 0, collectives_without_payload = 0, doubtful = 0, unknown_starts = 0,
                recording_off = 0, probes = 0;
};

/// Second reading: calls.
class Calls : public trace::EventSink {
 public:
  Calls(const trace::Source& source, trace::LocationId location, const TraceCommunicators& communicators,
        const trace::Completions& completed, RankTraceBuilder& builder, Definitions& definitions, Losses& losses,
        std::uint64_t& started)
      : source_(source),
        trace_(source.definitions()),
        location_(location),
        rank_(trace_.locations[location].rank),
        thread_(static_cast<std::uint16_t>(trace_.locations[location].thread)),
        communicators_(communicators),
        completed_(completed),
        builder_(builder),
        definitions_(definitions),
        losses_(losses),
        started_(started) {}

  std::uint64_t dropped() const { return dropped_; }
  bool finalized() const { return finalized_; }

  void on_event(const Event& e) override {
    if (trace::is_request_start(e.kind)) start_ = starts_++;
    switch (e.kind) {
      case EventKind::enter:
        enter(e);
        break;
      case EventKind::leave:
        leave(e);
        break;
      case EventKind::recording_off:
        ++losses_.recording_off;
        break;
      default:
        if (depth_ > 0)
          inside(e);
        else
          alone(e);
    }
  }

 private:
  Call blank(Operation operation) const {
    Call call;
    call.operation = operation;
    call.thread = thread_;
    return call;
  }

  /// Only the outermost MPI region is a call; marked intervals are phases.
  void enter(const Event& e) {
    const trace::Region& region = trace_.regions[e.region];
    if (region.role == trace::RegionRole::interval) phase(Operation::phase_begin, region.name);
    if (region.kind != trace::RegionKind::mpi || depth_++ > 0) return;
    call_ = blank(operation_of(e.region));
    moved_ = false;
    completions_.clear();
  }

  void leave(const Event& e) {
    const trace::Region& region = trace_.regions[e.region];
    if (region.role == trace::RegionRole::interval) phase(Operation::phase_end, region.name);
    if (region.kind != trace::RegionKind::mpi || --depth_ > 0) return;
    finish(region);
  }

  void phase(Operation operation, const std::string& name) {
    const auto [at, added] = phases_.try_emplace(name, 0);
    if (added) {
      auto& names = definitions_.phases;
      const auto known = std::find(names.begin(), names.end(), name);
      at->second = static_cast<std::uint32_t>(known - names.begin());
      if (known == names.end()) names.push_back(name);
    }
    Call call = blank(operation);
    call.argument = at->second;
    builder_.add(call);
  }

  Operation operation_of(trace::RegionId region) { return trace::function_of(trace_.regions[region]).operation; }

  void emit(const Call& call) {
    builder_.add(call);
    if (starts_request(call.operation)) ++started_;
  }
  /// `requests`: what the request is of.
  void start(const Call& call, std::uint64_t request, trace::RequestMap& requests) {
    emit(call);
    if (starts_request(call.operation)) requests.set(request, static_cast<std::uint32_t>(started_));
  }

  Payload bytes(std::uint64_t n) const { return {static_cast<std::int64_t>(n), 0}; }

  void address(Call& call, const Event& e) const {
    // A format without communicators names ranks of the world, which stands first.
    call.communicator = e.comm == trace::no_id ? 0 : communicators_.index(e.comm);
    call.peer = communicators_.peer(call.communicator, rank_, e.peer);
    call.tag = e.tag;
  }

  /// Other tools record several messages in one call: each but the last becomes a call before it.
  void emit_earlier(OperationClass kind) {
    if (moved_ && info(call_.operation).kind == kind) emit(call_);
  }

  /// An event between the enter and the leave of a call says what it moved. A region that is no known MPI function
  /// (traces of other tools) takes its operation from its events.
  void inside(const Event& e) {
    switch (e.kind) {
      case EventKind::send: {
        Call& call = call_;
        emit_earlier(OperationClass::send);
        if (info(call.operation).kind != OperationClass::send && info(call.operation).kind != OperationClass::sendrecv)
          call.operation = Operation::send;
        address(call, e);
        call.sent = bytes(e.bytes);
        moved_ = true;
        break;
      }
      case EventKind::receive:
        if (info(call_.operation).kind == OperationClass::sendrecv) {
          call_.communicator = communicators_.index(e.comm);
          call_.peer2 = communicators_.peer(call_.communicator, rank_, e.peer);
          call_.tag2 = e.tag;
        } else {
          emit_earlier(OperationClass::receive);
          if (info(call_.operation).kind != OperationClass::receive) call_.operation = Operation::recv;
          address(call_, e);
        }
        call_.received = bytes(e.bytes);
        call_.bytes_received = e.bytes;
        moved_ = true;
        break;
      case EventKind::send_request: {
        Call call = blank(info(call_.operation).kind == OperationClass::send ? call_.operation : Operation::start_send);
        address(call, e);
        call.sent = bytes(e.bytes);
        start(call, e.request, messages_);
        moved_ = true;
        break;
      }
      case EventKind::receive_request:
        if (call_.operation == Operation::mprobe || call_.operation == Operation::improbe) {
          matched_.emplace_back(e.request, start_);
          moved_ = true;
        } else {
          post(info(call_.operation).kind == OperationClass::receive ? call_.operation : Operation::start_recv,
               e.request, start_);
          moved_ = true;
        }
        break;
      case EventKind::receive_complete:
        if (call_.operation == Operation::mrecv) {
          address(call_, e);
          call_.received = bytes(e.bytes);
          call_.bytes_received = e.bytes;
          std::erase_if(matched_, [&](const auto& m) { return m.first == e.request; });
          moved_ = true;
        } else {
          const auto comm = communicators_.index(e.comm);
          complete(messages_.take(e.request), {0, communicators_.peer(comm, rank_, e.peer), e.tag, e.bytes, false});
        }
        break;
      case EventKind::send_complete:
        complete(messages_.take(e.request), {});
        break;
      case EventKind::collective_complete:
        complete(collectives_.take(e.request), {});
        break;
      case EventKind::rma_complete:
        if (const auto start = transfers_.take(e.request); start != trace::RequestMap::none) complete(start, {});
        break;
      case EventKind::cancelled:
        complete(messages_.take(e.request), {0, peer_none, tag_any, 0, true});
        break;
      case EventKind::collective_end:
        collective(call_, e, e);
        break;
      case EventKind::collective_request: {
        const Event* told = completed_.of(start_);
        const Event& facts = told == nullptr ? e : *told;
        Call call =
            blank(starts_request(call_.operation) ? call_.operation : mpi::operation_of(facts.collective, true));
        if (told == nullptr && facts.comm == trace::no_id) ++losses_.collectives_without_payload;
        collective(call, facts, facts);
        start(call, e.request, collectives_);
        moved_ = true;
        break;
      }
      case EventKind::put:
      case EventKind::get:
      case EventKind::atomic:
        transfer(e);
        break;
      case EventKind::io_begin:
        if (call_.operation == Operation::file_read) call_.received = bytes(e.bytes);
        if (call_.operation == Operation::file_write) call_.sent = bytes(e.bytes);
        call_.communicator = communicators_.index(e.comm);
        break;
      default:
        if (e.window != trace::no_id) {
          call_.argument = e.window;
          if (e.window < definitions_.windows.size()) call_.communicator = definitions_.windows[e.window].communicator;
          if (e.kind == EventKind::lock_request || e.kind == EventKind::lock_release || e.kind == EventKind::flush)
            call_.peer = e.peer == trace::no_id ? peer_none : communicators_.peer(call_.communicator, rank_, e.peer);
          if (e.kind == EventKind::group_sync && e.rma_operation == trace::RmaOperation::test && !e.epoch_closed)
            failed_test_ = true;
        }
    }
  }

  /// Other tools record messages and transfers outside of any call: each is one.
  void alone(const Event& e) {
    switch (e.kind) {
      case EventKind::send:
      case EventKind::receive:
        call_ = blank(e.kind == EventKind::send ? Operation::send : Operation::recv);
        moved_ = false;
        inside(e);
        emit(call_);
        break;
      case EventKind::send_request:
      case EventKind::put:
      case EventKind::get:
      case EventKind::atomic:
        call_ = blank(Operation::send);
        inside(e);
        break;
      default:
        break;  // nothing to belong to
    }
  }

  /// `e` names the vector, `facts` (of a non-blocking call its completion) the bytes.
  void collective(Call& call, const Event& e, const Event& facts) {
    if (info(call.operation).kind != OperationClass::rooted && info(call.operation).kind != OperationClass::rootless &&
        info(call.operation).kind != OperationClass::neighborhood) {
      call.communicator = communicators_.index(facts.comm);  // makes a communicator, or a window
      return;
    }
    std::vector<std::uint64_t> vector;
    if (e.vector != trace::no_id) vector = source_.vector(location_, e.vector);
    fill_collective(call, facts, std::move(vector), communicators_, rank_, builder_, losses_.doubtful);
    moved_ = true;
  }

  /// A posted receive with the source and bytes of its completion, known from the first reading.
  void post(Operation operation, std::uint64_t request, std::uint32_t number) {
    Call call = blank(operation);
    const Event* told = completed_.of(number);
    if (told == nullptr) {
      ++losses_.receives_without_source;
      call.peer = peer_any;
    } else {
      address(call, *told);
      call.received = bytes(told->bytes);
    }
    start(call, request, messages_);
  }

  /// One-sided: each transfer is a call where it was issued.
  void transfer(const Event& e) {
    Call call = blank(call_.operation);
    if (info(call.operation).kind != OperationClass::one_sided)
      call.operation = e.kind == EventKind::put   ? Operation::put
                       : e.kind == EventKind::get ? Operation::get
                                                  : Operation::get_accumulate;
    call.argument = e.window;
    if (e.window < definitions_.windows.size()) call.communicator = definitions_.windows[e.window].communicator;
    call.peer = communicators_.peer(call.communicator, rank_, e.peer);
    switch (e.kind) {
      case EventKind::put:
        call.sent = bytes(e.bytes);
        break;
      case EventKind::get:
        call.received = bytes(e.bytes);
        break;
      default:
        call.sent = bytes(e.bytes), call.received = bytes(e.received);
    }
    start(call, e.request, transfers_);
    moved_ = true;
  }

  /// `start`: number of the request's start.
  void complete(std::uint32_t start, Completion c) {
    const bool is_known = start != trace::RequestMap::none;
    c.age = is_known ? static_cast<std::uint32_t>(started_) - start : no_id;
    losses_.unknown_starts += is_known ? 0 : 1;
    completions_.push_back(c);
  }

  /// At the leave: the call is added, unless its events were calls of their own or it is a test that found nothing.
  void finish(const trace::Region& region) {
    const auto kind = info(call_.operation).kind;
    const bool failed = std::exchange(failed_test_, false);
    switch (call_.operation) {
      case Operation::test:
      case Operation::testall:
      case Operation::testany:
      case Operation::testsome:
        if (completions_.empty()) {
          ++dropped_;
          return;
        }
        break;
      case Operation::iprobe:
      case Operation::improbe:
        if (!moved_) {  // a trace with times does not say whether it found a message
          ++dropped_;
          ++losses_.probes;
          return;
        }
        break;
      case Operation::win_wait:
        if (failed) {
          ++dropped_;
          return;
        }
        break;
      case Operation::imrecv:
        if (!matched_.empty()) {
          post(Operation::imrecv, matched_.front().first, matched_.front().second);
          matched_.pop_front();
          return;
        }
        break;
      case Operation::finalize:
        finalized_ = true;
        break;
      case Operation::other:
        if (moved_ && completions_.empty()) return;  // MPI_Start, MPI_Startall: each request is a call
        call_.argument = function_number(region);
        break;
      default:
        break;
    }
    // Requests and transfers were written where they began; one to MPI_PROC_NULL has no event.
    const bool written = moved_ && (starts_request(call_.operation) || kind == OperationClass::one_sided);
    if (!completions_.empty()) call_.completions = builder_.completions(completions_);
    if (!written) emit(call_);
  }

  const trace::Source& source_;
  const trace::Definitions& trace_;
  trace::LocationId location_;
  std::uint32_t rank_;
  std::uint16_t thread_;
  const TraceCommunicators& communicators_;
  const trace::Completions& completed_;
  RankTraceBuilder& builder_;
  Definitions& definitions_;
  Losses& losses_;
  std::uint64_t& started_;

  int depth_ = 0;
  Call call_;
  bool moved_ = false, failed_test_ = false, finalized_ = false;
  std::vector<Completion> completions_;
  std::deque<std::pair<std::uint64_t, std::uint32_t>> matched_;  ///< by matched probes: request, number of its start
  std::uint32_t starts_ = 0, start_ = 0;                         ///< of requests: how many, the one at hand
  trace::RequestMap messages_, collectives_, transfers_;         ///< request → number of the start
  std::unordered_map<std::string, std::uint32_t> phases_;
  std::uint64_t dropped_ = 0;
};

void tell(const Losses& losses, bool threads, DataQuality& quality) {
  const auto row = quality.at("");
  row("pattern-of-times", Severity::info, 1,
      "made from a trace with times: datatypes are not in it (all bytes, contiguous), nor wildcards, nor what was "
      "asked for beyond what arrived",
      "record with mora pattern record");
  row("in-place-unknown", Severity::info, losses.doubtful,
      "collective calls whose bytes fit both with and without MPI_IN_PLACE: they count as not in place",
      "record with mora pattern record");
  row("receive-without-source", Severity::warning, losses.receives_without_source,
      "receives were never completed: their senders are not known", "complete every request");
  row("payload-unknown", Severity::warning, losses.collectives_without_payload,
      "non-blocking collective calls were never completed: their bytes are not known", "complete every request");
  row("completion-unknown", Severity::info, losses.unknown_starts,
      "requests were completed whose start is not in the trace", "keep recording on from MPI_Init on");
  row("recording-off", Severity::loss, losses.recording_off, "recording was off for a time: calls are missing",
      "remove MPI_Pcontrol(0)");
  row("probe-outcome-unknown", Severity::info, losses.probes,
      "MPI_Iprobe and MPI_Improbe are left out: a trace with times does not say whether they found a message",
      "record with mora pattern record");
  row("threads-in-turn", Severity::info, threads ? 1 : 0,
      "the calls of a process's threads stand one thread after the other", "record with mora pattern record");
}

}  // namespace

Result<PatternTrace> pattern_of_trace(trace::Source& source, const ProgressCallback& progress) {
  const trace::Definitions& t = source.definitions();
  PatternTrace pattern;
  Definitions& d = pattern.definitions;
  d.world_size = t.world_size;
  d.origin = Origin::otf2;
  d.program = t.program;
  d.datatypes.push_back({"MPI_BYTE", 1, 1, true, true, 6});
  pattern.quality = source.quality();  // of opening it
  const TraceCommunicators communicators(t, d);
  Losses losses;
  bool threads = false;
  Progress steps(progress, "reading calls", t.locations.size());
  std::vector<std::vector<trace::LocationId>> of_rank(t.world_size);
  for (trace::LocationId l = 0; l < t.locations.size(); ++l)
    if (t.locations[l].kind == trace::LocationKind::cpu && t.locations[l].rank < t.world_size)
      of_rank[t.locations[l].rank].push_back(l);
  d.hosts.resize(t.world_size);
  for (std::uint32_t rank = 0; rank < t.world_size; ++rank) {
    if (of_rank[rank].empty()) continue;
    RankTraceBuilder builder(rank);
    std::uint64_t started = 0, dropped = 0;
    bool finalized = false, readable = false;
    for (const auto location : of_rank[rank]) {
      Requests requests;
      const DataQuality before = source.quality();
      auto read = source.read_location(location, requests);
      pattern.quality.merge(source.quality().since(before));  // the second reading counts the same again
      if (read) {
        Calls calls(source, location, communicators, requests.completions, builder, d, losses, started);
        read = source.read_location(location, calls);
        dropped += calls.dropped();
        finalized |= calls.finalized();
      }
      steps.advance(1);
      if (!read) {
        pattern.quality.add("rank-missing", Severity::loss, fmt::format("rank {}", rank), 1,
                            read.error().why.empty() ? read.error().what : read.error().why, "");
        continue;
      }
      readable = true;
    }
    if (!readable) continue;
    threads |= of_rank[rank].size() > 1;
    const auto node = t.locations[of_rank[rank].front()].node;
    if (node < t.nodes.size()) d.hosts[rank] = t.nodes[node].name;
    pattern.ranks.push_back(builder.finish());
    pattern.ranks.back().dropped_tests = dropped;
    pattern.ranks.back().complete = finalized;
  }
  tell(losses, threads, pattern.quality);
  return pattern;
}

}  // namespace mora::predict
