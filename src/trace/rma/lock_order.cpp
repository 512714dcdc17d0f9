#include "trace/rma/lock_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace mora::trace {
namespace {

std::string window_name(const Definitions& d, WindowId w) {
  return w < d.windows.size() && !d.windows[w].name.empty() ? d.windows[w].name : fmt::format("window{}", w);
}

}  // namespace

// First pass: the epochs, from WLOCK to WUNLOCK of one origin, with the starts of transfers in them. Then, per window
// and target in the order of releases, the grant from the last release of a conflicting lock. Epochs that are never
// released stand last and conflict with nobody.
std::vector<LockEpoch> lock_order(const View& view) {
  std::vector<LockEpoch> epochs;
  using Key = std::tuple<std::uint32_t, WindowId, std::uint32_t>;  // origin, window, target
  std::map<Key, std::size_t> open;
  const auto& locations = view.definitions().locations;
  for (Position p = 1; p <= view.size(); ++p) {
    const EarlType type = view.type(p);
    if (type == EarlType::wlock) {
      const ViewEvent e = view.event(p);
      LockEpoch epoch;
      epoch.window = e.window;
      epoch.target = e.peer;
      epoch.origin = locations[e.location].rank;
      epoch.exclusive = e.exclusive;
      epoch.request = p;
      open[{epoch.origin, e.window, e.peer}] = epochs.size();
      epochs.push_back(epoch);
    } else if (type == EarlType::wunlock) {
      const ViewEvent e = view.event(p);
      const auto at = open.find({locations[e.location].rank, e.window, e.peer});
      if (at == open.end()) continue;
      epochs[at->second].release = p;
      open.erase(at);
    } else if (type == EarlType::put_1ts || type == EarlType::get_1to || type == EarlType::get_1ts) {
      const ViewEvent e = view.event(p);
      const std::uint32_t here = locations[e.location].rank;
      std::uint32_t origin = here, target = e.peer;
      if (type == EarlType::get_1ts) std::tie(origin, target) = std::pair(e.peer, here);
      if (type == EarlType::get_1to) target = e.forward == 0 ? no_id : locations[view.location(e.forward)].rank;
      const auto at = open.find({origin, e.window, target});
      if (at != open.end()) epochs[at->second].starts.push_back(p);
    }
  }
  std::sort(epochs.begin(), epochs.end(), [](const LockEpoch& a, const LockEpoch& b) {
    return std::tuple(a.window, a.target, a.release == 0, a.release, a.request) <
           std::tuple(b.window, b.target, b.release == 0, b.release, b.request);
  });
  // The last release of an exclusive lock, and of any lock, at the same target so far.
  Nanoseconds last_exclusive = INT64_MIN, last_any = INT64_MIN;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    LockEpoch& e = epochs[i];
    if (i == 0 || epochs[i - 1].window != e.window || epochs[i - 1].target != e.target)
      last_exclusive = last_any = INT64_MIN;
    e.granted = std::max(view.time(e.request), e.exclusive ? last_any : last_exclusive);
    std::erase_if(e.starts, [&](Position p) { return view.time(p) >= e.granted; });
    if (e.release == 0) continue;
    last_any = view.time(e.release);
    if (e.exclusive) last_exclusive = last_any;
  }
  return epochs;
}

std::string lock_order_text(const View& view) {
  const Definitions& d = view.definitions();
  std::string text;
  struct Line {
    Nanoseconds time;
    std::size_t order;
    std::string words;
  };
  std::vector<Line> lines;
  const auto epochs = lock_order(view);
  const auto write = [&] {
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
      return std::tuple(a.time, a.order) < std::tuple(b.time, b.order);
    });
    for (const Line& line : lines) text += line.words;
    lines.clear();
  };
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const LockEpoch& e = epochs[i];
    if (i > 0 && (epochs[i - 1].window != e.window || epochs[i - 1].target != e.target)) write();
    const std::string where =
        fmt::format("{} {}", window_name(d, e.window), e.target == no_id ? "all" : fmt::format("P{}", e.target));
    const auto add = [&](Nanoseconds time, std::size_t part, const std::string& words) {
      lines.push_back({time, i * 3 + part, fmt::format("{} {} {}\n", where, time, words)});
    };
    if (e.release == 0) {
      add(e.granted, 0,
          fmt::format("WLOCK P{} {} requested={} never released", e.origin, e.exclusive ? "exclusive" : "shared",
                      view.time(e.request)));
      continue;
    }
    add(e.granted, 0,
        fmt::format("WLOCK P{} {} requested={} event={}", e.origin, e.exclusive ? "exclusive" : "shared",
                    view.time(e.request), e.request));
    for (const Position p : e.starts)
      add(e.granted, 1, fmt::format("{} P{} recorded={} event={}", to_string(view.type(p)), e.origin, view.time(p), p));
    add(view.time(e.release), 2, fmt::format("WUNLOCK P{} event={}", e.origin, e.release));
  }
  write();
  return text;
}

}  // namespace mora::trace
