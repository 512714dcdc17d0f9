// How it works. The two passes of KOJAK's merger (Hermanns 2004, 5.3) are in two places here. Pass 1, unified
// definitions, is done by the readers and by ArchivePlan. Pass 2, order, normalised times and moved transfer ends, is
// the view: it says at which number and time each half of a transfer stands. An OTF2 archive keeps one stream per
// location, so each location is written by walking two streams side by side: the source's records (which also hold what
// a view has no events for: requests, begins of collectives) and the halves of transfers that the view puts on this
// location. A half stands before the first record that has a later number in the view; that is what puts moved ends
// directly before the exit that releases them.
#include "export/otf2/merge.h"

#include <map>

#include "archive/vector_table.h"
#include "base/numbers/saturated.h"
#include "export/arrows/arrow_points.h"
#include "export/otf2/archive_file.h"
#include "export/otf2/whole_operations.h"

namespace mora::exports {
namespace {

using trace::EarlType;
using trace::Event;
using trace::EventKind;
using trace::LocationId;
using trace::View;

bool is_half(EarlType t) {
  return t == EarlType::put_1te || t == EarlType::get_1te || t == EarlType::get_1ts || t == EarlType::atomic_1te;
}

/// Receives the records of one location and merges the view's halves between them.
class LocationMerge : public trace::EventSink {
 public:
  LocationMerge(const View& view, LocationId location, const Arrows* arrows, const WholeOperations* whole,
                EventRecords& records, archive::VectorTable& vectors, Nanoseconds first, Position forget_every,
                Progress& progress)
      : view_(view),
        location_(location),
        records_(records),
        vectors_(vectors),
        first_(first),
        forget_every_(forget_every),
        progress_(progress),
        first_thread_(view.definitions().locations[location].thread == 0),
        count_(arrows == nullptr ? 0 : view.count_on(location)) {
    if (arrows != nullptr) points_.emplace(*arrows);
    if (whole != nullptr) whole_.emplace(*whole, location);
  }

  void on_event(const Event& e) override {
    if (!begun_ && first_thread_ && e.kind != EventKind::program_begin) records_.program_begin(stamp(e.time));
    begun_ = true;
    if (e.kind == EventKind::program_end) ended_ = true;
    if (points_) catch_up(e.time, ordinal_);
    if (e.vector != trace::no_id && (e.kind == EventKind::collective_end || e.kind == EventKind::collective_complete)) {
      auto counts = view_.source().vector(location_, e.vector);
      if (!counts.empty()) records_.next_vector(vectors_.intern(std::move(counts)));
    }
    if (!whole_ || whole_->keeps(e, ordinal_)) records_.write(e, stamp(e.time), -first_);
    ++ordinal_;
    progress_.advance(1);
  }

  void finish() {
    if (points_) {
      catch_up(INT64_MAX, UINT64_MAX);
      points_->rest([&](const ArrowPoint& point) { draw(point); });
    }
    if (begun_ && !ended_ && first_thread_) records_.program_end(records_.last_stamp());
  }
  std::uint64_t left_out() const { return whole_ ? whole_->left_out() : 0; }

 private:
  /// Times never go back, neither in the source nor among the halves; both are laid into one stream.
  std::uint64_t stamp(Nanoseconds t) {
    const auto s = t <= first_ ? 0 : static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(first_);
    return std::max(s, records_.last_stamp());
  }

  /// Draws everything of the view that stands before the record with this time and ordinal.
  void catch_up(Nanoseconds time, std::uint64_t ordinal) {
    const auto act = [&](const ArrowPoint& point) { draw(point); };
    while (at_ < count_) {
      const Position p = view_.nth_on(location_, at_);
      const Nanoseconds t = view_.time(p);
      if (t > time) break;
      if (is_half(view_.type(p))) {
        if (t == time && before(at_) > ordinal) break;
      } else if (t == time && view_.event(p).ordinal > ordinal) {
        break;  // an event that comes later at the same time
      }
      points_->at(p, t, act);
      ++at_;
      if (p - forgotten_ >= forget_every_) view_.forget_before(forgotten_ = p);
    }
    points_->due(time - (time == INT64_MAX ? 0 : 1), act);
  }

  /// Ordinal of the next event on this location that is a record of its own.
  std::uint64_t before(std::uint64_t n) {
    if (n < next_own_) return next_ordinal_;
    for (next_own_ = n; next_own_ < count_; ++next_own_) {
      const Position p = view_.nth_on(location_, next_own_);
      if (is_half(view_.type(p))) continue;
      next_ordinal_ = view_.event(p).ordinal;
      return next_ordinal_;
    }
    return next_ordinal_ = UINT64_MAX;
  }

  void draw(const ArrowPoint& point) {
    const Arrow& a = point.arrow;
    if (a.kind == ArrowKind::message) return;
    const auto role = static_cast<archive::TransferRole>(a.kind);
    const auto& locations = view_.definitions().locations;
    const LocationId partner = point.start ? a.to : a.from;
    // The receiving half carries what arrived.
    const std::uint64_t bytes =
        point.start || a.kind == ArrowKind::request ? a.bytes : view_.event(a.end_event).received;
    records_.transfer_message(point.start, stamp(point.time), role, locations[partner].rank, a.window, bytes);
  }

  const View& view_;
  const LocationId location_;
  EventRecords& records_;
  archive::VectorTable& vectors_;
  const Nanoseconds first_;
  const Position forget_every_;
  Position forgotten_ = 0;
  Progress& progress_;
  const bool first_thread_;
  const std::uint64_t count_;
  std::optional<ArrowPoints> points_;
  std::optional<WholeRecords> whole_;
  std::uint64_t at_ = 0, next_own_ = 0, next_ordinal_ = 0, ordinal_ = 0;
  bool begun_ = false, ended_ = false;
};

static_assert(static_cast<int>(ArrowKind::put) == static_cast<int>(archive::TransferRole::put) &&
              static_cast<int>(ArrowKind::get) == static_cast<int>(archive::TransferRole::get) &&
              static_cast<int>(ArrowKind::request) == static_cast<int>(archive::TransferRole::request));

}  // namespace

Result<void> write_otf2(const View& view, const std::string& directory, const Otf2Options& options,
                        DataQuality& quality) {
  const trace::Definitions& d = view.definitions();
  const ArchivePlan plan(d, options.plain);
  ArchiveFacts facts;
  facts.description = options.description;
  facts.rma_model = view.model() == trace::RmaModel::basic ? "basic" : "extended";
  facts.transfer_messages = options.messages.has_value();
  facts.realtime_ns = d.time_origin > 0 ? static_cast<std::uint64_t>(d.time_origin) : 0;
  const Nanoseconds first = view.measured().begin();
  facts.clock_origin = saturated_sum(d.time_origin, first);
  MORA_TRY(const auto archive, ArchiveFile::create(directory, options.force, plan, facts));
  std::optional<Arrows> arrows;
  if (options.messages) arrows.emplace(view, *options.messages);
  const Position forget_every = options.saves_memory ? 1 << 19 : UINT64_MAX;
  std::optional<WholeOperations> whole;
  if (options.plain) whole.emplace(view, forget_every);

  std::uint64_t expected = 0;
  for (LocationId l = 0; l < d.locations.size(); ++l) expected += view.source().event_count_hint(l);
  Progress progress(options.progress, "write", expected);
  std::map<std::uint32_t, archive::VectorTable> vectors;  // per rank: threads of a rank share a file
  std::uint64_t duration = 0;
  std::uint32_t written_rank = trace::no_id;
  const auto write_vectors = [&](std::uint32_t rank) -> Result<void> {
    const auto at = vectors.find(rank);
    if (at == vectors.end()) return {};
    if (!at->second.empty())
      MORA_CHECK_OK(archive->add_file("vectors." + std::to_string(rank), at->second.file_content()));
    vectors.erase(at);
    return {};
  };
  for (LocationId l = 0; l < d.locations.size(); ++l) {
    if (!plan.writes(d.locations[l])) {
      quality.add("left-out-of-plain", Severity::warning, d.locations[l].name, view.count_on(l),
                  "events of devices and counters are left out: tools like Scalasca know processes and threads only",
                  "leave out --plain to keep them");
      continue;
    }
    const std::uint32_t rank = d.locations[l].rank;
    if (written_rank != trace::no_id && rank != written_rank) MORA_CHECK_OK(write_vectors(written_rank));
    written_rank = rank;
    MORA_TRY(const auto records, archive->open_location(l));
    LocationMerge merge(view, l, arrows ? &*arrows : nullptr, whole ? &*whole : nullptr, *records, vectors[rank], first,
                        forget_every, progress);
    // A location that cannot be read is already counted by the view.
    if (view.source().read_location(l, merge)) merge.finish();
    MORA_CHECK_OK(archive->close_location(*records));
    duration = std::max(duration, records->last_stamp());
    quality.add("left-out-of-plain", Severity::warning, d.locations[l].name, merge.left_out(),
                "messages and collective calls whose partners are not in the trace are left out: tools like Scalasca "
                "would wait for the partners for ever",
                "leave out --plain to keep them");
    if (records->not_written() > 0)
      quality.add("not-exported", Severity::warning, d.locations[l].name, records->not_written(),
                  "events cannot be written in this format, or refer to definitions that are missing",
                  "choose another format with --to, or look at them with mora print");
  }
  if (written_rank != trace::no_id) MORA_CHECK_OK(write_vectors(written_rank));
  return archive->commit(duration);
}

}  // namespace mora::exports
