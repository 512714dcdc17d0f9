#include <algorithm>
#include <vector>

#include "nonblocking.h"

namespace mora::exhaustive {

using trace::Collective;
using trace::Event;
using trace::EventKind;

namespace {

struct OneCall {
  std::string name, path;
  Nanoseconds enter = 0, leave = 0;
  std::uint32_t rank = 0;
  std::vector<Event> inside;
};

struct Part {
  const OneCall* start = nullptr;
  const OneCall* done = nullptr;  ///< nullptr: never completed
  Event event;
};

/// Whether p cannot finish before q has started.
bool needs(const trace::MemorySource& source, const std::vector<Part>& parts, std::uint32_t p, std::uint32_t q) {
  const Event& mine = parts[p].event;
  const Event& other = parts[q].event;
  switch (mine.collective) {
    case Collective::barrier:
      return true;
    case Collective::bcast:
      return q == mine.root && other.bytes > 0 && mine.received > 0;
    case Collective::reduce:
      return p == mine.root && mine.received > 0 && other.bytes > 0;
    case Collective::allreduce:
    case Collective::allgatherv:
      return mine.received > 0 && other.bytes > 0;
    case Collective::scan:
      return q < p && other.bytes > 0 && (mine.bytes > 0 || mine.received > 0);
    case Collective::alltoallv:
    case Collective::alltoallw:
      return source.vectors[p][mine.vector][parts.size() + q] > 0;
    default: {  // neighbours: behind the destinations the sources
      const std::vector<std::uint64_t>& v = source.vectors[p][mine.vector];
      const std::size_t first = 1 + 2 * static_cast<std::size_t>(v[0]);
      for (std::size_t i = 0; i < v[first]; ++i) {
        if (v[first + 1 + 2 * i] == q && v[first + 2 + 2 * i] > 0) return true;
      }
      return false;
    }
  }
}

/// In order of preference among equal waits of one call.
constexpr const char* kinds[] = {"nonblocking-wait-at-barrier", "nonblocking-late-broadcast",
                                 "nonblocking-early-reduce",    "nonblocking-early-scan",
                                 "nonblocking-wait-at-nxn",     "nonblocking-wait-at-neighborhood"};

const char* kind_of(Collective collective) {
  switch (collective) {
    case Collective::barrier:
      return "nonblocking-wait-at-barrier";
    case Collective::bcast:
      return "nonblocking-late-broadcast";
    case Collective::reduce:
      return "nonblocking-early-reduce";
    case Collective::scan:
      return "nonblocking-early-scan";
    case Collective::allreduce:
    case Collective::allgatherv:
    case Collective::alltoallv:
    case Collective::alltoallw:
      return "nonblocking-wait-at-nxn";
    default:
      return "nonblocking-wait-at-neighborhood";
  }
}

class Naive {
 public:
  explicit Naive(const trace::MemorySource& source) : source_(source) {
    for (std::uint32_t r = 0; r < source.events.size(); ++r) read_calls(r);
  }

  ReferenceResult run() {
    const std::size_t ranks = source_.events.size();
    std::vector<std::vector<Part>> started(ranks), blocking(ranks);
    for (const OneCall& call : calls_) {
      for (const Event& e : call.inside) {
        if (e.kind == EventKind::collective_request) started[call.rank].push_back({&call, nullptr, e});
        if (e.kind == EventKind::collective_end) blocking[call.rank].push_back({&call, &call, e});
      }
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      for (Part& part : started[r]) {
        for (const OneCall& call : calls_) {
          for (const Event& e : call.inside) {
            if (call.rank == r && e.kind == EventKind::collective_complete && e.request == part.event.request)
              part.done = &call;
          }
        }
        times(part);
      }
    }
    for (std::size_t n = 0; n < started[0].size(); ++n) operation(started, n, false);
    for (std::size_t n = 0; n < blocking[0].size(); ++n) operation(blocking, n, true);
    for (const OneCall& call : calls_) divide(call);
    return std::move(result_);
  }

 private:
  struct Longest {
    Nanoseconds amount = 0;
    std::uint32_t cause = 0;
    Nanoseconds begin = 0;
    const char* kind = "";
  };

  /// What a call waits for in [begin, end).
  struct Wait {
    Nanoseconds begin = 0, end = 0;
    int kind = 0;  ///< 0 messages, 1 collectives, 2 transfers
    std::vector<const char*> metrics;
  };

  /// Of several waits at an instant, the one that ends first has it.
  void divide(const OneCall& call) {
    if (call.name.rfind("MPI_Wait", 0) != 0) return;
    std::vector<Wait> waits = transfer_waits(call);
    waits.push_back({call.enter, call.enter + message_wait(call), 0, {"late-sender"}});
    if (const auto longest = longest_.find(&call); longest != longest_.end()) {
      waits.push_back(
          {call.enter, call.enter + longest->second.amount, 1, {"nonblocking-collective-wait", longest->second.kind}});
    }
    if (const auto late = completing_.find(&call); late != completing_.end()) {
      const auto needed = needed_.find(&call);
      const Nanoseconds ready = std::max(call.enter, needed == needed_.end() ? 0 : needed->second);
      const bool has_message = std::any_of(call.inside.begin(), call.inside.end(),
                                           [](const Event& e) { return e.kind == EventKind::receive_complete; });
      if (!has_message && call.leave - late->second <= late->second - ready)
        waits.push_back({ready, late->second, 1, {"nonblocking-progress"}});
    }
    for (Nanoseconds t = call.enter; t < call.leave; ++t) {
      const Wait* first = nullptr;
      for (const Wait& wait : waits) {
        if (t < wait.begin || wait.end <= t) continue;
        if (first == nullptr || std::tie(wait.end, wait.kind) < std::tie(first->end, first->kind)) first = &wait;
      }
      if (first == nullptr) continue;
      for (const char* metric : first->metrics) charge(metric, call, 1);
    }
  }

  /// Until targets of the transfers that it completes enter MPI, where no target that came before is inside.
  std::vector<Wait> transfer_waits(const OneCall& call) const {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> stays;  // the first of each target that ends after the enter
    for (const Event& done : call.inside) {
      if (done.kind != EventKind::rma_complete) continue;
      for (const OneCall& c : calls_) {
        for (const Event& e : c.inside) {
          if (e.kind == EventKind::get && e.request == done.request && e.peer != call.rank)
            stays.push_back(first_stay(e.peer, call.enter));
        }
      }
    }
    std::vector<Wait> waits;
    for (Nanoseconds t = call.enter; t < call.leave; ++t) {
      Nanoseconds next = INT64_MAX;
      bool is_covered = false;
      for (const auto& [begin, end] : stays) {
        if (t < begin) next = std::min(next, begin);
        is_covered = is_covered || (begin <= t && t < end);
      }
      if (!is_covered && next <= call.leave) waits.push_back({t, next, 2, {"request-completion"}});
    }
    return waits;
  }

  /// Of a rank in MPI, calls without time between them being one.
  std::pair<Nanoseconds, Nanoseconds> first_stay(std::uint32_t rank, Nanoseconds after) const {
    std::pair<Nanoseconds, Nanoseconds> stay{INT64_MAX, INT64_MAX};
    for (const OneCall& call : calls_) {
      if (call.rank != rank) continue;
      if (stay.second == call.enter) {
        stay.second = call.leave;
      } else if (stay.first == INT64_MAX || stay.second <= after) {
        stay = {call.enter, call.leave};
      }
    }
    return stay.second > after ? stay : std::pair<Nanoseconds, Nanoseconds>{INT64_MAX, INT64_MAX};
  }

  /// How long it waits for messages. All go from rank 0 to rank 1, and are received in order.
  Nanoseconds message_wait(const OneCall& call) const {
    std::vector<Nanoseconds> sent;
    std::vector<std::uint64_t> posted;
    for (const OneCall& c : calls_) {
      for (const Event& e : c.inside) {
        if (e.kind == EventKind::send) sent.push_back(c.enter);
        if (e.kind == EventKind::receive_request) posted.push_back(e.request);
      }
    }
    Nanoseconds longest = 0;
    for (const Event& e : call.inside) {
      if (e.kind != EventKind::receive_complete) continue;
      const auto place = std::find(posted.begin(), posted.end(), e.request) - posted.begin();
      longest = std::max(longest, std::min(sent[static_cast<std::size_t>(place)], call.leave) - call.enter);
    }
    return longest;
  }

  void read_calls(std::uint32_t rank) {
    std::string path;
    std::vector<std::string> paths;
    std::vector<OneCall> open;
    for (const Event& e : source_.events[rank]) {
      if (e.kind == EventKind::enter) {
        paths.push_back(path);
        path += "/" + source_.defs.regions[e.region].name;
        open.push_back({source_.defs.regions[e.region].name, path, e.time, e.time, rank, {}});
      } else if (e.kind == EventKind::leave) {
        open.back().leave = e.time;
        if (open.back().name.rfind("MPI_", 0) == 0) calls_.push_back(open.back());
        open.pop_back();
        path = paths.back();
        paths.pop_back();
      } else {
        open.back().inside.push_back(e);
      }
    }
  }

  void charge(const char* metric, const OneCall& call, std::int64_t amount) {
    if (amount > 0) result_.cells[{metric, call.path, call.rank}] += amount;
  }

  void times(const Part& part) {
    if (part.done == nullptr) return;
    Nanoseconds overlap = 0;
    for (Nanoseconds t = part.start->leave; t < part.done->enter; ++t) {
      overlap += std::none_of(calls_.begin(), calls_.end(),
                              [&](const OneCall& call) {
                                return call.rank == part.start->rank && call.enter <= t && t < call.leave;
                              })
                     ? 1
                     : 0;
    }
    charge("nonblocking-collective-time", *part.start, part.done->enter - part.start->leave);
    charge("nonblocking-collective-overlap", *part.start, overlap);
  }

  void operation(const std::vector<std::vector<Part>>& lists, std::size_t n, bool is_blocking) {
    std::vector<Part> parts;
    for (const auto& list : lists) parts.push_back(list.at(n));
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      if (parts[p].done == nullptr) continue;
      for (std::uint32_t q = 0; q < parts.size() && !is_blocking; ++q) {
        const OneCall &mine = *parts[p].done, *other = parts[q].done;
        if (mine.name.rfind("MPI_Test", 0) == 0 || !needs(source_, parts, p, q)) continue;
        if (q != p) needed_[&mine] = std::max(needed_[&mine], parts[q].start->enter);
        if (other == nullptr || other->enter > mine.leave || other->enter < completing_[&mine]) continue;
        completing_[&mine] = other->enter;
      }
      bool found = false;
      std::uint32_t cause = 0;
      for (std::uint32_t q = 0; q < parts.size(); ++q) {
        if (q == p || !needs(source_, parts, p, q)) continue;
        if (!found || parts[q].start->enter > parts[cause].start->enter) cause = q;
        found = true;
      }
      if (!found) continue;
      const Nanoseconds begin = parts[cause].start->enter;
      const OneCall& call = *parts[p].done;
      if (begin > call.leave) ++result_.clock_violations;
      const Nanoseconds amount = std::min(begin, call.leave) - call.enter;
      if (amount <= 0) continue;
      if (is_blocking) {
        const bool neighbors = parts[p].event.collective >= Collective::neighbor_allgather;
        charge(neighbors ? "wait-at-neighborhood" : "wait-at-nxn", call, amount);
        continue;
      }
      if (call.name.rfind("MPI_Test", 0) == 0) continue;
      const Longest one{amount, cause, begin, kind_of(parts[p].event.collective)};
      Longest& longest = longest_[&call];
      const auto place = [](const char* kind) {
        return std::find(std::begin(kinds), std::end(kinds), std::string(kind));
      };
      const bool is_longer = one.amount != longest.amount             ? one.amount > longest.amount
                             : place(one.kind) != place(longest.kind) ? place(one.kind) < place(longest.kind)
                             : one.cause != longest.cause             ? one.cause < longest.cause
                                                                      : one.begin < longest.begin;
      if (longest.amount == 0 || is_longer) longest = one;
    }
  }

  const trace::MemorySource& source_;
  std::vector<OneCall> calls_;
  std::map<const OneCall*, Longest> longest_;
  std::map<const OneCall*, Nanoseconds> needed_, completing_;  ///< latest start; latest completion, not after the leave
  ReferenceResult result_;
};

}  // namespace

ReferenceResult analyse_nonblocking_naively(const trace::MemorySource& source) { return Naive(source).run(); }

}  // namespace mora::exhaustive
