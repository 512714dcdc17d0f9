/// The view's queries over the columns of its index.
///
/// Idea. Every value is found by itself, in an array or in the bits of a packed column; what is not stored follows from
/// pointers: the region stack is the chain of enter pointers from the last event of the location (binary search), a
/// queue is the snapshot before the state asked for and a scan of the events since, where an event is open if its
/// forward pointer is null or lies behind the state. Source: definitions of states and pointers in Wolf 1998, 4.2
/// and 4.3, and Hermanns 2004, 5.4; the column layout is Mora's (docs/formats/index.md). Cost: see view.h. Limits: a
/// block of a reopened index whose hash is wrong makes the view build a new index in the middle of a query (repair());
/// the old one stays mapped, because callers may hold pointers into it.
#include "trace/view/view.h"

#include <algorithm>
#include <cstring>

#include "trace/index/index_build.h"
#include "trace/index/index_file.h"
#include "trace/metrics/metric_value.h"

namespace mora::trace {

View::View(Source& source, ViewOptions options) : source_(source), options_(std::move(options)) {}
View::~View() = default;

Result<std::unique_ptr<View>> View::make(Source& source, RmaModel model) {
  ViewOptions options;
  options.model = model;
  return make(source, options);
}

Result<std::unique_ptr<View>> View::make(Source& source, const ViewOptions& options) {
  std::unique_ptr<View> view(new View(source, options));
  auto index = reopen_index(source, options, view->quality_);
  if (index != nullptr) view->zeros_ = IndexFile::zeros(index->header());
  if (view->zeros_ == nullptr) index = nullptr;  // reading could end in repair() with nothing to show
  view->reopened_ = index != nullptr;
  if (index == nullptr) {
    view->quality_ = {};
    MORA_TRY(index, build_index(source, options, view->quality_));
  }
  view->options_.watch = nullptr;
  view->options_.beginning = nullptr;
  view->size_ = index->header().events;
  view->index_ = index.get();
  view->indexes_.push_back(std::move(index));
  return view;
}

const IndexFile& View::at(IndexSection section, std::uint64_t byte) const {
  const IndexFile* index = index_.load(std::memory_order_acquire);
  return index->sound(section, byte) ? *index : repair();
}

const IndexFile& View::whole(IndexSection section) const {
  const IndexFile* index = index_.load(std::memory_order_acquire);
  return index->sound(section) ? *index : repair();
}

const IndexFile& View::repair() const {
  const std::lock_guard lock(repairing_);
  const IndexFile* index = index_.load(std::memory_order_acquire);
  if (index != indexes_.front().get()) return *index;  // another thread was faster; a new index is sound
  DataQuality again;
  auto made = build_index(source_, options_, again);
  if (made && (*made)->header().events != size_)
    made = fail(ErrorKind::unreadable, "the trace has changed while it was read", "",
                "its index is damaged and was made anew: it has " + std::to_string((*made)->header().events) +
                    " events where there were " + std::to_string(size_),
                "run the command again");
  if (!made) {
    failure_ = std::move(made.error());
    failed_.store(true, std::memory_order_release);
    made = std::move(zeros_);
  }
  indexes_.push_back(std::move(*made));
  index_.store(indexes_.back().get(), std::memory_order_release);
  return *indexes_.back();
}

namespace {

std::uint64_t byte_of(Position p, std::uint64_t size) { return (p - 1) * size; }

}  // namespace

const MeasuredTime& View::measured() const { return index_.load()->header().measured; }
template <class Value>
const IndexFile& View::packed(PackedColumn<Value> EventColumns::*column, Position p) const {
  const IndexFile* index = index_.load(std::memory_order_acquire);
  return index->sound((index->columns().*column).frame(p - 1)) ? *index : repair();
}

Nanoseconds View::time(Position p) const { return packed(&EventColumns::time, p).columns().time[p - 1]; }
EarlType View::type(Position p) const { return at(IndexSection::type, byte_of(p, 1)).columns().type[p - 1]; }
LocationId View::location(Position p) const {
  return at(IndexSection::location, byte_of(p, 4)).columns().location[p - 1];
}
Position View::enter(Position p) const { return at(IndexSection::enter, byte_of(p, 4)).columns().enter[p - 1]; }
Position View::forward(Position p) const { return at(IndexSection::forward, byte_of(p, 4)).columns().forward[p - 1]; }

const EventColumns& View::columns() const {
  for (const IndexSection s :
       {IndexSection::enter, IndexSection::forward, IndexSection::location, IndexSection::type, IndexSection::packed})
    whole(s);
  return index_.load(std::memory_order_acquire)->columns();
}

Result<void> View::intact() const {
  if (failed()) return tl::unexpected(failure_);
  return {};
}

void View::forget_before(Position position) const { index_.load()->forget_before(position); }

std::uint64_t View::index_bytes() const { return index_.load()->header().file_bytes; }

/// Precondition: neither ENTER nor EXIT.
std::uint64_t View::row(Position p) const { return packed(&EventColumns::code, p).columns().row(p - 1); }

std::optional<EventDetail> View::detail(Position p) const {
  const EarlType t = type(p);
  if (t == EarlType::enter || t == EarlType::exit) {
    // Callers know from before the failure that the event is one with details.
    if (failed()) return EventDetail{};
    return {};
  }
  const std::uint64_t of = row(p);
  const IndexFile* index = index_.load(std::memory_order_acquire);
  if (index->sound_row(of)) return index->columns().detail[of];
  const IndexFile& again = repair();
  return failed() ? EventDetail{} : again.columns().detail[of];
}

Position View::link(Position p) const {
  const EarlType t = type(p);
  if (t == EarlType::enter || t == EarlType::exit) return 0;
  const std::uint64_t of = row(p);
  const IndexFile* index = index_.load(std::memory_order_acquire);
  if (!index->sound(index->columns().detail.frame(of, DetailField::link))) index = &repair();
  return failed() ? 0 : index->columns().detail.field(of, DetailField::link);
}

RegionId View::region(Position p) const {
  const EarlType t = type(p);
  if (t == EarlType::enter || t == EarlType::exit) return packed(&EventColumns::code, p).columns().region(p - 1);
  const Position start = is_exit(t) ? enter(p) : 0;
  return start == 0 ? no_id : region(start);
}

std::int32_t View::argument(Position p) const {
  const auto arguments = whole(IndexSection::argument).arguments();
  const auto found = std::lower_bound(arguments.begin(), arguments.end(), p,
                                      [](const EnterArgument& a, Position wanted) { return a.position < wanted; });
  return found != arguments.end() && found->position == p ? found->argument : 0;
}

ViewEvent View::event(Position p) const {
  ViewEvent e;
  if (failed()) return e;
  e.time = time(p);
  e.type = type(p);
  e.enter = enter(p);
  e.forward = forward(p);
  e.location = e.recorded_on = location(p);
  e.ordinal = packed(&EventColumns::ordinal, p).columns().ordinal[p - 1];
  e.region = region(p);
  const std::optional<EventDetail> d = detail(p);
  if (!d) {
    if (e.type == EarlType::enter) e.tag = argument(p);
    return e;
  }
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
  e.local = (d->flags & 4) != 0;
  if (e.type == EarlType::put_1ts || e.type == EarlType::get_1ts || e.type == EarlType::atomic_1ts) {
    e.reduction = static_cast<Reduction>(d->collective);
    e.collective = Collective::none;
    const auto ranges = whole(IndexSection::range).ranges();
    const std::uint64_t of = row(p);
    const auto range = std::lower_bound(ranges.begin(), ranges.end(), of,
                                        [](const TransferRange& r, std::uint64_t wanted) { return r.row < wanted; });
    if (range != ranges.end() && range->row == of) {
      e.target_offset = range->offset;
      e.target_extent = range->extent;
    }
  }
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
    case EarlType::metric:
      e.tag = static_cast<std::int32_t>(metric_value_of(*d).type);
      e.index = d->kind;
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
  const auto begins = whole(IndexSection::location_begin).location_begin();
  return begins[location + 1] - begins[location];
}

Position View::nth_on(LocationId location, std::uint64_t n) const {
  const std::uint64_t i = whole(IndexSection::location_begin).location_begin()[location] + n;
  const Position p = at(IndexSection::location_events, i * 4).location_events()[i];
  return std::max<Position>(p, 1);  // 0 only after a failure
}

/// By guess and doubling: the events of a location are spread over the trace more or less evenly, so that the answer is
/// mostly some places from where it would be if they were; O(log distance), at worst O(log events).
Position View::last_on(LocationId location, Position limit) const {
  const auto begins = whole(IndexSection::location_begin).location_begin();
  const std::uint64_t begin = begins[location], end = begins[location + 1];
  if (begin == end) return 0;
  const auto nth = [&](std::uint64_t i) { return at(IndexSection::location_events, i * 4).location_events()[i]; };
  std::uint64_t low = begin, high = end;  // the first that is greater
  const std::uint64_t guess = begin + std::min(limit, size()) * (end - begin - 1) / size();  // both are below 2^32
  std::uint64_t step = 1;
  if (nth(guess) > limit) {
    for (high = guess; high - low >= step && nth(high - step) > limit; step *= 2) high -= step;
    if (high - low >= step) low = high - step + 1;
  } else {
    for (low = guess + 1; high - low >= step && nth(low + step - 1) <= limit; step *= 2) low += step;
    if (high - low >= step) high = low + step - 1;
  }
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (nth(middle) > limit)
      high = middle;
    else
      low = middle + 1;
  }
  return low == begin ? 0 : std::max<Position>(nth(low - 1), 1);  // 0 only after a failure
}

Position View::at_time(Nanoseconds t) const {
  Position low = 0, high = size();
  while (low < high) {
    const Position middle = low + (high - low) / 2;
    if (time(middle + 1) > t)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

std::vector<Position> View::stack(LocationId location, Position at) const {
  std::vector<Position> result;
  Position p = at != 0 && this->location(at) == location ? at : last_on(location, at);
  if (p == 0) return result;
  result.reserve(16);
  if (is_exit(type(p)))
    p = enter(p) == 0 ? 0 : enter(enter(p));
  else if (type(p) != EarlType::enter)
    p = enter(p);
  for (; p != 0; p = enter(p)) result.push_back(p);
  return result;
}

std::vector<Position> View::open(Position limit, EarlType a, EarlType b, EarlType c) const {
  std::vector<Position> result;
  const auto wanted = [&](Position p) {
    if (p == 0) return false;  // after a failure
    const EarlType t = type(p);
    return (t == a || t == b || t == c) && (forward(p) == 0 || forward(p) > limit);
  };
  const auto snapshots = whole(IndexSection::snapshot_at).snapshot_at();
  const auto next = std::upper_bound(snapshots.begin(), snapshots.end(), limit);
  Position from = 0;
  if (next != snapshots.begin()) {
    const auto k = static_cast<std::size_t>(next - snapshots.begin()) - 1;
    from = snapshots[k];
    const auto begins = whole(IndexSection::snapshot_begin).snapshot_begin();
    const auto positions = whole(IndexSection::snapshot_open).snapshot_open();
    for (std::uint64_t i = begins[k]; i < begins[k + 1]; ++i) {
      if (wanted(positions[i])) result.push_back(positions[i]);
    }
  }
  // Types and forward pointers of one checked block at a time: most events are of others, most sends are received.
  constexpr Position in_block = index_block / sizeof(std::uint32_t);
  for (Position p = from + 1; p <= limit;) {
    const EarlType* types = this->at(IndexSection::type, byte_of(p, 1)).columns().type;
    const std::uint32_t* forwards = this->at(IndexSection::forward, byte_of(p, 4)).columns().forward;
    const Position end = std::min<Position>(limit, ((p - 1) / in_block + 1) * in_block);
    const auto add_if_open = [&](Position found) {
      if (forwards[found - 1] == 0 || forwards[found - 1] > limit) result.push_back(found);
    };
    if (a == b && b == c) {
      const EarlType* found = types + (p - 1);
      while ((found = static_cast<const EarlType*>(
                  std::memchr(found, static_cast<int>(a), static_cast<std::size_t>(types + end - found)))) != nullptr)
        add_if_open(static_cast<Position>(++found - types));
      p = end + 1;
    }
    for (; p <= end; ++p) {
      const EarlType t = types[p - 1];
      if (t == a || t == b || t == c) add_if_open(p);
    }
  }
  if (failed()) result.clear();
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
      const EventDetail d = *detail(out);
      const auto kind = static_cast<Collective>(d.collective);
      auto same = std::find_if(result.begin(), result.end(),
                               [&](const OpenCollective& c) { return c.comm == d.comm && c.collective == kind; });
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
    const EventDetail d = *detail(p);
    auto same = std::find_if(result.begin(), result.end(),
                             [&](const LockState& l) { return l.window == d.window && l.target == d.peer; });
    if (same == result.end()) same = result.insert(result.end(), {d.window, d.peer, {}});
    same->requested.insert(same->requested.begin(), p);
  }
  return result;
}

}  // namespace mora::trace
