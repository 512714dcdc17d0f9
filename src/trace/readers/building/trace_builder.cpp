#include "trace/readers/building/trace_builder.h"

#include <algorithm>
#include <numeric>

#include "base/numbers/saturated.h"
#include "trace/mpi_function.h"

namespace mora::trace {

namespace {

/// A leave that fits no open region is looked for this deep before the stream starts to count what is open.
constexpr std::size_t long_search = 64;

/// Counts the events of one stream whose references no definition fits.
class CountUndefined : public EventSink {
 public:
  CountUndefined(const Definitions& definitions, RegionId undefined_region)
      : definitions_(definitions), undefined_region_(undefined_region) {}
  std::uint64_t count = 0;
  void on_event(const Event& stored) override {
    Event event = stored;
    if (mend_references(event, definitions_, undefined_region_)) ++count;
  }

 private:
  const Definitions& definitions_;
  RegionId undefined_region_;
};

}  // namespace

TraceBuilder::TraceBuilder(std::string format, EventSpoolOptions options)
    : parts_{.definitions = {},
             .quality = {},
             .format = std::move(format),
             .spool = EventSpool(std::move(options)),
             .stream_of = {},
             .lost = {}} {
  parts_.definitions.program = "program";
}

LocationId TraceBuilder::location(std::uint32_t rank, std::uint32_t thread, std::string_view name) {
  const auto [at, made] = locations_.try_emplace({rank, thread}, static_cast<LocationId>(streams_.size()));
  if (made) {
    Location location;
    location.rank = rank;
    location.thread = thread;
    location.file_id = at->second;
    location.name = "rank " + std::to_string(rank) + (thread == 0 ? "" : " thread " + std::to_string(thread));
    parts_.definitions.locations.push_back(location);
    streams_.emplace_back();
    parts_.spool.add_stream();
  }
  if (!name.empty()) parts_.definitions.locations[at->second].name = name;
  return at->second;
}

RegionId TraceBuilder::region(std::string_view name, std::string_view group, std::string_view file,
                              std::uint32_t line) {
  std::string key(name);
  ((((key += '\0') += group) += '\0') += file) += '\0';
  key += std::to_string(line);
  const auto [at, made] = regions_.try_emplace(key, static_cast<RegionId>(parts_.definitions.regions.size()));
  if (made) {
    Region region;
    region.name = name;
    region.group = group;
    region.call_site_file = file;
    region.call_site_line = line;
    region.function = mpi::find(name);
    if (region.function != FunctionId::none) region.kind = RegionKind::mpi;
    parts_.definitions.regions.push_back(region);
  }
  return at->second;
}

CommId TraceBuilder::world() {
  if (world_ == no_id) {
    world_ = static_cast<CommId>(parts_.definitions.communicators.size());
    parts_.definitions.communicators.push_back({});
    parts_.definitions.communicators.back().name = "WORLD";
  }
  return world_;
}

std::uint32_t TraceBuilder::user_type(std::string_view name) {
  const auto [at, made] =
      user_types_.try_emplace(std::string(name), static_cast<std::uint32_t>(parts_.definitions.user_types.size()));
  if (made) parts_.definitions.user_types.emplace_back(name);
  return at->second;
}

std::uint64_t TraceBuilder::string(std::string_view text) {
  const auto [at, made] = strings_.try_emplace(std::string(text), parts_.definitions.strings.size());
  if (made) parts_.definitions.strings.emplace_back(text);
  return at->second;
}

RegionId TraceBuilder::open_region(LocationId location, std::size_t depth) const {
  const auto& open = streams_[location].open;
  return depth < open.size() ? open[open.size() - 1 - depth].region : no_id;
}

void TraceBuilder::push(Stream& stream, RegionId region) {
  stream.open.push_back({region, stream.enters++});
  if (stream.counts_open) ++stream.times_open[region];
}

void TraceBuilder::pop(Stream& stream) {
  if (stream.counts_open) --stream.times_open[stream.open.back().region];
  stream.open.pop_back();
}

/// A search that finds its region is paid by the regions it closes; one in vain is not, so after a long one the stream
/// counts its open regions and every further answer is O(1).
bool TraceBuilder::is_open(Stream& stream, RegionId region) const {
  const auto& open = stream.open;
  if (stream.counts_open) {
    const auto at = stream.times_open.find(region);
    return at != stream.times_open.end() && at->second > 0;
  }
  const bool found =
      std::any_of(open.rbegin(), open.rend(), [&](const OpenRegion& each) { return each.region == region; });
  if (!found && open.size() > long_search) {
    for (const OpenRegion& each : open) ++stream.times_open[each.region];
    stream.counts_open = true;
  }
  return found;
}

void TraceBuilder::note_ids(const Event& event) {
  const auto note = [](std::uint32_t& most, std::uint32_t id) { most = std::max(most, id + 1); };
  note(used_.region, event.region);
  if (event.kind == EventKind::enter && event.region == no_id) used_.region_missing = true;
  if (event.kind == EventKind::enter || event.kind == EventKind::leave) return;
  note(used_.comm, event.comm);
  note(used_.window, event.window);
  note(used_.group, event.group);
  note(used_.file, event.file);
  if (event.kind == EventKind::metric) note(used_.metric, event.vector);
  if (event.kind == EventKind::user) note(used_.user_type, event.vector);
}

void TraceBuilder::append(LocationId location, Event event) {
  Stream& s = streams_[location];
  if (event.time < s.last) {
    event.time = s.last;
    ++s.repairs.clamped;
  }
  s.last = event.time;
  if (event.kind == EventKind::enter) push(s, event.region);
  if (event.kind == EventKind::leave) {
    const bool is_inmost = !s.open.empty() && (event.region == no_id || event.region == s.open.back().region);
    if (s.open.empty() || (!is_inmost && !is_open(s, event.region))) {
      ++s.repairs.stray;
      return;
    }
    if (!is_inmost) {
      std::size_t depth = s.open.size();
      while (s.open[depth - 1].region != event.region) --depth;
      s.repairs.missing += close(location, event.time, depth);
    }
    event.region = s.open.back().region;
    pop(s);
  }
  s.first = std::min(s.first, event.time);
  note_ids(event);
  parts_.spool.append(location, event);
}

void TraceBuilder::enter(LocationId location, Nanoseconds time, RegionId region) {
  Event e;
  e.kind = EventKind::enter;
  e.time = time;
  e.region = region;
  append(location, e);
}

void TraceBuilder::leave(LocationId location, Nanoseconds time, RegionId region) {
  Event e;
  e.kind = EventKind::leave;
  e.time = time;
  e.region = region;
  append(location, e);
}

std::size_t TraceBuilder::note_lost(Stream& stream, std::size_t depth) {
  const std::size_t n = stream.open.size() - std::min(depth, stream.open.size());
  return stream.lost.note(std::span<const OpenRegion>(stream.open).last(n));
}

std::size_t TraceBuilder::close(LocationId location, Nanoseconds time, std::size_t depth) {
  Stream& s = streams_[location];
  const std::size_t n = s.open.size();
  const std::size_t lost = note_lost(s, depth);
  while (s.open.size() > depth) leave(location, time);
  return n - s.open.size() - lost;
}

/// Adds the rows for what was repaired, and closes what is open.
void TraceBuilder::close_streams() {
  for (LocationId l = 0; l < streams_.size(); ++l) {
    Stream& s = streams_[l];
    const std::size_t lost = end_is_a_cut_ ? 0 : note_lost(s, 0);
    s.repairs.unclosed = s.open.size() - lost + (lost > 0 ? 1 : 0);  // a lost one that is innermost ends there, too
    s.repairs.lost = s.lost.size();
    s.repairs.report(parts_.quality, parts_.definitions.locations[l].name);
    parts_.lost.push_back(std::move(s.lost).take());
    for (; !s.open.empty(); pop(s)) {
      Event e;
      e.kind = EventKind::leave;
      e.time = s.last;
      e.region = s.open.back().region;
      e.mended = true;
      parts_.spool.append(l, e);
    }
  }
}

/// Only if some id is too large are the events gone through again, to count them.
void TraceBuilder::check_references() {
  Definitions& d = parts_.definitions;
  const bool region_missing = used_.region > d.regions.size() || used_.region_missing;
  parts_.mend_references = region_missing || used_.comm > d.communicators.size() || used_.window > d.windows.size() ||
                           used_.group > d.groups.size() || used_.file > d.files.size() ||
                           used_.metric > d.metrics.size() || used_.user_type > d.user_types.size();
  if (!parts_.mend_references) return;
  if (region_missing) {
    Region undefined;
    undefined.name = "undefined region";
    // One past the defined ones, and past no event's id: a region that an event named must not become this one.
    parts_.undefined_region = static_cast<RegionId>(d.regions.size());
    d.regions.push_back(std::move(undefined));
  }
  for (LocationId l = 0; l < streams_.size(); ++l) {
    CountUndefined undefined(d, parts_.undefined_region);
    if (!parts_.spool.read(l, undefined)) return;  // finish() tells why
    if (undefined.count > 0)
      parts_.quality.add("undefined-reference", Severity::warning, d.locations[l].name, undefined.count,
                         "events refer to things that are not defined",
                         "the trace is damaged (copy it again), or the program that wrote it is wrong");
  }
}

/// Locations in (rank, thread) order.
void TraceBuilder::number_locations() {
  Definitions& d = parts_.definitions;
  std::vector<Location> locations;
  for (const auto& [key, id] : locations_) {
    locations.push_back(std::move(d.locations[id]));
    parts_.stream_of.push_back(id);
    d.world_size = std::max(d.world_size, key.first + 1);
  }
  d.locations = std::move(locations);
  if (world_ != no_id) {
    d.communicators[world_].members.resize(d.world_size);
    std::iota(d.communicators[world_].members.begin(), d.communicators[world_].members.end(), 0U);
  }
  if (d.nodes.empty()) d.nodes.push_back({"node0"});
  d.index_ranks();
}

Result<std::unique_ptr<SpooledSource>> TraceBuilder::finish() {
  if (streams_.empty())
    return fail(ErrorKind::unreadable, "the trace is empty", "", "it defines no process and holds no event",
                "check that the right file was given and that the recording was complete");
  close_streams();
  check_references();
  if (parts_.spool.failure()) return tl::unexpected(*parts_.spool.failure());
  Nanoseconds first = INT64_MAX, last = INT64_MIN;
  for (const Stream& s : streams_) {
    first = std::min(first, s.first);
    if (s.first != INT64_MAX || s.last != INT64_MIN) last = std::max(last, s.last);
  }
  if (first > last) first = last = 0;
  parts_.origin = first;
  parts_.definitions.time_origin = saturated_sum(parts_.definitions.time_origin, first);
  parts_.duration = time_since(first, last);
  Nanoseconds whole = 0;
  if (__builtin_sub_overflow(last, first, &whole))
    parts_.quality.add("time-out-of-range", Severity::warning, "", 1,
                       "events lie more than 292 years after the first; they stand at 292 years",
                       "time stamps of the trace are damaged: copy or record it again");
  number_locations();
  streams_.clear();
  locations_.clear();
  return std::make_unique<SpooledSource>(std::move(parts_));
}

}  // namespace mora::trace
