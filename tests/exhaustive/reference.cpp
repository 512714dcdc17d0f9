#include "reference.h"

#include <algorithm>
#include <set>
#include <vector>

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

struct OneCall {
  std::string name, path;
  Nanoseconds enter = 0, leave = 0;
  std::uint32_t location = 0;
  std::vector<Event> inside;
};

struct OneSend {
  std::size_t start = 0;  ///< call
  long complete = -1;     ///< call; -1 = never
  Event event;
  std::uint32_t from = 0;
};

struct OneReceive {
  std::size_t post = 0;
  long complete = -1;
  Event event;  ///< of the completion
  std::uint32_t to = 0;
};

/// All MPI calls of all locations, each location's in order.
std::vector<OneCall> calls_of(const trace::MemorySource& source) {
  std::vector<OneCall> calls;
  for (std::uint32_t l = 0; l < source.events.size(); ++l) {
    std::vector<std::string> names;
    std::vector<long> open;  // index of the call, -1 for user regions
    for (const Event& e : source.events[l]) {
      if (e.kind == EventKind::enter) {
        const trace::Region& region = source.defs.regions[e.region];
        names.push_back(region.name);
        if (region.kind != trace::RegionKind::mpi) {
          open.push_back(-1);
          continue;
        }
        std::string path;
        for (const std::string& n : names) path += "/" + n;
        open.push_back(static_cast<long>(calls.size()));
        calls.push_back(OneCall{region.name, path, e.time, e.time, l, {}});
      } else if (e.kind == EventKind::leave) {
        if (open.back() >= 0) calls[static_cast<std::size_t>(open.back())].leave = e.time;
        open.pop_back();
        names.pop_back();
      } else if (!open.empty() && open.back() >= 0) {
        calls[static_cast<std::size_t>(open.back())].inside.push_back(e);
      }
    }
  }
  return calls;
}

bool is_test_call(const std::string& name) { return name.rfind("MPI_Test", 0) == 0; }

class Naive {
 public:
  explicit Naive(const trace::MemorySource& source) : source_(source), calls_(calls_of(source)) {}

  ReferenceResult run() {
    point_to_point();
    for (std::uint32_t comm = 0; comm < source_.defs.communicators.size(); ++comm) {
      instances(false, comm, source_.defs.communicators[comm].members);
    }
    for (std::uint32_t w = 0; w < source_.defs.windows.size(); ++w) {
      instances(true, w, source_.defs.communicators[source_.defs.windows[w].comm].members);
    }
    return std::move(result_);
  }

 private:
  void charge(const char* metric, const OneCall& call, std::int64_t amount) {
    if (amount > 0) result_.cells[{metric, call.path, call.location}] += amount;
  }

  void point_to_point() {
    std::vector<OneSend> sends;
    std::vector<OneReceive> receives;
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      for (const Event& e : calls_[c].inside) {
        const std::uint32_t me = calls_[c].location;
        if (e.kind == EventKind::send) sends.push_back({c, static_cast<long>(c), e, me});
        if (e.kind == EventKind::send_request) sends.push_back({c, -1, e, me});
        if (e.kind == EventKind::receive) receives.push_back({c, static_cast<long>(c), e, me});
        if (e.kind == EventKind::receive_request) receives.push_back({c, -1, e, me});
        if (e.kind == EventKind::send_complete) {
          for (OneSend& s : sends) {
            if (s.from == me && s.complete == -1 && s.event.request == e.request) s.complete = static_cast<long>(c);
          }
        }
        if (e.kind == EventKind::receive_complete) {
          for (OneReceive& r : receives) {
            if (r.to == me && r.complete == -1 && r.event.request == e.request) {
              r.complete = static_cast<long>(c);
              r.event = e;
            }
          }
        }
      }
    }
    const auto same_envelope = [](const OneSend& s, const OneReceive& r) {
      return s.from == r.event.peer && s.event.peer == r.to && s.event.comm == r.event.comm &&
             s.event.tag == r.event.tag;
    };
    // The k-th send of an envelope belongs to the k-th posted receive that ended with it.
    std::vector<long> send_of(receives.size(), -1), receive_of(sends.size(), -1);
    for (std::size_t r = 0; r < receives.size(); ++r) {
      if (receives[r].complete == -1) continue;
      for (std::size_t s = 0; s < sends.size(); ++s) {
        if (same_envelope(sends[s], receives[r]) && receive_of[s] == -1) {
          receive_of[s] = static_cast<long>(r);
          send_of[r] = static_cast<long>(s);
          break;
        }
      }
      if (send_of[r] == -1) ++result_.unmatched_receives;
    }
    for (const long r : receive_of) result_.unmatched_sends += r == -1 ? 1 : 0;

    for (const Place& place : places()) {
      const OneCall& call = calls_[place.call];
      // Late Sender: the maximum over all receives that this call completed, or that the probed call posted.
      Nanoseconds late_sender = 0;
      bool late_sender_bytes = false;
      std::uint32_t late_source = 0;
      Nanoseconds late_sent = 0;
      for (std::size_t r = 0; r < receives.size(); ++r) {
        const long of = place.is_probe ? static_cast<long>(receives[r].post) : receives[r].complete;
        if (of != static_cast<long>(place.of) || receives[r].complete == -1 || send_of[r] == -1) continue;
        const OneCall& sending = calls_[sends[static_cast<std::size_t>(send_of[r])].start];
        if (sending.enter > call.leave) {
          if (place.is_probe || place.is_loop) continue;
          ++result_.clock_violations;
        }
        const Nanoseconds w = std::min(sending.enter, call.leave) - place.begin;
        const std::uint32_t source = receives[r].event.peer;
        const bool tie_won = source < late_source || (source == late_source && sending.enter < late_sent);
        if (w > late_sender || (w == late_sender && w > 0 && tie_won)) {
          late_sender = w;
          late_sender_bytes = receives[r].event.bytes > 0;
          late_source = source;
          late_sent = sending.enter;
        }
      }
      // Late Receiver: only without a Late Sender.
      Nanoseconds late_receiver = 0;
      bool late_receiver_bytes = false;
      for (std::size_t s = 0; s < sends.size(); ++s) {
        if (place.is_probe || sends[s].complete != static_cast<long>(place.of) || receive_of[s] == -1) continue;
        const OneCall& posting = calls_[receives[static_cast<std::size_t>(receive_of[s])].post];
        if (call.leave <= posting.enter) continue;
        const Nanoseconds w = posting.enter - place.begin;
        if (w > late_receiver) {
          late_receiver = w;
          late_receiver_bytes = sends[s].event.bytes > 0;
        }
      }
      if (polls(call.name) && !place.is_loop) {
        if (!waited_.contains(place.call) && call.inside.empty()) {
          charge("polling", call, call.leave - call.enter);
          charge("polling-calls", call, 1);
        }
        continue;
      }
      if (late_sender > 0) {
        charge("late-sender", call, late_sender);
        charge("late-sender-instances", call, 1);
        charge(late_sender_bytes ? "late-sender-communications" : "late-sender-synchronizations", call, 1);
        // Wrong order: the first later call that completes a message sent earlier, of its messages the one sent first.
        bool wrong = false;
        Nanoseconds older_sent = 0;
        std::uint32_t older_source = 0;
        for (std::size_t later = place.of + 1; later < calls_.size() && !wrong; ++later) {
          if (calls_[later].location != call.location) continue;
          for (std::size_t r = 0; r < receives.size(); ++r) {
            if (receives[r].complete != static_cast<long>(later) || send_of[r] == -1) continue;
            const Nanoseconds sent = calls_[sends[static_cast<std::size_t>(send_of[r])].start].enter;
            if (sent >= late_sent) continue;
            const std::uint32_t source = receives[r].event.peer;
            if (!wrong || sent < older_sent || (sent == older_sent && source < older_source)) {
              older_sent = sent;
              older_source = source;
            }
            wrong = true;
          }
        }
        if (wrong) {
          charge("late-sender-wrong-order", call, late_sender);
          charge(older_source == late_source ? "late-sender-wrong-order-same-source"
                                             : "late-sender-wrong-order-different-source",
                 call, late_sender);
          charge(
              late_sender_bytes ? "late-sender-wrong-order-communications" : "late-sender-wrong-order-synchronizations",
              call, 1);
        }
      } else if (late_receiver > 0) {
        charge("late-receiver", call, late_receiver);
        charge("late-receiver-instances", call, 1);
        charge(late_receiver_bytes ? "late-receiver-communications" : "late-receiver-synchronizations", call, 1);
      }
    }
  }

  /// Where a location may wait: from `begin` to the leave of `call`, for what call `of` completes (posts, of a probe).
  struct Place {
    std::size_t call = 0, of = 0;
    Nanoseconds begin = 0;
    bool is_probe = false, is_loop = false;
  };

  static bool polls(const std::string& name) { return is_test_call(name) || name == "MPI_Iprobe"; }

  /// All calls; loops of polls that end with a test that completes something, or with the receive after them; probes
  /// before a receive. Loops have two polls here: the gap between them takes no longer than the first, or there is
  /// none.
  std::vector<Place> places() {
    std::vector<Place> all;
    const auto first_of_loop = [&](std::size_t last) {
      std::size_t first = last;
      while (first > 0 && calls_[first - 1].location == calls_[last].location &&
             calls_[first - 1].name == calls_[last].name && calls_[first - 1].inside.empty() &&
             calls_[first].enter - calls_[first - 1].leave <= calls_[first - 1].leave - calls_[first - 1].enter)
        --first;
      return first;
    };
    const auto loop = [&](std::size_t last, std::size_t of, bool is_probe) {
      const std::size_t first = first_of_loop(last);
      if (first == last) return;
      all.push_back({last, of, calls_[first].enter, is_probe, true});
      for (std::size_t c = first; c <= last; ++c) waited_.insert(c);
    };
    for (std::size_t c = 0; c < calls_.size(); ++c) {
      const bool posts = std::any_of(calls_[c].inside.begin(), calls_[c].inside.end(), [](const Event& e) {
        return e.kind == EventKind::receive || e.kind == EventKind::receive_request;
      });
      if (is_test_call(calls_[c].name) && !calls_[c].inside.empty()) loop(c, c, false);
      if (calls_[c].name == "MPI_Mprobe") all.push_back({c, c, calls_[c].enter, true, false});
      if (!posts || c == 0 || calls_[c - 1].location != calls_[c].location) continue;
      if (calls_[c - 1].name == "MPI_Probe") all.push_back({c - 1, c, calls_[c - 1].enter, true, false});
      if (calls_[c - 1].name == "MPI_Iprobe") loop(c - 1, c, true);
    }
    for (std::size_t c = 0; c < calls_.size(); ++c) all.push_back({c, c, calls_[c].enter, false, false});
    return all;
  }

  struct Part {
    const OneCall* call = nullptr;
    Event end;
  };

  void instances(bool on_window, std::uint32_t id, const std::vector<std::uint32_t>& members) {
    std::vector<std::vector<Part>> lists(members.size());
    std::size_t count = 0;
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (const OneCall& call : calls_) {
        if (call.location != members[m]) continue;
        for (const Event& e : call.inside) {
          const bool here = on_window ? e.kind == EventKind::rma_collective_end && e.window == id
                                      : e.kind == EventKind::collective_end && e.comm == id;
          if (here) lists[m].push_back({&call, e});
        }
      }
      count = std::max(count, lists[m].size());
    }
    for (std::size_t n = 0; n < count; ++n) {
      std::vector<Part> parts;
      for (const auto& list : lists) {
        if (n < list.size()) parts.push_back(list[n]);
      }
      if (parts.size() == members.size() && parts.size() > 1) collective(parts, members);
    }
  }

  void collective(const std::vector<Part>& parts, const std::vector<std::uint32_t>& members) {
    const std::string& name = parts[0].call->name;
    for (const Part& p : parts) {
      if (p.call->name != name) return;
    }
    const auto enter = [&](std::size_t i) { return parts[i].call->enter; };
    const auto leave = [&](std::size_t i) { return parts[i].call->leave; };
    const auto sends = [&](std::size_t i) { return parts[i].end.bytes > 0; };
    const auto receives = [&](std::size_t i) { return parts[i].end.received > 0; };
    const std::size_t n = parts.size();
    // latest enter and earliest leave of a subset
    const auto last_enter = [&](const std::set<std::size_t>& set) {
      Nanoseconds t = INT64_MIN;
      for (const std::size_t i : set) t = std::max(t, enter(i));
      return t;
    };
    const auto first_leave = [&](const std::set<std::size_t>& set) {
      Nanoseconds t = INT64_MAX;
      for (const std::size_t i : set) t = std::min(t, leave(i));
      return t;
    };
    std::set<std::size_t> all, senders, receivers, active;
    std::size_t root = n;
    for (std::size_t i = 0; i < n; ++i) {
      all.insert(i);
      if (sends(i)) senders.insert(i);
      if (receives(i)) receivers.insert(i);
      if (sends(i) || receives(i)) active.insert(i);
      if (members[i] == parts[0].end.root) root = i;
    }
    const bool full = first_leave(all) > last_enter(all);
    if (name == "MPI_Barrier") {
      for (const std::size_t p : all) {
        if (last_enter(all) > leave(p)) ++result_.clock_violations;
        charge("wait-at-barrier", *parts[p].call, std::min(last_enter(all), leave(p)) - enter(p));
        charge("barrier-completion", *parts[p].call,
               leave(p) - std::max(first_leave(all), std::min(last_enter(all), leave(p))));
      }
    } else if (name == "MPI_Win_fence") {
      for (const std::size_t p : all) {
        charge(full ? "wait-at-fence" : "asserted-fence", *parts[p].call,
               std::min(last_enter(all), leave(p)) - enter(p));
      }
    } else if (name == "MPI_Win_create" || name == "MPI_Win_free") {
      for (const std::size_t p : all) {
        if (full)
          charge(name == "MPI_Win_create" ? "wait-at-create" : "wait-at-free", *parts[p].call,
                 last_enter(all) - enter(p));
      }
    } else if (name == "MPI_Bcast") {
      if (root == n || !sends(root)) return;
      for (const std::size_t p : receivers) {
        if (p == root) continue;
        if (enter(root) > leave(p)) ++result_.clock_violations;
        charge("late-broadcast", *parts[p].call, std::min(enter(root), leave(p)) - enter(p));
      }
    } else if (name == "MPI_Reduce") {
      if (root == n || !receives(root) || senders.empty()) return;
      if (last_enter(senders) > leave(root)) ++result_.clock_violations;
      charge("early-reduce", *parts[root].call, std::min(last_enter(senders), leave(root)) - enter(root));
    } else if (name == "MPI_Scan") {
      for (const std::size_t k : active) {
        std::set<std::size_t> smaller;
        for (const std::size_t q : senders) {
          if (q <= k) smaller.insert(q);
        }
        if (smaller.empty()) continue;
        if (last_enter(smaller) > leave(k)) ++result_.clock_violations;
        charge("early-scan", *parts[k].call, std::min(last_enter(smaller), leave(k)) - enter(k));
      }
      for (const std::size_t k : active) {
        Nanoseconds ready = enter(k), until = INT64_MIN;
        for (const std::size_t q : senders) {
          if (q < k) ready = std::max(ready, enter(q));
          if (q > k && enter(q) <= leave(k)) until = std::max(until, enter(q));
        }
        if (until > ready && leave(k) - until <= until - ready) charge("wait-at-scan", *parts[k].call, until - ready);
      }
    } else if (name == "MPI_Allreduce" || name == "MPI_Allgatherv") {
      if (senders.empty()) return;
      const Nanoseconds last_sender = last_enter(senders);
      for (const std::size_t p : receivers) {
        if (last_sender > leave(p)) ++result_.clock_violations;
      }
      const bool overlaps = first_leave(active) > last_enter(active);
      for (const std::size_t p : overlaps ? active : receivers) {
        const Nanoseconds until = overlaps ? last_enter(active) : last_sender;
        charge("wait-at-nxn", *parts[p].call, std::min(until, leave(p)) - enter(p));
        const Nanoseconds ready =
            std::max({std::min(until, leave(p)), first_leave(overlaps ? active : receivers), enter(p)});
        charge("nxn-completion", *parts[p].call, leave(p) - ready);
      }
    }
  }

  const trace::MemorySource& source_;
  std::vector<OneCall> calls_;
  std::set<std::size_t> waited_;  ///< polls of loops that found something
  ReferenceResult result_;
};

}  // namespace

ReferenceResult analyse_naively(const trace::MemorySource& source) { return Naive(source).run(); }

}  // namespace mora::exhaustive
