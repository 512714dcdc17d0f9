#include "predict/scaling/recorded_run.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/text/source_place.h"
#include "trace/links/completions.h"
#include "trace/links/request_map.h"
#include "trace/mpi_function.h"
#include "trace/text/event_text.h"

namespace mora::predict {
namespace {

using trace::CallClass;
using trace::Event;
using trace::EventKind;

std::string label_of(const trace::Region& region) {
  return region.kind == trace::RegionKind::mpi ? place_label(region.name, region.call_site_file, region.call_site_line)
                                               : region.name;
}

/// Why a call with this event cannot be scaled; empty: it can.
std::string_view hindrance(EventKind kind) {
  switch (kind) {
    case EventKind::put:
    case EventKind::get:
    case EventKind::atomic:
    case EventKind::rma_collective_end:
    case EventKind::group_sync:
    case EventKind::lock_request:
    case EventKind::lock_release:
    case EventKind::flush:
      return "one-sided communication is not scaled";
    case EventKind::cancelled:
      return "a request is cancelled there, which no rule says of other numbers of ranks";
    case EventKind::recording_off:
      return "the recording has gaps";
    default:
      return {};
  }
}

class RunReader : public trace::EventSink {
 public:
  RunReader(const trace::Source& source, trace::LocationId location, Sites& sites, RankRun& into)
      : source_(source), definitions_(source.definitions()), location_(location), sites_(sites), into_(into) {}

  /// Empty: nothing hinders.
  const std::string& hindered() const { return hindered_; }
  /// Behind MPI_Finalize nothing is predicted.
  void finish() {
    const bool is_over = function_ != nullptr && function_->call == CallClass::finalize;
    into_.after = is_over ? 0 : std::max<Nanoseconds>(0, last_ - since_);
  }

  void on_event(const Event& e) override {
    if (!has_begun_) since_ = e.time;
    has_begun_ = true;
    last_ = e.time;
    if (e.kind == EventKind::enter) return enter(e);
    if (e.kind == EventKind::leave) return leave(e);
    if (const std::string_view why = hindrance(e.kind); !why.empty() && hindered_.empty())
      hindered_ = fmt::format("{}: {}", in_call_ > 0 ? sites_.sites[call_.site].path : "outside of calls", why);
    if (in_call_ > 0) inside(e);
  }

 private:
  void enter(const Event& e) {
    if (e.region >= definitions_.regions.size()) return;
    const trace::Region& region = definitions_.regions[e.region];
    if (in_call_ > 0 || region.kind == trace::RegionKind::mpi) {
      if (in_call_++ > 0) return;
      call_ = {};
      call_.site = sites_.site(definitions_, open_, e.region);
      call_.first = static_cast<std::uint32_t>(into_.moved.size());
      call_.before = e.time - since_;
      entered_ = e.time;
      function_ = &trace::function_of(region);
      return;
    }
    open_.push_back(e.region);
  }

  void leave(const Event& e) {
    if (in_call_ == 0) {
      if (!open_.empty()) open_.pop_back();
      return;
    }
    if (--in_call_ > 0) return;
    call_.count = static_cast<std::uint32_t>(into_.moved.size()) - call_.first;
    const bool polls = function_->form == mpi::Form::polls || function_->call == CallClass::probe;
    if (call_.count == 0 && polls) {
      computed_ += call_.before;
      since_ = e.time;
      return;
    }
    call_.before += computed_;
    computed_ = 0;
    if (sites_.sites[call_.site].is_local) call_.lasted = e.time - entered_;
    into_.calls.push_back(call_);
    since_ = e.time;
  }

  Moved moved_of(const Event& e) const {
    Moved moved;
    moved.kind = e.kind;
    moved.peer = e.peer;
    moved.comm = e.comm;
    moved.tag = e.tag;
    moved.bytes = e.bytes;
    return moved;
  }

  void fill_collective(Moved& moved, const Event& e) {
    moved.collective = e.collective;
    moved.peer = e.root;
    moved.comm = e.comm;
    moved.bytes = e.bytes;
    moved.received = e.received;
    if (e.vector == trace::no_id) return;
    moved.vector = static_cast<std::uint32_t>(into_.vectors.size());
    into_.vectors.push_back(source_.vector(location_, e.vector));
  }

  void start(Moved moved, std::uint64_t request, trace::RequestMap& requests) {
    moved.request = static_cast<std::uint32_t>(starts_.size());
    requests.set(request, moved.request);
    starts_.push_back(static_cast<std::uint32_t>(into_.moved.size()));
    into_.moved.push_back(moved);
  }

  void complete(const Event& e, std::uint32_t start) {
    if (start == trace::RequestMap::none) return;
    Moved& begun = into_.moved[starts_[start]];
    begun.is_complete = true;
    if (e.kind == EventKind::receive_complete) {
      begun.peer = e.peer;
      begun.comm = e.comm;
      begun.tag = e.tag;
      begun.bytes = e.bytes;
    } else if (e.kind == EventKind::collective_complete) {
      fill_collective(begun, e);
    }
    Moved moved;
    moved.kind = EventKind::send_complete;
    moved.request = start;
    into_.moved.push_back(moved);
  }

  void inside(const Event& e) {
    switch (e.kind) {
      case EventKind::send:
      case EventKind::receive:
        into_.moved.push_back(moved_of(e));
        return;
      case EventKind::send_request:
      case EventKind::receive_request:
        return start(moved_of(e), e.request, messages_);
      case EventKind::collective_request: {
        Moved moved;
        moved.kind = e.kind;
        fill_collective(moved, e);
        return start(moved, e.request, collectives_);
      }
      case EventKind::send_complete:
      case EventKind::receive_complete:
        return complete(e, messages_.take(e.request));
      case EventKind::collective_complete:
        return complete(e, collectives_.take(e.request));
      case EventKind::collective_end: {
        Moved moved;
        moved.kind = e.kind;
        fill_collective(moved, e);
        into_.moved.push_back(moved);
        return;
      }
      default:
        return;
    }
  }

  const trace::Source& source_;
  const trace::Definitions& definitions_;
  const trace::LocationId location_;
  Sites& sites_;
  RankRun& into_;
  std::vector<trace::RegionId> open_;
  trace::RequestMap messages_, collectives_;
  std::vector<std::uint32_t> starts_;  ///< by number of the request: index in moved
  RecordedCall call_;
  const mpi::Function* function_ = nullptr;
  unsigned in_call_ = 0;
  Nanoseconds since_ = 0, entered_ = 0, last_ = 0, computed_ = 0;
  bool has_begun_ = false;
  std::string hindered_;
};

}  // namespace

trace::CallerId Sites::caller(const trace::Definitions& from, trace::CallerId id) {
  if (id >= from.callers.size()) return trace::no_id;
  const trace::Caller& given = from.callers[id];
  trace::Caller made;
  made.parent = caller(from, given.parent);
  made.region = region(from, given.region);
  std::string key = fmt::format("{} {}", made.parent, made.region);
  if (given.place < from.call_places.size()) {
    const SourcePlace& place = from.call_places[given.place];
    key += fmt::format(" {}:{}", place.file, place.line);
    made.place = static_cast<std::uint32_t>(definitions.call_places.size());
  }
  const auto [at, is_new] = callers_.try_emplace(key, static_cast<std::uint32_t>(definitions.callers.size()));
  if (is_new) {
    if (made.place != trace::no_id) definitions.call_places.push_back(from.call_places[given.place]);
    definitions.callers.push_back(made);
  }
  return at->second;
}

trace::RegionId Sites::region(const trace::Definitions& from, trace::RegionId id) {
  if (id >= from.regions.size()) return trace::no_id;
  trace::Region made = from.regions[id];
  made.caller = caller(from, made.caller);
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", made.name, made.group, made.call_site_file, made.call_site_line, made.caller);
  const auto [at, is_new] = regions_.try_emplace(key, static_cast<std::uint32_t>(definitions.regions.size()));
  if (is_new) definitions.regions.push_back(std::move(made));
  return at->second;
}

std::uint32_t Sites::site(const trace::Definitions& from, const std::vector<trace::RegionId>& open,
                          trace::RegionId call) {
  Site made;
  std::string key;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) made.path += (made.path.empty() ? "" : " > ") + words;
  };
  for (const trace::RegionId one : open) {
    made.around.push_back(region(from, one));
    key += fmt::format("{} ", made.around.back());
    add(from.regions[one].name);
  }
  made.region = region(from, call);
  add(trace::call_path_text(from, call));
  add(label_of(from.regions[call]));
  key += fmt::format("{}", made.region);
  const CallClass kind = trace::call_class(from.regions[call]);
  made.is_local = kind == CallClass::other || kind == CallClass::file || kind == CallClass::init ||
                  kind == CallClass::group || kind == CallClass::request_setup || kind == CallClass::collective_setup;
  const auto [at, is_new] = sites_.try_emplace(key, static_cast<std::uint32_t>(sites.size()));
  if (is_new) sites.push_back(std::move(made));
  return at->second;
}

namespace {

/// MPI calls of a location, without those within others.
class CallCount : public trace::EventSink {
 public:
  explicit CallCount(const trace::Definitions& definitions) : definitions_(definitions) {}
  std::uint64_t calls = 0;
  void on_event(const Event& e) override {
    if (e.region >= definitions_.regions.size() || definitions_.regions[e.region].kind != trace::RegionKind::mpi)
      return;
    if (e.kind == EventKind::enter && depth_++ == 0) ++calls;
    if (e.kind == EventKind::leave && depth_ > 0) --depth_;
  }

 private:
  const trace::Definitions& definitions_;
  unsigned depth_ = 0;
};

/// Only the first thread of a rank is scaled.
Result<void> count_other_threads(trace::Source& source) {
  const trace::Definitions& definitions = source.definitions();
  for (trace::LocationId l = 0; l < definitions.locations.size(); ++l) {
    const trace::Location& location = definitions.locations[l];
    if (location.kind != trace::LocationKind::cpu || definitions.location_of_rank(location.rank) == l) continue;
    CallCount count(definitions);
    MORA_CHECK_OK(source.read_location(l, count));
    source.quality().add(
        "scaled-other-threads", Severity::warning, location.name, count.calls,
        "MPI calls of threads other than the first of a rank are left out of the run that is predicted",
        "none: only the first thread of each rank is scaled");
  }
  return {};
}

}  // namespace

Result<RecordedRun> read_run(trace::Source& source, const std::string& name, Sites& sites, Progress& progress) {
  const trace::Definitions& definitions = source.definitions();
  RecordedRun run;
  run.name = name;
  run.ranks = definitions.world_size;
  run.by_rank.resize(run.ranks);
  for (const trace::Communicator& communicator : definitions.communicators) {
    if (communicator.inter())
      return fail(ErrorKind::unreadable, "the run cannot be scaled", name,
                  fmt::format("{} joins two groups, which no rule scales", communicator.name));
    run.members.push_back(communicator.self ? std::vector<std::uint32_t>{} : communicator.members);
    run.communicators.push_back(communicator.name);
  }
  for (std::uint32_t rank = 0; rank < run.ranks; ++rank) {
    const trace::LocationId location = definitions.location_of_rank(rank);
    if (location == trace::no_id)
      return fail(ErrorKind::unreadable, "the run cannot be scaled", name, fmt::format("rank {} has no events", rank));
    RunReader reader(source, location, sites, run.by_rank[rank]);
    MORA_CHECK_OK(source.read_location(location, reader));
    reader.finish();
    progress.advance(1);
    if (!reader.hindered().empty())
      return fail(ErrorKind::unreadable, "the run cannot be scaled", name,
                  fmt::format("rank {}, {}", rank, reader.hindered()));
  }
  MORA_CHECK_OK(count_other_threads(source));
  return run;
}

}  // namespace mora::predict
