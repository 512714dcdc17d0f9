#include "trace/readers/chrome/chrome_source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <istream>
#include <set>
#include <streambuf>
#include <vector>

#include "trace/metrics/metric_name.h"
#include "trace/readers/building/linked_messages.h"
#include "trace/readers/building/packed_bytes.h"
#include "trace/readers/building/trace_builder.h"
#include "trace/readers/chrome/collection.h"
#include "trace/readers/chrome/event_parser.h"
#include "trace/readers/chrome/slices.h"

namespace mora::trace {
namespace {

using chrome::Collection;
using chrome::Extra;
using chrome::Item;
using chrome::Phase;

class GzipBuffer : public std::streambuf {
 public:
  explicit GzipBuffer(gzFile file) : file_(file) {}
  bool failed() const { return failed_; }

 private:
  int_type underflow() override {
    const int got = gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    bytes_.tell(file_);
    failed_ = failed_ || got < 0;
    if (got <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(*gptr());
  }
  gzFile file_;
  PackedBytes bytes_;
  std::vector<char> buffer_ = std::vector<char>(1U << 18);
  bool failed_ = false;
};

class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

/// The communicators that arguments name: members are the ranks that use them, in rank order.
class Communicators {
 public:
  Communicators(const Collection& collection, TraceBuilder& builder) : builder_(builder) {
    for (const auto& [name, ranks] : collection.communicators()) {
      const std::string& text = collection.text(name);
      if (text == "WORLD" || text == "MPI_COMM_WORLD") continue;
      auto& all = builder.definitions().communicators;
      ids_[name] = static_cast<CommId>(all.size());
      Communicator communicator;
      communicator.name = text;
      communicator.self = text == "SELF" || text == "MPI_COMM_SELF";
      if (!communicator.self) communicator.members.assign(ranks.begin(), ranks.end());
      all.push_back(std::move(communicator));
    }
  }
  CommId find(std::uint32_t name) {
    const auto found = ids_.find(name);
    return found == ids_.end() ? builder_.world() : found->second;
  }

 private:
  TraceBuilder& builder_;
  std::map<std::uint32_t, CommId> ids_;
};

/// First playing of a time line: its ends of messages, in order.
class FlowCollector : public chrome::SliceSink {
 public:
  FlowCollector(Communicators& communicators, LinkedMessages& messages)
      : communicators_(communicators), messages_(messages) {}
  std::uint32_t place = 0;

  void enter(Nanoseconds, const Item&) override {}
  void leave(Nanoseconds, const Item&, const Item*) override {}
  std::size_t skip(Nanoseconds, std::size_t) override { return 0; }
  void other(const Item&) override {}
  void flow(Nanoseconds, const Item& flow) override {
    const Extra& extra = flow.extra;
    LinkedMessages::Half half;
    half.order = flow.time;
    half.place = place;
    half.has_bytes = extra.bytes.has_value();
    half.bytes = extra.bytes.value_or(0);
    half.has_tag = extra.tag.has_value();
    half.tag = extra.tag.value_or(0);
    // What only one end names holds for both; link() fills it in.
    if (extra.comm != no_id) half.comm = communicators_.find(extra.comm);
    half.is_send = flow.phase == Phase::flow_start;
    const std::string_view key(reinterpret_cast<const char*>(flow.flow), sizeof(flow.flow));
    if (flow.phase == Phase::flow_step) {
      messages_.add(key, half);
      half.is_send = true;
    }
    messages_.add(key, half);
  }

 private:
  Communicators& communicators_;
  LinkedMessages& messages_;
};

/// Second playing: events.
class EventEmitter : public chrome::SliceSink {
 public:
  EventEmitter(const Collection& collection, Communicators& communicators, const LinkedMessages& messages,
               TraceBuilder& builder, std::uint32_t ranks)
      : collection_(collection),
        communicators_(communicators),
        halves_(messages.halves()),
        builder_(builder),
        ranks_(ranks) {}

  void start(LocationId location, std::uint32_t place) {
    location_ = location;
    place_ = place;
    requests_ = 0;
  }
  bool failed() const { return halves_.failed(); }
  /// What this has left out.
  void report(DataQuality& quality) const {
    const auto row = quality.at("");
    row("uninterpreted-event", Severity::info, inner_flows_,
        "flows within a process, or without their other end, are no messages", "");
    row("unmatched-send", Severity::warning, unmatched_sends_,
        "messages are sent but their reception is not in the trace; they are left out",
        "expected if the program was stopped early or not all ranks were recorded; else record again");
    row("unmatched-receive", Severity::warning, unmatched_receives_,
        "messages are received but their sending is not in the trace; they are left out",
        "expected if recording was switched on late or not all ranks were recorded; else record again");
  }

  void enter(Nanoseconds time, const Item& slice) override {
    const RegionId region = region_of(slice);
    builder_.enter(location_, time, region);
    if (!is_collective(region, slice.extra)) return;
    Event event;
    event.kind = EventKind::collective_begin;
    event.time = time;
    builder_.append(location_, event);
  }

  void leave(Nanoseconds time, const Item& slice, const Item* end) override {
    const RegionId region = builder_.open_region(location_);
    const Extra& own = slice.extra;
    const Extra& extra = own.comm == no_id && end != nullptr ? end->extra : own;
    if (is_collective(region, extra)) {
      Event event;
      event.kind = EventKind::collective_end;
      event.time = time;
      event.collective = function_of(builder_.definitions().regions[region]).collective;
      event.comm = communicators_.find(extra.comm);
      event.root = extra.root < ranks_ ? extra.root : no_id;
      event.bytes = extra.sent.value_or(0);
      event.received = extra.received.value_or(0);
      builder_.append(location_, event);
    }
    builder_.leave(location_, time);
  }
  std::size_t skip(Nanoseconds time, std::size_t slices) override {
    return builder_.close(location_, time, builder_.depth(location_) - slices);
  }

  void flow(Nanoseconds time, const Item& flow) override {
    message(time, flow);
    if (flow.phase == Phase::flow_step) message(time, flow);
  }

  void other(const Item& item) override {
    Event event;
    event.time = item.time;
    const Extra& extra = item.extra;
    if (item.phase == Phase::counter) {
      auto& metrics = builder_.definitions().metrics;
      const auto [at, is_new] = metrics_.try_emplace(item.name, static_cast<std::uint32_t>(metrics.size()));
      if (is_new) metrics.push_back(metric_named(collection_.text(item.name)));
      event.kind = EventKind::metric;
      event.vector = at->second;
      set_metric_value(event, {item.value, item.value_type});
    } else if (item.phase == Phase::message_half) {
      if (extra.peer >= ranks_) {
        ++(extra.is_send ? unmatched_sends_ : unmatched_receives_);
        return;
      }
      LinkedMessages::Half half;
      half.is_send = extra.is_send;
      half.peer = extra.peer;
      half.tag = extra.tag.value_or(0);
      half.bytes = extra.bytes.value_or(0);
      half.comm = communicators_.find(extra.comm);
      event = message_event(half, inside(), requests_);
      event.time = item.time;
    } else {
      event.kind = EventKind::user;
      event.vector = builder_.user_type(collection_.text(item.name));
      event.request = builder_.string(collection_.text(extra.text));
    }
    builder_.append(location_, event);
  }

 private:
  void message(Nanoseconds time, const Item& flow) {
    const LinkedMessages::Half* next = halves_.next();
    if (next == nullptr) return;  // failed()
    const LinkedMessages::Half& half = *next;
    const bool is_message = collection_.text(flow.cat) == "message";
    const bool has_partner = half.partner != no_id;
    const std::uint32_t other = has_partner ? half.partner_place : place_;
    const auto rank = [&](std::uint32_t place) { return collection_.lines()[place].rank; };
    if (is_message && !has_partner) {
      ++(half.is_send ? unmatched_sends_ : unmatched_receives_);
      return;
    }
    const bool is_to_itself = is_message && other == place_;
    if (!is_to_itself && rank(other) == rank(place_)) {
      ++inner_flows_;
      return;
    }
    Event event = message_event(half, inside(), requests_);
    event.time = time;
    builder_.append(location_, event);
  }

  CallClass inside() const {
    const RegionId region = builder_.open_region(location_);
    return region == no_id ? CallClass::none : call_class(builder_.definitions().regions[region]);
  }
  bool is_collective(RegionId region, const Extra& extra) const {
    return region != no_id && extra.comm != no_id &&
           call_class(builder_.definitions().regions[region]) == CallClass::collective;
  }
  RegionId region_of(const Item& slice) {
    const Extra& extra = slice.extra;
    const std::string& name = collection_.text(slice.name);
    const std::string& cat = collection_.text(slice.cat);
    const bool is_mpi = mpi::find(name) != FunctionId::none;
    return builder_.region(name,
                           is_mpi          ? "MPI"
                           : cat == "user" ? ""
                                           : cat,
                           collection_.text(extra.site_file), extra.site_line);
  }

  const Collection& collection_;
  Communicators& communicators_;
  LinkedMessages::Cursor halves_;
  TraceBuilder& builder_;
  const std::uint32_t ranks_;
  LocationId location_ = no_id;
  std::uint32_t place_ = 0;
  std::uint64_t requests_ = 0, inner_flows_ = 0, unmatched_sends_ = 0, unmatched_receives_ = 0;
  std::map<std::uint32_t, std::uint32_t> metrics_;
};

tl::unexpected<Error> lost_events() {
  return fail(ErrorKind::system, "cannot read intermediate data", "the temporary file of events", "",
              "check the disk, or name another directory: TMPDIR=/path mora …");
}

Result<void> build(const Collection& collection, TraceBuilder& builder) {
  Communicators communicators(collection, builder);
  LinkedMessages messages;
  FlowCollector collector(communicators, messages);
  std::vector<LinkedMessages::Place> places(collection.lines().size());
  std::uint32_t ranks = 0;
  chrome::Lines first(collection);
  while (const auto number = first.next()) {
    const chrome::TimeLine& line = collection.lines()[*number];
    places[*number] = {line.rank, line.thread};
    ranks = std::max(ranks, line.rank + 1);
    collector.place = *number;
    first.play(collector);
  }
  if (messages.size() > 0) MORA_CHECK_OK(messages.link(places, builder.world()));

  EventEmitter emitter(collection, communicators, messages, builder, ranks);
  chrome::Lines second(collection);
  while (const auto number = second.next()) {
    const chrome::TimeLine& line = collection.lines()[*number];
    const LocationId location = builder.location(line.rank, line.thread);
    const std::string where = builder.definitions().locations[location].name;
    emitter.start(location, *number);
    const chrome::SliceCounts counts = second.play(emitter);
    const auto row = builder.quality().at(where);
    row("overlapping-region", Severity::warning, counts.overlapping,
        "regions overlap others of the same thread without nesting; they are cut where the outer one ends",
        "the program that wrote the file puts several threads on one time line");
    row("stray-leave", Severity::warning, counts.stray, "ends of regions that were never entered; they are dropped",
        "the recording tool lost events: check its settings and record again");
    row("missing-leave", Severity::warning, counts.missing,
        "regions that were not left before their caller; they are closed with it",
        "the recording tool lost events: check its settings and record again");
    const bool says_more = !line.name.empty() && line.name != "main" && line.name != where &&
                           line.name != "thread " + std::to_string(line.thread);
    if (says_more) builder.location(line.rank, line.thread, where + " (" + line.name + ")");
  }
  emitter.report(builder.quality());
  if (messages.overtaking() > 0)
    builder.quality().add(
        "overtaking-message", Severity::info, "", messages.overtaking(),
        "messages overtake others of the same sender, receiver and tag; they are kept apart by tags of their own", "");
  if (first.failed() || second.failed() || emitter.failed()) return lost_events();
  return {};
}

Result<std::unique_ptr<Source>> read(std::istream& input, const std::string& name) {
  Collection collection;
  const chrome::ParseEnd end =
      chrome::parse_trace_events(input, [&](chrome::TraceEvent& event) { collection.add(event); });
  const std::string place = "byte " + std::to_string(end.byte) + ": " + end.why;
  if (collection.events() == 0 && !end.complete)
    return fail(ErrorKind::unreadable, "cannot read the Chrome trace", name, place,
                "the file is damaged: write it again");
  MORA_CHECK_OK(collection.number());
  TraceBuilder builder("Chrome JSON");
  builder.definitions().time_origin = end.clock_origin_ns;
  MORA_CHECK_OK(build(collection, builder));
  collection.report(builder.quality());
  // The closing bracket of the array form is optional, so that a program may die while it writes.
  const bool is_legal = end.cut && !end.inside_event && end.terminated_by_array;
  if (!end.complete && !is_legal)
    builder.quality().add("truncated-trace", Severity::loss, "", 1,
                          "what stands behind a certain byte cannot be read; " + place,
                          "the file is cut or damaged: copy or record it again");
  auto source = builder.finish();
  if (!source)
    return fail(ErrorKind::unreadable, "cannot read the Chrome trace", name,
                "it holds no slices, flows, instants or counters",
                "trace events are objects with \"ph\", \"ts\", \"pid\" and \"tid\" in an array \"traceEvents\"");
  return std::unique_ptr<Source>(std::move(*source));
}

}  // namespace

bool is_chrome(std::string_view start) {
  if (start.substr(0, 3) == "\xEF\xBB\xBF") start.remove_prefix(3);
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (start.empty() || (start[0] != '[' && start[0] != '{')) return false;
  return start.find("\"traceEvents\"") != std::string_view::npos || start.find("\"ph\"") != std::string_view::npos;
}

Result<std::unique_ptr<Source>> open_chrome(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return fail(ErrorKind::unreadable, "cannot open the trace", path, system_reason(errno), "check the path");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> closing(file, gzclose);
  PackedBytes::will_read(path, 1);
  GzipBuffer buffer(file);
  std::istream input(&buffer);
  auto source = read(input, path);
  if (buffer.failed())
    return fail(ErrorKind::unreadable, "cannot read the trace", path, "the compressed data are damaged",
                "copy the file again");
  return source;
}

Result<std::unique_ptr<Source>> read_chrome(std::string_view content, const std::string& name) {
  TextBuffer buffer(content);
  std::istream input(&buffer);
  return read(input, name);
}

}  // namespace mora::trace
