#include "trace/readers/trace_builder.h"

#include <algorithm>
#include <numeric>

#include "trace/mpi_function.h"

namespace mora::trace {

TraceBuilder::TraceBuilder(std::string format) : source_(std::make_unique<MemorySource>()) {
  source_->format_name = std::move(format);
  source_->defs.program = "program";
}

TraceBuilder::~TraceBuilder() = default;

LocationId TraceBuilder::location(std::uint32_t rank, std::uint32_t thread, std::string_view name) {
  const auto [at, made] = locations_.try_emplace({rank, thread}, static_cast<LocationId>(streams_.size()));
  if (made) {
    Location location;
    location.rank = rank;
    location.thread = thread;
    location.file_id = at->second;
    location.name = "rank " + std::to_string(rank) + (thread == 0 ? "" : " thread " + std::to_string(thread));
    source_->defs.locations.push_back(location);
    source_->events.emplace_back();
    streams_.emplace_back();
  }
  if (!name.empty()) source_->defs.locations[at->second].name = name;
  return at->second;
}

RegionId TraceBuilder::region(std::string_view name, std::string_view group, std::string_view file,
                              std::uint32_t line) {
  std::string key(name);
  ((((key += '\0') += group) += '\0') += file) += '\0';
  key += std::to_string(line);
  const auto [at, made] = regions_.try_emplace(key, static_cast<RegionId>(source_->defs.regions.size()));
  if (made) {
    Region region;
    region.name = name;
    region.group = group;
    region.call_site_file = file;
    region.call_site_line = line;
    const MpiFunction function = mpi_function(name);
    region.function = static_cast<std::uint16_t>(function);
    if (function != MpiFunction::none) region.kind = RegionKind::mpi;
    source_->defs.regions.push_back(region);
  }
  return at->second;
}

CommId TraceBuilder::world() {
  if (world_ == no_id) {
    world_ = static_cast<CommId>(source_->defs.communicators.size());
    source_->defs.communicators.push_back({});
    source_->defs.communicators.back().name = "WORLD";
  }
  return world_;
}

std::uint32_t TraceBuilder::user_type(std::string_view name) {
  const auto [at, made] =
      user_types_.try_emplace(std::string(name), static_cast<std::uint32_t>(source_->defs.user_types.size()));
  if (made) source_->defs.user_types.emplace_back(name);
  return at->second;
}

std::uint64_t TraceBuilder::string(std::string_view text) {
  const auto [at, made] = strings_.try_emplace(std::string(text), source_->defs.strings.size());
  if (made) source_->defs.strings.emplace_back(text);
  return at->second;
}

RegionId TraceBuilder::open_region(LocationId location, std::size_t depth) const {
  const auto& open = streams_[location].open;
  return depth < open.size() ? open[open.size() - 1 - depth] : no_id;
}

void TraceBuilder::append(LocationId location, Event event) {
  Stream& s = streams_[location];
  if (event.time < s.last) {
    event.time = s.last;
    ++s.clamped;
  }
  s.last = event.time;
  auto& events = source_->events[location];
  if (event.kind == EventKind::enter) s.open.push_back(event.region);
  if (event.kind == EventKind::leave) {
    const auto wanted =
        event.region == no_id ? s.open.rbegin() : std::find(s.open.rbegin(), s.open.rend(), event.region);
    if (wanted == s.open.rend()) {
      ++s.stray;
      return;
    }
    for (auto inner = wanted - s.open.rbegin(); inner > 0; --inner, ++s.missing) {
      Event close = event;
      close.region = s.open.back();
      s.open.pop_back();
      events.push_back(close);
    }
    event.region = s.open.back();
    s.open.pop_back();
  }
  events.push_back(event);
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

Result<std::unique_ptr<MemorySource>> TraceBuilder::finish() {
  Definitions& d = source_->defs;
  if (streams_.empty())
    return fail(ErrorKind::unreadable, "the trace is empty", "", "it defines no process and holds no event");
  Nanoseconds first = INT64_MAX;
  for (LocationId l = 0; l < streams_.size(); ++l) {
    Stream& s = streams_[l];
    const std::string& where = d.locations[l].name;
    const auto count = [&](const char* kind, std::uint64_t n, const char* what, const char* remedy) {
      if (n > 0) source_->quality_table.add(kind, Severity::warning, where, n, what, remedy);
    };
    count("clock-went-backwards", s.clamped,
          "stamps lay before their predecessor on the same location; the predecessor's time is used",
          "check the clock synchronisation of the recording");
    count("stray-leave", s.stray, "leaves of regions that were never entered; they are dropped",
          "the recording tool lost events");
    count("missing-leave", s.missing, "regions that were not left before their caller; they are closed with it",
          "the recording tool lost events");
    count("unclosed-region", s.open.size(),
          "regions are open at the end of the trace; they are closed at the location's last time",
          "the trace is cut off: record the program to its end");
    while (!s.open.empty()) {
      Event e;
      e.kind = EventKind::leave;
      e.time = s.last;
      e.region = s.open.back();
      e.mended = true;
      s.open.pop_back();
      source_->events[l].push_back(e);
    }
    if (!source_->events[l].empty()) first = std::min(first, source_->events[l].front().time);
  }
  if (first == INT64_MAX) first = 0;
  d.time_origin = first;
  for (auto& events : source_->events) {
    for (Event& e : events) {
      e.time -= first;
      if (e.end_time != 0 && e.end_time != at_leave) e.end_time -= first;
    }
  }
  // Locations in (rank, thread) order.
  std::vector<Location> locations;
  std::vector<std::vector<Event>> events;
  for (const auto& [key, id] : locations_) {
    locations.push_back(std::move(d.locations[id]));
    events.push_back(std::move(source_->events[id]));
  }
  d.locations = std::move(locations);
  source_->events = std::move(events);
  for (const auto& [key, id] : locations_) d.world_size = std::max(d.world_size, key.first + 1);
  if (world_ != no_id) {
    d.communicators[world_].members.resize(d.world_size);
    std::iota(d.communicators[world_].members.begin(), d.communicators[world_].members.end(), 0U);
  }
  if (d.nodes.empty()) d.nodes.push_back({"node0"});
  d.index_ranks();
  streams_.clear();
  locations_.clear();
  return std::move(source_);
}

}  // namespace mora::trace
