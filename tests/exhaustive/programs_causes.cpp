#include "programs_causes.h"

#include <algorithm>

namespace mora::exhaustive {

Program random_program(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  const int ranks = 2 + upto(3);
  Program p;
  p.segments.resize(static_cast<std::size_t>(ranks));
  p.names.resize(static_cast<std::size_t>(ranks));
  std::vector<Nanoseconds> clock(static_cast<std::size_t>(ranks), 0);
  p.text = "mora-trace 1\n";
  // Computation between functions belongs to the stretch that ends with the next MPI call.
  std::vector<std::string> last_call(static_cast<std::size_t>(ranks), "start");
  const auto close_gap = [&](std::size_t r, Nanoseconds until) {
    if (p.segments[r].back().end < until) p.segments[r].push_back({p.segments[r].back().end, until, ""});
  };
  const auto name_stretch = [&](std::size_t r, const std::string& next) {
    const bool is_all = next == "end" && last_call[r] == "start";
    const std::string path = is_all ? "program" : stretch + last_call[r] + " -> " + next;
    for (Segment& s : p.segments[r]) {
      if (!s.path.empty()) continue;
      s.path = path;
      p.names[r].push_back(path);
    }
  };
  const auto call = [&](int rank, Nanoseconds until, const std::string& name, const std::string& more) {
    const auto r = static_cast<std::size_t>(rank);
    p.text += "P" + std::to_string(rank) + " " + std::to_string(clock[r]) + "-" + std::to_string(until) + " " + name +
              more + "\n";
    if (!p.segments[r].empty()) close_gap(r, clock[r]);
    if (name.starts_with("MPI_")) name_stretch(r, name), last_call[r] = name;
    p.segments[r].push_back({clock[r], until, name});
    p.names[r].push_back(name);
    clock[r] = until;
  };
  const char* names[] = {"f", "g", "h"};
  const int scale = upto(2) == 0 ? 3 : 40;                    // small times: many ties
  const int collector = upto(1) == 0 ? upto(ranks - 1) : -1;  // who receives all messages and works on each
  for (int rank = 0; rank < ranks; ++rank) {
    if (upto(3) == 0) clock[static_cast<std::size_t>(rank)] = upto(scale);
  }
  p.start = *std::min_element(clock.begin(), clock.end());
  for (int rank = 0; rank < ranks; ++rank) call(rank, clock[static_cast<std::size_t>(rank)] + 1 + upto(scale), "f", "");
  for (int n = 3 + upto(25); n > 0; --n) {
    const int what = upto(11);
    if (what < 4) {
      const int rank = upto(ranks - 1);
      if (what == 0) {
        clock[static_cast<std::size_t>(rank)] += upto(scale);  // a stretch between two calls
        continue;
      }
      call(rank, clock[static_cast<std::size_t>(rank)] + upto(scale), names[upto(2)], "");
    } else if (what < 9) {
      const int any = upto(ranks - 1), other = (any + 1 + upto(ranks - 2)) % ranks;
      const int to = collector == any ? any : collector < 0 ? other : collector;
      const int from = to == any ? other : any;
      const auto s = static_cast<std::size_t>(from), r = static_cast<std::size_t>(to);
      Operation o{Kind::message, 0, {from, to}, {clock[s], clock[r]}, {}};
      Nanoseconds sent = clock[s] + upto(2);
      const Nanoseconds received = std::max(clock[s], clock[r]) + upto(2);
      if (upto(1) == 0) sent = std::max(sent, clock[r] + upto(1));  // waits for the receiver
      call(from, sent, "MPI_Send", " to " + std::to_string(to));
      call(to, received, "MPI_Recv", " from " + std::to_string(from));
      o.leave = {sent, received};
      p.operations.push_back(o);
      if (collector >= 0) call(to, received + upto(scale), "f", "");
    } else {
      Operation o{what == 9 ? Kind::barrier : what == 10 ? Kind::gather : Kind::broadcast, 0, {}, clock, {}};
      o.root = static_cast<std::size_t>(upto(ranks - 1));
      const Nanoseconds last = *std::max_element(clock.begin(), clock.end());
      const std::string root = " root " + std::to_string(o.root);
      for (int rank = 0; rank < ranks; ++rank) {
        o.ranks.push_back(rank);
        const Nanoseconds own = o.enter[static_cast<std::size_t>(rank)];
        const bool is_root = static_cast<std::size_t>(rank) == o.root;
        if (o.kind == Kind::barrier) {
          call(rank, last + upto(2), "MPI_Barrier", "");
        } else if (o.kind == Kind::gather) {
          call(rank, (is_root ? last : own) + upto(2), "MPI_Gather", root);
        } else {
          call(rank, std::max(own, o.enter[o.root]) + upto(2), "MPI_Bcast", root);
        }
      }
      o.leave = clock;
      p.operations.push_back(o);
    }
  }
  for (std::size_t r = 0; r < p.segments.size(); ++r) name_stretch(r, "end");
  for (const auto& segments : p.segments) p.end = std::max(p.end, segments.back().end);
  return p;
}

}  // namespace mora::exhaustive
