/// One pass in the order of the view. For each window and target it keeps the last Put that an unlock proved to have
/// arrived, and the last one of another origin than that. A Get that ends in an unlock is reported if the last Put of
/// another rank arrived after the recorded start of the Get and one of the two locks was exclusive: then the locks
/// order the two operations, and the picture shows them the other way round. Cost: O(events log pairs); memory: one
/// entry per origin, window and target.
#include "export/arrows/overtaken_gets.h"

#include <map>
#include <tuple>

#include "trace/mpi_function.h"

namespace mora::exports {

using trace::EarlType;
using trace::Position;
using trace::ViewEvent;

namespace {

struct Arrival {
  std::uint32_t origin = trace::no_id;
  Nanoseconds time = 0;
  bool exclusive = false;
};
/// The last Put of any origin, and the last of another than that.
struct Last {
  Arrival newest, other;
  void add(const Arrival& a) {
    if (a.origin != newest.origin) other = newest;
    newest = a;
  }
};

}  // namespace

std::set<Position> overtaken_gets(const trace::View& view) {
  std::set<Position> found;
  if (view.model() == trace::RmaModel::basic) return found;
  const trace::Definitions& d = view.definitions();
  using Pair = std::tuple<std::uint32_t, trace::WindowId, std::uint32_t>;  // origin, window, target
  std::map<Pair, bool> exclusive;
  std::map<Pair, Nanoseconds> arrived;
  std::map<std::pair<trace::WindowId, std::uint32_t>, Last> puts;
  const auto rank = [&](Position p) { return d.locations[view.location(p)].rank; };
  for (Position p = 1; p <= view.size(); ++p) {
    switch (view.type(p)) {
      case EarlType::wlock: {
        const ViewEvent e = view.event(p);
        exclusive[{rank(p), e.window, e.peer}] = e.exclusive;
        break;
      }
      case EarlType::put_1te: {
        const ViewEvent e = view.event(p);
        arrived[{e.peer, e.window, rank(p)}] = e.time;
        break;
      }
      case EarlType::wunlock: {
        const ViewEvent e = view.event(p);
        const Pair key{rank(p), e.window, e.peer};
        const auto at = arrived.find(key);
        if (at != arrived.end() && at->second == e.time)
          puts[{e.window, e.peer}].add({rank(p), e.time, exclusive[key]});
        break;
      }
      case EarlType::get_1te: {
        const ViewEvent e = view.event(p);
        if (e.link == 0 || e.enter == 0) break;
        const trace::RegionId region = view.region(e.enter);
        if (region >= d.regions.size() || call_class(d.regions[region]) != trace::CallClass::unlock) break;
        const auto at = puts.find({e.window, e.peer});
        if (at == puts.end()) break;
        const Arrival& put = at->second.newest.origin != rank(p) ? at->second.newest : at->second.other;
        if (put.origin != trace::no_id && put.time > view.time(e.link) &&
            (put.exclusive || exclusive[{rank(p), e.window, e.peer}]))
          found.insert(e.link);
        break;
      }
      default:
        break;
    }
  }
  return found;
}

}  // namespace mora::exports
