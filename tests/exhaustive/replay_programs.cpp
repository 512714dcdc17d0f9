#include "replay_programs.h"

#include <algorithm>
#include <map>

#include "support/trace/random_trace.h"

namespace mora::replay_reference {

namespace {

using Ranks = std::vector<std::uint32_t>;

class Writer {
 public:
  explicit Writer(const ProgramOptions& options) : random_(options.seed), options_(options) {}

  Program run() {
    n_ = 2 + random_.below(3);
    program_.ranks.resize(n_);
    clocks_.resize(n_, 0);
    open_.resize(n_);
    for (std::uint32_t r = n_; r-- > 0;) all_.insert(all_.begin(), r);
    part_ = all_;
    std::swap(part_[0], part_[random_.below(n_)]);
    if (n_ > 2 && random_.one_in(2)) part_.pop_back();
    program_.definitions = "ranks " + std::to_string(n_) + "\ncomm PART = " + list(part_, "") + "\n";
    if (random_.one_in(2)) everybody("MPI_Init");
    for (std::uint32_t i = 0; i < options_.steps; ++i) step();
    while (complete_some(true)) {
    }
    if (random_.one_in(2)) everybody("MPI_Finalize");
    for (std::uint32_t r = 0; r < n_; ++r) program_.last_work.push_back(1 + random_.below(30));
    return std::move(program_);
  }

 private:
  int value() { return program_.values++; }
  Nanoseconds work() { return random_.one_in(4) ? 0 : random_.below(60); }
  std::uint32_t other(std::uint32_t rank) { return (rank + 1 + random_.below(n_ - 1)) % n_; }
  static std::string list(const std::vector<std::uint32_t>& ranks, const std::string& ending) {
    std::string text;
    for (const std::uint32_t r : ranks) text += (text.empty() ? "" : ",") + std::to_string(r) + ending;
    return text;
  }

  // ---- the recording: a call begins when it is reached, and ends when what it takes is there, and some latency later

  Call& begin(std::uint32_t rank, const std::string& text) {
    Call& call = program_.ranks[rank].emplace_back();
    call.text = text;
    call.work = work();
    call.enter = clocks_[rank] + call.work;
    return call;
  }
  void give(Call& call, int v) {
    call.gives.push_back(v);
    times_[v] = call.enter;
  }
  void end(std::uint32_t rank) {
    Call& call = program_.ranks[rank].back();
    call.leave = call.enter;
    for (const int v : call.takes) call.leave = std::max(call.leave, times_[v]);
    call.leave += call.kept + (call.kept != 0 || random_.one_in(3) ? 0 : random_.below(40));
    clocks_[rank] = call.leave;
  }
  void whole(std::uint32_t rank, const std::string& text, const std::vector<int>& gives,
             const std::vector<int>& takes) {
    Call& call = begin(rank, text);
    for (const int v : gives) give(call, v);
    call.takes = takes;
    end(rank);
  }

  // ---- requests

  std::string request(std::uint32_t rank, const std::vector<int>& takes) {
    const std::string name = "r" + std::to_string(requests_++);
    open_[rank].push_back({name, takes});
    return name;
  }
  /// Some open requests of one rank, in any order. False: there are none.
  bool complete_some(bool all) {
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t rank = (i + step_) % n_;
      auto& open = open_[rank];
      if (open.empty()) continue;
      const std::size_t count = all ? open.size() : 1 + random_.below(open.size());
      std::string names;
      std::vector<int> takes;
      for (std::size_t k = 0; k < count; ++k) {
        const auto at = open.begin() + random_.below(open.size());
        names += (names.empty() ? "" : ",") + at->first;
        takes.insert(takes.end(), at->second.begin(), at->second.end());
        open.erase(at);
      }
      static const char* const calls[] = {"MPI_Waitall", "MPI_Waitsome", "MPI_Testall"};
      whole(rank,
            (count == 1 && random_.one_in(2) ? "MPI_Wait" : calls[random_.below(3)]) + std::string(" req ") + names, {},
            takes);
      return true;
    }
    return false;
  }

  // ---- steps

  void step() {
    ++step_;
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return message();
      case 4:
        return ring();
      case 5:
      case 6:
        return collective();
      case 7:
        return fence();
      case 8:
        return epoch();
      case 9:
        return options_.locks ? lock() : message();
      case 10: {
        const std::uint32_t rank = random_.below(n_);
        Call& call = begin(rank, "MPI_Pack");
        call.kept = 1 + random_.below(20);
        return end(rank);
      }
      default:
        complete_some(false);
    }
  }

  void message() {
    const std::uint32_t from = random_.below(n_), to = other(from);
    const std::string where = random_.one_in(3) ? " tag 1" : " tag 2";
    const std::string sent = " to " + std::to_string(to) + where, received = " from " + std::to_string(from) + where;
    const int message = value(), posted = value();
    const std::uint32_t mode = random_.below(4), how = random_.below(4);
    // Who must come first so that the blocking ones end: the receive's posting and the send's begin are both known
    // first.
    Call& send = begin(from, "");
    give(send, message);
    Call& receive = begin(to, "");
    give(receive, posted);
    if (mode == 0) send.text = "MPI_Send" + sent;
    if (mode == 1) {
      send.text = "MPI_Ssend" + sent;
      send.takes = {posted};
    }
    if (mode == 2) send.text = "MPI_Isend" + sent + " req " + request(from, {});
    if (mode == 3) send.text = "MPI_Issend" + sent + " req " + request(from, {posted});
    if (how == 1) {
      receive.text = "MPI_Irecv" + received + " req " + request(to, {message});
    } else if (how == 2) {
      // A probe posts nothing.
      receive.text = "MPI_Probe";
      receive.gives.clear();
      receive.takes = {message};
      end(to);
      whole(to, "MPI_Recv" + received, {posted}, {message});
      return end(from);
    } else if (how == 3) {
      const std::string name = "m" + std::to_string(requests_++);
      receive.text = "MPI_Mprobe" + received + " req " + name;
      receive.takes = {message};
      end(to);
      whole(to, "MPI_Mrecv req " + name, {}, {message});
      return end(from);
    } else {
      receive.text = "MPI_Recv" + received;
      receive.takes = {message};
    }
    end(to);
    end(from);
  }

  void ring() {
    std::vector<int> messages;
    for (std::uint32_t r = 0; r < n_; ++r) messages.push_back(value());
    for (std::uint32_t r = 0; r < n_; ++r) {
      Call& call = begin(r, "MPI_Sendrecv to " + std::to_string((r + 1) % n_) + " from " +
                                std::to_string((r + n_ - 1) % n_) + " tag 3");
      give(call, messages[r]);
      call.takes = {messages[(r + n_ - 1) % n_]};
    }
    for (std::uint32_t r = 0; r < n_; ++r) end(r);
  }

  void everybody(const std::string& name) {
    std::vector<int> arrivals;
    for (std::uint32_t r = 0; r < n_; ++r) arrivals.push_back(value());
    for (std::uint32_t r = 0; r < n_; ++r) {
      Call& call = begin(r, name);
      give(call, arrivals[r]);
      call.takes = arrivals;
    }
    for (std::uint32_t r = 0; r < n_; ++r) end(r);
  }

  void collective() {
    const bool part = random_.one_in(2);
    const Ranks& ranks = part ? part_ : all_;
    const std::uint32_t n = static_cast<std::uint32_t>(ranks.size());
    const bool alone = n == 1;
    static const char* const names[] = {"Barrier", "Bcast",      "Gather",    "Allreduce",         "Scan",
                                        "Exscan",  "Allgatherv", "Alltoallv", "Neighbor_allgather"};
    const std::uint32_t which = random_.below(9);
    const std::uint32_t root = random_.below(n);
    const bool later = random_.one_in(2);
    std::vector<int> arrivals;
    std::vector<std::vector<std::uint32_t>> gets(n, std::vector<std::uint32_t>(n, 0));  // [receiver][sender]
    std::vector<std::uint32_t> sends(n, 8);
    for (std::uint32_t i = 0; i < n; ++i) {
      arrivals.push_back(value());
      if (which == 6 && random_.one_in(2)) sends[i] = 0;
      for (std::uint32_t k = 0; k < n; ++k) gets[i][k] = random_.one_in(2) ? 8 : 0;
    }
    std::uint32_t total = 0;
    for (const std::uint32_t s : sends) total += s;
    std::vector<std::vector<int>> takes(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      std::string text = std::string(later ? "MPI_I" : "MPI_") + names[which];
      if (later) text[5] = static_cast<char>(text[5] - 'A' + 'a');
      if (part) text += " comm PART";
      const auto take = [&](std::uint32_t k) {
        if (k != i && !alone) takes[i].push_back(arrivals[k]);
      };
      for (std::uint32_t k = 0; k < n; ++k) {
        if (which == 0 || which == 3 || (which == 1 && k == root) || (which == 2 && i == root)) take(k);
        if ((which == 4 || which == 5) && k < i) take(k);
        if (which == 6 && sends[k] > 0) take(k);
        if (which >= 7 && gets[i][k] > 0) take(k);
      }
      if (which == 1 || which == 2) text += " root " + std::to_string(ranks[root]);
      if (which == 0 && later) text += part ? "" : " comm WORLD";
      if (which == 6) text += " sent " + std::to_string(sends[i]) + " recvd " + std::to_string(total);
      if (which == 6 && total == 0) takes[i].clear();
      if (which == 7) {
        std::string counts;
        for (std::uint32_t k = 0; k < n; ++k) counts += (counts.empty() ? "" : ",") + std::to_string(gets[k][i]);
        for (std::uint32_t k = 0; k < n; ++k) counts += "," + std::to_string(gets[i][k]);
        text += " counts " + counts;
      }
      if (which == 8) {
        Ranks to, from;
        for (std::uint32_t k = 0; k < n; ++k) {
          if (gets[k][i] > 0) to.push_back(ranks[k]);
          if (gets[i][k] > 0) from.push_back(ranks[k]);
        }
        if (!to.empty()) text += " dests " + list(to, "");
        if (!from.empty()) text += " sources " + list(from, "");
        if (to.empty() && from.empty()) text += " sent 0 recvd 0";
      }
      if (later && (which == 3 || which == 4 || which == 5) && !part) text += " comm WORLD";
      if (later) text += " req " + request(ranks[i], takes[i]);
      Call& call = begin(ranks[i], text);
      give(call, arrivals[i]);
      if (!later) call.takes = takes[i];
    }
    for (const std::uint32_t r : ranks) end(r);
  }

  void fence() {
    const bool ends_nothing = random_.one_in(3);
    std::vector<int> arrivals;
    for (std::uint32_t r = 0; r < n_; ++r) arrivals.push_back(value());
    for (std::uint32_t r = 0; r < n_; ++r) {
      Call& call = begin(r, ends_nothing ? "MPI_Win_fence w0 assert noprecede" : "MPI_Win_fence w0");
      give(call, arrivals[r]);
      if (!ends_nothing) call.takes = arrivals;
    }
    for (std::uint32_t r = 0; r < n_; ++r) end(r);
  }

  void epoch() {
    const std::uint32_t target = random_.below(n_);
    Ranks origins;
    for (std::uint32_t r = 0; r < n_; ++r) {
      if (r != target && random_.one_in(2)) origins.push_back(r);
    }
    if (origins.empty()) origins.push_back(other(target));
    const std::string to = std::to_string(target);
    const int posted = value();
    whole(target, "MPI_Win_post w1 group " + list(origins, ""), {posted}, {});
    std::vector<int> completed;
    for (const std::uint32_t origin : origins) {
      whole(origin, "MPI_Win_start w1 group " + to, {}, {});
      if (random_.one_in(2)) whole(origin, "MPI_Put w1 to " + to, {}, {});
      completed.push_back(value());
      whole(origin, "MPI_Win_complete w1", {completed.back()}, {posted});
    }
    whole(target, random_.one_in(2) ? "MPI_Win_wait w1" : "MPI_Win_test w1 synex 1", {}, completed);
  }

  /// Who waits for whom is the order of the releases; where it waits, the recording says: in the call that asks if the
  /// locks before were released by its end, else in the one that releases.
  struct Holders {
    bool exclusive = true;
    std::vector<int> released, before;
    Nanoseconds by = 0, before_by = 0, last_leave = 0;
  };

  void lock() {
    program_.has_locks = true;
    const std::uint32_t rank = random_.below(n_), target = random_.below(n_);
    const bool exclusive = !random_.one_in(3);
    Holders& h = holders_[target];
    if (exclusive || h.exclusive) {
      h.before = std::move(h.released);
      h.before_by = h.by;
      h.released.clear();
      h.by = INT64_MIN;
      h.exclusive = exclusive;
    }
    const std::string at = " w2 to " + std::to_string(target);
    Call& asks = begin(rank, "MPI_Win_lock" + at + (exclusive ? " exclusive" : " shared"));
    asks.leave = asks.enter + random_.below(40);
    if (random_.one_in(2)) asks.leave = std::max(asks.leave, h.before_by);
    const bool at_lock = h.before.empty() || asks.leave >= h.before_by;
    if (at_lock) asks.takes = h.before;
    clocks_[rank] = asks.leave;
    if (random_.one_in(2)) whole(rank, "MPI_Put" + at, {}, {});
    Call& releases = begin(rank, "MPI_Win_unlock" + at);
    if (!at_lock) releases.takes = h.before;
    const int released = value();
    releases.gives_at_end = {released};
    releases.leave = std::max({releases.enter, h.last_leave + 1, h.before_by}) + random_.below(20);
    times_[released] = at_lock ? releases.enter : releases.leave;
    clocks_[rank] = h.last_leave = releases.leave;
    h.by = std::max(h.by, times_[released]);
    h.released.push_back(released);
  }

  trace::naive::Random random_;
  const ProgramOptions options_;
  Program program_;
  std::uint32_t n_ = 0, step_ = 0;
  Ranks all_, part_;
  std::vector<Nanoseconds> clocks_;
  std::map<int, Nanoseconds> times_;
  int requests_ = 0;
  std::vector<std::vector<std::pair<std::string, std::vector<int>>>> open_;
  std::map<std::uint32_t, Holders> holders_;
};

}  // namespace

Program random_program(const ProgramOptions& options) { return Writer(options).run(); }

Solution solve(const Program& program) {
  Solution s;
  std::vector<Nanoseconds> values(static_cast<std::size_t>(program.values), 0);
  for (const auto& calls : program.ranks) {
    s.starts.emplace_back(calls.size(), 0);
    s.ends.emplace_back(calls.size(), 0);
    s.rank_ends.push_back(0);
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t r = 0; r < program.ranks.size(); ++r) {
      Nanoseconds now = 0;
      for (std::size_t i = 0; i < program.ranks[r].size(); ++i) {
        const Call& call = program.ranks[r][i];
        now += call.work;
        s.starts[r][i] = now;
        for (const int v : call.gives) {
          changes = changes || values[static_cast<std::size_t>(v)] != now;
          values[static_cast<std::size_t>(v)] = now;
        }
        for (const int v : call.takes) now = std::max(now, values[static_cast<std::size_t>(v)]);
        now += call.kept;
        s.ends[r][i] = now;
        for (const int v : call.gives_at_end) {
          changes = changes || values[static_cast<std::size_t>(v)] != now;
          values[static_cast<std::size_t>(v)] = now;
        }
      }
      s.rank_ends[r] = now + program.last_work[r];
    }
  }
  return s;
}

std::string trace_text(const Program& program, const Solution* solution) {
  std::string text = "mora-trace 1\n" + program.definitions;
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const auto& calls = program.ranks[r];
    const std::string rank = "P" + std::to_string(r) + " ";
    const Nanoseconds last =
        solution != nullptr ? solution->rank_ends[r] : (calls.empty() ? 0 : calls.back().leave) + program.last_work[r];
    text += rank + "0-" + std::to_string(last) + " main\n";
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Nanoseconds enter = solution != nullptr ? solution->starts[r][i] : calls[i].enter;
      const Nanoseconds leave = solution != nullptr ? solution->ends[r][i] : calls[i].leave;
      text += rank + std::to_string(enter) + "-" + std::to_string(leave) + " " + calls[i].text + "\n";
    }
  }
  return text;
}

}  // namespace mora::replay_reference
