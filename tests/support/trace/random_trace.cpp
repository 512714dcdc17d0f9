#include "support/trace/random_trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "trace/mpi_function.h"

namespace mora::trace::naive {
namespace {

class Program {
 public:
  explicit Program(const RandomTraceOptions& options)
      : options_(options), random_(options.seed), trace_(std::make_unique<MemorySource>()) {}

  std::unique_ptr<MemorySource> run() {
    define();
    for (std::uint32_t i = 0; i < options_.steps; ++i) step();
    finish();
    return std::move(trace_);
  }

 private:
  struct Stream {
    Nanoseconds clock = 0;
    std::vector<RegionId> open;
  };
  struct Posted {
    LocationId location;
    std::uint64_t request;
    std::tuple<CommId, std::uint32_t, std::uint32_t, std::int32_t> channel;  ///< comm, source, destination, tag
    std::size_t number;                                                      ///< of the receive on its channel
  };
  struct ChannelState {
    std::vector<std::pair<Nanoseconds, std::uint64_t>> sent;  ///< when, bytes
    std::size_t posted = 0;
  };

  RegionId region(const std::string& name) {
    auto& regions = trace_->defs.regions;
    for (RegionId i = 0; i < regions.size(); ++i) {
      if (regions[i].name == name) return i;
    }
    Region r;
    r.name = name;
    if (name.starts_with("MPI_")) r.kind = RegionKind::mpi;
    regions.push_back(r);
    return static_cast<RegionId>(regions.size() - 1);
  }

  void define() {
    Definitions& d = trace_->defs;
    d.program = "random";
    d.nodes.push_back({"node0"});
    ranks_ = 1 + random_.below(4);
    d.world_size = ranks_;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const std::uint32_t threads = random_.one_in(4) ? 2 : 1;
      for (std::uint32_t thread = 0; thread < threads; ++thread) {
        Location l;
        l.name = "rank " + std::to_string(rank) + (thread == 0 ? "" : " thread " + std::to_string(thread));
        l.rank = rank;
        l.thread = thread;
        d.locations.push_back(l);
      }
    }
    d.index_ranks();
    Communicator world, part;
    world.name = "WORLD";
    part.name = "PART";
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      world.members.push_back(rank);
      if (rank != 1) part.members.insert(part.members.begin(), rank);
    }
    Communicator self;
    self.name = "SELF";
    self.self = true;
    d.communicators = {world, part, self};
    d.windows = {{"w0", 0}, {"w1", 1}};
    d.files = {"in", "out"};
    d.metrics = {{"TICKS", "#"}, {"HEAT", "K"}};
    d.user_types = d.strings = {"mark", "note"};
    if (options_.samples) {
      for (const char* name : {"main", "relax"}) d.regions.emplace_back().name = name;
      d.call_places = {{"main.c", 7}};
      d.callers = {{no_id, 0, no_id}, {0, 1, 0}};
    }
    trace_->events.resize(d.locations.size());
    streams_.resize(d.locations.size());
  }

  // Records.
  LocationId main_of(std::uint32_t rank) const { return trace_->defs.location_of_rank(rank); }
  void pass(LocationId l) { streams_[l].clock += random_.below(3); }
  void not_before(LocationId l, Nanoseconds time) {
    if (options_.damage && random_.one_in(5)) return;  // the clocks disagree
    streams_[l].clock = std::max(streams_[l].clock, time);
  }
  Event make(EventKind kind) const {
    Event e;
    e.kind = kind;
    return e;
  }
  void record(LocationId l, Event e) {
    e.time = streams_[l].clock;
    trace_->events[l].push_back(e);
  }
  void enter(LocationId l, const std::string& name) {
    Event e = make(EventKind::enter);
    e.region = region(name);
    pass(l);
    record(l, e);
    streams_[l].open.push_back(e.region);
  }
  void leave(LocationId l, bool mended = false) {
    Event e = make(EventKind::leave);
    e.region = streams_[l].open.back();
    e.mended = mended;
    if (!mended) pass(l);
    record(l, e);
    streams_[l].open.pop_back();
  }
  void call(LocationId l, const std::string& name, const Event& e) {
    enter(l, name);
    pass(l);
    record(l, e);
    leave(l);
  }

  // Messages.
  Event envelope(EventKind kind, std::uint32_t peer, std::int32_t tag, CommId comm) {
    Event e = make(kind);
    e.peer = peer;
    e.tag = tag;
    e.comm = comm;
    e.bytes = random_.below(100);
    return e;
  }
  /// What the location does in the meantime is not in the trace.
  void gap(LocationId l) {
    record(l, make(EventKind::recording_off));
    is_recording_ = false;
    for (std::uint32_t n = random_.below(3); n > 0; --n) random_.one_in(2) ? send() : receive();
    is_recording_ = true;
    if (random_.one_in(8)) record(l, make(EventKind::recording_off));
    record(l, make(EventKind::recording_on));
  }
  /// As `number` on the channel was sent, if the trace is sound.
  Event received(EventKind kind, std::uint32_t peer, std::int32_t tag, CommId comm, const ChannelState& state,
                 std::size_t number) {
    Event e = envelope(kind, peer, tag, comm);
    if (number < state.sent.size() && !(options_.damage && random_.one_in(20))) e.bytes = state.sent[number].second;
    return e;
  }
  void send() {
    const LocationId l = random_.below(streams_.size());
    const Location& from = trace_->defs.locations[l];
    const std::uint32_t to = random_.below(ranks_);
    // Threads mostly have tags of their own, as in programs.
    const auto tag = static_cast<std::int32_t>((random_.one_in(8) ? 0 : from.thread) * 10 + random_.below(4) / 3);
    const CommId comm = random_.one_in(4) ? 1 : 0;
    const bool blocking = !random_.one_in(3);
    Event e = envelope(blocking ? EventKind::send : EventKind::send_request, to, tag, comm);
    if (!blocking) e.request = ++requests_;
    auto& sent = channels_[{comm, from.rank, to, tag}].sent;
    if (!is_recording_) return void(sent.emplace_back(streams_[l].clock, e.bytes));
    if (random_.one_in(8)) {
      pass(l);
      record(l, e);  // outside of any MPI region
    } else {
      call(l, blocking ? "MPI_Send" : "MPI_Isend", e);
    }
    const bool is_cancelled = !blocking && options_.damage && random_.one_in(10);
    if (!is_cancelled) sent.emplace_back(trace_->events[l].back().time, e.bytes);
    if (is_cancelled || (!blocking && random_.one_in(2))) {
      Event done = make(is_cancelled ? EventKind::cancelled : EventKind::send_complete);
      done.request = e.request;
      call(l, "MPI_Wait", done);
    }
  }
  void receive() {
    if (channels_.empty()) return;
    auto it = channels_.begin();
    std::advance(it, random_.below(channels_.size()));
    auto& [channel, state] = *it;
    const auto [comm, source, destination, tag] = channel;
    const LocationId l = main_of(destination);
    if (!is_recording_) {
      ++state.posted;
      return;
    }
    if (random_.one_in(2)) {  // posted now, complete later
      Event e = make(EventKind::receive_request);
      e.request = ++requests_;
      call(l, "MPI_Irecv", e);
      posted_.push_back({l, e.request, channel, state.posted++});
      return;
    }
    if (state.posted >= state.sent.size() && !(options_.damage && random_.one_in(4))) return;
    if (state.posted < state.sent.size()) not_before(l, state.sent[state.posted].first);
    call(l, "MPI_Recv", received(EventKind::receive, source, tag, comm, state, state.posted++));
  }
  void complete() {
    if (posted_.empty()) return;
    const std::size_t at = random_.below(posted_.size());
    const Posted p = posted_[at];
    const auto [comm, source, destination, tag] = p.channel;
    const ChannelState& state = channels_[p.channel];
    if (options_.damage && random_.one_in(12)) {
      Event e = make(EventKind::cancelled);
      e.request = p.request;
      call(p.location, "MPI_Wait", e);
    } else {
      if (p.number >= state.sent.size()) return;
      not_before(p.location, state.sent[p.number].first);
      Event e = received(EventKind::receive_complete, source, tag, comm, state, p.number);
      e.request = p.request;
      call(p.location, random_.one_in(2) ? "MPI_Wait" : "MPI_Test", e);
    }
    posted_.erase(posted_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // Collectives: everybody leaves when the last one has entered.
  void together(const std::vector<std::uint32_t>& members, const std::string& name, EventKind begin, const Event& end) {
    Nanoseconds last = 0;
    for (const std::uint32_t rank : members) {
      enter(main_of(rank), name);
      record(main_of(rank), make(begin));
      last = std::max(last, streams_[main_of(rank)].clock);
    }
    for (const std::uint32_t rank : members) {
      const LocationId l = main_of(rank);
      not_before(l, last);
      Event e = end;
      e.bytes = random_.below(50);
      e.received = random_.below(50);
      record(l, e);
      leave(l);
    }
  }
  void collective() {
    Event e = make(EventKind::collective_end);
    const bool alone = random_.one_in(6);
    e.comm = alone ? 2 : random_.below(2);
    static constexpr const char* names[] = {"MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Reduce"};
    static constexpr Collective kinds[] = {Collective::barrier, Collective::bcast, Collective::allreduce,
                                           Collective::reduce};
    const std::uint32_t which = random_.below(4);
    e.collective = kinds[which];
    const auto members =
        alone ? std::vector<std::uint32_t>{random_.below(ranks_)} : trace_->defs.communicators[e.comm].members;
    if (which % 2 == 1) e.root = members[random_.below(members.size())];
    together(members, names[which], EventKind::collective_begin, e);
  }

  std::uint32_t member(WindowId w) {
    const auto& members = trace_->defs.communicators[trace_->defs.windows[w].comm].members;
    return members[random_.below(members.size())];
  }
  void fence() {
    Event e = make(EventKind::rma_collective_end);
    e.window = random_.below(2);
    const std::size_t which = random_.one_in(6) ? random_.below(2) : 2;
    e.rma_operation = std::array{RmaOperation::win_create, RmaOperation::win_free, RmaOperation::fence}[which];
    e.assertion = random_.below(3);
    together(trace_->defs.communicators[trace_->defs.windows[e.window].comm].members,
             std::array{"MPI_Win_create", "MPI_Win_free", "MPI_Win_fence"}[which], EventKind::rma_collective_begin, e);
  }
  void transfer(std::uint32_t origin, std::uint32_t target, WindowId w) {
    const LocationId l = main_of(origin);
    const bool atomic = options_.others && random_.one_in(5), put = !atomic && random_.one_in(2);
    if (options_.damage && random_.one_in(30)) target = ranks_ + 3;  // not in the trace
    Event e = make(atomic ? EventKind::atomic : put ? EventKind::put : EventKind::get);
    e.window = w;
    e.peer = target;
    e.bytes = 1 + random_.below(50);
    e.received = 1 + random_.below(50);
    e.request = ++transfers_[origin];
    const bool inside = !random_.one_in(6);
    if (inside) enter(l, atomic ? "MPI_Fetch_and_op" : put ? "MPI_Put" : "MPI_Get");
    pass(l);
    e.end_time = inside && random_.one_in(2) ? at_leave : streams_[l].clock + random_.below(5);
    record(l, e);
    if (random_.one_in(4)) record(l, make(EventKind::other));
    if (inside) leave(l);
  }
  void access() {
    const WindowId w = random_.below(2);
    transfer(member(w), member(w), w);
  }
  void lock() {
    WindowId w = random_.below(2);
    std::uint32_t origin = member(w), target = member(w);
    for (const auto& [key, is_held] : locked_) {
      if (is_held && random_.one_in(3)) std::tie(origin, w, target) = key;
    }
    if (options_.others && random_.one_in(6)) target = no_id;  // MPI_Win_lock_all
    bool& held = locked_[{origin, w, target}];
    Event e = make(held ? EventKind::lock_release : EventKind::lock_request);
    e.window = w;
    e.peer = target;
    e.lock_exclusive = !held && random_.one_in(2) && target != no_id;
    call(main_of(origin), held ? "MPI_Win_unlock" : "MPI_Win_lock", e);
    held = !held;
    for (std::uint32_t n = held ? random_.below(3) : 0; n > 0; --n)
      transfer(origin, target == no_id ? member(w) : target, w);
  }
  GroupId group(std::vector<std::uint32_t> members) {
    trace_->defs.groups.push_back({std::move(members)});
    return static_cast<GroupId>(trace_->defs.groups.size() - 1);
  }
  Nanoseconds group_call(std::uint32_t rank, const std::string& name, RmaOperation operation, WindowId w, GroupId g,
                         bool closed) {
    Event e = make(EventKind::group_sync);
    e.window = w;
    e.rma_operation = operation;
    e.group = g;
    e.epoch_closed = closed;
    call(main_of(rank), name, e);
    return streams_[main_of(rank)].clock;
  }
  /// One access epoch of some origins to one target. Calls of a round overlap in time as the clocks happen to stand.
  void epoch() {
    const WindowId w = random_.below(2);
    const std::uint32_t target = member(w);
    std::vector<std::uint32_t> origins;
    for (std::uint32_t n = 1 + random_.below(2); n > 0; --n) {
      const std::uint32_t o = member(w);
      if (std::find(origins.begin(), origins.end(), o) == origins.end()) origins.push_back(o);
    }
    const GroupId exposed = group(origins), accessed = group({target});
    group_call(target, "MPI_Win_post", RmaOperation::post, w, exposed, false);
    for (const std::uint32_t o : origins) {
      group_call(o, "MPI_Win_start", RmaOperation::start, w, accessed, false);
      for (std::uint32_t n = random_.below(3); n > 0; --n) transfer(o, target, w);
    }
    for (const std::uint32_t o : origins)
      not_before(main_of(target), group_call(o, "MPI_Win_complete", RmaOperation::complete, w, accessed, true));
    if (random_.one_in(3)) group_call(target, "MPI_Win_test", RmaOperation::test, w, exposed, false);
    const bool test = random_.one_in(3);
    group_call(target, test ? "MPI_Win_test" : "MPI_Win_wait", test ? RmaOperation::test : RmaOperation::wait, w,
               exposed, true);
  }

  // What came later: EARL 2.0's threads, and the kinds of today.
  void nonblocking_collective() {
    if (!running_.empty() && !random_.one_in(3)) {
      const std::size_t at = random_.below(running_.size());
      call(running_[at].first, "MPI_Wait", running_[at].second);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    Event e = make(EventKind::collective_request);
    e.comm = random_.below(2);
    e.collective = Collective::bcast;
    e.root = 0;
    for (const std::uint32_t rank : trace_->defs.communicators[e.comm].members) {
      e.request = ++requests_;
      e.bytes = random_.below(50);
      call(main_of(rank), "MPI_Ibcast", e);
      running_.emplace_back(main_of(rank), e);
      running_.back().second.kind = EventKind::collective_complete;
    }
  }
  void other(LocationId l) {
    Event e;
    e.request = random_.below(2);
    switch (random_.below(options_.samples ? 9 : 8)) {
      case 0:
        e.kind = random_.one_in(2) ? EventKind::fork : EventKind::join;
        e.peer = 2;
        break;
      case 1:
      case 2:
        e.kind = holds_[{l, e.request}] ? EventKind::release : EventKind::acquire;
        if (options_.damage && random_.one_in(10)) e.kind = EventKind::release;
        holds_[{l, e.request}] = e.kind == EventKind::acquire;
        break;
      case 3:
        call(l, "omp barrier", make(EventKind::team_collective_end));
        return;
      case 4:
      case 5:
        e.kind = io_.empty() || random_.one_in(3) ? EventKind::io_begin : EventKind::io_end;
        if (e.kind == EventKind::io_begin) {
          e.request = ++requests_;
          io_.emplace_back(l, e.request);
        } else {
          const std::size_t at = random_.below(io_.size());
          e.request = io_[at].second;  // sometimes of another location: an end without a start
          if (!options_.damage || !random_.one_in(10)) l = io_[at].first;
          if (l == io_[at].first) io_.erase(io_.begin() + static_cast<std::ptrdiff_t>(at));
        }
        e.file = random_.below(2);
        e.bytes = random_.below(100);
        break;
      case 6:
        e.kind = EventKind::metric;
        e.vector = random_.below(2);
        e.bytes = random_.next();
        break;
      default:
        e.kind = options_.samples && random_.one_in(2) ? EventKind::sample : EventKind::user;
        e.vector = random_.below(2);
    }
    pass(l);
    record(l, e);
  }
  void flush() {
    const WindowId w = random_.below(2);
    Event e = make(EventKind::flush);
    e.window = w;
    e.peer = random_.one_in(3) ? no_id : member(w);
    e.rma_operation = random_.one_in(2) ? RmaOperation::flush : RmaOperation::flush_local;
    call(main_of(member(w)), "MPI_Win_flush", e);
  }

  void step() {
    const LocationId l = random_.below(streams_.size());
    if (options_.damage && random_.one_in(40)) return gap(l);
    switch (random_.below(options_.others ? 19 : 15)) {
      case 0:
      case 1:
        if (streams_[l].open.size() < 5) enter(l, "work" + std::to_string(random_.below(3)));
        break;
      case 2:
        if (!streams_[l].open.empty()) leave(l);
        break;
      case 3:
      case 4:
        send();
        break;
      case 5:
      case 6:
      case 12:
        receive();
        break;
      case 13:
      case 14:
        complete();
        break;
      case 7:
        if (options_.collectives) collective();
        break;
      case 15:
        if (options_.collectives) nonblocking_collective();
        break;
      case 16:
        if (options_.rma) flush();
        break;
      case 17:
      case 18:
        other(l);
        break;
      case 8:
        if (options_.rma) fence();
        break;
      case 9:
        if (options_.rma) lock();
        break;
      case 10:
        if (options_.rma) epoch();
        break;
      default:
        options_.rma ? access() : complete();
    }
  }

  void finish() {
    for (LocationId l = 0; l < streams_.size(); ++l) {
      const bool cut = options_.damage && random_.one_in(4);
      while (!streams_[l].open.empty()) leave(l, cut);
    }
  }

  const RandomTraceOptions options_;
  Random random_;
  std::unique_ptr<MemorySource> trace_;
  std::uint32_t ranks_ = 1;
  std::vector<Stream> streams_;
  std::map<std::tuple<CommId, std::uint32_t, std::uint32_t, std::int32_t>, ChannelState> channels_;
  std::vector<Posted> posted_;
  std::vector<std::pair<LocationId, Event>> running_;           ///< completions of non-blocking collectives
  std::map<std::pair<LocationId, std::uint64_t>, bool> holds_;  ///< locks of threads
  std::vector<std::pair<LocationId, std::uint64_t>> io_;        ///< begun and not ended
  std::uint64_t requests_ = 0;
  bool is_recording_ = true;
  std::map<std::uint32_t, std::uint64_t> transfers_;
  std::map<std::tuple<std::uint32_t, WindowId, std::uint32_t>, bool> locked_;
};

}  // namespace

std::unique_ptr<MemorySource> random_trace(const RandomTraceOptions& options) { return Program(options).run(); }

}  // namespace mora::trace::naive
