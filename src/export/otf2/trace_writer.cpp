/// Events are written as they are appended, one OTF2 stream per location. A transfer becomes one record at its origin;
/// the parts that stand at other events are looked up in the view when that record is written.
#include "export/otf2/trace_writer.h"

#include <fmt/format.h>

#include "export/otf2/archive_file.h"
#include "trace/metrics/metric_value.h"
#include "trace/mpi_function.h"

namespace mora::exports {

using trace::EarlType;
using trace::Event;
using trace::EventKind;
using trace::Position;
using trace::ViewEvent;

struct TraceWriter::Impl {
  Impl(const trace::View& v, const TraceWriterOptions& o) : view(v), options(o), plan(v.definitions(), false) {}

  const trace::View& view;
  TraceWriterOptions options;
  ArchivePlan plan;
  std::unique_ptr<ArchiveFile> archive;
  struct Stream {
    std::unique_ptr<EventRecords> records;
    Nanoseconds last = INT64_MIN;
  };
  std::vector<Stream> streams;
  std::optional<Nanoseconds> first;
  std::uint64_t written = 0, implied = 0;

  Result<Stream*> stream(trace::LocationId location) {
    Stream& s = streams[location];
    if (s.records == nullptr) {
      MORA_TRY(s.records, archive->open_location(location));
      s.records->program_begin(0);
    }
    return &s;
  }

  /// What the far side of a transfer says, for the record at the origin.
  void add_far_side(const ViewEvent& v, Event& e) const {
    const auto known = [&](Position p) { return p != 0 && p <= view.size(); };
    if (v.type == EarlType::get_1to) {
      if (!known(v.forward)) return;
      const ViewEvent start = view.event(v.forward);
      e.peer = view.definitions().locations[start.location].rank;
      e.bytes = e.received = start.bytes;
      e.target_offset = start.target_offset;
      e.target_extent = start.target_extent;
      if (known(start.forward)) add_end(view.event(start.forward), v, e);
    } else if (known(v.forward)) {
      add_end(view.event(v.forward), v, e);
    }
  }
  void add_end(const ViewEvent& end, const ViewEvent& start, Event& e) const {
    e.received = end.received;
    // In the extended model the recorded end is gone; the leave of the call is the rule (docs/formats/otf2.md).
    if (view.model() == trace::RmaModel::basic) e.end_time = end.time - view.time(origin_of(end)) + start.time;
  }
  Position origin_of(const ViewEvent& end) const {
    Position p = end.link;
    if (p != 0 && view.type(p) == EarlType::get_1ts && view.link(p) != 0) p = view.link(p);
    return p == 0 ? 1 : p;
  }

  /// The records that one event becomes; none for what is written with another.
  std::vector<Event> records_of(const ViewEvent& v) const;
};

std::vector<Event> TraceWriter::Impl::records_of(const ViewEvent& v) const {
  Event e;
  e.time = v.time;
  e.bytes = v.bytes;
  e.received = v.received;
  e.request = v.id;
  e.region = v.region;
  e.peer = v.peer;
  e.tag = v.tag;
  e.comm = v.comm;
  e.root = v.root;
  e.window = v.window;
  e.group = v.group;
  e.assertion = v.assertion;
  e.collective = v.collective;
  e.epoch_closed = v.synex;
  e.lock_exclusive = v.exclusive;
  e.reduction = v.reduction;
  e.target_offset = v.target_offset;
  e.target_extent = v.target_extent;
  const auto as = [&](EventKind kind) {
    e.kind = kind;
    return std::vector<Event>{e};
  };
  const auto with_leave = [&](EventKind kind) {
    std::vector<Event> both = as(kind);
    e.kind = EventKind::leave;
    both.push_back(e);
    return both;
  };
  const trace::Definitions& d = view.definitions();
  const auto operation = [&] {
    return v.region < d.regions.size() ? function_of(d.regions[v.region]).rma : trace::RmaOperation::none;
  };
  switch (v.type) {
    case EarlType::enter:
      return as(EventKind::enter);
    case EarlType::exit:
      return as(EventKind::leave);
    case EarlType::ompcexit:
      return with_leave(EventKind::team_collective_end);
    case EarlType::mpicexit:
      return with_leave(EventKind::collective_end);
    case EarlType::mpiwcexit:
      e.rma_operation = operation();
      return with_leave(EventKind::rma_collective_end);
    case EarlType::mpiwexit:
      e.rma_operation = operation();
      return with_leave(EventKind::group_sync);
    case EarlType::send:
      return as(EventKind::send);
    case EarlType::recv:
      return as(EventKind::receive);
    case EarlType::put_1ts:
    case EarlType::get_1to:
      e.end_time = trace::at_leave;
      e.received = e.bytes;
      add_far_side(v, e);
      return as(v.type == EarlType::put_1ts ? EventKind::put : EventKind::get);
    case EarlType::wlock:
      return as(EventKind::lock_request);
    case EarlType::wunlock:
      return as(EventKind::lock_release);
    case EarlType::fork:
      return as(EventKind::fork);
    case EarlType::join:
      return as(EventKind::join);
    case EarlType::alock:
      return as(EventKind::acquire);
    case EarlType::rlock:
      return as(EventKind::release);
    case EarlType::nbc_start:
      return as(EventKind::collective_request);
    case EarlType::nbc_end:
      return as(EventKind::collective_complete);
    case EarlType::atomic_1ts:
      e.end_time = trace::at_leave;
      if (v.forward != 0 && v.forward <= view.size()) e.received = view.event(v.forward).received;
      return as(EventKind::atomic);
    case EarlType::wflush:
      return as(EventKind::flush);
    case EarlType::io_start:
    case EarlType::io_end:
      e.file = v.index;
      return as(v.type == EarlType::io_start ? EventKind::io_begin : EventKind::io_end);
    case EarlType::metric:
      e.vector = v.index;
      set_metric_value(e, trace::metric_value_of(v));
      return as(EventKind::metric);
    case EarlType::sample:
      e.vector = v.index;
      return as(EventKind::sample);
    case EarlType::user:
      e.vector = v.index;
      return as(EventKind::user);
    case EarlType::put_1te:
    case EarlType::get_1ts:
    case EarlType::get_1te:
    case EarlType::atomic_1te:
      return {};
  }
  return {};
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::~TraceWriter() = default;
std::uint64_t TraceWriter::written() const { return impl_->written; }
std::uint64_t TraceWriter::implied() const { return impl_->implied; }

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const trace::View& view, const std::string& directory,
                                                         const TraceWriterOptions& options) {
  auto impl = std::make_unique<Impl>(view, options);
  ArchiveFacts facts;
  facts.description = options.description;
  const Nanoseconds origin = view.definitions().time_origin;
  facts.realtime_ns = origin > 0 ? static_cast<std::uint64_t>(origin) : 0;
  facts.clock_origin = options.from_zero ? 0 : origin;
  MORA_TRY(impl->archive, ArchiveFile::create(directory, options.force, impl->plan, facts));
  impl->streams.resize(view.definitions().locations.size());
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(impl)));
}

Result<void> TraceWriter::append(Position event) {
  if (event == 0 || event > impl_->view.size())
    return fail(ErrorKind::usage, fmt::format("there is no event {}", event), "",
                fmt::format("the trace has events 1 to {}", impl_->view.size()));
  return append(impl_->view.event(event));
}

Result<void> TraceWriter::append(const ViewEvent& event) {
  Impl& w = *impl_;
  if (w.archive == nullptr) return fail(ErrorKind::usage, "the trace is finished", "", "", "append before finish()");
  if (event.location >= w.streams.size())
    return fail(ErrorKind::usage, fmt::format("there is no location {}", event.location));
  if (!w.first) w.first = w.options.from_zero ? event.time : std::min<Nanoseconds>(event.time, 0);
  if (event.time < *w.first)
    return fail(ErrorKind::usage, "an event lies before the first one", fmt::format("{} ns", event.time), "",
                "append events in the order of time");
  const auto records = w.records_of(event);
  if (records.empty()) {
    ++w.implied;
    return {};
  }
  MORA_TRY(Impl::Stream* const stream, w.stream(event.location));
  if (event.time < stream->last)
    return fail(ErrorKind::usage, "an event lies before its predecessor on the same location",
                fmt::format("{} ns after {} ns", event.time, stream->last), "", "append events in the order of time");
  stream->last = event.time;
  const auto stamp = static_cast<std::uint64_t>(event.time) - static_cast<std::uint64_t>(*w.first);
  const std::uint64_t before = stream->records->not_written();
  for (const Event& e : records) stream->records->write(e, stamp, -*w.first);
  if (stream->records->not_written() != before)
    return fail(ErrorKind::usage, std::string("the event cannot be written: ") + to_string(event.type), "",
                "it refers to something that the trace does not define");
  ++w.written;
  return {};
}

Result<void> TraceWriter::finish() {
  Impl& w = *impl_;
  if (w.archive == nullptr) return fail(ErrorKind::usage, "the trace is finished already");
  std::uint64_t duration = 0;
  for (trace::LocationId l = 0; l < w.streams.size(); ++l) {
    MORA_TRY(Impl::Stream* const stream, w.stream(l));
    stream->records->program_end(stream->records->last_stamp());
    duration = std::max(duration, stream->records->last_stamp());
    MORA_CHECK_OK(w.archive->close_location(*stream->records));
  }
  const auto archive = std::exchange(w.archive, nullptr);
  return archive->commit(duration);
}

}  // namespace mora::exports
