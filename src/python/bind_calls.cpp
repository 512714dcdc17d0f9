// trace.calls(), trace.profile(), trace.time_profile(): where the time goes, by call, by region, over time.
//
// One pass over ENTER and exits in the view's order with a stack per location. A call's exclusive time is its own less
// that of the calls in it; all sums are integer nanoseconds, rounded to seconds once at the end. A region's inclusive
// time counts recursive calls once. A call path is (call path of the caller, region). Cost: O(events); of
// time_profile(), O(events + bins that calls reach across).

#include <algorithm>
#include <unordered_map>

#include "python/bindings.h"
#include "python/frame_columns.h"
#include "python/trace/errors.h"
#include "python/trace/text.h"

namespace py = pybind11;

namespace mora::python {
namespace {

using trace::EventColumns;
using T = trace::EarlType;

constexpr std::int32_t no_parent = -1;

double as_seconds(Nanoseconds time) { return static_cast<double>(time) / 1e9; }

/// Call paths, numbered as they appear: every caller before what it calls.
class CallPaths {
 public:
  explicit CallPaths(const trace::Definitions& definitions) : definitions_(definitions) {}

  /// The same, with the functions that a call outside of other MPI calls was made through.
  std::int32_t of_call(std::int32_t parent, std::uint32_t region) {
    if (is_call(region) &&
        (parent == no_parent || !is_call(static_cast<std::uint32_t>(regions_[static_cast<std::size_t>(parent)]))))
      for (const trace::RegionId function : definitions_.call_path(region)) parent = of(parent, function);
    return of(parent, region);
  }
  std::int32_t of(std::int32_t parent, std::uint32_t region) {
    if (parent == last_parent_ && region == last_region_) return last_;
    last_parent_ = parent;
    last_region_ = region;
    const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(parent)) << 32) | region;
    const auto [at, is_new] = known_.try_emplace(key, static_cast<std::int32_t>(parents_.size()));
    if (is_new) {
      parents_.push_back(parent);
      regions_.push_back(static_cast<std::int32_t>(region));
    }
    return last_ = at->second;
  }
  std::vector<std::int32_t> parents_, regions_;

 private:
  bool is_call(std::uint32_t region) const {
    return region < definitions_.regions.size() && definitions_.regions[region].kind == trace::RegionKind::mpi;
  }

  const trace::Definitions& definitions_;
  std::unordered_map<std::uint64_t, std::int32_t> known_;
  std::int32_t last_parent_ = -2, last_ = 0;
  std::uint32_t last_region_ = 0;
};

py::dict call_rows(TraceCore& core) {
  return frame_of(core, [](const FrameInput& in, py::dict& out) {
    const EventColumns& c = in.columns;
    std::vector<std::uint32_t> enter, exit, location;
    std::vector<std::int32_t> rank, region, parent, path, depth;
    std::vector<double> begin, end, duration;
    std::vector<Nanoseconds> inside;
    std::vector<double> exclusive;
    CallPaths paths(in.definitions);
    {
      py::gil_scoped_release unlocked;
      std::vector<std::vector<std::int32_t>> stacks(in.definitions.locations.size());
      for (std::uint64_t i = 0; i < c.size; ++i) {
        auto& stack = stacks[c.location[i]];
        if (c.type[i] == T::enter) {
          const std::int32_t caller = stack.empty() ? no_parent : stack.back();
          stack.push_back(static_cast<std::int32_t>(enter.size()));
          const std::uint32_t out_at = c.forward[i];
          const Nanoseconds took = out_at == 0 ? 0 : c.time[out_at - 1] - c.time[i];
          enter.push_back(static_cast<std::uint32_t>(i + 1));
          exit.push_back(out_at);
          location.push_back(c.location[i]);
          rank.push_back(static_cast<std::int32_t>(in.definitions.locations[c.location[i]].rank));
          region.push_back(static_cast<std::int32_t>(c.region(i)));
          parent.push_back(caller);
          path.push_back(
              paths.of_call(caller == no_parent ? no_parent : path[static_cast<std::size_t>(caller)], c.region(i)));
          depth.push_back(static_cast<std::int32_t>(stack.size()) - 1);
          begin.push_back(in.seconds_at(i + 1));
          end.push_back(in.seconds_at(out_at));
          duration.push_back(out_at == 0 ? no_time : as_seconds(took));
          inside.push_back(took);
          if (caller != no_parent) inside[static_cast<std::size_t>(caller)] -= took;
        } else if (trace::is_exit(c.type[i]) && !stack.empty()) {
          stack.pop_back();
        }
      }
      exclusive.reserve(inside.size());
      for (std::size_t i = 0; i < inside.size(); ++i)
        exclusive.push_back(exit[i] == 0 ? no_time : as_seconds(inside[i]));
    }
    put(out, "enter", enter, "exit", exit, "rank", rank, "loc", location, "region", region, "begin", begin, "end", end,
        "duration", duration, "exclusive", exclusive, "parent", parent, "depth", depth, "path", path, "path_parents",
        paths.parents_, "path_regions", paths.regions_);
  });
}

/// Regions that differ only in their call site are one name.
struct RegionNames {
  explicit RegionNames(const trace::Definitions& d) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (const trace::Region& region : d.regions) {
      const auto [at, is_new] = known.try_emplace(region.name, static_cast<std::uint32_t>(names.size()));
      if (is_new) names.push_back(&region.name);
      of_region.push_back(at->second);
    }
  }
  std::vector<const std::string*> names;
  std::vector<std::uint32_t> of_region;
};

struct RegionTime {
  std::uint64_t calls = 0;
  Nanoseconds inclusive = 0, exclusive = 0, shortest = INT64_MAX, longest = 0;
};

/// (name, rank or -1, calls, inclusive, exclusive, shortest, longest), rows with calls, by exclusive time.
py::tuple profile(TraceCore& core, bool by_rank) {
  py::list names;
  py::dict out = frame_of(core, [&](const FrameInput& in, py::dict& frame) {
    const EventColumns& c = in.columns;
    const RegionNames regions(in.definitions);
    const std::size_t width = regions.names.size();
    std::vector<std::pair<std::uint64_t, RegionTime>> rows;
    {
      py::gil_scoped_release unlocked;
      std::vector<std::vector<RegionTime>> times(by_rank ? in.nodes : 1);
      struct Open {
        std::uint32_t name;
        Nanoseconds begin, inside;
      };
      std::vector<std::vector<Open>> stacks(in.definitions.locations.size());
      for (std::uint64_t i = 0; i < c.size; ++i) {
        auto& stack = stacks[c.location[i]];
        if (c.type[i] == T::enter) {
          stack.push_back({c.region(i) < regions.of_region.size() ? regions.of_region[c.region(i)] : 0, c.time[i], 0});
        } else if (trace::is_exit(c.type[i]) && !stack.empty()) {
          const Open call = stack.back();
          stack.pop_back();
          auto& row = times[by_rank ? in.definitions.locations[c.location[i]].rank : 0];
          if (row.empty()) row.resize(width);
          RegionTime& r = row[call.name];
          const Nanoseconds took = c.time[i] - call.begin;
          ++r.calls;
          r.exclusive += took - call.inside;
          r.shortest = std::min(r.shortest, took);
          r.longest = std::max(r.longest, took);
          if (std::none_of(stack.begin(), stack.end(), [&](const Open& o) { return o.name == call.name; }))
            r.inclusive += took;
          if (!stack.empty()) stack.back().inside += took;
        }
      }
      for (std::size_t rank = 0; rank < times.size(); ++rank) {
        for (std::size_t name = 0; name < times[rank].size(); ++name) {
          if (times[rank][name].calls != 0) rows.emplace_back(rank * width + name, times[rank][name]);
        }
      }
      std::stable_sort(rows.begin(), rows.end(),
                       [](const auto& a, const auto& b) { return a.second.exclusive > b.second.exclusive; });
    }
    std::vector<std::int32_t> rank;
    std::vector<std::int64_t> count;
    std::vector<double> inclusive, exclusive, shortest, longest;
    for (const auto& [key, r] : rows) {
      names.append(text(*regions.names[key % width]));
      rank.push_back(static_cast<std::int32_t>(key / width));
      count.push_back(static_cast<std::int64_t>(r.calls));
      inclusive.push_back(as_seconds(r.inclusive));
      exclusive.push_back(as_seconds(r.exclusive));
      shortest.push_back(as_seconds(r.shortest));
      longest.push_back(as_seconds(r.longest));
    }
    if (by_rank) put(frame, "rank", rank);
    put(frame, "calls", count, "inclusive", inclusive, "exclusive", exclusive, "shortest", shortest, "longest",
        longest);
  });
  return py::make_tuple(names, out);
}

/// (names, array [bins + 1] of seconds, array [names, bins] of seconds), largest sum first.
py::tuple time_profile(TraceCore& core, std::uint64_t bins) {
  py::list names;
  py::array edges, values;
  frame_of(core, [&](const FrameInput& in, py::dict&) {
    const EventColumns& c = in.columns;
    const RegionNames regions(in.definitions);
    const Nanoseconds first = c.size == 0 ? 0 : c.time[0], last = c.size == 0 ? 0 : c.time[c.size - 1];
    const auto span = static_cast<__int128>(last) - first;
    const auto edge = [&](std::uint64_t bin) {
      return static_cast<Nanoseconds>(first + span * static_cast<__int128>(bin) / static_cast<__int128>(bins));
    };
    std::vector<double> bounds, cells;
    std::vector<std::size_t> order;
    {
      py::gil_scoped_release unlocked;
      std::vector<std::vector<Nanoseconds>> sums(regions.names.size());
      std::vector<Nanoseconds> at;
      for (std::uint64_t bin = 0; bin <= bins; ++bin) at.push_back(edge(bin));
      struct Place {
        std::vector<std::uint32_t> stack;
        Nanoseconds since = 0;
        std::uint64_t bin = 0;  // of `since`
      };
      std::vector<Place> places(in.definitions.locations.size());
      for (std::uint64_t i = 0; i < c.size; ++i) {
        const bool enters = c.type[i] == T::enter;
        if (!enters && !trace::is_exit(c.type[i])) continue;
        Place& place = places[c.location[i]];
        const Nanoseconds now = c.time[i];
        if (!place.stack.empty()) {
          auto& row = sums[place.stack.back()];
          if (row.empty()) row.assign(bins, 0);
          for (Nanoseconds from = place.since; from < now;) {
            while (place.bin + 1 < bins && at[place.bin + 1] <= from) ++place.bin;
            const Nanoseconds to = place.bin + 1 < bins ? std::min(now, at[place.bin + 1]) : now;
            row[place.bin] += to - from;
            from = to;
          }
        }
        place.since = now;
        if (enters)
          place.stack.push_back(c.region(i) < regions.of_region.size() ? regions.of_region[c.region(i)] : 0);
        else if (!place.stack.empty())
          place.stack.pop_back();
        while (place.bin + 1 < bins && at[place.bin + 1] <= now) ++place.bin;
      }
      std::vector<__int128> totals(sums.size(), 0);
      for (std::size_t name = 0; name < sums.size(); ++name) {
        for (const Nanoseconds sum : sums[name]) totals[name] += sum;
        if (totals[name] != 0) order.push_back(name);
      }
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
      for (const std::size_t name : order) {
        for (const Nanoseconds sum : sums[name]) cells.push_back(as_seconds(sum));
      }
      for (const Nanoseconds bound : at) bounds.push_back(seconds(bound, in.shift));
    }
    for (const std::size_t name : order) names.append(text(*regions.names[name]));
    edges = array_of(std::move(bounds));
    values =
        array_of(std::move(cells)).reshape({static_cast<py::ssize_t>(order.size()), static_cast<py::ssize_t>(bins)});
  });
  return py::make_tuple(names, edges, values);
}

}  // namespace

void bind_calls(TraceClass& trace) {
  trace.def("call_rows", call_rows);
  trace.def("profile", profile);
  trace.def("time_profile", time_profile);
}

}  // namespace mora::python
