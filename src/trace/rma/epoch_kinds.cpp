#include "trace/rma/epoch_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "trace/mpi_function.h"

namespace mora::trace {

const char* to_string(WindowEpochKind kind) {
  return kind == WindowEpochKind::rma ? "RMA" : kind == WindowEpochKind::local ? "local" : "undecided";
}

// One state per (location, window): the epoch that is open. Each synchronisation ends it and begins the next one; a
// transfer decides its kind. What is open at the end of the trace is listed with end 0.
std::vector<WindowEpoch> window_epochs(const View& view) {
  struct State {
    WindowEpoch current;
    bool exposed = false;  ///< between post and wait
  };
  const Definitions& d = view.definitions();
  std::vector<WindowEpoch> epochs;
  std::map<std::pair<LocationId, WindowId>, State> states;
  const auto synchronise = [&](const ViewEvent& e, Position p, CallClass call) {
    const auto [at, first] = states.try_emplace({e.location, e.window});
    State& s = at->second;
    if (!first) {
      s.current.end = p;
      if (s.current.kind == WindowEpochKind::undecided) {
        s.current.kind = WindowEpochKind::local;
        s.current.decided = p;
      }
      epochs.push_back(s.current);
    }
    if (call == CallClass::post) s.exposed = true;
    if (call == CallClass::wait_epoch || call == CallClass::test_epoch) s.exposed = false;
    s.current = WindowEpoch{e.location, e.window, p, 0, WindowEpochKind::undecided, 0};
    if (s.exposed) {
      s.current.kind = WindowEpochKind::rma;
      s.current.decided = p;
    }
    if (call == CallClass::window_free) states.erase(at);
  };
  for (Position p = 1; p <= view.size(); ++p) {
    switch (view.type(p)) {
      case EarlType::mpiwcexit:
      case EarlType::mpiwexit: {
        const ViewEvent e = view.event(p);
        const CallClass call = e.region < d.regions.size() ? call_class(d.regions[e.region]) : CallClass::none;
        if (call == CallClass::test_epoch && !e.synex) break;
        synchronise(e, p, call);
        break;
      }
      case EarlType::wlock:
        synchronise(view.event(p), p, CallClass::lock);
        break;
      case EarlType::wunlock:
        synchronise(view.event(p), p, CallClass::unlock);
        break;
      case EarlType::put_1ts:
      case EarlType::get_1to:
      case EarlType::atomic_1ts: {
        const auto at = states.find({view.location(p), view.detail(p)->window});
        if (at == states.end() || at->second.current.kind != WindowEpochKind::undecided) break;
        at->second.current.kind = WindowEpochKind::rma;
        at->second.current.decided = p;
        break;
      }
      default:
        break;
    }
  }
  for (const auto& [key, state] : states) epochs.push_back(state.current);
  std::sort(epochs.begin(), epochs.end(), [](const WindowEpoch& a, const WindowEpoch& b) {
    return std::tuple(a.location, a.window, a.begin) < std::tuple(b.location, b.window, b.begin);
  });
  return epochs;
}

std::string window_epochs_text(const View& view) {
  const Definitions& d = view.definitions();
  std::string text;
  for (const WindowEpoch& e : window_epochs(view)) {
    const Location& l = d.locations[e.location];
    const std::string where = l.thread == 0 ? fmt::format("P{}", l.rank) : fmt::format("P{}.{}", l.rank, l.thread);
    const std::string window = e.window < d.windows.size() && !d.windows[e.window].name.empty()
                                   ? d.windows[e.window].name
                                   : fmt::format("window{}", e.window);
    text += fmt::format("{} {} {}-{} {}", where, window, view.time(e.begin),
                        e.end == 0 ? std::string("end") : std::to_string(view.time(e.end)), to_string(e.kind));
    if (e.decided != 0) text += fmt::format(" decided={} by={}", e.decided, to_string(view.type(e.decided)));
    text += '\n';
  }
  return text;
}

}  // namespace mora::trace
