#include "trace/intervals/interval_source.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <sstream>
#include <string_view>

#include "trace/intervals/mark_filter.h"
#include "trace/intervals/open_intervals.h"
#include "trace/intervals/phases.h"
#include "trace/intervals/region_classes.h"
#include "trace/kept/kept_events.h"

namespace mora::trace {
namespace {

class IntervalSource : public MarkedSource {
 public:
  IntervalSource(Source& source, const IntervalOptions& options)
      : source_(source),
        classes_(region_classes(source.definitions().regions, options.regions)),
        sites_(interval_sites(source.definitions().regions)),
        split_(options.split_iterations),
        was_read_(source.definitions().locations.size()),
        recorded_(source.definitions().locations.size()) {
    for (const QualityRow& row : source.quality().rows()) counted_[{row.kind, row.where}].opening = row.count;
    for (const std::string& pattern : unmatched_patterns(source.definitions().regions, options.regions)) {
      quality_.add("interval-region-unmatched", Severity::info, pattern, 1,
                   "patterns of --interval-regions fit no region of the trace",
                   "`mora print` shows the names of regions; MPI calls and marked intervals cannot be chosen");
    }
    start_counting();
  }

  const Definitions& definitions() const override { return source_.definitions(); }
  Result<void> read_location(LocationId location, EventSink& sink) override;
  std::uint64_t event_count_hint(LocationId location) const override { return source_.event_count_hint(location); }
  Nanoseconds duration_hint() const override { return source_.duration_hint(); }
  DataQuality& quality() override;
  std::string format() const override { return source_.format(); }
  std::vector<std::uint64_t> vector(LocationId location, std::uint32_t index) const override {
    return source_.vector(location, index);
  }

  std::uint64_t recorded_events(LocationId location) const override { return recorded_[location]; }

  bool has_marks() const { return has_marks_; }
  /// While phases are looked for, nothing is counted; the readings to come are the first ones.
  void begin_search(const PhaseSearch& search) {
    is_searching_ = true;
    if (search.keep != 0) kept_ = std::make_unique<KeptEvents>(was_read_.size(), search.keep, search.keep_for);
  }
  void end_search() {
    is_searching_ = false;
    start_counting();
  }
  void set_phases(std::vector<LocationPhases> phases) { phases_ = std::move(phases); }

 private:
  Result<void> read_events(LocationId location, EventSink& sink);
  void start_counting();
  void take_over_quality();
  void freeze_quality();
  void report(const std::string& where, const MarkDamage& damage);

  Source& source_;
  const std::vector<RegionClass> classes_;
  const std::vector<RegionId> sites_;
  const bool split_;
  std::vector<LocationPhases> phases_;
  std::vector<std::atomic<bool>> was_read_;
  std::vector<std::atomic<std::uint64_t>> recorded_;
  std::atomic<bool> has_marks_ = false;
  bool is_searching_ = false;
  std::unique_ptr<KeptEvents> kept_;

  // Most sources count again what they find when a location is read again; that is not taken over.
  struct Counted {
    std::uint64_t opening = 0;   ///< when the source was opened
    std::uint64_t starting = 0;  ///< when the first reading that counts began
    std::uint64_t taken = 0;
  };
  std::mutex mutex_;
  bool is_frozen_ = false;
  std::map<std::pair<std::string, std::string>, Counted> counted_;  ///< by kind and place
  DataQuality quality_;
};

Result<void> IntervalSource::read_location(LocationId location, EventSink& sink) {
  const Definitions& definitions = source_.definitions();
  if (location >= was_read_.size()) return source_.read_location(location, sink);
  const bool is_first = !is_searching_ && !was_read_[location].exchange(true);
  if (!is_first && !is_searching_) freeze_quality();
  OpenIntervals intervals(classes_, sites_, definitions.regions, split_,
                          location < phases_.size() ? &phases_[location] : nullptr, sink);
  MarkFilter filter(intervals, definitions.locations[location].rank);
  const Result<void> read = read_events(location, filter);
  recorded_[location] = filter.recorded();
  MORA_CHECK_OK(read);
  filter.finish();
  if (intervals.found() != 0) has_marks_ = true;
  if (!is_first) return {};
  intervals.damage.search_cut = location < phases_.size() && phases_[location].is_cut ? 1 : 0;
  report(definitions.locations[location].name, intervals.damage);
  return {};
}

/// The source's events, or what was kept of them.
Result<void> IntervalSource::read_events(LocationId location, EventSink& sink) {
  if (kept_ == nullptr) return source_.read_location(location, sink);
  if (!is_searching_)
    return kept_->holds(location) ? kept_->give(location, sink) : source_.read_location(location, sink);
  KeptEvents::Keeper keeper(*kept_, location, sink);
  MORA_CHECK_OK(source_.read_location(location, keeper));
  keeper.finish();
  return {};
}

DataQuality& IntervalSource::quality() {
  const std::scoped_lock lock(mutex_);
  take_over_quality();
  return quality_;
}

void IntervalSource::freeze_quality() {
  const std::scoped_lock lock(mutex_);
  take_over_quality();
  is_frozen_ = true;
}

void IntervalSource::start_counting() {
  const std::scoped_lock lock(mutex_);
  for (const QualityRow& row : source_.quality().rows()) counted_[{row.kind, row.where}].starting = row.count;
}

/// What the source has counted in one reading: while phases were looked for or now, whichever found more.
void IntervalSource::take_over_quality() {
  if (is_frozen_) return;
  for (QualityRow& row : source_.quality().rows()) {
    Counted& counted = counted_[{row.kind, row.where}];
    const std::uint64_t total =
        counted.opening + std::max(counted.starting - counted.opening, row.count - counted.starting);
    if (total <= counted.taken) continue;
    row.count = total - counted.taken;
    counted.taken = total;
    quality_.add(std::move(row));
  }
}

void IntervalSource::report(const std::string& where, const MarkDamage& damage) {
  const auto row = quality_.at(where);
  row("interval-end-without-begin", Severity::warning, damage.end_without_begin,
      "marks end intervals that are not open; they are ignored", "mark the begin on every path that leads to the end");
  row("interval-without-end", Severity::warning, damage.without_end,
      "intervals were begun and not ended; they end with the region in which they began, or with the trace",
      "mark the end on every path that leaves the interval, in the same function as the begin");
  row("interval-crossing", Severity::warning, damage.crossing,
      "intervals end while others are open that began inside them, or in a deeper region than they began in",
      "nest intervals: the one begun last is ended first, in the function in which it was begun");
  row("interval-half-mark", Severity::warning, damage.half_marks,
      "messages to oneself with a mark as tag are not sent and received in calls next to each other; they are kept as "
      "messages",
      "mark with MPI_Send and MPI_Recv one after the other, with MPI_Sendrecv, or with MPI_Pcontrol");
  row("interval-unknown-mark", Severity::info, damage.unknown_marks,
      "numbers begin like a mark's (0xAA or 0x0A) but do not end like one; they are ordinary messages and calls",
      "if they are meant as marks: the last byte is 0xAA or 0xBB");
  row("interval-unknown-site", Severity::info, damage.unknown_sites,
      "intervals were marked where no file and line is known; all with one number under one parent count as one",
      "record with call sites, or give different intervals different numbers");
  row("phase-search-cut", Severity::info, damage.search_cut,
      "the outer loop was looked for in the first two million calls of a location only; it is taken to go on to its "
      "head's last call",
      "mark the loop (docs/user/intervals.md) if its end matters");
  row("interval-negative-id", Severity::info, damage.negative_ids,
      "numbers of intervals are negative or larger than 2^31-2; they are taken modulo 2^31, at most 2^31-2",
      "use numbers from 0 to 2^31-2");
}

}  // namespace

Result<std::unique_ptr<MarkedSource>> with_intervals(Source& source, const IntervalOptions& options,
                                                     PhaseSearch search) {
  auto result = std::make_unique<IntervalSource>(source, options);
  if (options.phases != Phases::never) {
    const bool always = options.phases == Phases::always;
    result->begin_search(search);
    search.stop = [&] { return !always && result->has_marks(); };
    MORA_TRY(std::vector<LocationPhases> phases, find_phases(*result, search));
    result->end_search();
    if (always || !result->has_marks()) result->set_phases(std::move(phases));
  }
  return result;
}

namespace {
constexpr std::string_view phase_words[] = {"never", "unmarked", "always"};
}

std::string text_of(const IntervalOptions& options) {
  std::string text = "phases=" + std::string(phase_words[static_cast<std::size_t>(options.phases)]);
  if (options.split_iterations) text += " split";
  for (const std::string& pattern : options.regions) text += " region=" + pattern;
  return text;
}

IntervalOptions interval_options(const std::string& text) {
  IntervalOptions options;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    for (std::size_t p = 0; p < std::size(phase_words); ++p) {
      if (word == "phases=" + std::string(phase_words[p])) options.phases = static_cast<Phases>(p);
    }
    if (word == "split") options.split_iterations = true;
    if (word.starts_with("region=")) options.regions.push_back(word.substr(7));
  }
  return options;
}

}  // namespace mora::trace
