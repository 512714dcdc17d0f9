#include "trace/view.h"

#include <algorithm>

#include "trace/index/index_storage.h"
#include "trace/mpi_function.h"
#include "trace/view_builder.h"

namespace mora::trace {

const char* to_string(EarlType type) {
  static constexpr const char* names[earl_type_count] = {
      "ENTER",    "EXIT",  "MPICEXIT", "MPIWCEXIT", "MPIWEXIT",   "SEND",       "RECV",   "PUT_1TS",  "PUT_1TE", "GET_1TO",
      "GET_1TS",  "GET_1TE", "WLOCK",  "WUNLOCK",   "OMPCEXIT",   "FORK",       "JOIN",   "ALOCK",    "RLOCK",   "NBC_START",
      "NBC_END",  "ATOMIC_1TS", "ATOMIC_1TE", "WFLUSH", "IO_START", "IO_END",   "METRIC", "USER"};
  const auto index = static_cast<std::size_t>(type);
  return index < earl_type_count ? names[index] : "?";
}

View::View(Source& source, ViewOptions options) : source_(source), options_(std::move(options)) {}
View::~View() = default;

Result<std::unique_ptr<View>> View::make(Source& source, RmaModel model) {
  ViewOptions options;
  options.model = model;
  return make(source, options);
}

Result<std::unique_ptr<View>> View::make(Source& source, const ViewOptions& options) {
  std::unique_ptr<View> view(new View(source, options));
  MORA_CHECK_OK(ViewBuilder(*view).run());
  return view;
}

Nanoseconds View::duration() const { return size() == 0 ? 0 : time(size()); }
Nanoseconds View::time(Position p) const { return columns_.time[p - 1]; }
EarlType View::type(Position p) const { return columns_.type[p - 1]; }
LocationId View::location(Position p) const { return columns_.location[p - 1]; }
Position View::enter(Position p) const { return columns_.enter[p - 1]; }
Position View::forward(Position p) const { return columns_.forward[p - 1]; }
const EventColumns& View::columns() const { return columns_; }
std::uint64_t View::index_bytes() const { return storage_->bytes; }

const EventDetail* View::detail(Position p) const {
  const EarlType t = type(p);
  return t == EarlType::enter || t == EarlType::exit ? nullptr : columns_.detail + columns_.code[p - 1];
}

Position View::link(Position p) const {
  const EventDetail* d = detail(p);
  return d == nullptr ? 0 : d->link;
}

RegionId View::region(Position p) const {
  const EarlType t = type(p);
  if (t == EarlType::enter || t == EarlType::exit) return columns_.code[p - 1];
  if (!is_exit(t) || enter(p) == 0) return no_id;
  return columns_.code[enter(p) - 1];
}

ViewEvent View::event(Position p) const {
  ViewEvent e;
  e.time = time(p);
  e.type = type(p);
  e.enter = enter(p);
  e.forward = forward(p);
  e.location = e.recorded_on = location(p);
  e.ordinal = columns_.ordinal[p - 1];
  e.region = region(p);
  const EventDetail* d = detail(p);
  if (d == nullptr) return e;
  e.link = d->link;
  e.bytes = d->bytes;
  e.received = d->received;
  e.id = d->id;
  e.comm = d->comm;
  e.window = d->window;
  e.assertion = d->assertion;
  e.collective = static_cast<Collective>(d->collective);
  e.synex = (d->flags & 1) != 0;
  e.exclusive = (d->flags & 2) != 0;
  switch (e.type) {
    case EarlType::mpicexit:
    case EarlType::nbc_start:
    case EarlType::nbc_end:
      e.root = d->peer;
      break;
    case EarlType::mpiwexit:
      e.group = d->kind;
      break;
    case EarlType::send:
    case EarlType::recv:
      e.peer = d->peer;
      e.tag = static_cast<std::int32_t>(d->kind);
      break;
    case EarlType::put_1te:
    case EarlType::get_1ts: {
      e.peer = d->peer;
      const LocationId origin = definitions().location_of_rank(d->peer);
      if (origin != no_id) e.recorded_on = origin;
      break;
    }
    default:
      e.peer = d->peer;
      e.index = d->kind;
  }
  return e;
}

std::vector<RegionId> View::call_path(Position position) const {
  std::vector<RegionId> path;
  for (Position at = type(position) == EarlType::enter ? position : enter(position); at != 0; at = enter(at))
    path.push_back(region(at));
  std::reverse(path.begin(), path.end());
  return path;
}

std::uint64_t View::count_on(LocationId location) const {
  return storage_->location_begin[location + 1] - storage_->location_begin[location];
}

Position View::nth_on(LocationId location, std::uint64_t n) const {
  return storage_->location_events[storage_->location_begin[location] + n];
}

Position View::last_on(LocationId location, Position at) const {
  const auto* from = storage_->location_events.data() + storage_->location_begin[location];
  const auto* to = storage_->location_events.data() + storage_->location_begin[location + 1];
  const auto* after = std::upper_bound(from, to, at);
  return after == from ? 0 : *(after - 1);
}

Position View::at_time(Nanoseconds t) const {
  return static_cast<Position>(std::upper_bound(columns_.time, columns_.time + columns_.size, t) - columns_.time);
}

std::vector<Position> View::stack(LocationId location, Position at) const {
  std::vector<Position> result;
  Position p = last_on(location, at);
  if (p == 0) return result;
  if (is_exit(type(p)))
    p = enter(p) == 0 ? 0 : enter(enter(p));
  else if (type(p) != EarlType::enter)
    p = enter(p);
  for (; p != 0; p = enter(p)) result.push_back(p);
  return result;
}

std::vector<Position> View::open(Position at, EarlType a, EarlType b, EarlType c) const {
  std::vector<Position> result;
  const auto wanted = [&](Position p) {
    const EarlType t = type(p);
    return (t == a || t == b || t == c) && (forward(p) == 0 || forward(p) > at);
  };
  const auto& s = *storage_;
  const auto next = std::upper_bound(s.snapshot_at.begin(), s.snapshot_at.end(), at);
  Position from = 0;
  if (next != s.snapshot_at.begin()) {
    const auto k = static_cast<std::size_t>(next - s.snapshot_at.begin()) - 1;
    from = s.snapshot_at[k];
    for (std::uint64_t i = s.snapshot_begin[k]; i < s.snapshot_begin[k + 1]; ++i) {
      if (wanted(s.snapshot_open[i])) result.push_back(s.snapshot_open[i]);
    }
  }
  for (Position p = from + 1; p <= at; ++p) {
    if (wanted(p)) result.push_back(p);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

std::vector<Position> View::queue(Position at, std::optional<std::uint32_t> destination,
                                  std::optional<std::uint32_t> source) const {
  std::vector<Position> result = open(at, EarlType::send, EarlType::send, EarlType::send);
  std::erase_if(result, [&](Position p) {
    return (destination && detail(p)->peer != *destination) ||
           (source && definitions().locations[location(p)].rank != *source);
  });
  return result;
}

std::vector<Position> View::transfers(Position at) const {
  return open(at, EarlType::put_1ts, EarlType::get_1ts, EarlType::atomic_1ts);
}

std::vector<Position> View::origins(Position at) const {
  return open(at, EarlType::get_1to, EarlType::get_1to, EarlType::get_1to);
}

std::vector<OpenCollective> View::collectives(Position at) const {
  std::vector<OpenCollective> result;
  for (LocationId l = 0; l < definitions().locations.size(); ++l) {
    for (const Position p : stack(l, at)) {
      const Position out = forward(p);
      if (out == 0) continue;
      const EarlType t = type(out);
      if (t != EarlType::mpicexit && t != EarlType::mpiwcexit) continue;
      const EventDetail& d = *detail(out);
      const auto kind = static_cast<Collective>(d.collective);
      auto same = std::find_if(result.begin(), result.end(), [&](const OpenCollective& c) {
        return c.comm == d.comm && c.collective == kind;
      });
      if (same == result.end()) same = result.insert(result.end(), {d.comm, kind, {}});
      same->inside.push_back(p);
    }
  }
  for (auto& c : result) std::sort(c.inside.begin(), c.inside.end());
  return result;
}

std::vector<LockState> View::locks(Position at) const {
  std::vector<LockState> result;
  for (const Position p : open(at, EarlType::wlock, EarlType::wlock, EarlType::wlock)) {
    const EventDetail& d = *detail(p);
    auto same = std::find_if(result.begin(), result.end(),
                             [&](const LockState& l) { return l.window == d.window && l.target == d.peer; });
    if (same == result.end()) same = result.insert(result.end(), {d.window, d.peer, {}});
    same->requested.insert(same->requested.begin(), p);
  }
  return result;
}

}  // namespace mora::trace
