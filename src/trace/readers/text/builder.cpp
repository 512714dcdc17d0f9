#include "trace/readers/text/builder.h"

#include <algorithm>

#include "base/numbers/read_number.h"
#include "trace/readers/text/lexer.h"

namespace mora::trace::text {

Builder::Builder() : source_(std::make_unique<MemorySource>()) {
  source_->defs.program = "program";
  source_->format_name = "trace text";
  Communicator world;
  world.name = "WORLD";
  source_->defs.communicators.push_back(world);
  communicators_["WORLD"] = 0;
  communicators_["MPI_COMM_WORLD"] = 0;
}

RegionId Builder::region(std::string_view name_and_site) {
  if (const auto found = regions_.find(name_and_site); found != regions_.end()) return found->second;
  Region region;
  const std::string_view whole = name_and_site;
  if (const auto path = name_and_site.rfind(">MPI_"); path != std::string_view::npos) {
    region.caller = caller(name_and_site.substr(0, path));
    name_and_site = name_and_site.substr(path + 1);
  }
  const auto at = name_and_site.find('@');
  region.name = name_and_site.substr(0, at);
  if (at != std::string_view::npos) {
    std::string_view site = name_and_site.substr(at + 1);
    const auto colon = site.rfind(':');
    const auto dash = colon == std::string_view::npos ? colon : site.find('-', colon);
    std::uint64_t line = 0, last = 0;
    const bool has_last = dash != std::string_view::npos && read_number(site.substr(dash + 1), last);
    if (colon != std::string_view::npos &&
        read_number(site.substr(colon + 1, has_last ? dash - colon - 1 : std::string_view::npos), line)) {
      region.call_site_line = static_cast<std::uint32_t>(line);
      region.last_line = static_cast<std::uint32_t>(last);
      site = site.substr(0, colon);
    }
    region.call_site_file = site;
  }
  if (const auto interval = intervals_.find(region.name); interval != intervals_.end()) {
    region.role = interval->second.role;
    region.replication = interval->second.replication;
    if (at == std::string_view::npos) {
      region.call_site_file = interval->second.call_site_file;
      region.call_site_line = interval->second.call_site_line;
    }
  }
  region.function = mpi::find(region.name);
  region.kind = region.function == FunctionId::none ? RegionKind::user : RegionKind::mpi;
  const auto id = static_cast<RegionId>(source_->defs.regions.size());
  source_->defs.regions.push_back(region);
  regions_.emplace(whole, id);
  return id;
}

CallerId Builder::caller(std::string_view path) {
  if (const auto found = callers_.find(path); found != callers_.end()) return found->second;
  const auto last = path.rfind('>');
  Caller made;
  if (last != std::string_view::npos) made.parent = caller(path.substr(0, last));
  std::string_view function = last == std::string_view::npos ? path : path.substr(last + 1);
  const auto at = function.rfind('@');
  if (const auto comma = function.rfind(','); at != std::string_view::npos && comma > at && comma != function.npos) {
    made.place = call_place(function.substr(comma + 1));
    function = function.substr(0, comma == at + 1 ? at : comma);
  }
  made.region = region(function);
  const auto id = static_cast<CallerId>(source_->defs.callers.size());
  source_->defs.callers.push_back(made);
  callers_.emplace(path, id);
  return id;
}

std::uint32_t Builder::call_place(std::string_view text) {
  SourcePlace place{std::string(text), 0};
  std::uint32_t line = 0;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos && read_number(text.substr(colon + 1), line))
    place = {std::string(text.substr(0, colon)), line};
  auto& places = source_->defs.call_places;
  const auto number = static_cast<std::uint32_t>(std::find(places.begin(), places.end(), place) - places.begin());
  if (number == places.size()) places.push_back(place);
  return number;
}

bool Builder::add_interval(std::string_view name, const Region& sample) {
  for (const Region& region : source_->defs.regions)
    if (region.name == name) return false;
  return intervals_.emplace(name, sample).second;
}

std::optional<CommId> Builder::communicator(std::string_view name) const {
  const auto found = communicators_.find(name);
  return found == communicators_.end() ? std::nullopt : std::optional(found->second);
}

bool Builder::add_communicator(std::string_view name, Communicator communicator) {
  communicator.name = name;
  const auto id = static_cast<CommId>(source_->defs.communicators.size());
  if (!communicators_.emplace(name, id).second) return false;
  source_->defs.communicators.push_back(std::move(communicator));
  return true;
}

void Builder::add_grid(CommId communicator, CartesianGrid grid) {
  source_->defs.grids.emplace_back(communicator, std::move(grid));
}

bool Builder::is_window(std::string_view name) const {
  if (windows_.find(name) != windows_.end()) return true;
  std::uint64_t number = 0;
  return name.size() > 1 && name.front() == 'w' && read_number(name.substr(1), number);
}

std::optional<WindowId> Builder::window(std::string_view name) {
  if (const auto found = windows_.find(name); found != windows_.end()) return found->second;
  if (!is_window(name)) return std::nullopt;
  add_window(name, 0);
  return windows_.find(name)->second;
}

bool Builder::add_window(std::string_view name, CommId comm,
                         std::vector<std::pair<std::uint32_t, std::uint64_t>> bases) {
  const auto id = static_cast<WindowId>(source_->defs.windows.size());
  if (!windows_.emplace(name, id).second) return false;
  source_->defs.windows.push_back({std::string(name), comm, std::move(bases)});
  return true;
}

std::optional<GroupId> Builder::group(std::string_view name) const {
  const auto found = group_names_.find(name);
  return found == group_names_.end() ? std::nullopt : std::optional(found->second);
}

GroupId Builder::group(const std::vector<std::uint32_t>& members) {
  const auto [found, is_new] = groups_.emplace(members, static_cast<GroupId>(source_->defs.groups.size()));
  if (is_new) source_->defs.groups.push_back({members});
  return found->second;
}

bool Builder::add_group(std::string_view name, const std::vector<std::uint32_t>& members) {
  return group_names_.emplace(name, group(members)).second;
}

namespace {

/// The number of a name in one of the definitions' lists, which it is added to if new.
template <class List, class Names>
std::uint32_t number(List& list, Names& names, std::string_view name) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(list.size());
  names.emplace(name, id);
  list.push_back({});
  return id;
}

}  // namespace

std::uint32_t Builder::metric(std::string_view name) {
  const std::uint32_t id = number(source_->defs.metrics, metrics_, name);
  source_->defs.metrics[id].name = name;
  return id;
}

bool Builder::add_metric(std::string_view name, std::string_view unit, bool is_count) {
  if (metrics_.find(name) != metrics_.end()) return false;
  trace::Metric& added = source_->defs.metrics[metric(name)];
  added.unit = unit;
  added.is_count = is_count;
  return true;
}

std::uint32_t Builder::file(std::string_view name) {
  const std::uint32_t id = number(source_->defs.files, files_, name);
  source_->defs.files[id] = name;
  return id;
}

std::uint32_t Builder::user_type(std::string_view name) {
  const std::uint32_t id = number(source_->defs.user_types, user_types_, name);
  source_->defs.user_types[id] = name;
  return id;
}

std::uint64_t Builder::string(std::string_view text) {
  const std::uint32_t id = number(source_->defs.strings, strings_, text);
  source_->defs.strings[id] = text;
  return id;
}

void Builder::set_kind(Key key, LocationKind kind, std::string_view name) {
  kinds_[key] = {kind, std::string(name)};
  streams_[key];
}

void Builder::set_node(std::string_view name, const std::vector<std::uint32_t>& ranks) {
  const auto node = static_cast<std::uint32_t>(source_->defs.nodes.size());
  source_->defs.nodes.push_back({std::string(name)});
  for (const std::uint32_t rank : ranks) node_of_rank_[rank] = node;
}

bool Builder::note_rank(std::uint64_t rank) {
  if (fixed_ranks_) return rank < *fixed_ranks_;
  ranks_ = std::max(ranks_, static_cast<std::uint32_t>(rank + 1));
  return true;
}

std::uint32_t Builder::comm_size(CommId comm) const {
  if (comm == 0) return fixed_ranks_.value_or(ranks_);
  const Communicator& c = source_->defs.communicators[comm];
  return c.self ? 1 : static_cast<std::uint32_t>(c.members.size());
}

std::optional<std::uint32_t> Builder::comm_rank(CommId comm, std::uint32_t rank) const {
  if (comm == 0) return rank;
  const std::vector<std::uint32_t>& members = source_->defs.communicators[comm].members;
  const auto place = std::find(members.begin(), members.end(), rank);
  if (place == members.end()) return std::nullopt;
  return static_cast<std::uint32_t>(place - members.begin());
}

void Builder::emit(Stream& stream, const Event& event) {
  stream.events.push_back(event);
  stream.last = event.time;
}

/// Leaves the innermost region: first the events at the end of a compact call, then the leave.
void Builder::close_top(Stream& stream) {
  OpenRegion top = std::move(stream.open.back());
  stream.open.pop_back();
  for (const Event& event : top.at_end) emit(stream, event);
  Event leave;
  leave.kind = EventKind::leave;
  leave.region = top.region;
  leave.time = top.end.value_or(stream.last.value_or(0));
  leave.mended = !top.end;
  emit(stream, leave);
}

// A call that ends at `time` is closed before an event at `time`: what begins there comes after it.
bool Builder::advance(Stream& stream, Nanoseconds time, std::uint32_t& line) {
  while (!stream.open.empty() && stream.open.back().end && *stream.open.back().end <= time) close_top(stream);
  for (const OpenRegion& open : stream.open) {
    if (open.end && *open.end < time) {
      line = open.line;
      return false;
    }
  }
  return true;
}

bool Builder::transfer_start(Key origin, const Event& event) {
  Transfer& transfer = transfers_[{origin, event.request}];
  if (transfer.start) return false;
  Stream& to = stream(origin);
  transfer.start = to.events.size();
  emit(to, event);
  return true;
}

bool Builder::transfer_end(Key origin, const Event& event) {
  Transfer& transfer = transfers_[{origin, event.request}];
  if (transfer.end) return false;
  transfer.end = event;
  return true;
}

void Builder::transfer_at_target(Key origin, std::uint64_t id, std::uint64_t sent) {
  transfers_[{origin, id}].sent = sent;
}

/// The halves of a transfer may be written at different places of the text; the stream holds one event at the origin. A
/// half without the other is kept and counted.
void Builder::pair_transfers() {
  std::map<Key, std::vector<Event>> orphans;
  for (auto& [key, transfer] : transfers_) {
    const std::string where = "rank " + std::to_string(key.first.first);
    if (transfer.start) {
      Event& event = stream(key.first).events[*transfer.start];
      if (transfer.sent) event.bytes = *transfer.sent;
      if (transfer.end) {
        event.end_time = transfer.end->time;
        event.received = transfer.end->received;
        if (event.window == no_id) event.window = transfer.end->window;
        if (event.peer == no_id) event.peer = transfer.end->peer;
      } else {
        event.end_time = at_leave;
        event.received = event.bytes;
        source_->quality_table.add("transfer-without-end", Severity::warning, where, 1,
                                   "one-sided transfers have a start but no end; the end of their call is taken",
                                   "write both records of the transfer (docs/formats/trace-text.md)");
      }
    } else if (transfer.end) {
      Event event = *transfer.end;
      event.end_time = event.time;
      event.bytes = event.received;
      orphans[key.first].push_back(event);
      source_->quality_table.add("transfer-without-start", Severity::warning, where, 1,
                                 "one-sided transfers have an end but no start; their start is taken to be the end",
                                 "write both records of the transfer (docs/formats/trace-text.md)");
    }
  }
  for (auto& [key, list] : orphans) {
    auto& events = stream(key).events;
    for (const Event& event : list) {
      const auto place = std::upper_bound(events.begin(), events.end(), event.time,
                                          [](Nanoseconds time, const Event& other) { return time < other.time; });
      events.insert(place, event);
    }
  }
  transfers_.clear();
}

void Builder::close_all() {
  for (auto& [key, stream] : streams_) {
    while (!stream.open.empty()) {
      if (!stream.open.back().end) {
        source_->quality_table.add(
            "unclosed-region", Severity::warning, "rank " + std::to_string(key.first), 1,
            "regions are open at the end of the trace; they are closed at the location's last time",
            "the trace is cut off: record the program to its end");
      }
      // A call cannot end before what lies inside it.
      if (stream.open.back().end && stream.last && *stream.open.back().end < *stream.last)
        stream.open.back().end = stream.last;
      close_top(stream);
    }
  }
}

namespace {

/// The last coordinate runs fastest.
void place_all(const std::vector<std::uint32_t>& members, CartesianGrid& grid) {
  std::vector<std::uint32_t> at(grid.dimensions.size());
  for (const std::uint32_t rank : members) {
    if (!grid.place(rank, at)) return;
    std::size_t d = at.size();
    while (d > 0 && ++at[d - 1] == grid.dimensions[d - 1].extent) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

// Every rank of the world gets a location, also one that the text never names; times become relative to the first
// event.
std::unique_ptr<MemorySource> Builder::finish() {
  close_all();
  pair_transfers();
  Definitions& defs = source_->defs;
  defs.world_size = fixed_ranks_.value_or(ranks_);
  for (std::uint32_t rank = 0; rank < defs.world_size; ++rank) {
    defs.communicators[0].members.push_back(rank);
    streams_[{rank, 0}];
  }
  for (auto& [comm, grid] : defs.grids) place_all(defs.communicators[comm].members, grid);
  std::optional<Nanoseconds> first;
  for (const auto& [key, stream] : streams_) {
    if (!stream.events.empty() && (!first || stream.events.front().time < *first)) first = stream.events.front().time;
  }
  defs.time_origin = first.value_or(0);
  for (Region& region : defs.regions) {
    const auto group = region_groups_.find(region.name);
    if (group != region_groups_.end()) region.group = group->second;
  }
  if (defs.nodes.empty()) defs.nodes.push_back({"node0"});
  for (auto& [key, stream] : streams_) {
    Location location;
    location.rank = key.first;
    location.thread = key.second;
    location.name = "rank " + std::to_string(key.first) + (key.second ? " thread " + std::to_string(key.second) : "");
    location.file_id = defs.locations.size();
    if (const auto node = node_of_rank_.find(key.first); node != node_of_rank_.end()) location.node = node->second;
    if (const auto kind = kinds_.find(key); kind != kinds_.end()) {
      location.kind = kind->second.first;
      if (!kind->second.second.empty()) location.name = kind->second.second;
    }
    defs.locations.push_back(location);
    for (Event& event : stream.events) {
      event.time -= *first;
      const bool transfer =
          event.kind == EventKind::put || event.kind == EventKind::get || event.kind == EventKind::atomic;
      if (transfer && event.end_time != at_leave) event.end_time -= *first;
    }
    source_->events.push_back(std::move(stream.events));
    source_->vectors.push_back(std::move(stream.vectors));
  }
  defs.index_ranks();
  return std::move(source_);
}

}  // namespace mora::trace::text
