#include "trace/rma/lock_epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/assertion.h"

namespace mora::trace {
namespace {

std::string window_name(const Definitions& d, WindowId w) {
  return w < d.windows.size() && !d.windows[w].name.empty() ? d.windows[w].name : fmt::format("window{}", w);
}

/// Reads the epochs, from WLOCK to WUNLOCK of one location, with the starts of transfers in them.
class EpochReader {
 public:
  explicit EpochReader(const View& view) : view_(view), open_(view.definitions().locations.size()) {}

  struct Read {
    LockEpoch epoch;
    LockTurn turn;
    bool takes_part = false;  ///< released, not MPI_MODE_NOCHECK
    LockProofs proofs;        ///< of MPI_Win_lock_all
  };
  std::vector<Read> run() {
    for (Position p = 1; p <= view_.size(); ++p) take(p);
    return std::move(all_);
  }

 private:
  std::uint32_t rank(LocationId location) const { return view_.definitions().locations[location].rank; }

  void take(Position p) {
    const EarlType type = view_.type(p);
    const bool is_get = type == EarlType::get_1to || type == EarlType::get_1ts;
    const bool is_transfer = is_get || type == EarlType::put_1ts || type == EarlType::atomic_1ts;
    if (!is_transfer && type != EarlType::wlock && type != EarlType::wunlock && type != EarlType::wflush) return;
    const ViewEvent e = view_.event(p);
    OpenLocks<LockTurn>& open = open_[e.recorded_on];
    const Position enter = e.location == e.recorded_on ? e.enter : 0, exit = enter == 0 ? 0 : view_.forward(enter);
    const bool is_in_call = enter != 0 && view_.definitions().regions[view_.region(enter)].kind == RegionKind::mpi;
    if (is_transfer) {
      std::uint32_t target = type == EarlType::get_1ts ? rank(e.location) : e.peer;
      if (type == EarlType::get_1to) target = e.forward == 0 ? no_id : rank(view_.location(e.forward));
      if (target == no_id) return;
      if (is_in_call) open.access(e.window, target);
      list(p, e, target, open);
      return;
    }
    if (!is_in_call) return;
    if (type == EarlType::wlock) {
      request(p, e, open);
    } else if (type == EarlType::wunlock) {
      if (const auto turn = open.release(e.window, e.peer, view_.time(enter), e.time)) {
        all_[turn->number].turn = *turn;
        all_[turn->number].epoch.release = p;
        if (e.peer == no_id) all_[turn->number].proofs = open.take_proofs(e.window);
      }
    } else if (!e.local) {
      open.flush(e.window, e.peer);
      open.leave(exit == 0 ? e.time : view_.time(exit));
    }
  }

  void request(Position p, const ViewEvent& e, OpenLocks<LockTurn>& open) {
    Read read;
    read.epoch.window = e.window;
    read.epoch.target = e.peer;
    read.epoch.origin = rank(e.location);
    read.epoch.exclusive = read.turn.exclusive = e.exclusive;
    read.epoch.request = p;
    read.takes_part = (e.assertion & assertion_nocheck) == 0;
    read.turn.request = view_.time(e.enter);
    read.turn.location = e.location;
    read.turn.number = static_cast<std::uint32_t>(all_.size());
    open.request(e.window, e.peer, read.turn);
    all_.push_back(read);
  }

  void list(Position p, const ViewEvent& e, std::uint32_t target, OpenLocks<LockTurn>& open) {
    const LockTurn* turn = open.around(e.window, target);
    const bool is_listed =
        turn != nullptr && e.type != EarlType::atomic_1ts && all_[turn->number].epoch.target == target;
    if (is_listed) all_[turn->number].epoch.starts.push_back(p);
  }

  const View& view_;
  std::vector<Read> all_;
  std::vector<OpenLocks<LockTurn>> open_;  ///< by location
};

}  // namespace

// The grant follows from the release of the epoch that blocked. An epoch of MPI_Win_lock_all takes part at every target
// with exclusive locks: there it has the latest of its grants. Epochs that are never released stand last and conflict
// with nobody.
std::vector<LockEpoch> lock_order(const View& view) {
  auto read = EpochReader(view).run();
  struct Turns {
    std::vector<LockTurn> released, unreleased;
    bool any_exclusive() const {
      const auto is_exclusive = [](const LockTurn& t) { return t.exclusive; };
      return std::any_of(released.begin(), released.end(), is_exclusive) ||
             std::any_of(unreleased.begin(), unreleased.end(), is_exclusive);
    }
  };
  std::map<std::pair<WindowId, std::uint32_t>, Turns> targets;
  for (auto& [epoch, turn, takes_part, proofs] : read) {
    epoch.granted = view.time(epoch.request);
    if (!takes_part) continue;
    Turns& here = targets[{epoch.window, epoch.target}];
    (epoch.release != 0 ? here.released : here.unreleased).push_back(turn);
  }
  for (const auto& [key, at_target] : targets) {
    if (key.second == no_id || !at_target.any_exclusive()) continue;
    Turns turns = at_target;
    if (const auto all = targets.find({key.first, no_id}); all != targets.end()) {
      for (const LockTurn& turn : all->second.released)
        turns.released.push_back(lock_at_target(turn, key.second, read[turn.number].proofs));
      turns.unreleased.insert(turns.unreleased.end(), all->second.unreleased.begin(), all->second.unreleased.end());
    }
    const auto wait_for = [&](const LockTurn& turn, const LockTurn& blocker) {
      Nanoseconds& granted = read[turn.number].epoch.granted;
      granted = std::max(granted, blocker.release);
    };
    const std::vector<std::size_t> blockers = order_locks(turns.released);
    for (std::size_t i = 0; i < blockers.size(); ++i) {
      if (blockers[i] != nobody) wait_for(turns.released[i], turns.released[blockers[i]]);
    }
    for (const LockTurn& turn : turns.unreleased) {
      const auto last = std::find_if(turns.released.rbegin(), turns.released.rend(),
                                     [&](const LockTurn& t) { return t.exclusive || turn.exclusive; });
      if (last != turns.released.rend()) wait_for(turn, *last);
    }
  }
  std::vector<LockEpoch> epochs;
  for (auto& one : read) {
    std::erase_if(one.epoch.starts, [&](Position p) { return view.time(p) >= one.epoch.granted; });
    epochs.push_back(std::move(one.epoch));
  }
  std::sort(epochs.begin(), epochs.end(), [](const LockEpoch& a, const LockEpoch& b) {
    return std::tuple(a.window, a.target, a.release == 0, a.release, a.request) <
           std::tuple(b.window, b.target, b.release == 0, b.release, b.request);
  });
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
